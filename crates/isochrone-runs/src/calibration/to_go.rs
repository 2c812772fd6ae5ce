//! From the distance to an episode's end to the steps left, by held-out episodes.

use super::episodes::ObservedEpisodes;
use super::rounded;
use crate::progress::Observer;
use anyhow::Result;
use isochrone::evaluate::{FrameToGo, StepsKnot, StepsToGoCurve};
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

/// Mean of |steps left − d(frame, end of its episode)|; `None` without a frame. The observer may stop it.
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
    for (episode, places) in observed.whole_episodes().enumerate() {
        let Some(last) = observed.episode_end(places.start) else {
            continue;
        };
        let end = model.distance.embed(last.state)?;
        for place in places {
            for row in observed.ranges()[place].clone().step_by(stride) {
                observer.check()?;
                let point = model.distance.embed(observed.state(row))?;
                frames.push(FrameToGo {
                    episode,
                    distance: metric.one_way(&point, &end),
                    steps: (last.step - observed.step(place, row)) as f64,
                });
            }
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
