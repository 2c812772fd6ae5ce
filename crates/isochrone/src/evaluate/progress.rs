//! Does the distance to an episode's own end fall as its frames run out?
//!
//! ```text
//! progress of an episode = Spearman( d(s_t, s_T), T − t ),   t = 0 … arrival
//! ```
//!
//! Near 1 where episodes head for their ends and the distance knows it. Where they wander it is small however good the
//! distance is: nothing in the data says what the end was. An episode that rests at its end has arrived before: the
//! frames of the rest are left out, because d is rightly about 0 on all of them while the frames left are not.

use super::error::AssessError;
use super::quantile::{ascending, quantile};
use super::rank::spearman;
use serde::{Deserialize, Serialize};

/// Progress over several episodes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Episodes with a defined correlation.
    pub episodes: u64,
    /// The median of their rank correlations.
    pub median: f64,
    /// Nine of ten are above this.
    pub low: f64,
}

/// Fewer frames on the way than this say nothing.
const LEAST_FRAMES: usize = 10;

/// The first frame from which on a state never again is farther than `radius` from the last one, by `apart`, a distance
/// between two frames that no network has learned.
pub fn arrival(n_frames: usize, radius: f64, apart: impl Fn(usize, usize) -> f64) -> usize {
    let Some(last) = n_frames.checked_sub(1) else {
        return 0;
    };
    // NaN is not within the radius.
    let is_there = |frame: usize| apart(frame, last) <= radius;
    let away = (0..last).rev().find(|&frame| !is_there(frame));
    away.map_or(0, |frame| frame + 1)
}

/// The rank correlation of `steps_to_end[t]` with the frames left, over the frames up to the arrival; `None` if those are
/// fewer than ten, or if the distance never changes.
pub fn episode_progress(steps_to_end: &[f64], arrival: usize) -> Result<Option<f64>, AssessError> {
    let frames = steps_to_end.len().min(arrival + 1);
    if frames < LEAST_FRAMES {
        return Ok(None);
    }
    let left: Vec<f64> = (0..frames).rev().map(|left| left as f64).collect();
    spearman(&steps_to_end[..frames], &left)
}

/// How far along each frame of an episode is, by its distance to the goal:
///
/// ```text
/// progress_t = 1 − d(s_t, g) / d(s_0, g),   from 0 to 1
/// ```
///
/// An episode that begins at its goal is done from its first frame on.
pub fn episode_completion(distances: &[f64]) -> Vec<f64> {
    let start = distances.first().copied().unwrap_or(0.0);
    let completion = |distance: &f64| {
        // NaN stays NaN: it must not count as done.
        if start <= 0.0 && !distance.is_nan() {
            1.0
        } else {
            (1.0 - distance / start).clamp(0.0, 1.0)
        }
    };
    distances.iter().map(completion).collect()
}

/// What the progress of single episodes comes to; `None` of no episode.
pub fn summarise_progress(of_episodes: &[f64]) -> Option<Progress> {
    let ascending = ascending(of_episodes);
    Some(Progress {
        episodes: of_episodes.len() as u64,
        median: quantile(&ascending, 0.5)?,
        low: quantile(&ascending, 0.1)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rest_at_the_end_is_left_out() {
        // Fifty frames on the way, a hundred at rest with a jitter that no distance could order.
        let place = |t: usize| match t {
            0..50 => t as f64,
            t => 50.0 + f64::from(u8::from(t.is_multiple_of(3))),
        };
        let (frames, last) = (150, 149);
        let apart = |a: usize, b: usize| (place(a) - place(b)).abs();
        let arrived = arrival(frames, 1.5, apart);
        assert_eq!(arrived, 49);
        let steps: Vec<f64> = (0..frames).map(|t| apart(t, last)).collect();
        let found = episode_progress(&steps, arrived).unwrap().unwrap();
        assert!(found > 0.999, "{found}");
        let with_rest = episode_progress(&steps, last).unwrap().unwrap();
        assert!(with_rest < 0.9, "{with_rest}");
    }

    #[test]
    fn what_never_moves_or_never_changes_has_no_progress() {
        assert_eq!(arrival(20, 1.0, |_, _| 0.0), 0);
        assert_eq!(arrival(20, 1.0, |_, _| f64::NAN), 19);
        assert_eq!(arrival(0, 1.0, |_, _| 0.0), 0);
        assert_eq!(episode_progress(&[0.0; 20], 19).unwrap(), None);
        assert_eq!(episode_progress(&[3.0, 2.0, 1.0], 2).unwrap(), None);
        assert_eq!(summarise_progress(&[]), None);
    }
}
