//! Gathers values from all ranks in an order that does not depend on the number of ranks.

use super::TrainingError;
use crate::comm::{CommError, Workers};
use crate::goal::GoalSpace;
use crate::pairs::EpisodesError;
use crate::trajectory::{Episode, Trajectories};

/// Values that belong to an episode.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    pub(super) episode: u64,
    pub(super) values: Vec<f32>,
}

/// Sums of integers over ranks: exact, so the order of the ranks does not matter.
pub(super) fn sum_of_ranks(mine: &[f64], workers: &Workers<'_>) -> Result<Vec<f64>, CommError> {
    if workers.comm.size() == 1 {
        return Ok(mine.to_vec());
    }
    let bytes: Vec<u8> = mine.iter().flat_map(|x| x.to_le_bytes()).collect();
    let mut sums = vec![0.0; mine.len()];
    for bytes in workers.comm.all_gather_bytes(&bytes)? {
        for (sum, word) in sums.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *sum += f64::from_le_bytes(*word);
        }
    }
    Ok(sums)
}

/// Some rows of every episode of all ranks, projected to this space, in the order of [`rows_of_ranks`].
pub(super) fn states_of_ranks<R: Iterator<Item = usize>>(
    paths: &Trajectories,
    rows: impl Fn(&Episode) -> R,
    space: &GoalSpace,
    workers: &Workers<'_>,
) -> Result<Vec<Row>, TrainingError> {
    let of_episode = |episode: &Episode| {
        let number = episode.number;
        rows(episode).map(move |row| {
            let observation = paths.observations().row_f32(row);
            let observation = observation.ok_or(EpisodesError::Images)?;
            Ok(Row {
                episode: number,
                values: space.project(observation).into_owned(),
            })
        })
    };
    let mine = paths.episodes().iter().flat_map(of_episode);
    let mine = mine.collect::<Result<_, EpisodesError>>()?;
    Ok(rows_of_ranks(mine, space.dims(), workers)?)
}

/// Rows of all ranks in the order of their episodes. An episode belongs to one rank, and its rows keep their order.
pub(super) fn rows_of_ranks(
    mine: Vec<Row>,
    width: usize,
    workers: &Workers<'_>,
) -> Result<Vec<Row>, CommError> {
    if workers.comm.size() == 1 {
        return Ok(mine);
    }
    let mut bytes = Vec::with_capacity(mine.len() * (8 + 4 * width));
    for row in &mine {
        bytes.extend(row.episode.to_le_bytes());
        row.values
            .iter()
            .for_each(|x| bytes.extend(x.to_le_bytes()));
    }
    let mut rows = Vec::new();
    for bytes in workers.comm.all_gather_bytes(&bytes)? {
        for row in bytes.chunks_exact(8 + 4 * width) {
            let (episode, values) = row.split_at(8);
            let episode = u64::from_le_bytes(episode.try_into().unwrap_or_default());
            let values = values.as_chunks::<4>().0;
            rows.push(Row {
                episode,
                values: values.iter().map(|x| f32::from_le_bytes(*x)).collect(),
            });
        }
    }
    rows.sort_by_key(|row| row.episode);
    Ok(rows)
}
