//! An episode as a replay buffer keeps it, and how all ranks get those of every rank.

use crate::comm::{CommError, Workers};
use crate::trajectory::{Episode, Trajectories};

/// States and actions in order, and the goals that the policy pursued.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Path {
    /// Of the episode, in its rollout.
    pub(super) number: u64,
    /// Steps.
    pub(super) steps: usize,
    /// The policy's, which come first; those after them are random.
    pub(super) policy_steps: usize,
    /// Whether nothing follows the last state, whatever the goal is.
    pub(super) is_terminal: bool,
    /// The policy's goals, each with the step that ended its pursuit.
    pub(super) goals: Vec<(usize, Vec<f32>)>,
    /// State and action, row by row; behind the last state there are zeros.
    pub(super) rows: Vec<f32>,
}

/// Numbers in front of an encoded path.
const HEADER: usize = 6;

impl Path {
    /// An episode; `None` if it has no step, or images.
    pub(super) fn of(paths: &Trajectories, episode: &Episode) -> Option<Self> {
        let steps = episode.action_rows().len();
        if steps == 0 {
            return None;
        }
        let mut goals = Vec::new();
        let mut ended = 0;
        for (goal, steps, _) in episode.policy_segments() {
            ended += steps;
            goals.push((ended, goal.to_vec()));
        }
        let mut rows = Vec::new();
        for (row, action) in episode.rows().zip(episode.action_rows()) {
            rows.extend_from_slice(paths.observations().row_f32(row)?);
            rows.extend_from_slice(paths.action(action));
        }
        rows.extend_from_slice(paths.observations().row_f32(episode.rows().end - 1)?);
        rows.extend(vec![0.0; paths.action_length()]);
        Some(Self {
            number: episode.number,
            steps,
            policy_steps: episode.policy_steps,
            is_terminal: episode.is_terminal,
            goals,
            rows,
        })
    }

    fn to_bytes(&self) -> Vec<u8> {
        let header = [
            self.number,
            self.steps as u64,
            self.policy_steps as u64,
            u64::from(self.is_terminal),
            self.goals.len() as u64,
            self.rows.len() as u64,
        ];
        let ends = self.goals.iter().map(|(ended, _)| *ended as u64);
        let numbers = header.into_iter().chain(ends);
        let goals = self.goals.iter().flat_map(|(_, goal)| goal);
        let floats = goals.chain(&self.rows);
        let numbers = numbers.flat_map(u64::to_le_bytes);
        numbers
            .chain(floats.flat_map(|x| x.to_le_bytes()))
            .collect()
    }

    /// The path at the front of these bytes, and what is behind it.
    fn of_bytes(bytes: &[u8], goal_length: usize) -> Option<(Self, &[u8])> {
        let (header, bytes) = bytes.split_at_checked(8 * HEADER)?;
        let header = header.as_chunks::<8>().0;
        let header: Vec<u64> = header.iter().map(|n| u64::from_le_bytes(*n)).collect();
        let [n_goals, n_numbers] = [header[4], header[5]].map(|n| n as usize);
        let (ends, bytes) = bytes.split_at_checked(8 * n_goals)?;
        let (goals, bytes) = bytes.split_at_checked(4 * n_goals * goal_length)?;
        let (rows, bytes) = bytes.split_at_checked(4 * n_numbers)?;
        let floats = |bytes: &[u8]| -> Vec<f32> {
            let each = bytes.as_chunks::<4>().0.iter();
            each.map(|x| f32::from_le_bytes(*x)).collect()
        };
        let ends = ends.as_chunks::<8>().0.iter();
        let ends = ends.map(|n| u64::from_le_bytes(*n) as usize);
        let goals = floats(goals);
        let goals = goals.chunks_exact(goal_length.max(1)).map(<[f32]>::to_vec);
        let path = Self {
            number: header[0],
            steps: header[1] as usize,
            policy_steps: header[2] as usize,
            is_terminal: header[3] == 1,
            goals: ends.zip(goals).collect(),
            rows: floats(rows),
        };
        Some((path, bytes))
    }
}

/// The paths of all ranks, in the order of their episodes' numbers: it does not depend on who rolled them out.
pub(super) fn paths_of_ranks(
    mut mine: Vec<Path>,
    goal_length: usize,
    workers: &Workers<'_>,
) -> Result<Vec<Path>, CommError> {
    if workers.comm.size() > 1 {
        let bytes: Vec<u8> = mine.iter().flat_map(Path::to_bytes).collect();
        mine.clear();
        for bytes in workers.comm.all_gather_bytes(&bytes)? {
            let mut rest = bytes.as_slice();
            while let Some((path, behind)) = Path::of_bytes(rest, goal_length) {
                mine.push(path);
                rest = behind;
            }
        }
    }
    mine.sort_by_key(|path| path.number);
    Ok(mine)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::{Observation, ObservationSpec};
    use crate::trajectory::End;

    /// Three steps towards the goal 2 and two random ones; `edit` says how they ended.
    fn path(edit: impl FnOnce(&mut Episode)) -> Path {
        let state = |x: f32| Observation::F32(vec![x]);
        let mut paths = Trajectories::new(&ObservationSpec::vector(1), 1);
        paths.begin(7, vec![2.0], &state(0.0)).unwrap();
        for step in 0_u8..5 {
            let step = f32::from(step);
            paths.push_step(&[step], &state(step + 1.0)).unwrap();
        }
        let episode = paths.last_mut().unwrap();
        (episode.policy_steps, episode.tail_steps) = (3, 2);
        edit(episode);
        Path::of(&paths, &paths.episodes()[0]).unwrap()
    }

    /// A termination is one in a random tail and after a success, too, and other ranks receive it.
    #[test]
    fn a_termination_is_known_wherever_it_happens() {
        for end in [End::Reached, End::Terminal, End::Horizon] {
            for is_terminal in [false, true] {
                let path = path(|episode| {
                    episode.end = end;
                    episode.is_terminal = is_terminal;
                });
                assert_eq!(path.is_terminal, is_terminal, "{end:?}");
                let bytes = path.to_bytes();
                let (received, rest) = Path::of_bytes(&bytes, 1).unwrap();
                assert_eq!(received, path);
                assert!(rest.is_empty());
            }
        }
    }
}
