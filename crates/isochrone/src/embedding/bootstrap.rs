//! Targets without a horizon: what the window cuts off is filled in by the distance's own estimate.

use super::trainer::{DistanceTrainer, EpochReport, TrainError};
use crate::distance::Metric;
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
    /// with d′ a copy of the distance that follows it. The true mean passage times are the fixed point for every
    /// window and every start: partial-episode bootstrapping (Pardo et al. 2018) applied to first passages.
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
        let (mut taken, mut hits) = (0, 0_usize);
        while taken < starts.len() {
            let batch: Vec<Passage> = (0..self.spec.batch)
                .filter_map(|_| passage(first_hit, &starts, goals, rng))
                .collect();
            taken += self.spec.batch;
            if batch.is_empty() {
                continue;
            }
            if self.step.is_multiple_of(self.spec.target_copy_steps.max(1)) {
                self.target = self.network.clone();
            }
            let targets = self.fill_in(windows, goals, &batch);
            let mean = targets.iter().map(|y| f64::from(*y)).sum::<f64>() / batch.len() as f64;
            self.rescale(mean);
            let loss = self.passage_step(windows, goals, &batch, &targets)?;
            let n = batch.len() as f64;
            hits += batch.iter().filter(|p| p.unmet_from.is_none()).count();
            report.pairs += batch.len();
            report.loss += loss * n;
            report.mean_target_steps += mean * n;
        }
        if report.pairs == 0 {
            return Err(TrainError::NoPairs);
        }
        let n = report.pairs as f64;
        report.loss /= n;
        report.mean_target_steps /= n;
        report.hit_share = hits as f64 / n;
        Ok(report)
    }

    /// The targets in steps.
    fn fill_in(&self, windows: &Episodes<'_>, goals: &Reservoir, batch: &[Passage]) -> Vec<f32> {
        let width = windows.width();
        let unmet: Vec<(usize, usize)> = batch
            .iter()
            .filter_map(|p| Some((p.unmet_from?, p.goal)))
            .collect();
        let mut states = Vec::with_capacity(2 * unmet.len() * width);
        for (row, _) in &unmet {
            self.see(windows.state(*row), &mut states);
        }
        for (_, goal) in &unmet {
            self.see(goals.state(*goal), &mut states);
        }
        let points = self.target.points(&states);
        let outputs = self.spec.encoder.outputs();
        let (from, to) = points.split_at(unmet.len() * outputs);
        let metric = Metric::new(&self.spec, self.scale);
        let each = from.chunks_exact(outputs).zip(to.chunks_exact(outputs));
        let mut rest = each.map(|(s, g)| metric.one_way(s, g).max(0.0) as f32);
        let fill = |p: &Passage| match p.unmet_from {
            Some(_) => p.observed_steps + rest.next().unwrap_or(0.0),
            None => p.observed_steps,
        };
        batch.iter().map(fill).collect()
    }

    fn passage_step(
        &mut self,
        windows: &Episodes<'_>,
        goals: &Reservoir,
        batch: &[Passage],
        targets: &[f32],
    ) -> Result<f64, TrainError> {
        let width = windows.width();
        let rows = || Vec::with_capacity(batch.len() * width);
        let (mut from, mut to) = (rows(), rows());
        for passage in batch {
            self.see(windows.state(passage.from), &mut from);
            self.see(goals.state(passage.goal), &mut to);
        }
        self.pair_step(from, to, targets)
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
