//! Targets without a horizon: what the window cuts off is filled in by the distance's own estimate.

use super::lesson::push_passage;
use super::trainer::{DistanceTrainer, EpochReport, TrainError};
use crate::pairs::{Episodes, FirstEntries, Reservoir};
use crate::rng::Rng;
use rand::RngExt;
use std::ops::Range;

/// States kept as goals when none were given.
const OWN_GOALS: usize = 10_000;

/// One target before its unknown part is filled in.
pub(super) struct Passage {
    pub(super) from: usize,
    pub(super) goal: usize,
    /// Steps observed: until the goal was met, or until the end of the window.
    pub(super) observed_steps: f32,
    /// The last row of a window that ended first.
    pub(super) unmet_from: Option<usize>,
}

impl DistanceTrainer {
    /// Any state, any goal g, and the time until g is met; where the window ends first, the estimate from there on:
    ///
    /// ```text
    /// y = lag                         if g is met at t + lag ≤ T
    /// y = (T − t) + d′(s_T, g)        otherwise
    /// ```
    ///
    /// with d′ a copy of the distance that follows it, and the whole cut at [`DistanceTrainer::set_longest`] if that was
    /// told. Uncut, the true mean passage times are the fixed point for every window and every start: partial-episode
    /// bootstrapping (Pardo et al. 2018) applied to first passages. That is of worlds that go on: windows do not say
    /// whether time ran out or the body fell, and what fell counts as going on from there.
    pub(super) fn bootstrap_epoch(
        &mut self,
        windows: &Episodes<'_>,
        radius: f32,
        rng: &mut Rng,
    ) -> Result<EpochReport, TrainError> {
        let goals = match self.goals.take() {
            Some(goals) => goals,
            None => own_goals(windows, rng),
        };
        let report = self.bootstrap_from(windows, &goals, radius, rng);
        self.goals = Some(goals);
        report
    }

    fn bootstrap_from(
        &mut self,
        windows: &Episodes<'_>,
        goals: &Reservoir,
        radius: f32,
        rng: &mut Rng,
    ) -> Result<EpochReport, TrainError> {
        let starts: Vec<(usize, usize)> = windows.starts().collect();
        if starts.is_empty() || goals.is_empty() {
            return Err(TrainError::NoPairs);
        }
        let entries = FirstEntries::of(windows);
        let first_hit = |rows, goal: &[f32]| entries.first_hit(windows, rows, goal, radius);
        let mut report = EpochReport::default();
        let (mut taken, mut lessons) = (0, Vec::new());
        while taken < starts.len() {
            lessons.clear();
            for _ in 0..self.spec.batch {
                if let Some(met) = passage(first_hit, &starts, goals, rng) {
                    push_passage(&mut lessons, windows, goals, &met);
                }
            }
            taken += self.spec.batch;
            if !lessons.is_empty() {
                self.learn_batch(&lessons, &mut report)?;
            }
        }
        report.averaged()
    }
}

/// A fair sample of the windows' own states.
fn own_goals(windows: &Episodes<'_>, rng: &mut Rng) -> Reservoir {
    let mut goals = Reservoir::new(OWN_GOALS, windows.width());
    for row in windows.ranges().iter().flat_map(Clone::clone) {
        goals.offer(windows.state(row), rng);
    }
    goals
}

/// A start and a goal, drawn evenly; `None` if the start is the goal.
pub(super) fn passage(
    first_hit: impl Fn(Range<usize>, &[f32]) -> Option<usize>,
    starts: &[(usize, usize)],
    goals: &Reservoir,
    rng: &mut Rng,
) -> Option<Passage> {
    let (from, end) = starts[rng.random_range(0..starts.len())];
    let goal = rng.random_range(0..goals.len());
    let state = goals.state(goal);
    if first_hit(from..from + 1, state).is_some() {
        return None;
    }
    let met = first_hit(from + 1..end, state);
    let last = end - 1;
    Some(Passage {
        from,
        goal,
        observed_steps: (met.unwrap_or(last) - from) as f32,
        unmet_from: met.is_none().then_some(last),
    })
}
