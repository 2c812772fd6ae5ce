//! A training in a world that somebody else steps: any environment of Python's.

use super::presets;
use super::records::{Distance, Metrics};
use super::spec::RunSpec;
use super::world::WorldChoice;
use crate::held_out::HeldOut;
use crate::model::{About, Contents, DistanceModel, Kind, StateColumns, TrainingFacts};
use crate::{output, settings};
use anyhow::{Context, Result, bail};
use isochrone::comm::{Shards, Single};
use isochrone::distance::Euclidean;
use isochrone::env::{ActionSpec, ObservationSpec};
use isochrone::evaluate::Coverage;
use isochrone::goal::{GoalRange, GoalSpace, Proposals};
use isochrone::policy::FrozenPolicy;
use isochrone::rollout::EpisodeSource;
use isochrone::train::{
    DistanceSource, Field, IterationReport, PredictorReport, Team, Training, TrainingState, Trial,
    Watch,
};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;

/// What is known of a world of somebody else's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnWorld {
    /// Entries of an observation.
    pub observation_length: usize,
    /// Entries of an action, each from −1 to 1.
    pub actions: usize,
    /// The entries of an observation that goals are about.
    pub goal_entries: Vec<usize>,
    /// Goals come from within `goal_half_width` of here, where a generator needs to know.
    pub goal_centre: Vec<f32>,
    /// See `goal_centre`.
    pub goal_half_width: Vec<f32>,
}

impl OwnWorld {
    fn field(&self) -> Result<Field> {
        let observation = ObservationSpec::vector(self.observation_length);
        let space = GoalSpace::entries(&self.goal_entries, &observation)?;
        let dims = space.dims();
        let (centre, half_width) = (self.goal_centre.clone(), self.goal_half_width.clone());
        Ok(Field {
            action: ActionSpec::symmetric(self.actions, 1.0),
            proposals: Proposals::whole(dims),
            range: GoalRange::new(centre, half_width)?,
            measured: Vec::new(),
            place: (0..dims).collect(),
            coverage_goals: Vec::new(),
            observation,
            space,
        })
    }
}

/// What the header of its file says beside the arrays.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    spec: String,
    counters: isochrone::train::Counters,
    world: OwnWorld,
}

/// A policy in training.
#[derive(Debug)]
pub struct OwnTraining {
    spec: RunSpec,
    world: OwnWorld,
    training: Training,
    shards: Shards,
}

impl OwnTraining {
    /// An untrained one: the usual settings for worlds that nobody knows, changed by `key=value` pairs.
    pub fn new(world: OwnWorld, overrides: &[String]) -> Result<Self> {
        let spec = settings::change(&presets::own(), overrides)?;
        Self::of_spec(world, spec)
    }

    fn of_spec(world: OwnWorld, spec: RunSpec) -> Result<Self> {
        if spec.world != WorldChoice::Own {
            bail!("world is {:?}; here it is \"own\"", spec.world.to_string());
        }
        spec.check()?;
        let field = world.field()?;
        let (sees, goals) = (field.space.clone(), Proposals::whole(field.space.dims()));
        let distance = match spec.predictor(sees, goals) {
            Some(predictor) => DistanceSource::Learned(Box::new(predictor)),
            None => DistanceSource::Given(Arc::new(Euclidean)),
        };
        Ok(Self {
            training: Training::new(spec.train(), field, distance)?,
            shards: Shards::new(spec.shards, 1)?,
            spec,
            world,
        })
    }

    /// What was asked for.
    pub const fn spec(&self) -> &RunSpec {
        &self.spec
    }

    /// The world it is for.
    pub const fn world(&self) -> &OwnWorld {
        &self.world
    }

    /// Goals that were worth trying and states that were met, none near another.
    pub fn archive(&self) -> Vec<Vec<f32>> {
        self.training.archived()
    }

    /// Steps of the environment so far.
    pub const fn env_steps(&self) -> u64 {
        self.training.counters().env_steps
    }

    /// Those of them that the policy learned from.
    pub const fn steps(&self) -> u64 {
        self.training.counters().steps
    }

    /// One iteration, after what comes before the first if need be; what it says of itself, as JSON: the line of
    /// `metrics.jsonl`, and that of `distance.jsonl` if the distance is learned.
    pub fn iterate(
        &mut self,
        source: &mut dyn EpisodeSource,
        watch: &mut dyn Watch,
    ) -> Result<(String, Option<String>)> {
        let before = self.has_learned().then(|| self.training.save());
        let report = match self.advance(source, watch) {
            Ok(report) => report,
            Err(error) => {
                self.go_back(before)?;
                return Err(error);
            }
        };
        let told = |report: &PredictorReport| {
            serde_json::to_string(&Distance::of(report, self.training.counters()))
        };
        let distance = report.predictor.as_ref().map(told);
        let metrics = serde_json::to_string(&Metrics::of(&report))?;
        Ok((metrics, distance.transpose()?))
    }

    fn advance(
        &mut self,
        source: &mut dyn EpisodeSource,
        watch: &mut dyn Watch,
    ) -> Result<IterationReport> {
        let team = self.team();
        if !self.has_learned() {
            self.training.prepare(source, &team, watch)?;
        }
        Ok(self.training.iterate(source, &team, watch)?)
    }

    /// What was broken off half-way has not been: the next iteration is the one that was asked for.
    fn go_back(&mut self, before: Option<TrainingState>) -> Result<()> {
        match before {
            Some(state) => Ok(self.training.restore(&state)?),
            None => {
                *self = Self::of_spec(self.world.clone(), self.spec.clone())?;
                Ok(())
            }
        }
    }

    /// Has an iteration been done?
    pub const fn has_learned(&self) -> bool {
        self.training.counters().iteration > 0
    }

    /// Which of these goals the policy reaches.
    pub fn attempt(&self, source: &mut dyn EpisodeSource, trial: &Trial<'_>) -> Result<Coverage> {
        Ok(self.training.attempt(trial, source, &self.team())?)
    }

    /// The policy as it is now.
    pub fn policy(&self) -> Result<FrozenPolicy> {
        Ok(self.training.policy().freeze()?)
    }

    /// The learned distance in goal space as a file of its own; `None` if it was given.
    pub fn distance(&self) -> Result<Option<DistanceModel>> {
        let Some((spec, arrays, scale)) = self.training.predictor_arrays() else {
            return Ok(None);
        };
        let counters = self.training.counters();
        let about = About {
            spec,
            states: StateColumns::default(),
            training: TrainingFacts {
                files: Vec::new(),
                episodes: 0,
                transitions: counters.env_steps,
                held_out_episodes: 0,
                held_out: HeldOut {
                    seed: self.spec.seed,
                    share: 0.0,
                    also: None,
                },
                // An epoch after every update of the policy.
                passes: self.spec.predictor_initial_epochs + counters.updates,
                updates: self.training.predictor_updates(),
                seed: self.spec.seed,
            },
            calibration: None,
        };
        Ok(Some(DistanceModel::new(about, arrays, scale)?))
    }

    /// Writes its file, whole or not at all.
    pub fn write(&self, file: &Path) -> Result<()> {
        output::write(file, &self.to_bytes()?)
    }

    /// The bytes of its file: everything needed to go on.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let TrainingState { arrays, counters } = self.training.save();
        let contents = Contents {
            kind: Kind::Agent,
            about: Header {
                spec: settings::write(&self.spec)?,
                counters,
                world: self.world.clone(),
            },
            // What has not learned has nothing but what its seed says.
            arrays: if self.has_learned() {
                arrays
            } else {
                Vec::new()
            },
            numbers: Vec::new(),
        };
        contents.to_bytes().context("cannot write the agent")
    }

    /// The opposite; `file` is for the errors.
    pub fn of_bytes(bytes: &[u8], file: &Path) -> Result<Self> {
        let contents = Contents::<Header>::of_bytes(bytes, file, Kind::Agent)?;
        let Header {
            spec,
            counters,
            world,
        } = contents.about;
        let spec = toml::from_str(&spec).context("in the agent's spec")?;
        let mut agent = Self::of_spec(world, spec)?;
        if counters.iteration > 0 {
            let state = TrainingState {
                arrays: contents.arrays,
                counters,
            };
            let restored = agent.training.restore(&state);
            restored.context("the agent is not one of its spec's")?;
        }
        Ok(agent)
    }

    const fn team(&self) -> Team<'static> {
        Team {
            comm: &Single,
            shards: self.shards,
            threads: 1,
        }
    }
}
