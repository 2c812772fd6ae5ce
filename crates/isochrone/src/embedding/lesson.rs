//! Drawing and learning apart: whoever saw the trajectories draws lessons, and everybody learns the same ones.
//!
//! [`DistanceTrainer::epoch`] does both at once, from trajectories that one process has. Where several have a part each,
//! what they exchange are lessons, rows of numbers that say all a step needs:
//!
//! ```text
//! window, first passage    state | later state | steps between them
//! bootstrapped             state | goal | last state of the window | steps observed | 1 if the goal was not met
//! ```

use super::bootstrap::{Passage, passage};
use super::trainer::{DistanceTrainer, EpochReport, TrainError};
use super::{Objective, SpecError};
use crate::distance::Metric;
use crate::pairs::{Episodes, FirstEntries, PairSource, Reservoir, Target};
use crate::rng::Rng;

impl DistanceTrainer {
    /// Refuses objectives whose lessons are no rows.
    pub fn check_lessons(&self) -> Result<(), SpecError> {
        match self.spec.objective {
            Objective::Regression { .. } => Ok(()),
            Objective::GraphDrawing { beta, .. } => Err(SpecError {
                field: "beta",
                value: beta.into(),
                rule: "absent: graph drawing is learned from whole trajectories only",
            }),
        }
    }

    /// Numbers in a lesson.
    pub const fn lesson_width(&self) -> usize {
        let width = self.spec.encoder.inputs;
        if self.is_bootstrapped() {
            3 * width + 2
        } else {
            2 * width + 1
        }
    }

    /// Does it need goals to draw lessons?
    pub const fn is_bootstrapped(&self) -> bool {
        matches!(
            self.spec.objective,
            Objective::Regression {
                target: Target::Bootstrapped { .. },
                ..
            }
        )
    }

    /// The lessons of an epoch, end to end: one per step of these trajectories, less those that teach nothing. `goals`
    /// are for bootstrapped targets only.
    pub fn lessons(
        &self,
        episodes: &Episodes<'_>,
        goals: &Reservoir,
        rng: &mut Rng,
    ) -> Result<Vec<f32>, TrainError> {
        let (got, expected) = (episodes.width(), self.spec.encoder.inputs);
        if got != expected {
            return Err(TrainError::Width { got, expected });
        }
        let mut rows = Vec::with_capacity(episodes.n_steps() * self.lesson_width());
        match self.spec.objective {
            Objective::Regression {
                target: Target::Bootstrapped { radius, steps },
                ..
            } => {
                let windows = episodes.cut(steps);
                let starts: Vec<(usize, usize)> = windows.starts().collect();
                let entries = FirstEntries::of(&windows);
                let first_hit =
                    |rows, goal: &[f32]| entries.first_hit(&windows, rows, goal, radius);
                if goals.is_empty() {
                    return Ok(rows);
                }
                for _ in 0..starts.len() {
                    if let Some(met) = passage(first_hit, &starts, goals, rng) {
                        push_passage(&mut rows, &windows, goals, &met);
                    }
                }
            }
            Objective::Regression { target, sampler } => {
                let source = PairSource::new(episodes, target, sampler);
                for pair in source.epoch(rng) {
                    rows.extend_from_slice(source.episodes().state(pair.from));
                    rows.extend_from_slice(source.episodes().state(pair.to));
                    rows.push(pair.lag_steps as f32);
                }
            }
            Objective::GraphDrawing { .. } => {}
        }
        Ok(rows)
    }

    /// Learns lessons in this order, a batch at a time.
    pub fn learn(&mut self, lessons: &[f32]) -> Result<EpochReport, TrainError> {
        let mut report = EpochReport::default();
        for batch in lessons.chunks(self.lesson_width() * self.spec.batch) {
            self.learn_batch(batch, &mut report)?;
        }
        self.unless_broken()?;
        report.averaged()
    }

    /// One step of Adam on lessons; sums of what it saw are added to the report.
    pub(super) fn learn_batch(
        &mut self,
        lessons: &[f32],
        report: &mut EpochReport,
    ) -> Result<(), TrainError> {
        let steps = self.targets(lessons);
        let (from, to) = self.seen(lessons);
        let loss = self.pair_step(from, to, &steps)?;
        self.count(lessons, &steps, loss, report);
        Ok(())
    }

    /// The targets of a batch, in steps, with the unit moved to their mean.
    pub(super) fn targets(&mut self, lessons: &[f32]) -> Vec<f32> {
        let is_due = self.step.is_multiple_of(self.spec.target_copy_steps.max(1));
        if is_due && self.is_bootstrapped() {
            self.target = self.network.clone();
        }
        let steps = self.steps_of(lessons);
        self.rescale(sum(&steps) / steps.len() as f64);
        steps
    }

    /// Adds sums of what a step saw to the report.
    pub(super) fn count(
        &self,
        lessons: &[f32],
        steps: &[f32],
        loss: f64,
        report: &mut EpochReport,
    ) {
        let rows = lessons.chunks_exact(self.lesson_width());
        report.pairs += steps.len();
        report.loss += loss * steps.len() as f64;
        report.mean_target_steps += sum(steps);
        report.hit_share += rows.filter(|row| self.is_met(row)).count() as f64;
    }

    fn is_met(&self, row: &[f32]) -> bool {
        !self.is_bootstrapped() || row.last().is_none_or(|unmet| *unmet == 0.0)
    }

    /// The targets of lessons, with what was not observed filled in by the distance's own estimate.
    fn steps_of(&self, lessons: &[f32]) -> Vec<f32> {
        let (inputs, width) = (self.spec.encoder.inputs, self.lesson_width());
        let observed = if self.is_bootstrapped() {
            3 * inputs
        } else {
            2 * inputs
        };
        let rows = || lessons.chunks_exact(width);
        let mut states = Vec::new();
        for part in [2 * inputs..3 * inputs, inputs..2 * inputs] {
            for row in rows().filter(|row| !self.is_met(row)) {
                self.see(&row[part.clone()], &mut states);
            }
        }
        let points = if states.is_empty() {
            states
        } else {
            self.target.points(&states)
        };
        let outputs = self.spec.encoder.outputs();
        let (from, to) = points.split_at(points.len() / 2);
        let metric = Metric::new(&self.spec, self.scale);
        let each = from.chunks_exact(outputs).zip(to.chunks_exact(outputs));
        let mut rest = each.map(|(s, g)| metric.one_way(s, g) as f32);
        rows()
            .map(|row| {
                if self.is_met(row) {
                    return row[observed];
                }
                let whole = row[observed] + rest.next().unwrap_or(0.0);
                // What was observed is known, however long it is.
                whole.min(self.longest_steps.max(row[observed]))
            })
            .collect()
    }

    /// The states of lessons, and the states to be reached, as the network sees them.
    pub(super) fn seen(&self, lessons: &[f32]) -> (Vec<f32>, Vec<f32>) {
        let (inputs, width) = (self.spec.encoder.inputs, self.lesson_width());
        let rows = || Vec::with_capacity(lessons.len() / width * inputs);
        let (mut from, mut to) = (rows(), rows());
        for row in lessons.chunks_exact(width) {
            self.see(&row[..inputs], &mut from);
            self.see(&row[inputs..2 * inputs], &mut to);
        }
        (from, to)
    }
}

fn sum(steps: &[f32]) -> f64 {
    steps.iter().map(|y| f64::from(*y)).sum()
}

pub(super) fn push_passage(
    rows: &mut Vec<f32>,
    windows: &Episodes<'_>,
    goals: &Reservoir,
    met: &Passage,
) {
    let last = met.unmet_from.unwrap_or(met.from);
    rows.extend_from_slice(windows.state(met.from));
    rows.extend_from_slice(goals.state(met.goal));
    rows.extend_from_slice(windows.state(last));
    rows.push(met.observed_steps);
    rows.push(f32::from(u8::from(met.unmet_from.is_some())));
}
