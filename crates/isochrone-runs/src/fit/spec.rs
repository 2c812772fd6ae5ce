//! Settings of a fit: a flat list with defaults that suit logs of unknown origin.

use super::target_name::TargetName;
use anyhow::{Result, bail};
use isochrone::comm::DEFAULT_SHARDS;
use isochrone::embedding::{Diagonal, Head, ImageSpec, Scaling};
use isochrone::pairs::Sampler;
use serde::{Deserialize, Serialize};

/// All routes between landmarks are in memory: 4 bytes × landmarks².
const MOST_LANDMARKS: usize = 20_000;

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
    /// How pairs are sampled: `uniform_start_then_end` if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampler: Option<Sampler>,
    /// States of a clip, each embedded once and all pairs of them learned from; pairs of single states if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clip_frames: Option<usize>,
    /// Weight of the repulsion of `graph_drawing`; 1 if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beta: Option<f32>,
    /// λ, the ratio of the geometric gaps between neighbours of `graph_drawing`: 0 is the next step, 1 any later one; 0.9 if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap_ratio: Option<f32>,
    /// What `graph_drawing` drives the mean square of each dimension to: `one` if absent, or `over_dims`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diagonal: Option<Diagonal>,
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
    /// Random Fourier features of the inputs that the layers see; the inputs themselves if absent. They tell places apart that are
    /// near each other, as both sides of a thin wall.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fourier_features: Option<usize>,
    /// Standard deviation of their frequencies, in radians per unit of the inputs; 2 if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fourier_frequency: Option<f32>,
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
            sampler: None,
            clip_frames: None,
            beta: None,
            gap_ratio: None,
            diagonal: None,
            inputs: Inputs::Standardised,
            image: None,
            channels: None,
            strides: None,
            fourier_features: None,
            fourier_frequency: None,
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
            TargetName::GraphDrawing => Some("graph_drawing"),
            TargetName::FirstPassage | TargetName::Bootstrapped => None,
        };
        if let (Some(target), Some(_)) = (without_radius, self.radius) {
            bail!("the target `{target}` has no radius; first_passage and bootstrapped have");
        }
        self.check_map()?;
        self.check_clips()?;
        self.check_drawing()?;
        self.check_fourier()?;
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

    fn check_clips(&self) -> Result<()> {
        let Some(frames) = self.clip_frames else {
            return Ok(());
        };
        match self.target_name() {
            TargetName::Window | TargetName::FirstPassage => {}
            TargetName::Bootstrapped | TargetName::Geodesic | TargetName::GraphDrawing => bail!(
                "clip_frames is {frames}, and only the targets `window` and `first_passage` learn from all pairs of a clip"
            ),
        }
        match self.sampler {
            None | Some(Sampler::UniformPairs) => Ok(()),
            Some(_) => bail!(
                "clip_frames is {frames}, and all pairs of a clip weigh the same: leave out sampler, or set it to uniform_pairs"
            ),
        }
    }

    fn check_drawing(&self) -> Result<()> {
        let is_drawing = self.target_name() == TargetName::GraphDrawing;
        let given = [
            ("beta", self.beta.is_some()),
            ("gap_ratio", self.gap_ratio.is_some()),
            ("diagonal", self.diagonal.is_some()),
        ];
        if let Some((name, _)) = given.iter().find(|(_, is_given)| *is_given && !is_drawing) {
            bail!("{name} is set, and only the target `graph_drawing` has it");
        }
        if is_drawing && self.sampler.is_some() {
            bail!("sampler is set, and the target `graph_drawing` draws neighbours by gap_ratio");
        }
        if let (true, Some(steps)) = (is_drawing, self.window_steps) {
            bail!("window_steps is {steps}, and the target `graph_drawing` has no window");
        }
        match self.head {
            Some(head) if is_drawing && !head.is_symmetric() => {
                bail!("the target `graph_drawing` has no direction; leave out head")
            }
            _ => Ok(()),
        }
    }

    fn check_fourier(&self) -> Result<()> {
        match (self.fourier_features, self.fourier_frequency) {
            (Some(0), _) => bail!("fourier_features is 0; it must be at least 1, or be left out"),
            (None, Some(frequency)) => bail!(
                "fourier_frequency is {frequency}, and without fourier_features it has no effect"
            ),
            _ => Ok(()),
        }
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
