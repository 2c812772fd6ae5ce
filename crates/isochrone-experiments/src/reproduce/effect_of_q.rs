//! Figure 10: the effect of the power q of the norm on the region within a number of steps, in Free Ant.

mod draw;
mod findings;

use super::predictor::Predictor;
use super::predictor_config::{PredictorConfig, Rates, Seen, Starts};
use super::rollouts::Data;
use super::shortest_path::apart_m;
use super::{Effort, Reproduction, Results};
use anyhow::Result;
use isochrone::evaluate::quantile;
use isochrone_mujoco::WorldName;
use isochrone_runs::floor::Floor;
use isochrone_runs::progress::Waiting;

/// The paper's.
const POWERS: [f32; 4] = [0.5, 1.0, 2.0, 4.0];
/// As far as the paper prints it, and to convergence.
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
    // All powers and rates learn from the same trajectories of a seed.
    let (results, maps) = effort.run_seeds(&[()], waiting, |(), seed, results| {
        let data = Data::gather(&config(effort, Rates::Printed, 1.0), seed)?;
        let mut maps = Vec::new();
        for rates in RATES {
            for q in POWERS {
                let predictor = Predictor::learn(&config(effort, rates, q), &data, seed)?;
                measure(results, seed, &data, &predictor)?;
                maps.push(Map::of(&data, &predictor));
            }
        }
        Ok(maps)
    })?;
    let first_seed = &maps[0][0];
    let title = "Free Ant: predicted steps to the start, by the power q of the norm (seed 0 above, all seeds below)";
    let panels = draw::panels(first_seed, &results);
    let csv = super::panels::csv(
        "case,x_m,y_m,steps",
        first_seed.iter().flat_map(Map::csv_rows),
    );
    let report = findings::report(effort, &results);
    Ok(Reproduction::learned(
        title,
        POWERS.len(),
        panels,
        csv,
        report,
        results,
    ))
}

fn config(effort: &Effort, rates: Rates, q: f32) -> PredictorConfig {
    PredictorConfig {
        starts: Starts::Fixed,
        rates,
        q,
        ..PredictorConfig::batch(WorldName::FreeAnt, Seen::FullState, effort.size)
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
    let (config, _) = &predictor.spec;
    let case = case(config.rates, config.q);
    let mut push =
        |measure: &str, value| results.push(&predictor.spec, &case, seed, measure, value);
    for (name, value) in predictor.held_out {
        push(name, value);
    }
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

/// The radius round the start that holds 99 % of the states learned from.
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
        let (config, _) = &predictor.spec;
        let floor = Floor::of(&data.world, DRAWN_M);
        Self {
            rates: config.rates,
            q: config.q,
            steps: floor.map(predictor.steps_to(data, START_M)),
            floor,
        }
    }

    fn csv_rows(&self) -> impl Iterator<Item = String> {
        let (case, places) = (case(self.rates, self.q), self.floor.places_m.iter());
        places.zip(&self.steps).filter_map(move |([x, y], steps)| {
            steps.map(|steps| format!("{case},{x:.1},{y:.1},{steps:.2}"))
        })
    }
}
