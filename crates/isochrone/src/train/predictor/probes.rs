//! Probe states, whose mutual distances measure the size of the ε-ball.

use crate::comm::Workers;
use crate::distance::Learned;
use crate::goal::GoalSpace;
use crate::nn::{NamedArray, NamedArrayError, find_rows};
use crate::train::TrainingError;
use crate::train::gather;
use crate::trajectory::{Episode, Trajectories};

/// Number of probe states, approximately.
const PROBE_STATES: usize = 500;
/// In checkpoints.
const NAME: &str = "watched";

/// States of the untrained policy that stay the same for the whole run, each with its episode's number.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Probes(Vec<(u64, Vec<f32>)>);

impl Probes {
    /// Every n-th of about `samples` states, from all episodes and at all times.
    pub(super) fn of(
        paths: &Trajectories,
        space: &GoalSpace,
        samples: usize,
        workers: &Workers<'_>,
    ) -> Result<Self, TrainingError> {
        let apart = (samples / PROBE_STATES).max(1);
        let rows = |episode: &Episode| {
            // Not the first state, which is the same in all episodes.
            let first = 1 + (episode.number as usize).wrapping_mul(61) % apart;
            episode.policy_rows().skip(first).step_by(apart)
        };
        let rows = gather::states_of_ranks(paths, rows, space, workers)?;
        Ok(Self(
            rows.into_iter()
                .map(|row| (row.episode, row.values))
                .collect(),
        ))
    }

    /// Distances of all pairs from different episodes.
    pub(super) fn distances(&self, distance: &Learned) -> Vec<f64> {
        // Lengths were checked when they were gathered; an empty point gives NaN.
        let embed = |(_, state): &(u64, Vec<f32>)| distance.embed(state).unwrap_or_default();
        let points: Vec<Vec<f32>> = self.0.iter().map(embed).collect();
        let mut distances = Vec::new();
        for (k, (episode, _)) in self.0.iter().enumerate() {
            for (j, (other, _)) in self.0.iter().enumerate().skip(k + 1) {
                if episode != other {
                    distances.push(distance.metric().one_way(&points[k], &points[j]));
                }
            }
        }
        distances
    }

    /// The episode's number (exact in f32 up to 16 million) and the state, one row each.
    pub(super) fn save(&self, width: usize) -> NamedArray {
        let row =
            |(episode, state): &(u64, Vec<f32>)| [&[*episode as f32], state.as_slice()].concat();
        NamedArray::f32(
            NAME,
            [self.0.len(), width + 1],
            self.0.iter().flat_map(row).collect::<Vec<_>>(),
        )
    }

    pub(super) fn restore(arrays: &[NamedArray], width: usize) -> Result<Self, NamedArrayError> {
        let rows = find_rows(arrays, NAME, width + 1)?;
        let rows = rows.chunks_exact(width + 1);
        Ok(Self(
            rows.map(|row| (row[0] as u64, row[1..].to_vec())).collect(),
        ))
    }
}
