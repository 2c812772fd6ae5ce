//! Proposals: the free entries of goals, which generators work on.

use super::GoalError;

/// Maps proposals to goals: which entries of a goal are proposed; the others are constant.
///
/// If goals are positions, the proposal is the goal. The paper's stabilised goals are whole states of which only the
/// position is free: a generator proposes two numbers, and the pose is constant.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposals {
    template: Vec<f32>,
    /// Entry of the goal, entry of the proposal.
    copies: Vec<(usize, usize)>,
    dims: usize,
}

impl Proposals {
    /// The identity: all entries are proposed.
    pub fn whole(dims: usize) -> Self {
        Self {
            template: vec![0.0; dims],
            copies: (0..dims).map(|k| (k, k)).collect(),
            dims,
        }
    }

    /// A goal is `template` with some entries replaced. Each pair of `copies` is an entry of the goal and the entry of the
    /// proposal that it is copied from. An entry of the proposal may have several copies; the inverse reads the first of them.
    pub fn new(template: Vec<f32>, copies: Vec<(usize, usize)>) -> Result<Self, GoalError> {
        let length = template.len();
        if let Some(&(entry, _)) = copies.iter().find(|(entry, _)| *entry >= length) {
            return Err(GoalError::NoSuchEntry { entry, length });
        }
        let dims = copies.iter().map(|(_, from)| from + 1).max();
        let dims = dims.ok_or(GoalError::Empty)?;
        match (0..dims).find(|entry| !copies.iter().any(|(_, from)| from == entry)) {
            Some(entry) => Err(GoalError::NoSuchEntry { entry, length }),
            None => Ok(Self {
                template,
                copies,
                dims,
            }),
        }
    }

    /// Entries of a proposal.
    pub const fn dims(&self) -> usize {
        self.dims
    }

    /// Entries of a goal.
    pub fn goal_dims(&self) -> usize {
        self.template.len()
    }

    /// The goal of a proposal.
    pub fn goal(&self, proposal: &[f32]) -> Vec<f32> {
        let mut goal = self.template.clone();
        for &(to, from) in &self.copies {
            goal[to] = proposal[from];
        }
        goal
    }

    /// The proposal of a goal, or of a state in goal space.
    pub fn proposal(&self, goal: &[f32]) -> Vec<f32> {
        let place = |entry| self.copies.iter().find(|(_, from)| *from == entry);
        (0..self.dims)
            .map(|entry| place(entry).map_or(0.0, |&(to, _)| goal[to]))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_proposed_comes_back() {
        let standing = Proposals::new(vec![9.0; 5], vec![(3, 0), (4, 1), (0, 0), (1, 1)]).unwrap();
        assert_eq!((standing.dims(), standing.goal_dims()), (2, 5));
        let goal = standing.goal(&[1.0, 2.0]);
        assert_eq!(goal, [1.0, 2.0, 9.0, 1.0, 2.0]);
        assert_eq!(standing.proposal(&goal), [1.0, 2.0]);
        assert_eq!(Proposals::whole(3).goal(&[1.0, 2.0, 3.0]), [1.0, 2.0, 3.0]);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        assert_eq!(Proposals::new(vec![0.0], vec![]), Err(GoalError::Empty));
        for copies in [vec![(1, 0)], vec![(0, 1)]] {
            let refused = Proposals::new(vec![0.0], copies);
            assert!(matches!(refused, Err(GoalError::NoSuchEntry { .. })));
        }
    }
}
