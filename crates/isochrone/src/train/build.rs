//! Builds an untrained policy with its distance, learner and generator.

use super::epsilon::Epsilon;
use super::online_distance::OnlineDistance;
use super::online_map::OnlineMap;
use super::{AgentSpec, Counters, DistanceConfig, GoalSetup, LabelSpec, Training, TrainingError};
use crate::curriculum::{Archive, PooledLabels};
use crate::learner::PolicyLearner;

impl Training {
    /// An untrained policy before its first iteration; call [`Training::prepare`] next.
    pub fn new(spec: AgentSpec, setup: GoalSetup) -> Result<Self, TrainingError> {
        spec.check()?;
        let distance = spec.distance.build(&setup)?;
        Self::with_distance(spec, setup, distance)
    }

    /// The same with the caller's distance; ε is that of the spec's distance.
    pub fn with_distance(
        spec: AgentSpec,
        setup: GoalSetup,
        distance: DistanceConfig,
    ) -> Result<Self, TrainingError> {
        let learner = spec.learner.build(&setup.policy_io(), spec.seed)?;
        Self::with_learner(spec, setup, distance, learner)
    }

    /// The same with the caller's learner.
    pub(super) fn with_learner(
        spec: AgentSpec,
        setup: GoalSetup,
        distance: DistanceConfig,
        learner: Box<dyn PolicyLearner>,
    ) -> Result<Self, TrainingError> {
        spec.check()?;
        setup.check(&distance)?;
        let dims = setup.proposals.dims();
        Ok(Self {
            learner,
            generator: spec.generator.build(&setup.range, spec.seed)?,
            archive: Archive::new(spec.archive_spacing_m, dims),
            pooled_labels: match spec.labels {
                LabelSpec::Pooled(labels) => {
                    let (dims, place) = (setup.space.dims(), setup.place.clone());
                    Some(PooledLabels::new(labels, dims, place))
                }
                LabelSpec::Fresh(_) | LabelSpec::TrainingPaths(_) => None,
            },
            map: spec.planner.waypoints().map(|waypoints| {
                OnlineMap::new(waypoints.for_distance(&distance), setup.space.dims())
            }),
            counters: Counters::default(),
            epsilon: Epsilon::new(spec.distance.radius()),
            distance: OnlineDistance::new(distance, &spec)?,
            range: setup.range.clone(),
            spec,
            setup,
        })
    }
}
