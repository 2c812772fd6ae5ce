//! The paper's loop: goals just beyond what the policy can do, trust-region updates towards them, and new goals from
//! what was learned.
//!
//! ```text
//! before:  learn the distance, and to propose goals, from states of the untrained policy
//! repeat:  1. goals     new ones from the generator, old ones from the archive
//!          2. policy    a few times: roll out towards them, then one trust-region update,
//!             distance  and one epoch of its predictor, where it is learned
//!          3. labels    which goals are easy, of intermediate difficulty, hard
//!          4. goals     the generator learns the intermediate ones, the archive keeps them
//! ```
//!
//! Methods differ by what is passed in: the distance that decides "reached", the generator, the source of the labels.
//! Nothing here reads a clock or a file: [`Watch`] is told what begins, and whoever calls writes reports down.

mod feed;
mod field;
mod gather;
mod judge;
mod learn;
mod predictor;
mod report;
mod spec;
mod state;
mod team;
mod visits;
mod watch;

pub use field::Field;
pub use judge::{DistanceSource, PredictorReport};
pub use predictor::{PredictorData, PredictorSpec};
pub use report::{IterationReport, UpdateReport};
pub use spec::{EvaluationSpec, Generator, LabelSource, TrainError, TrainSpec, Trial};
pub use state::{Counters, TrainingState};
pub use team::Team;
pub use watch::{Blind, Go, Part, Watch};

use crate::baseline::Baseline;
use crate::curriculum::{Archive, GoalList, Tallies};
use crate::goal::GoalRange;
use crate::policy::GaussianPolicy;
use crate::rollout::EpisodeSource;
use feed::{Feed, intermediate};
use judge::Judge;
use watch::{give_up, unless_stopped};

/// A policy in training, with everything it needs to go on.
pub struct Training {
    spec: TrainSpec,
    field: Field,
    judge: Judge,
    policy: GaussianPolicy,
    baseline: Baseline,
    /// Where proposals come from, with what was measured of it.
    range: GoalRange,
    feed: Feed,
    archive: Archive,
    counters: Counters,
}

impl Training {
    /// An untrained policy before its first iteration; [`Training::prepare`] comes next.
    pub fn new(
        spec: TrainSpec,
        field: Field,
        distance: DistanceSource,
    ) -> Result<Self, TrainError> {
        spec.check()?;
        field.check(&distance)?;
        let (shape, dims) = (field.policy_shape(&spec), field.proposals.dims());
        Ok(Self {
            policy: GaussianPolicy::untrained(&shape, spec.std, spec.first_std, spec.seed),
            baseline: Baseline::untrained(spec.baseline, shape.inputs, spec.seed),
            feed: Feed::new(&spec.generator, &field.range, spec.seed)?,
            archive: Archive::new(spec.archive_spacing, dims),
            counters: Counters::default(),
            judge: Judge::new(distance, &spec)?,
            range: field.range.clone(),
            spec,
            field,
        })
    }

    /// Before the first iteration: distance and generator learn where the untrained policy gets to.
    pub fn prepare(
        &mut self,
        world: &mut dyn EpisodeSource,
        team: &Team<'_>,
        watch: &mut dyn Watch,
    ) -> Result<Option<PredictorReport>, TrainError> {
        watch.begins(Part::Distance);
        let (learned, states) = self.begin_distance(world, team, watch)?;
        watch.begins(Part::Goals);
        let mut rng = self.goal_stream();
        self.feed.begin_with(&states, &mut rng)?;
        Ok(learned)
    }

    /// One iteration of the loop. Broken off by `watch` or an error, `self` is no longer at an iteration's end: go on
    /// from a saved state.
    pub fn iterate(
        &mut self,
        world: &mut dyn EpisodeSource,
        team: &Team<'_>,
        watch: &mut dyn Watch,
    ) -> Result<IterationReport, TrainError> {
        self.counters.iteration += 1;

        watch.begins(Part::Goals);
        let (goals, proposed) = self.propose();
        let mut tallies = Tallies::of_goals(&goals);
        let goals = GoalList::new(goals)?;

        let distances = self.watched_distances();
        let (mut updates, mut beyond, mut epochs) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..self.spec.updates_per_iteration {
            watch.begins(Part::Rollout);
            let paths = self.roll_out(world, &goals, team)?;
            tallies.count(&paths);
            beyond.extend(self.beyond_goals(&paths, team)?);

            watch.begins(Part::Update);
            updates.push(self.learn_from(&paths, team)?);
            watch.begins(Part::Distance);
            epochs.extend(self.learn_distance(&paths, team)?);
            unless_stopped(watch)?;
        }

        watch.begins(Part::Labels);
        let labelled = self.label(tallies, world, team, watch)?;

        watch.begins(Part::Goals);
        let mut rng = self.goal_stream();
        let generator_losses = self.feed.learn(&labelled, &beyond, &mut rng)?;
        self.archive.add(&intermediate(&labelled));
        let visited = self.visited(world, self.spec.on_policy_states, team)?;
        self.archive.add(&visited);

        Ok(IterationReport {
            iteration: self.counters.iteration,
            updates,
            labelled,
            proposed,
            archived: self.archive.len(),
            generator_losses,
            predictor: self.report_distance(&epochs, &distances),
            counters: self.counters,
        })
    }
}
