//! Settings of a fit: a flat list with defaults that suit logs of unknown origin.

use super::target_name::TargetName;
use crate::mapping::RoadmapSpec;
use anyhow::{Context, Result, bail};
use isochrone::comm::DEFAULT_SHARDS;
use isochrone::embedding::{
    Architecture, DistanceSpec, EncoderSpec, Head, ImageSpec, LearningRate, Objective, Scaling,
};
use isochrone::pairs::{Sampler, Target};
use isochrone::roadmap::{HopRule, Selection};
use serde::{Deserialize, Serialize};

/// The roadmap of `geodesic`, if nothing else is set.
const LANDMARKS: usize = 2_000;
const HOP_STEPS: usize = 12;
/// All routes between landmarks are in memory: 4 bytes × landmarks².
const MOST_LANDMARKS: usize = 20_000;

/// Adam steps of a fit, at least, if `passes` is not set.
const LEAST_UPDATES: u64 = 20_000;
/// The same with convolutions, which take a hundred times as long.
const LEAST_PICTURE_UPDATES: u64 = 2_000;

/// The largest default window of `bootstrapped`: it extends beyond its window by itself, and the time of the search for goals
/// grows with the window.
const MOST_BOOTSTRAPPED_WINDOW: usize = 1_000;

/// Properties of the data that open settings depend on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DataFacts {
    /// Training steps.
    pub transitions: u64,
    /// Median Euclidean length of a step.
    pub median_step: f64,
    /// The default window: the length of typical episodes, in steps, as far as memory allows.
    pub fitting_window_steps: usize,
    /// Height, width and channels of states that are images.
    pub image: Option<[usize; 3]>,
}

/// The network's inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Inputs {
    /// The raw state, as in the paper.
    Raw,
    /// Every entry standardised: minus its mean, divided by its standard deviation.
    Standardised,
}

/// `spec.toml`. What is absent depends on the target or the data, and is filled in by [`FitSpec::settle`]; a settled
/// spec has everything.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FitSpec {
    /// Seed of all random streams.
    pub seed: u64,
    /// What is learned. If absent, the target that predicts the steps of held-out episodes best in a short trial fit; the
    /// paper's if nothing can be compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<TargetName>,
    /// Longest lag of `window` and `bootstrapped`; longer episodes are cut into windows. As long as typical episodes if
    /// absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window_steps: Option<usize>,
    /// Radius within which two states count as one, in the units of the states; for `first_passage` and `bootstrapped`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub radius: Option<f32>,
    /// How pairs are sampled.
    pub sampler: Sampler,
    /// The network's inputs.
    pub inputs: Inputs,
    /// Height, width and channels of states that are images; those of the data if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<[usize; 3]>,
    /// Channels that each convolution over images puts out; four times 64 if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channels: Option<Vec<usize>>,
    /// Pixels between two places of each convolution; 1, 2, 1, 2 if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strides: Option<Vec<usize>>,
    /// Widths of the hidden layers: 64, 256 and 256 for `geodesic`, or 128 and 128 for images.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<Vec<usize>>,
    /// Dimensions of the points.
    pub dims: usize,
    /// Symmetric, with a potential, or a quasimetric; as the target needs it if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<Head>,
    /// p of the norm: 1, or 2 for `bootstrapped` with a head other than its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p: Option<f32>,
    /// q, the power of the norm, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<f32>,
    /// The unit of the network's output.
    pub scaling: Scaling,
    /// Pairs per step of Adam.
    pub batch: usize,
    /// Adam's learning rate at the start; it decays exponentially to `final_learning_rate`.
    pub learning_rate: f64,
    /// See `learning_rate`.
    pub final_learning_rate: f64,
    /// Passes over the data; as many as 20,000 Adam steps take if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passes: Option<u64>,
    /// The share of held-out episodes.
    pub held_out: f64,
    /// Landmarks of the roadmap of `geodesic`; 2,000 if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub landmarks: Option<usize>,
    /// The longest hop of that roadmap, in steps; 12 if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hop_steps: Option<usize>,
    /// States kept as goals, for `bootstrapped`.
    pub goals: usize,
    /// Adam steps between copies of the target network of `bootstrapped`.
    pub target_copy_steps: u64,
    /// V: streams that are shuffled separately. It changes the result.
    pub streams: usize,
    /// Memory for shuffling, in megabytes. It changes the result.
    pub shuffle_mb: usize,
    /// States that pairs are sampled from at a time.
    pub chunk_rows: usize,
}

impl Default for FitSpec {
    fn default() -> Self {
        Self {
            seed: 0,
            target: None,
            window_steps: None,
            radius: None,
            sampler: Sampler::UniformStartThenEnd,
            inputs: Inputs::Standardised,
            image: None,
            channels: None,
            strides: None,
            hidden: None,
            dims: 20,
            head: None,
            p: None,
            q: None,
            scaling: Scaling::Running,
            batch: 256,
            learning_rate: 3e-3,
            final_learning_rate: 1e-5,
            passes: None,
            held_out: 0.05,
            landmarks: None,
            hop_steps: None,
            goals: 1_000_000,
            target_copy_steps: 50,
            streams: DEFAULT_SHARDS,
            shuffle_mb: 512,
            chunk_rows: 50_000,
        }
    }
}

impl FitSpec {
    /// Checks all settings that do not depend on the data, so that a fit does not fail after an hour.
    pub fn check(&self) -> Result<()> {
        let counts = [
            ("chunk_rows", self.chunk_rows, 100_000_000),
            ("streams", self.streams, 1_000_000),
            ("shuffle_mb", self.shuffle_mb, 1_000_000_000),
            ("goals", self.goals, 1_000_000_000),
            ("passes", self.passes.unwrap_or(1) as usize, 1_000_000_000),
        ];
        for (name, value, most) in counts {
            if !(1..=most).contains(&value) {
                bail!("{name} is {value}; it must be at least 1 and at most {most}");
            }
        }
        if self.seed > i64::MAX as u64 {
            bail!("seed is {}; it must be below 2⁶³", self.seed);
        }
        if !(0.0..1.0).contains(&self.held_out) {
            bail!(
                "held_out is {}; it must be in 0…1, without 1",
                self.held_out
            );
        }
        let without_radius = match self.target_name() {
            TargetName::Window => Some("window"),
            TargetName::Geodesic => Some("geodesic"),
            TargetName::FirstPassage | TargetName::Bootstrapped => None,
        };
        if let (Some(target), Some(_)) = (without_radius, self.radius) {
            bail!("the target `{target}` has no radius; first_passage and bootstrapped have");
        }
        self.check_map()?;
        if let (TargetName::FirstPassage, Some(steps)) = (self.target_name(), self.window_steps) {
            bail!(
                "window_steps is {steps}, and the target `first_passage` has no window: it counts to the end of an episode"
            );
        }
        // The trainer checks everything else; a radius that is still missing is not an error yet.
        let settled = Self {
            radius: self.radius.or(Some(1.0)),
            ..self.clone()
        };
        let any = DataFacts {
            transitions: 1,
            median_step: 1.0,
            fitting_window_steps: 1,
            image: None,
        };
        let width = self
            .image
            .map_or(1, |shape| ImageSpec::paper(shape).inputs());
        settled.settle(any)?.distance(width, 1).map(|_| ())
    }

    /// The target; the paper's if none is set.
    pub fn target_name(&self) -> TargetName {
        self.target.unwrap_or(TargetName::Window)
    }

    fn check_map(&self) -> Result<()> {
        let given = [
            ("landmarks", self.landmarks, MOST_LANDMARKS),
            ("hop_steps", self.hop_steps, 10_000),
        ];
        for (name, value, most) in given {
            let Some(value) = value else {
                continue;
            };
            if self.target_name() != TargetName::Geodesic {
                bail!("{name} is {value}, and only the target `geodesic` has a roadmap");
            }
            if !(1..=most).contains(&value) {
                bail!("{name} is {value}; it must be at least 1 and at most {most}");
            }
        }
        Ok(())
    }

    /// The fit of what is near, which the roadmap of `geodesic` is made with. Of a settled spec.
    pub(super) fn local(&self, data: DataFacts) -> Result<Self> {
        let local = Self {
            target: Some(TargetName::Window),
            hidden: None,
            head: Some(Head::Symmetric),
            p: None,
            q: None,
            passes: None,
            landmarks: None,
            hop_steps: None,
            ..self.clone()
        };
        local.settle(data)
    }

    /// That roadmap.
    pub(super) fn roadmap(&self) -> RoadmapSpec {
        RoadmapSpec {
            landmarks: self.landmarks.unwrap_or(LANDMARKS),
            selection: Selection::FarthestPoint,
            hops: HopRule::Witnessed {
                steps: self.hop_steps.unwrap_or(HOP_STEPS),
            },
            seed: self.seed,
        }
    }

    /// Fills in open settings for these data.
    pub fn settle(&self, data: DataFacts) -> Result<Self> {
        let DataFacts {
            transitions,
            median_step,
            fitting_window_steps,
            image,
        } = data;
        let image = self.image.or(image);
        let is_bootstrapped = self.target_name() == TargetName::Bootstrapped;
        let head = self.head.unwrap_or(if is_bootstrapped {
            Head::Quasimetric
        } else {
            Head::Symmetric
        });
        // Squared norms split commute times exactly; but with a potential they allow negative times.
        let norm = if is_bootstrapped && head != Head::Quasimetric {
            2.0
        } else {
            1.0
        };
        let needs_radius = matches!(
            self.target_name(),
            TargetName::FirstPassage | TargetName::Bootstrapped
        );
        if needs_radius && self.radius.is_none() {
            bail!(
                "this target needs a radius (--radius R, in Python radius=R), the distance within which two states are one, in the units of the states; \
                 the median step in these data is {median_step:.3e}"
            );
        }
        let is_geodesic = self.target_name() == TargetName::Geodesic;
        let hidden = match image {
            Some(_) => vec![128, 128],
            None if is_geodesic => vec![256, 256],
            None => vec![64],
        };
        let paper = image.map(ImageSpec::paper);
        let least_updates = match image {
            Some(_) => LEAST_PICTURE_UPDATES,
            None => LEAST_UPDATES,
        };
        let hop_steps = self.hop_steps.unwrap_or(HOP_STEPS);
        let updates_per_pass = transitions.div_ceil(self.batch.max(1) as u64).max(1);
        let passes = self
            .passes
            .unwrap_or(least_updates.div_ceil(updates_per_pass));
        Ok(Self {
            target: Some(self.target_name()),
            head: Some(head),
            p: Some(self.p.unwrap_or(norm)),
            q: Some(self.q.unwrap_or(norm)),
            passes: Some(passes),
            image,
            channels: (self.channels.clone())
                .or_else(|| paper.as_ref().map(|of| of.channels.clone())),
            strides: self.strides.clone().or_else(|| paper.map(|of| of.strides)),
            hidden: Some(self.hidden.clone().unwrap_or(hidden)),
            landmarks: is_geodesic.then(|| self.landmarks.unwrap_or(LANDMARKS)),
            hop_steps: is_geodesic.then_some(hop_steps),
            window_steps: match self.target_name() {
                TargetName::FirstPassage => None,
                TargetName::Window => Some(self.window_steps.unwrap_or(fitting_window_steps)),
                // Maps want distances that are sharp nearby.
                TargetName::Geodesic => Some(self.window_steps.unwrap_or(2 * hop_steps + 1)),
                TargetName::Bootstrapped => {
                    let chosen = fitting_window_steps.min(MOST_BOOTSTRAPPED_WINDOW);
                    Some(self.window_steps.unwrap_or(chosen))
                }
            },
            ..self.clone()
        })
    }

    /// The same for the trainer: states of `width` entries, `transitions` of them learned from. Of a settled spec.
    pub fn distance(&self, width: usize, transitions: u64) -> Result<DistanceSpec> {
        let unsettled = || "this setting is not settled";
        let updates = transitions.div_ceil(self.batch.max(1) as u64).max(1);
        let updates = updates.saturating_mul(self.passes.with_context(unsettled)?);
        let spec = DistanceSpec {
            encoder: EncoderSpec {
                inputs: width,
                architecture: match self.image {
                    Some(shape) => Architecture::Cnn {
                        images: ImageSpec {
                            shape,
                            channels: self.channels.clone().with_context(unsettled)?,
                            strides: self.strides.clone().with_context(unsettled)?,
                        },
                        hidden: self.hidden.clone().with_context(unsettled)?,
                    },
                    None => Architecture::Mlp {
                        hidden: self.hidden.clone().with_context(unsettled)?,
                    },
                },
                dims: self.dims,
                head: self.head.with_context(unsettled)?,
            },
            p: self.p.with_context(unsettled)?,
            q: self.q.with_context(unsettled)?,
            objective: Objective::Regression {
                target: self.target()?,
                sampler: self.sampler,
            },
            scaling: self.scaling,
            batch: self.batch,
            learning_rate: LearningRate::Decay {
                from: self.learning_rate,
                to: self.final_learning_rate,
                steps: updates,
            },
            target_copy_steps: self.target_copy_steps,
        };
        spec.check()?;
        Ok(spec)
    }

    fn target(&self) -> Result<Target> {
        let radius = || self.radius.context("this target needs a radius");
        let steps = self.window_steps.unwrap_or(0);
        Ok(match self.target_name() {
            TargetName::Window => Target::Window { steps },
            TargetName::Geodesic => Target::Geodesic { steps },
            TargetName::FirstPassage => Target::FirstPassage { radius: radius()? },
            TargetName::Bootstrapped => Target::Bootstrapped {
                radius: radius()?,
                steps,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::FitSpec;
    use anyhow::Result;
    use isochrone_files::settings::{read, write};

    fn of(overrides: &[&str]) -> Result<FitSpec, String> {
        let overrides: Vec<String> = overrides.iter().map(|s| (*s).to_owned()).collect();
        read::<FitSpec>(None, &overrides).map_err(|error| format!("{error:#}"))
    }

    #[test]
    fn settings_are_changed_one_by_one() {
        let spec = of(&[
            "dims=32",
            "hidden=[64, 64]",
            "target=bootstrapped",
            "radius=0.5",
        ])
        .unwrap();
        assert_eq!((spec.dims, spec.hidden), (32, Some(vec![64, 64])));
        assert_eq!(spec.radius, Some(0.5));
        let again: FitSpec = toml::from_str(&write(&of(&[]).unwrap()).unwrap()).unwrap();
        assert_eq!(again, FitSpec::default());
    }

    #[test]
    fn what_is_wrong_is_told() {
        let words = [
            (
                ["dim=32"],
                "there is no setting \"dim\"; did you mean \"dims\"?",
            ),
            (["dims"], "\"dims\" is not of the form key=value"),
            (
                ["radios=3"],
                "there is no setting \"radios\"; did you mean \"radius\"?",
            ),
            (
                ["window=3"],
                "there is no setting \"window\"; did you mean \"window_steps\"?",
            ),
        ];
        for (given, expected) in words {
            assert_eq!(of(&given).unwrap_err(), expected);
        }
        assert!(of(&["dims=many"]).unwrap_err().contains("invalid type"));
        assert!(
            of(&["xylophone=1"])
                .unwrap_err()
                .contains("there are seed, target")
        );
    }
}
