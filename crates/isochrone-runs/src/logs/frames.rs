//! How far along every frame is.

use super::embedded::{EmbeddedEpisode, each_episode};
use crate::progress::Observer;
use anyhow::Result;
use isochrone::distance::{GoalSet, Learned};
use isochrone::evaluate::{StepsToGoCurve, episode_completion};
use isochrone_files::data::{DataSource, FrameProgress};
use isochrone_files::model::DistanceModel;

/// The progress of every frame towards the nearest of the goals; towards the end of its own episode without goals. `visit`
/// gets whole episodes in reading order; the observer may stop it.
pub fn progress(
    model: &DistanceModel,
    source: &DataSource,
    goals: Option<&GoalSet<'_>>,
    observer: &dyn Observer,
    mut visit: impl FnMut(&EmbeddedEpisode, &[FrameProgress]) -> Result<()>,
) -> Result<()> {
    let curve = model.about.calibration.as_ref();
    let curve = curve.and_then(|found| found.steps_to_go.as_ref());
    let work = |episode: &EmbeddedEpisode| {
        let distances = distances(&model.distance, &episode.points, goals);
        frames(&distances, curve)
    };
    each_episode(model, source, observer, work, |episode, frames| {
        visit(&episode, &frames)
    })
}

/// Steps to the nearest goal from each point, or to the last of them.
fn distances(distance: &Learned, points: &[f32], goals: Option<&GoalSet<'_>>) -> Vec<f64> {
    let rows = points.chunks_exact(distance.metric().outputs().max(1));
    let own_end = GoalSet::of_points(distance, rows.clone().next_back().unwrap_or_default());
    let goals = goals.unwrap_or(&own_end);
    let nearest = |point| goals.nearest_to_point(point, |_| false);
    rows.map(|point| nearest(point).map_or(f64::NAN, |goal| goal.steps))
        .collect()
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
