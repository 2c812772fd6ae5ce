//! Figure 3 (a, b): the distance from a reference to the states along a trajectory, learned and straight.

use super::report::{Basis, Finding, Report, Verdict};
use super::wander::{Amount, Asked, Data, Predictor, Rates, Seen, Starts, Walks};
use super::way::apart_m;
use super::{Effort, Reproduction, Results, Size};
use crate::figure::{Figure, Lines, Panel, Series, Stroke};
use crate::progress::Waiting;
use anyhow::Result;
use isochrone::distance::Distance;
use isochrone::evaluate::{median, spearman};
use isochrone::rollout::Phase;
use isochrone_mujoco::WorldName;
use std::fmt::Write as _;

/// The paper's two, with the goal spaces that it names.
const CASES: [(WorldName, Seen); 2] = [
    (WorldName::PointMass, Seen::Place),
    (WorldName::MazeAnt, Seen::FullState),
];
/// The way round the wall from the start, which ends beside it. Its length is the centre line's.
const CORNERS_M: [[f64; 2]; 4] = [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]];
/// Steps of the way.
const APART_M: f64 = 0.1;
/// Shorter ones say nothing about order.
const SHORTEST_STEPS: usize = 50;
/// A prediction grows with time if its ranks agree this well.
const GROWS: f64 = 0.5;
/// It grows along a way if it does so at this share of the steps.
const ALWAYS: f64 = 0.95;

pub(super) fn reproduce(effort: &Effort, waiting: &Waiting) -> Result<Reproduction> {
    let mut results = Results::new(effort.revision.clone());
    let (mut panels, mut csv) = (Vec::new(), "world,track,at,steps,straight_m\n".to_owned());
    for (world, seen) in CASES {
        for seed in 0..effort.seeds {
            let asked = asked(effort, world, seen);
            waiting.now(&format!("{world}, seed {seed}"));
            let data = Data::gather(&asked, seed)?;
            let predictor = Predictor::learn(&asked, &data, seed)?;
            let random = random_tracks(&asked, &data, &predictor, seed)?;
            let way = way_track(&data, &predictor);
            for (measure, value) in measures(&random, &way, &predictor)? {
                results.push(&predictor.spec, world.as_str(), seed, measure, value);
            }
            if seed == 0 {
                let first = random.first();
                for (kind, track) in first
                    .map(|t| ("random", t))
                    .into_iter()
                    .chain([("way", &way)])
                {
                    panels.push(track.panel(world, kind));
                    track.tell(world, kind, &mut csv);
                }
            }
        }
    }
    Ok(Reproduction {
        figure: Figure {
            title: "Distance to the first state along a trajectory (seed 0), each as a share of its greatest"
                .to_owned(),
            columns: 2,
            panels,
        },
        csv,
        report: Report {
            title: "Figure 3 (a, b): learned distances along trajectories".to_owned(),
            basis: Basis::Learned,
            findings: vec![grows_with_time(&results), beside_straight(&results), round_the_wall(&results)],
            differences: differences(effort),
        },
        results: Some(results),
    })
}

fn asked(effort: &Effort, world: WorldName, seen: Seen) -> Asked {
    Asked {
        world,
        starts: Starts::Anywhere,
        seen,
        rates: Rates::Settled,
        amount: Amount::of(effort.size),
        q: 1.0,
    }
}

/// States after a first one: how far along each is, and its distances to the first.
struct Track {
    /// Steps since, or metres along the way.
    at: Vec<f64>,
    learned_steps: Vec<f64>,
    straight_m: Vec<f64>,
}

/// Random trajectories from the world's start, which were not learned from.
fn random_tracks(
    asked: &Asked,
    data: &Data,
    predictor: &Predictor,
    seed: u64,
) -> Result<Vec<Track>> {
    let (whole, place) = (data.world.full_state_space()?, data.world.xy_space()?);
    let walks = Walks::of(
        &data.world,
        &whole,
        seed,
        Phase::Evaluate,
        asked.amount.held_out_steps,
    )?;
    let episodes = walks.episodes()?;
    let long = |rows: &&std::ops::Range<usize>| rows.len() > SHORTEST_STEPS;
    let track = |rows: &std::ops::Range<usize>| {
        let first = episodes.state(rows.start);
        let mut track = Track {
            at: Vec::new(),
            learned_steps: Vec::new(),
            straight_m: Vec::new(),
        };
        for row in rows.start + 1..rows.end {
            let state = episodes.state(row);
            let [s, g] = [state, first].map(|x| data.space.project(x));
            let [here, there] = [state, first].map(|x| {
                let xy = place.project(x);
                [f64::from(xy[0]), f64::from(xy[1])]
            });
            track.at.push((row - rows.start) as f64);
            track.learned_steps.push(predictor.distance.between(&s, &g));
            track.straight_m.push(apart_m(here, there));
        }
        track
    };
    Ok(episodes.ranges().iter().filter(long).map(track).collect())
}

/// The body at rest, carried round the wall.
fn way_track(data: &Data, predictor: &Predictor) -> Track {
    let steps = predictor.steps_to(data, CORNERS_M[0]);
    let length: f64 = CORNERS_M.windows(2).map(|c| apart_m(c[0], c[1])).sum();
    let at: Vec<f64> = (1..=(length / APART_M).round() as usize)
        .map(|k| k as f64 * APART_M)
        .collect();
    Track {
        learned_steps: at.iter().map(|&at| steps(place_m(at))).collect(),
        straight_m: (at.iter())
            .map(|&at| apart_m(place_m(at), CORNERS_M[0]))
            .collect(),
        at,
    }
}

/// The place so far along the way.
fn place_m(mut along_m: f64) -> [f64; 2] {
    for leg in CORNERS_M.windows(2) {
        let length = apart_m(leg[0], leg[1]);
        if along_m <= length {
            let part = along_m / length;
            return [0, 1].map(|k| leg[0][k] + part * (leg[1][k] - leg[0][k]));
        }
        along_m -= length;
    }
    CORNERS_M[CORNERS_M.len() - 1]
}

fn measures(
    random: &[Track],
    way: &Track,
    predictor: &Predictor,
) -> Result<[(&'static str, f64); 7]> {
    let ranks = |pick: fn(&Track) -> &[f64]| -> Result<f64> {
        let each: Result<Vec<f64>> = random
            .iter()
            .map(|track| Ok(spearman(pick(track), &track.at)?.unwrap_or(0.0)))
            .collect();
        Ok(median(&each?).unwrap_or(f64::NAN))
    };
    Ok([
        ("random_tracks", random.len() as f64),
        ("learned_against_time", ranks(|t| &t.learned_steps)?),
        ("straight_against_time", ranks(|t| &t.straight_m)?),
        ("learned_growing_share", growing_share(&way.learned_steps)),
        ("straight_growing_share", growing_share(&way.straight_m)),
        ("held_out_rmse_steps", predictor.worth.rmse_steps),
        ("held_out_spearman", predictor.worth.spearman),
    ])
}

/// At how many of its steps a list goes up.
fn growing_share(values: &[f64]) -> f64 {
    let ups = values.windows(2).filter(|pair| pair[1] > pair[0]).count();
    ups as f64 / (values.len() - 1) as f64
}

impl Track {
    fn panel(&self, world: WorldName, kind: &str) -> Panel {
        let series = |name: &str, values: &[f64], style| {
            let greatest = values.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
            Series {
                name: name.to_owned(),
                points: (self.at.iter().zip(values))
                    .map(|(at, value)| (*at, value / greatest))
                    .collect(),
                style,
                ..Series::default()
            }
        };
        let (title, x_label) = match kind {
            "random" => ("a random trajectory", "steps since the first state"),
            _ => ("at rest, round the wall", "metres along the way"),
        };
        Panel::Lines(Lines {
            title: format!("{world}: {title}"),
            x_label: x_label.to_owned(),
            y_label: "share of the greatest".to_owned(),
            series: vec![
                series("learned", &self.learned_steps, Stroke::Solid),
                series("straight line", &self.straight_m, Stroke::Solid),
                series("so far, in steps or metres", &self.at, Stroke::Dashed),
            ],
            ..Lines::default()
        })
    }

    fn tell(&self, world: WorldName, kind: &str, csv: &mut String) {
        let both = self.learned_steps.iter().zip(&self.straight_m);
        for (at, (steps, straight)) in self.at.iter().zip(both) {
            // Writing to a String cannot fail.
            let _ = writeln!(csv, "{world},{kind},{at:.1},{steps:.3},{straight:.4}");
        }
    }
}

/// One number for each case, and whether it is as it should be.
fn finding(
    results: &Results,
    words: [String; 2],
    measures: [&str; 2],
    rule: &'static str,
    holds: fn(f64, f64) -> bool,
) -> Finding {
    let pair = |world: WorldName| measures.map(|m| results.mean(world.as_str(), m));
    let each = CASES.map(|(world, _)| {
        let [learned, straight] = pair(world);
        format!("{world} {learned:.3}, straight line {straight:.3}")
    });
    let n = CASES
        .iter()
        .filter(|(world, _)| {
            let [learned, straight] = pair(*world);
            holds(learned, straight)
        })
        .count();
    let [claim, what] = words;
    Finding {
        claim,
        found: format!("{what}: {}", each.join("; ")),
        rule,
        verdict: match n {
            0 => Verdict::Fails,
            n if n == CASES.len() => Verdict::Holds,
            _ => Verdict::Depends,
        },
    }
}

const AGAINST_TIME: [&str; 2] = ["learned_against_time", "straight_against_time"];

fn grows_with_time(results: &Results) -> Finding {
    finding(
        results,
        [
            "along a trajectory the prediction grows with the steps from the reference",
            "rank correlation with the steps since, median of random trajectories",
        ]
        .map(str::to_owned),
        AGAINST_TIME,
        "above 0.5 in both worlds; *depends* if in one",
        |learned, _| learned > GROWS,
    )
}

fn beside_straight(results: &Results) -> Finding {
    finding(
        results,
        ["… and says more about them than L2", "the same numbers"].map(str::to_owned),
        AGAINST_TIME,
        "the learned one is above the straight line's in both worlds; *depends* if in one",
        |learned, straight| learned > straight,
    )
}

fn round_the_wall(results: &Results) -> Finding {
    finding(
        results,
        [
            "… round a wall, too",
            "share of the steps along the way round the wall at which the distance to its beginning grows",
        ]
        .map(str::to_owned),
        ["learned_growing_share", "straight_growing_share"],
        "at 95 % of the steps or more in both worlds; *depends* if in one",
        |learned, _| learned >= ALWAYS,
    )
}

fn differences(effort: &Effort) -> Vec<String> {
    let mut list: Vec<String> = [
        "**Claims.** The paper shows one trajectory of each world and says nothing about it in numbers. What such a \
         picture should show is put into rules here.",
        "**Data.** Random rollouts of 500 steps (or until the ant falls) from random places; the paper's predictor is \
         trained on with a policy, and its trajectories may be that policy's. Trajectories judged here are random \
         ones from the world's start, which were not learned from, and the body at rest carried round the wall along \
         the middle of the corridor.",
        "**Goal spaces** are the figure's: (x, y) for Point Mass, the whole state for Maze Ant. The straight line is \
         that between places in both.",
        "**Training.** 64 ReLU → 20, 1-norm, q = 1, batch 32, 50 epochs as printed, but Adam from 1e-3 down to 1e-5 \
         on scaled steps: at a constant 1e-5 the predictor has not settled after 50 epochs (see effect-of-q).",
    ]
    .map(str::to_owned)
    .to_vec();
    if effort.size == Size::Quick {
        list.push(
            "**Quick.** A twentieth of the data and a sixth of the epochs: numbers mean little."
                .to_owned(),
        );
    }
    list
}
