//! Some states and some episodes of logs, to be looked at.

use super::embedded::{EmbeddedEpisode, each_episode};
use super::scores::Scored;
use crate::progress::Observer;
use anyhow::Result;
use isochrone::distance::GoalSet;
use isochrone::episode_score::Measurer;
use isochrone_files::data::DataSource;
use isochrone_files::model::DistanceModel;

/// States of a sample, at most.
const STATES: usize = 2_500;
/// Frames of an episode, at most.
const FRAMES: usize = 120;

/// What is looked at.
#[derive(Clone, Debug, Default)]
pub struct Look {
    /// States at equal distances in reading order.
    pub states: Vec<SeenState>,
    /// The episodes that were chosen, in reading order.
    pub episodes: Vec<SeenEpisode>,
}

/// A state of a sample.
#[derive(Clone, Debug)]
pub struct SeenState {
    /// What its file calls its episode.
    pub episode: i64,
    /// And its frame.
    pub frame: i64,
    /// Its entries.
    pub state: Vec<f32>,
    /// Its point.
    pub point: Vec<f32>,
}

/// Frames of an episode at equal distances, the last one among them.
#[derive(Clone, Debug)]
pub struct SeenEpisode {
    /// Its number in reading order.
    pub number: u64,
    /// What its file calls the frames.
    pub frames: Vec<i64>,
    /// Their points.
    pub points: Vec<Vec<f32>>,
    /// Steps to the nearest goal, or to where episodes usually end.
    pub steps: Vec<f64>,
}

/// Looks at a sample of all states, and at episodes by their numbers in reading order.
pub fn look(
    model: &DistanceModel,
    source: &DataSource,
    scored: &Scored,
    chosen: &[u64],
    goals: Option<&GoalSet<'_>>,
    observer: &dyn Observer,
) -> Result<Look> {
    let measurer = Measurer::new(&scored.usual, goals);
    let stride = scored.n_states().div_ceil(STATES).max(1);
    let mut found = Look::default();
    let mut row = 0_usize;
    each_episode(
        model,
        source,
        observer,
        |_| (),
        |episode, ()| {
            let rows = episode.labels.indices.len();
            let first = row.next_multiple_of(stride) - row;
            for at in (first..rows).step_by(stride) {
                found.states.push(seen_state(model, &episode, at));
            }
            row += rows;
            if chosen.contains(&episode.number) {
                found.episodes.push(seen_episode(model, &episode, measurer));
            }
            Ok(())
        },
    )?;
    Ok(found)
}

fn frame(episode: &EmbeddedEpisode, at: usize) -> i64 {
    episode.labels.first_frame + at.cast_signed() as i64
}

fn seen_state(model: &DistanceModel, episode: &EmbeddedEpisode, at: usize) -> SeenState {
    let row = |values: &[f32], width: usize| values[at * width..(at + 1) * width].to_vec();
    SeenState {
        episode: episode.labels.episode,
        frame: frame(episode, at),
        state: row(&episode.states, model.distance.inputs()),
        point: row(&episode.points, model.distance.metric().outputs()),
    }
}

fn seen_episode(
    model: &DistanceModel,
    episode: &EmbeddedEpisode,
    measurer: Measurer<'_>,
) -> SeenEpisode {
    let width = model.distance.metric().outputs().max(1);
    let rows: Vec<&[f32]> = episode.points.chunks_exact(width).collect();
    let own_end = rows.last().copied().unwrap_or_default();
    let steps = |at: usize| measurer.steps_to_end(episode.number, rows[at], own_end);
    // From the last frame back, so that the end is among them.
    let stride = rows.len().div_ceil(FRAMES).max(1);
    let mut places: Vec<usize> = (0..rows.len()).rev().step_by(stride).collect();
    places.reverse();
    SeenEpisode {
        number: episode.number,
        frames: places.iter().map(|&at| frame(episode, at)).collect(),
        points: places.iter().map(|&at| rows[at].to_vec()).collect(),
        steps: places.iter().map(|&at| steps(at)).collect(),
    }
}
