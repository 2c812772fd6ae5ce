//! Figure 3 (a, b): the distance from a reference to the states along a trajectory, learned and straight.

mod track;

use super::asked::{Amount, Asked, Rates, Seen, Starts};
use super::predictor::Predictor;
use super::report::{Basis, Finding, Report, Verdict};
use super::wander::Data;
use super::{Effort, Numbers, Reproduction, Results};
use anyhow::Result;
use isochrone::evaluate::{median, spearman};
use isochrone_figures::Figure;
use isochrone_mujoco::WorldName;
use isochrone_runs::progress::Waiting;
use track::{Track, growing_share, random_tracks, way_track};

/// The paper's two, with the goal spaces that it names.
const CASES: [(WorldName, Seen); 2] = [
    (WorldName::PointMass, Seen::Place),
    (WorldName::MazeAnt, Seen::FullState),
];
/// A prediction grows with time if its ranks agree this well.
const GROWS: f64 = 0.5;
/// It grows along a way if it does so at this share of the steps.
const ALWAYS: f64 = 0.95;

pub(super) fn reproduce(effort: &Effort, waiting: &Waiting) -> Result<Reproduction> {
    let mut results = Results::new(effort.revision.clone());
    let (mut panels, mut csv) = (Vec::new(), "world,track,at,steps,straight_m\n".to_owned());
    for (world, seen) in CASES {
        let asked = asked(effort, world, seen);
        waiting.now(world.as_str());
        let seeds = effort.for_each_seed(|seed| {
            let data = Data::gather(&asked, seed)?;
            let predictor = Predictor::learn(&asked, &data, seed)?;
            let random = random_tracks(&asked, &data, &predictor, seed)?;
            Ok((random, way_track(&data, &predictor), predictor))
        })?;
        for (seed, (random, way, predictor)) in (0..).zip(&seeds) {
            for (measure, value) in measures(random, way, predictor)? {
                results.push(&predictor.spec, world.as_str(), seed, measure, value);
            }
        }
        if let Some((random, way, _)) = seeds.first() {
            for track in random.first().into_iter().chain([way]) {
                panels.push(track.panel(world));
                track.tell(world, &mut csv);
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
        results: Some(Numbers::Measures(results)),
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
        verdict: Verdict::in_some(n, CASES.len()),
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
    list.extend(Amount::caveat(effort.size));
    list
}
