//! What is measured of an episode.

use super::usual::UsualEpisodes;
use crate::distance::GoalSet;
use serde::Serialize;

/// The stride at which an episode is looked at: this share of a usual one.
const STRIDE: f64 = 0.05;
/// An episode stands still if it moves by less than this many steps per step.
const STILL: f64 = 0.2;
/// Frames that are compared with states of other episodes, at most.
const COMPARED: usize = 64;
/// Frames that loops are searched among, at most.
const LOOP_FRAMES: usize = 200;
/// Two frames are at one place if they are no farther apart than this.
const SAME_PLACE_STEPS: f64 = 2.0;
/// A way that led back has been away by at least this share of its steps.
const AWAY: f64 = 0.25;

/// Measures of an episode, in steps.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EpisodeMeasures {
    /// Steps taken.
    pub steps: usize,
    /// Steps predicted from its start to its end.
    pub predicted_steps: f64,
    /// Steps from its end to where episodes usually end, or to the nearest goal.
    pub end_steps: f64,
    /// Mean steps between its states and those of other episodes.
    pub unfamiliar_steps: f64,
    /// Steps in which it stood still.
    pub stalled_steps: f64,
    /// Steps that it moved away from the usual ends, or from the goals.
    pub reversed_steps: f64,
    /// Steps of the longest way that led back to where it began.
    pub loop_steps: f64,
}

impl EpisodeMeasures {
    /// Steps taken for one that was predicted; both count one more, so that short episodes are not all or nothing.
    pub fn steps_per_predicted(&self) -> f64 {
        (self.steps as f64 + 1.0) / (self.predicted_steps + 1.0)
    }
}

/// Measures episodes against usual ones.
#[derive(Clone, Copy, Debug)]
pub struct Measurer<'a> {
    usual: &'a UsualEpisodes,
    /// Goals instead of usual ends.
    goals: Option<&'a GoalSet<'a>>,
    stride: usize,
}

impl<'a> Measurer<'a> {
    /// Ends are compared with the goals if there are any, else with usual ends.
    pub fn new(usual: &'a UsualEpisodes, goals: Option<&'a GoalSet<'a>>) -> Self {
        let stride = (STRIDE * usual.median_steps()).round().max(1.0) as usize;
        Self {
            usual,
            goals,
            stride,
        }
    }

    /// Measures one of the episodes, by its number and its embedded states.
    pub fn measure(&self, episode: u64, points: &[f32]) -> EpisodeMeasures {
        let metric = self.usual.metric();
        let rows: Vec<&[f32]> = points.chunks_exact(metric.outputs().max(1)).collect();
        let (Some(first), Some(last)) = (rows.first(), rows.last()) else {
            return EpisodeMeasures {
                steps: 0,
                predicted_steps: 0.0,
                end_steps: 0.0,
                unfamiliar_steps: 0.0,
                stalled_steps: 0.0,
                reversed_steps: 0.0,
                loop_steps: 0.0,
            };
        };
        EpisodeMeasures {
            steps: rows.len() - 1,
            predicted_steps: metric.one_way(first, last),
            end_steps: self.steps_to_end(episode, last, last),
            unfamiliar_steps: self.unfamiliar(episode, &rows),
            stalled_steps: self.stalled(&rows),
            reversed_steps: self.reversed(episode, &rows, last),
            loop_steps: self.longest_loop(&rows),
        }
    }

    /// Steps from a point to where its episode should end. If the episode's own end is among the goals, it does not count.
    pub fn steps_to_end(&self, episode: u64, point: &[f32], own_end: &[f32]) -> f64 {
        let Some(goals) = self.goals else {
            return self.usual.steps_to_usual_end(episode, point);
        };
        let is_own_end = |goal: usize| goals.point(goal) == own_end;
        let nearest = goals.nearest_to_point(point, is_own_end);
        nearest.map_or(0.0, |goal| goal.steps)
    }

    fn unfamiliar(&self, episode: u64, rows: &[&[f32]]) -> f64 {
        let seen = rows.iter().step_by(rows.len().div_ceil(COMPARED));
        let count = seen.len() as f64;
        let steps = seen.map(|point| self.usual.steps_to_familiar(episode, point));
        steps.sum::<f64>() / count
    }

    /// Frames after which the next stride leads nowhere.
    fn stalled(&self, rows: &[&[f32]]) -> f64 {
        let least = STILL * self.stride as f64;
        let after = rows.iter().zip(rows.iter().skip(self.stride));
        let metric = self.usual.metric();
        after
            .filter(|(a, b)| metric.symmetric(a, b) < least)
            .count() as f64
    }

    /// What the steps to the end rise by, stride by stride.
    fn reversed(&self, episode: u64, rows: &[&[f32]], own_end: &[f32]) -> f64 {
        let to_end = rows.iter().step_by(self.stride);
        let to_end = to_end.map(|point| self.steps_to_end(episode, point, own_end));
        let to_end: Vec<f64> = to_end.collect();
        to_end
            .windows(2)
            .map(|pair| (pair[1] - pair[0]).max(0.0))
            .sum()
    }

    fn longest_loop(&self, rows: &[&[f32]]) -> f64 {
        let metric = self.usual.metric();
        let apart = rows.len().div_ceil(LOOP_FRAMES);
        let seen: Vec<&[f32]> = rows.iter().step_by(apart).copied().collect();
        let least = 2.0 * self.stride as f64;
        let mut longest = 0.0_f64;
        for (at, from) in seen.iter().enumerate() {
            let mut farthest = 0.0_f64;
            for (later, to) in seen.iter().enumerate().skip(at + 1) {
                let steps = ((later - at) * apart) as f64;
                let away = metric.symmetric(from, to);
                farthest = farthest.max(away);
                let is_back = away <= SAME_PLACE_STEPS && farthest >= least.max(AWAY * steps);
                if is_back {
                    longest = longest.max(steps);
                }
            }
        }
        longest
    }
}
