//! From the distance to an episode's end to the steps left, by held-out episodes.

use super::episodes::ObservedEpisodes;
use super::rounded;
use crate::progress::Observer;
use anyhow::Result;
use isochrone::evaluate::{FrameToGo, StepsKnot, StepsToGoCurve};
use isochrone_files::data::PieceEnd;
use isochrone_files::model::DistanceModel;

/// The share of frames that an interval is to hold.
const COVERAGE: f64 = 0.8;
/// Frames looked at.
const FRAMES: usize = 100_000;

/// The curve; `None` of too few episodes. The observer may stop it.
pub(super) fn steps_to_go(
    model: &DistanceModel,
    observed: &ObservedEpisodes,
    observer: &dyn Observer,
) -> Result<Option<StepsToGoCurve>> {
    let frames = frames_to_go(model, observed, observer)?;
    let curve = StepsToGoCurve::fit(&frames, COVERAGE)?;
    Ok(curve.map(|curve| StepsToGoCurve {
        knots: curve.knots.iter().copied().map(short).collect(),
        ..curve
    }))
}

/// Mean of |steps left − d(frame, end of its episode)|; `None` without a whole episode. The observer may stop it.
pub fn error_to_go(
    model: &DistanceModel,
    observed: &ObservedEpisodes,
    observer: &dyn Observer,
) -> Result<Option<f64>> {
    let frames = frames_to_go(model, observed, observer)?;
    let errors = frames
        .iter()
        .map(|frame| (frame.steps - frame.distance).abs());
    let sum: f64 = errors.sum();
    Ok((!frames.is_empty()).then(|| sum / frames.len() as f64))
}

/// Frames with their distance to the end of their episode.
fn frames_to_go(
    model: &DistanceModel,
    observed: &ObservedEpisodes,
    observer: &dyn Observer,
) -> Result<Vec<FrameToGo>> {
    let stride = observed.n_states().div_ceil(FRAMES).max(1);
    let metric = model.distance.metric();
    let mut frames = Vec::new();
    let pieces = observed.ranges().iter().zip(observed.ends()).enumerate();
    // A piece that was cut has no end.
    for (episode, (range, _)) in pieces.filter(|(_, (_, end))| **end == PieceEnd::Episode) {
        let Some(last) = range.clone().last() else {
            continue;
        };
        let end = model.distance.embed(observed.state(last))?;
        for row in range.clone().step_by(stride) {
            observer.check()?;
            let point = model.distance.embed(observed.state(row))?;
            frames.push(FrameToGo {
                episode,
                distance: metric.one_way(&point, &end),
                steps: (last - row) as f64,
            });
        }
    }
    Ok(frames)
}

fn short(knot: StepsKnot) -> StepsKnot {
    StepsKnot {
        distance: rounded(knot.distance),
        mean: rounded(knot.mean),
        below: rounded(knot.below),
        above: rounded(knot.above),
    }
}
