//! Figure 10: what the power q of the norm does to the region within a number of steps, in Free Ant.

mod findings;
mod panels;

use super::asked::{Amount, Asked, Rates, Seen, Starts};
use super::predictor::Predictor;
use super::report::{Basis, Report};
use super::wander::Data;
use super::way::apart_m;
use super::{Effort, Numbers, Reproduction, Results};
use anyhow::Result;
use isochrone::evaluate::quantile;
use isochrone_mujoco::WorldName;
use isochrone_runs::floor::Floor;
use isochrone_runs::progress::Waiting;
use std::fmt::Write as _;

/// The paper's.
const POWERS: [f32; 4] = [0.5, 1.0, 2.0, 4.0];
/// As far as the paper prints it, and as far as it goes.
const RATES: [Rates; 2] = [Rates::Printed, Rates::Settled];
/// The paper's threshold for ants …
const EPSILON_STEPS: f64 = 60.0;
/// … and others to see whether the answer depends on it.
const OTHER_STEPS: [f64; 3] = [30.0, 120.0, 240.0];
/// Everything is measured from the start.
const START_M: [f64; 2] = [0.0; 2];
/// Cells that are drawn.
const DRAWN_M: f64 = 0.4;
/// Cells that areas are counted in.
const COUNTED_M: f64 = 0.05;
/// How far from the start, and how finely, the profile goes.
const PROFILE_M: f64 = 4.0;
const PROFILE_STEPS: usize = 16;
/// How far trajectories go.
const REACH: &str = "data_reach_m";
/// Directions that a profile is a mean over.
const DIRECTIONS: usize = 16;

pub(super) fn reproduce(effort: &Effort, waiting: &Waiting) -> Result<Reproduction> {
    let seeds = effort.for_each_seed(|seed| one_seed(effort, seed, waiting))?;
    let (mut results, mut maps) = (Results::new(effort.revision.clone()), Vec::new());
    for (found, drawn) in seeds {
        results.append(found);
        maps.extend(drawn);
    }
    let figure = panels::figure(&maps, &results);
    Ok(Reproduction {
        figure,
        csv: csv(&maps),
        report: Report {
            title: "Figure 10: the effect of q".to_owned(),
            basis: Basis::Learned,
            findings: findings::all(&results),
            differences: findings::differences(effort, &results),
        },
        results: Some(Numbers::Measures(results)),
    })
}

/// All powers and rates on the trajectories of one seed; the first one's maps are kept.
fn one_seed(effort: &Effort, seed: u64, waiting: &Waiting) -> Result<(Results, Vec<Map>)> {
    waiting.now("rollouts");
    let (mut results, mut maps) = (Results::new(effort.revision.clone()), Vec::new());
    let data = Data::gather(&asked(effort, Rates::Printed, 1.0), seed)?;
    for rates in RATES {
        for q in POWERS {
            waiting.now(&case(rates, q));
            let predictor = Predictor::learn(&asked(effort, rates, q), &data, seed)?;
            measure(&mut results, seed, &data, &predictor)?;
            if seed == 0 {
                maps.push(Map::of(&data, &predictor));
            }
        }
    }
    Ok((results, maps))
}

fn asked(effort: &Effort, rates: Rates, q: f32) -> Asked {
    Asked {
        world: WorldName::FreeAnt,
        starts: Starts::Fixed,
        seen: Seen::FullState,
        rates,
        amount: Amount::of(effort.size),
        q,
    }
}

/// A name for people, and for the rows of results.csv.
fn case(rates: Rates, q: f32) -> String {
    match rates {
        Rates::Printed => format!("q {q} printed"),
        Rates::Settled => format!("q {q} settled"),
    }
}

fn area_name(epsilon_steps: f64) -> String {
    format!("area_m2_within_{epsilon_steps}_steps")
}

fn profile_name(at: usize) -> String {
    format!("steps_at_{}_m", radius_m(at))
}

fn radius_m(at: usize) -> f64 {
    at as f64 * PROFILE_M / PROFILE_STEPS as f64
}

fn measure(results: &mut Results, seed: u64, data: &Data, predictor: &Predictor) -> Result<()> {
    let (asked, _) = &predictor.spec;
    let case = case(asked.rates, asked.q);
    let mut push =
        |measure: &str, value| results.push(&predictor.spec, &case, seed, measure, value);
    let worth = predictor.worth;
    push("held_out_rmse_steps", worth.rmse_steps);
    push("best_constant_rmse_steps", worth.constant_rmse_steps);
    push("held_out_spearman", worth.spearman);
    let steps = predictor.steps_to(data, START_M);
    let fine = Floor::of(&data.world, COUNTED_M).map(&steps);
    for epsilon in [EPSILON_STEPS].into_iter().chain(OTHER_STEPS) {
        let inside = fine.iter().flatten().filter(|d| **d < epsilon).count();
        push(&area_name(epsilon), inside as f64 * COUNTED_M * COUNTED_M);
    }
    for at in 0..=PROFILE_STEPS {
        let around = (0..DIRECTIONS).map(|k| {
            let angle = std::f64::consts::TAU * k as f64 / DIRECTIONS as f64;
            steps([radius_m(at) * angle.cos(), radius_m(at) * angle.sin()])
        });
        push(&profile_name(at), around.sum::<f64>() / DIRECTIONS as f64);
    }
    push(REACH, reach_m(data)?);
    Ok(())
}

/// 99 % of the states learned from are as near to the start.
fn reach_m(data: &Data) -> Result<f64> {
    let (episodes, place) = (data.learn.episodes()?, data.world.xy_space()?);
    let rows = episodes.ranges().iter().cloned().flatten();
    let mut apart: Vec<f64> = rows
        .map(|row| {
            let xy = place.project(episodes.state(row));
            apart_m([xy[0], xy[1]].map(f64::from), START_M)
        })
        .collect();
    apart.sort_by(f64::total_cmp);
    Ok(quantile(&apart, 0.99).unwrap_or(f64::NAN))
}

/// The distance over the floor, of one seed.
struct Map {
    rates: Rates,
    q: f32,
    floor: Floor,
    steps: Vec<Option<f64>>,
}

impl Map {
    fn of(data: &Data, predictor: &Predictor) -> Self {
        let (asked, _) = &predictor.spec;
        let floor = Floor::of(&data.world, DRAWN_M);
        Self {
            rates: asked.rates,
            q: asked.q,
            steps: floor.map(predictor.steps_to(data, START_M)),
            floor,
        }
    }
}

fn csv(maps: &[Map]) -> String {
    let mut text = "case,x_m,y_m,steps\n".to_owned();
    for map in maps {
        let case = case(map.rates, map.q);
        for ([x, y], steps) in map.floor.places_m.iter().zip(&map.steps) {
            if let Some(steps) = steps {
                // Writing to a String cannot fail.
                let _ = writeln!(text, "{case},{x:.1},{y:.1},{steps:.2}");
            }
        }
    }
    text
}
