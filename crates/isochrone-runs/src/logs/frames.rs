//! How far along every frame is.

use super::embedded::{EmbeddedEpisode, each_episode};
use crate::progress::Observer;
use anyhow::Result;
use isochrone::distance::Metric;
use isochrone::evaluate::{StepsToGoCurve, episode_completion};
use isochrone_files::data::{DataSource, FrameProgress};
use isochrone_files::model::DistanceModel;

/// The progress of every frame towards the nearest of the goals, which are states end to end; towards the end of its own
/// episode without goals. `visit` gets whole episodes in reading order; the observer may stop it.
pub fn progress(
    model: &DistanceModel,
    source: &DataSource,
    goals: Option<&[f32]>,
    observer: &dyn Observer,
    mut visit: impl FnMut(&EmbeddedEpisode, &[FrameProgress]) -> Result<()>,
) -> Result<()> {
    let metric = model.distance.metric();
    let goals = goals.map(|states| embed_all(model, states)).transpose()?;
    let curve = model.about.calibration.as_ref();
    let curve = curve.and_then(|found| found.steps_to_go.as_ref());
    let work = |episode: &EmbeddedEpisode| {
        let distances = distances(metric, &episode.points, goals.as_deref());
        frames(&distances, curve)
    };
    each_episode(model, source, observer, work, |episode, frames| {
        visit(&episode, &frames)
    })
}

/// The points of states that stand end to end.
pub(super) fn embed_all(model: &DistanceModel, states: &[f32]) -> Result<Vec<f32>> {
    let rows = states.chunks(model.distance.inputs().max(1));
    let points: Vec<Vec<f32>> = rows
        .map(|state| model.distance.embed(state))
        .collect::<Result<_, _>>()?;
    Ok(points.concat())
}

/// Steps to the nearest goal from each point, or to the last of them.
fn distances(metric: &Metric, points: &[f32], goals: Option<&[f32]>) -> Vec<f64> {
    let width = metric.outputs().max(1);
    let rows = points.chunks_exact(width);
    let own_end = rows.clone().next_back().unwrap_or_default();
    let goals = goals.unwrap_or(own_end).chunks_exact(width);
    let nearest = |point: &[f32]| {
        let steps = goals.clone().map(|goal| metric.one_way(point, goal));
        steps.min_by(f64::total_cmp).unwrap_or(f64::NAN)
    };
    rows.map(nearest).collect()
}

fn frames(distances: &[f64], curve: Option<&StepsToGoCurve>) -> Vec<FrameProgress> {
    let completion = episode_completion(distances);
    let each = distances.iter().zip(completion);
    each.map(|(&distance, progress)| {
        let progress = progress as f32;
        match curve.map(|curve| curve.at(distance)) {
            Some(steps) => FrameProgress {
                progress,
                steps_to_go: steps.mean as f32,
                low: steps.low as f32,
                high: steps.high as f32,
            },
            None => FrameProgress {
                progress,
                steps_to_go: distance as f32,
                low: f32::NAN,
                high: f32::NAN,
            },
        }
    })
    .collect()
}
