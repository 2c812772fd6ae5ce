//! An episode as a replay buffer keeps it, and how all ranks get those of every rank.

use crate::comm::{CommError, Workers};
use crate::trajectory::{End, Episode, Trajectories};

/// States and actions in order, and the goals that the policy pursued.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Path {
    /// Of the episode, in its rollout.
    pub(super) number: u64,
    /// Steps.
    pub(super) steps: usize,
    /// The policy's, which come first; those after them are random.
    pub(super) policy_steps: usize,
    /// Whether nothing follows the last state.
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
            is_terminal: episode.end == End::Terminal && episode.tail_steps == 0,
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
