//! Agents in files: everything that an agent in an environment of the user's own needs to go on.

use crate::held_out::HeldOut;
use crate::model::{About, Contents, DistanceModel, Kind, StateColumns, TrainingFacts};
use crate::presets::OWN;
use crate::run_spec::RunSpec;
use crate::{output, settings};
use anyhow::{Context, Result, bail};
use isochrone::agent::Agent;
use isochrone::env::{ActionSpec, ObservationSpec};
use isochrone::goal::GoalRange;
use isochrone::train::{Counters, GoalSetup, TrainingState};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;
use toml::Table;

/// What an agent must know of an environment of the user's own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnEnvironment {
    /// Entries of an observation.
    pub observation_length: usize,
    /// Entries of an action, each from −1 to 1.
    pub actions: usize,
    /// The entries of an observation that goals are about.
    pub goal_entries: Vec<usize>,
    /// The middle of the range of goals.
    pub goal_centre: Vec<f32>,
    /// Half the width of that range.
    pub goal_half_width: Vec<f32>,
}

impl OwnEnvironment {
    fn setup(&self) -> Result<GoalSetup> {
        let (centre, half_width) = (self.goal_centre.clone(), self.goal_half_width.clone());
        Ok(GoalSetup::of_entries(
            ObservationSpec::vector(self.observation_length),
            ActionSpec::symmetric(self.actions, 1.0),
            &self.goal_entries,
            GoalRange::new(centre, half_width)?,
        )?)
    }
}

/// The header of the file beside the arrays.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    spec: String,
    counters: Counters,
    world: OwnEnvironment,
}

/// An agent with its settings and its environment, as a file holds them.
#[derive(Debug)]
pub struct SavedAgent {
    spec: RunSpec,
    environment: OwnEnvironment,
    /// The agent.
    pub agent: Agent,
}

impl SavedAgent {
    /// An untrained agent: a preset with changes, `own-sac` or `own`.
    pub fn new(environment: OwnEnvironment, preset: &str, changes: Table) -> Result<Self> {
        Self::of_spec(environment, RunSpec::preset(preset)?.merged(changes)?)
    }

    fn of_spec(environment: OwnEnvironment, spec: RunSpec) -> Result<Self> {
        if spec.world != OWN {
            bail!("world is {:?}; here it is {OWN:?}", spec.world);
        }
        spec.check()?;
        Ok(Self {
            agent: Agent::new(spec.agent.clone(), environment.setup()?)?,
            spec,
            environment,
        })
    }

    /// Its settings.
    pub const fn spec(&self) -> &RunSpec {
        &self.spec
    }

    /// Its environment.
    pub const fn environment(&self) -> &OwnEnvironment {
        &self.environment
    }

    /// The learned distance in goal space as a model of its own; `None` if it is Euclidean.
    pub fn distance(&self) -> Result<Option<DistanceModel>> {
        let training = self.agent.training();
        let Some((spec, arrays, scale)) = training.predictor_arrays() else {
            return Ok(None);
        };
        let (counters, seed) = (training.counters(), self.spec.agent.seed.0);
        let predictor = self.spec.agent.distance.predictor();
        let initial_epochs = predictor.map_or(0, |predictor| predictor.initial_epochs);
        let about = About {
            spec,
            states: StateColumns::default(),
            training: TrainingFacts {
                files: Vec::new(),
                episodes: 0,
                transitions: counters.env_steps,
                held_out_episodes: 0,
                held_out: HeldOut {
                    seed,
                    share: 0.0,
                    also: None,
                    never: None,
                },
                copies: BTreeSet::new(),
                // An epoch after every update of the policy.
                passes: initial_epochs + counters.updates,
                updates: training.predictor_updates(),
                seed,
                learned: None,
                first_states: None,
            },
            calibration: None,
            reached: None,
        };
        Ok(Some(DistanceModel::new(about, arrays, scale)?))
    }

    /// Writes its file, whole or not at all.
    pub fn write(&self, file: &Path) -> Result<()> {
        output::write(file, &self.to_bytes()?)
    }

    /// The bytes of its file.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let TrainingState { arrays, counters } = self.agent.save();
        let contents = Contents {
            kind: Kind::Agent,
            about: Header {
                spec: settings::write(&self.spec)?,
                counters,
                world: self.environment.clone(),
            },
            // An untrained agent is what its seed makes it.
            arrays: if self.agent.has_learned() {
                arrays
            } else {
                Vec::new()
            },
        };
        contents.to_bytes().context("cannot write the agent")
    }

    /// Reads such bytes; `file` is for the errors.
    pub fn of_bytes(bytes: &[u8], file: &Path) -> Result<Self> {
        let contents = Contents::<Header>::of_bytes(bytes, file, Kind::Agent)?;
        let Header {
            spec,
            counters,
            world,
        } = contents.about;
        let spec = RunSpec::parse(&spec).context("in the agent's spec")?;
        let mut saved = Self::of_spec(world, spec)?;
        if counters.iteration > 0 {
            let state = TrainingState {
                arrays: contents.arrays,
                counters,
            };
            let restored = saved.agent.restore(&state);
            restored.context("the arrays of the agent do not fit its spec")?;
        }
        Ok(saved)
    }
}
