//! One curve: a method in a world.

use crate::reproduce::{Effort, Size};
use anyhow::Result;
use isochrone::rng::Seed;
use isochrone_files::run_spec::RunSpec;
use isochrone_mujoco::WorldName;
use isochrone_runs::train::{colour, table};

/// About ten million steps of a sphere, fifty of an ant: 100 iterations, looked at ten times.
pub(super) const ITERATIONS: u64 = 100;
const EVALUATE_EVERY: u64 = 10;
/// Of a quick version.
pub(super) const QUICK_ITERATIONS: u64 = 20;
const QUICK_EVALUATE_EVERY: u64 = 4;

/// A method in a world: a preset, at this figure's length.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Arm {
    pub(super) world: WorldName,
    pub(super) preset: String,
    /// What the preset has behind the world's name.
    pub(super) suffix: &'static str,
    /// For legends and reports.
    pub(super) name: &'static str,
    spec: RunSpec,
}

impl Arm {
    /// The paper's preset of the world with this suffix; `None` if there is none.
    pub(super) fn new(world: WorldName, suffix: &'static str, effort: &Effort) -> Option<Self> {
        let name = format!("{world}-paper{suffix}");
        let spec = RunSpec::preset(&name).ok()?;
        let (iterations, evaluate_every) = match effort.size {
            Size::Full => (effort.iterations.unwrap_or(ITERATIONS), EVALUATE_EVERY),
            Size::Quick => (QUICK_ITERATIONS, QUICK_EVALUATE_EVERY),
        };
        Some(Self {
            world,
            preset: name,
            suffix,
            name: in_words(suffix),
            spec: RunSpec {
                iterations,
                evaluate_every,
                ..spec
            },
        })
    }

    /// Beside arms with other goals its name says what goals are.
    pub(super) fn named_by_goals(self) -> Self {
        let name = match self.suffix {
            "" => "places, straight line",
            "-off-policy" => "places, learned off-policy",
            _ => self.name,
        };
        Self { name, ..self }
    }

    /// A method has the same colour in every figure; no two in one figure have the same.
    pub(super) fn colour(&self) -> usize {
        match self.suffix {
            "-full-off-policy" | "-action-noise-off-policy" => 3,
            "-full-on-policy" => 4,
            "-off-policy-bootstrapped" => 5,
            "-action-noise" => 6,
            _ => colour(&self.spec),
        }
    }

    /// The same with other settings.
    #[cfg(test)]
    pub(super) fn changed(self, set: &[String]) -> Result<Self> {
        let spec = self.spec.changed(set)?;
        Ok(Self { spec, ..self })
    }

    /// What is asked of its run with this seed.
    pub(super) fn spec(&self, seed: u64) -> RunSpec {
        let mut spec = self.spec.clone();
        spec.agent.seed = Seed(seed);
        spec
    }

    /// What tells its method from others.
    pub(super) fn hash(&self) -> Result<String> {
        table::method_hash(&self.spec)
    }

    /// How long its runs are.
    pub(super) const fn iterations(&self) -> u64 {
        self.spec.iterations
    }
}

/// A suffix of a preset for people.
fn in_words(suffix: &str) -> &'static str {
    match suffix {
        "" => "straight line",
        "-on-policy" => "learned, on-policy",
        "-off-policy" => "learned, off-policy",
        "-full-on-policy" => "whole states, learned on-policy",
        "-full-off-policy" => "whole states, learned off-policy",
        "-off-policy-bootstrapped" => "learned, off-policy, bootstrapped",
        "-action-noise" => "straight line, action noise",
        "-action-noise-off-policy" => "learned, off-policy, action noise",
        _ => "another",
    }
}
