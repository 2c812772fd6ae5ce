//! One curve: a method in a world.

use crate::fingerprint;
use crate::reproduce::Size;
use crate::settings;
use crate::train::{RunSpec, preset};
use anyhow::Result;
use isochrone_mujoco::WorldName;

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
    /// For legends and reports.
    pub(super) name: &'static str,
    spec: RunSpec,
}

impl Arm {
    /// The world's preset with this suffix; `None` if there is none.
    pub(super) fn new(world: WorldName, suffix: &str, size: Size) -> Option<Self> {
        let base = match world {
            WorldName::FreeAnt => "free-ant-paper",
            other => other.as_str(),
        };
        let name = format!("{base}{suffix}");
        let spec = preset(&name).ok()?;
        let (iterations, evaluate_every) = match size {
            Size::Full => (ITERATIONS, EVALUATE_EVERY),
            Size::Quick => (QUICK_ITERATIONS, QUICK_EVALUATE_EVERY),
        };
        Some(Self {
            world,
            preset: name,
            name: in_words(suffix),
            spec: RunSpec {
                iterations,
                evaluate_every,
                ..spec
            },
        })
    }

    /// The same with other settings.
    #[cfg(test)]
    pub(super) fn changed(self, set: &[String]) -> Result<Self> {
        let spec = settings::change(&self.spec, set)?;
        Ok(Self { spec, ..self })
    }

    /// What is asked of its run with this seed.
    pub(super) fn spec(&self, seed: u64) -> RunSpec {
        RunSpec {
            seed,
            ..self.spec.clone()
        }
    }

    /// The digits of that.
    pub(super) fn hash(&self, seed: u64) -> Result<String> {
        Ok(fingerprint::of_text(&settings::write(&self.spec(seed))?))
    }
}

/// A suffix of a preset for people.
fn in_words(suffix: &str) -> &'static str {
    match suffix {
        "" => "straight line",
        "-on-policy" => "learned, on-policy",
        "-off-policy" => "learned, off-policy",
        "-full-on-policy" => "whole states, on-policy",
        "-full-off-policy" => "whole states, off-policy",
        "-action-noise" => "straight line, action noise",
        "-action-noise-off-policy" => "learned, off-policy, action noise",
        _ => "another",
    }
}
