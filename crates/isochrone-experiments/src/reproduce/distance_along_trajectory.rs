//! Figure 3 (a, b): the distance from a reference to the states along a trajectory, learned and Euclidean.

mod track;

use super::panels::csv;
use super::predictor::Predictor;
use super::predictor_config::{Amount, PredictorConfig, Seen};
use super::report::{Finding, Report, Verdict};
use super::rollouts::Data;
use super::{Effort, Reproduction, Results};
use anyhow::Result;
use isochrone::evaluate::{median, spearman};
use isochrone_mujoco::WorldName;
use isochrone_runs::progress::Waiting;
use track::{Track, growing_share, random_tracks, track_round_the_wall};

/// The paper's two, with the goal spaces that it names.
const CASES: [(WorldName, Seen); 2] = [
    (WorldName::PointMass, Seen::Place),
    (WorldName::MazeAnt, Seen::FullState),
];
/// A prediction grows with time if its ranks agree this well.
const GROWS: f64 = 0.5;
/// It grows along a path if it does so at this share of the steps.
const ALWAYS: f64 = 0.95;

pub(super) fn reproduce(effort: &Effort, waiting: &Waiting) -> Result<Reproduction> {
    let (results, tracks) =
        effort.run_seeds(&CASES, waiting, |&(world, seen), seed, results| {
            let config = PredictorConfig::batch(world, seen, effort.size);
            let data = Data::gather(&config, seed)?;
            let predictor = Predictor::learn(&config, &data, seed)?;
            let mut random = random_tracks(&config, &data, &predictor, seed)?;
            let wall = track_round_the_wall(&data, &predictor);
            let measures = measures(&random, &wall, &predictor)?;
            results.push_all(&predictor.spec, world.as_str(), seed, measures);
            random.truncate(1);
            random.push(wall);
            Ok(random)
        })?;
    let (mut panels, mut rows) = (Vec::new(), Vec::new());
    for ((world, _), seeds) in CASES.iter().zip(&tracks) {
        for track in &seeds[0] {
            panels.push(track.panel(*world));
            rows.extend(track.csv_rows(*world));
        }
    }
    let title =
        "Distance to the first state along a trajectory (seed 0), each as a share of its greatest";
    let csv = csv("world,track,at,steps,straight_m", rows);
    let mut report = Report::learned(
        "Figure 3 (a, b): learned distances along trajectories",
        findings(&results),
        include_str!("distance_along_trajectory.md"),
    );
    report.differences.extend(Amount::caveat(effort.size));
    Ok(Reproduction::learned(
        title, 2, panels, csv, report, results,
    ))
}

fn measures(
    random: &[Track],
    wall: &Track,
    predictor: &Predictor,
) -> Result<[(&'static str, f64); 7]> {
    let ranks = |pick: fn(&Track) -> &[f64]| -> Result<f64> {
        let rank = |track: &Track| Ok(spearman(pick(track), &track.at)?.unwrap_or(0.0));
        let each: Result<Vec<f64>> = random.iter().map(rank).collect();
        Ok(median(&each?).unwrap_or(f64::NAN))
    };
    let [error, _, rank] = predictor.held_out;
    Ok([
        ("random_tracks", random.len() as f64),
        ("learned_against_time", ranks(|t| &t.learned_steps)?),
        ("straight_against_time", ranks(|t| &t.straight_m)?),
        ("learned_growing_share", growing_share(&wall.learned_steps)),
        ("straight_growing_share", growing_share(&wall.straight_m)),
        error,
        rank,
    ])
}

/// A claim about the learned and the Euclidean value of a measure.
struct Claim {
    text: &'static str,
    what: &'static str,
    /// The measure's name behind `learned_` and `straight_`.
    measure: &'static str,
    rule: &'static str,
    holds: fn(learned: f64, straight: f64) -> bool,
}

const CLAIMS: [Claim; 3] = [
    Claim {
        text: "along a trajectory the prediction grows with the steps from the reference",
        what: "rank correlation with the steps since, median of random trajectories",
        measure: "against_time",
        rule: "above 0.5 in both worlds; *depends* if in one",
        holds: |learned, _| learned > GROWS,
    },
    Claim {
        text: "… and says more about them than L2",
        what: "the same numbers",
        measure: "against_time",
        rule: "the learned one is above the straight line's in both worlds; *depends* if in one",
        holds: |learned, straight| learned > straight,
    },
    Claim {
        text: "… round a wall, too",
        what: "share of the steps along the way round the wall at which the distance to its beginning grows",
        measure: "growing_share",
        rule: "at 95 % of the steps or more in both worlds; *depends* if in one",
        holds: |learned, _| learned >= ALWAYS,
    },
];

fn findings(results: &Results) -> Vec<Finding> {
    let finding = |claim: Claim| {
        let (mut each, mut n_hold) = (Vec::new(), 0);
        for (world, _) in CASES {
            let [learned, straight] = ["learned", "straight"]
                .map(|kind| results.mean(world.as_str(), &format!("{kind}_{}", claim.measure)));
            each.push(format!("{world} {learned:.3}, straight line {straight:.3}"));
            n_hold += usize::from((claim.holds)(learned, straight));
        }
        Finding {
            claim: claim.text.to_owned(),
            found: format!("{}: {}", claim.what, each.join("; ")),
            rule: claim.rule,
            verdict: Verdict::in_some(n_hold, CASES.len()),
        }
    };
    CLAIMS.map(finding).into()
}
