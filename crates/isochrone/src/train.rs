//! The paper's training loop: propose goals of intermediate difficulty, update the policy towards them, label the goals,
//! improve the proposals.
//!
//! ```text
//! before:  train the distance and the generator on states of the untrained policy
//! repeat:  1. goals     new ones from the generator, old ones from the archive
//!          2. policy    a few times: roll out towards them, one update by the learner,
//!             distance  one epoch of its predictor if it is learned
//!          3. labels    which goals are easy, of intermediate difficulty, hard
//!          4. goals     the generator learns the intermediate ones, the archive keeps them and states visited,
//!             ε         follows the distance, if it is a share
//!             waypoints the roadmap grows, if the policy has a planner
//! ```
//!
//! Methods differ by their parts: the [`PolicyLearner`], the [`GoalGenerator`], the distance ([`DistanceConfig`]) and the
//! labels ([`LabelSpec`]). The loop does not match on their kinds. It reads no clock and writes no file: it sends progress
//! events to an [`Observer`] and returns reports.

mod build;
mod epsilon;
mod gather;
mod goal_distance;
mod goal_setup;
mod goals;
mod learn;
mod observer;
mod online_distance;
mod online_map;
mod predictor;
mod report;
mod spec;
mod state;
mod visits;
mod waypoints;

pub use epsilon::EpsilonSpec;
pub use goal_distance::{
    FeasibleGoals, GoalDistance, PredictorInput, PredictorSettings, TargetSpec,
};
pub use goal_setup::GoalSetup;
pub use observer::{NoObserver, Observer, TrainPhase};
pub use online_distance::{DistanceConfig, PredictorReport};
pub use online_map::{HopsFrom, MapReport, PlannerSpec, WaypointRegion, WaypointSpec};
pub use predictor::{PredictorData, PredictorSpec};
pub use report::{IterationReport, Proposed, UpdateReport};
pub use spec::{
    AgentSpec, EvaluationSpec, LabelSpec, Planner, RolloutLabelSpec, TrainingError, Trial,
};
pub use state::{Counters, TrainingState};
pub use waypoints::Pursuit;

use crate::comm::Workers;
use crate::curriculum::{Archive, GoalList, PooledLabels, Tallies, intermediate};
use crate::goal::GoalRange;
use crate::goal_generator::GoalGenerator;
use crate::learner::PolicyLearner;
use crate::rollout::EpisodeSource;
use epsilon::Epsilon;
use observer::{abort_ranks, check_stop};
use online_distance::OnlineDistance;
use online_map::OnlineMap;

/// A training run between two iterations.
pub struct Training {
    spec: AgentSpec,
    setup: GoalSetup,
    distance: OnlineDistance,
    epsilon: Epsilon,
    learner: Box<dyn PolicyLearner>,
    /// The box that proposals come from; estimated from the first samples if the setup does not know it.
    range: GoalRange,
    generator: Box<dyn GoalGenerator>,
    archive: Archive,
    pooled_labels: Option<PooledLabels>,
    map: Option<OnlineMap>,
    counters: Counters,
}

impl Training {
    /// Trains distance and generator on states of the untrained policy, before the first iteration.
    pub fn prepare(
        &mut self,
        world: &mut dyn EpisodeSource,
        workers: &Workers<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Option<PredictorReport>, TrainingError> {
        observer.phase_begins(TrainPhase::Distance);
        let (learned, states) = self.begin_distance(world, workers, observer)?;
        observer.phase_begins(TrainPhase::Goals);
        let mut rng = self.goal_stream();
        self.generator.begin(&states, &mut rng)?;
        self.begin_map(&states, workers.threads)?;
        Ok(learned)
    }

    /// One iteration of the loop. After an error or a stop, `self` is in the middle of an iteration: restore a saved state
    /// before you continue.
    pub fn iterate(
        &mut self,
        world: &mut dyn EpisodeSource,
        workers: &Workers<'_>,
        observer: &mut dyn Observer,
    ) -> Result<IterationReport, TrainingError> {
        self.counters.iteration += 1;

        observer.phase_begins(TrainPhase::Goals);
        self.grow_map(workers.threads)?;
        let (goals, proposed) = self.propose()?;
        let mut tallies = Tallies::of_goals(&goals);
        let goals = GoalList::new(goals)?;

        let distances = self.probe_distances();
        let (mut updates, mut epochs, mut tails, mut visited) = (vec![], vec![], vec![], vec![]);
        for _ in 0..self.spec.updates_per_iteration {
            observer.phase_begins(TrainPhase::Rollout);
            let paths = self.roll_out(world, &goals, workers)?;
            tallies.count(&paths);
            tails.extend(self.tail_states(&paths, workers)?);
            visited.extend(self.witness(&paths, workers)?);

            observer.phase_begins(TrainPhase::Update);
            updates.push(self.learn_from(&paths, workers, observer)?);
            observer.phase_begins(TrainPhase::Distance);
            epochs.extend(self.learn_distance(&paths, workers)?);
            check_stop(observer)?;
        }

        observer.phase_begins(TrainPhase::Labels);
        let labelled = self.label(tallies, world, workers, observer)?;

        observer.phase_begins(TrainPhase::Goals);
        visited.extend(self.visited_beside(world, workers)?);
        let generator = self.teach_generator(&labelled, &tails, &visited)?;
        self.archive.add(&intermediate(&labelled));
        self.archive.add(&visited);
        self.update_epsilon(&labelled);

        Ok(IterationReport {
            iteration: self.counters.iteration,
            updates,
            labelled,
            proposed,
            archived: self.archive.len(),
            generator,
            predictor: self.report_distance(&epochs, &distances),
            map: self.map.as_ref().map(OnlineMap::report),
            counters: self.counters,
        })
    }
}
