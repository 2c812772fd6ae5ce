//! Spec of a learned distance: architecture, objective, optimiser.

mod image;
mod learning_rate;
mod objective;

pub use image::ImageSpec;
pub use learning_rate::LearningRate;
pub use objective::{Diagonal, Objective};

use crate::pairs::{Sampler, Target};
use serde::{Deserialize, Serialize};

/// The architecture of the encoder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Architecture {
    /// Layers with ReLU between them.
    Mlp {
        /// Widths of the hidden layers; the paper has one of 64.
        hidden: Vec<usize>,
    },
    /// The same on random Fourier features of the state instead of the state: it tells places apart that are near each other.
    Fourier {
        /// How many features.
        features: usize,
        /// σ, the standard deviation of their frequencies, in radians per unit of the state.
        frequency: f32,
        /// Widths of the hidden layers.
        hidden: Vec<usize>,
    },
    /// Convolutions with batch normalisation and ReLU, then layers with ReLU between them. A state is an image: bytes as numbers,
    /// 0 to 255, row by row, pixel by pixel.
    Cnn {
        /// The images and their convolutions.
        #[serde(flatten)]
        images: ImageSpec,
        /// Widths of the hidden layers behind them; the paper has two of 128.
        hidden: Vec<usize>,
    },
    /// One free point per state. A state is one number, its index.
    #[serde(alias = "lookup")]
    Table {
        /// How many states there are.
        states: usize,
    },
}

/// Output of the encoder besides the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Head {
    /// Nothing: the distance is the norm, equal in both directions.
    Symmetric,
    /// A potential u: the time from s to g is `‖e(s) − e(g)‖_p^q + u(g) − u(s)`, which splits the commute time of a
    /// reversible chain into its two directions.
    Potential,
    /// A potential inside the norm as well: the time from s to g is `‖(x, u)(g) − (x, u)(s)‖_p + u(g) − u(s)`, a
    /// quasimetric. A norm is at least the absolute value of each entry, so no time is negative, times between different
    /// points are zero in at most one direction, and the triangle inequality holds. Only with q = 1.
    Quasimetric,
}

impl Head {
    /// Entries of a point in `dims` dimensions, including the potential.
    pub const fn outputs(self, dims: usize) -> usize {
        match self {
            Self::Symmetric => dims,
            Self::Potential | Self::Quasimetric => dims.saturating_add(1),
        }
    }

    /// The entries of a point that the norm is taken over.
    pub const fn norm_dims(self, dims: usize) -> usize {
        match self {
            Self::Symmetric | Self::Potential => dims,
            Self::Quasimetric => dims.saturating_add(1),
        }
    }

    /// Whether both directions have the same time.
    pub const fn is_symmetric(self) -> bool {
        matches!(self, Self::Symmetric)
    }
}

/// The encoder e_θ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EncoderSpec {
    /// Entries of a state.
    pub inputs: usize,
    /// Its architecture. Files of version 1 call it `units`.
    #[serde(alias = "units")]
    pub architecture: Architecture,
    /// Dimensions of the points; the paper has 20.
    pub dims: usize,
    /// Its head.
    pub head: Head,
}

impl EncoderSpec {
    /// Number of outputs.
    pub const fn outputs(&self) -> usize {
        self.head.outputs(self.dims)
    }

    /// Refuses networks that are too large.
    pub(crate) fn check_size(&self) -> Result<(), SpecError> {
        if self.n_parameters() > MOST_PARAMETERS {
            return Err(SpecError {
                field: "the number of parameters",
                value: self.n_parameters() as f64,
                rule: "at most a hundred million",
            });
        }
        Ok(())
    }

    /// Number of parameters; the largest integer if that overflows.
    pub fn n_parameters(&self) -> usize {
        let layer = |rows: usize, columns: usize| rows.saturating_add(1).saturating_mul(columns);
        match &self.architecture {
            Architecture::Table { states } => states.saturating_mul(self.dims.saturating_add(1)),
            Architecture::Mlp { hidden }
            | Architecture::Fourier { hidden, .. }
            | Architecture::Cnn { hidden, .. } => {
                let widths = hidden.iter().copied().chain([self.dims.saturating_add(1)]);
                let (mut rows, mut sum) = match &self.architecture {
                    Architecture::Cnn { images, .. } => (images.features(), images.n_parameters()),
                    Architecture::Fourier { features, .. } => {
                        (*features, layer(self.inputs, *features))
                    }
                    _ => (self.inputs, 0_usize),
                };
                for columns in widths {
                    sum = sum.saturating_add(layer(rows, columns));
                    rows = columns;
                }
                sum
            }
        }
    }
}

/// Upper limits of powers, batch sizes, parameters and steps.
const MOST_POWER: f32 = 100.0;
const MOST_BATCH: usize = 1_000_000;
const MOST_FREQUENCY: f32 = 10_000.0;
const MOST_PARAMETERS: usize = 100_000_000;
const MOST_STEPS: usize = 1_000_000_000;

/// The unit of the network's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Scaling {
    /// Steps, as in the paper.
    Off,
    /// The running mean of the targets; when it changes, the last layer is rescaled so that no prediction changes.
    Running,
}

/// Spec of a distance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DistanceSpec {
    /// The encoder.
    pub encoder: EncoderSpec,
    /// The norm's p, at least 1.
    pub p: f32,
    /// q, the power of the norm, above 0.
    pub q: f32,
    /// The objective.
    pub objective: Objective,
    /// The unit of the network's output.
    pub scaling: Scaling,
    /// Pairs per Adam step.
    pub batch: usize,
    /// Adam's learning rate.
    pub learning_rate: LearningRate,
    /// Adam steps between two copies of the target network of bootstrapped targets.
    pub target_copy_steps: u64,
}

impl DistanceSpec {
    /// The paper's predictor for states of `inputs` numbers: 64 ReLU → 20, 1-norm, Adam 1e-5, batch 32.
    pub fn paper(inputs: usize, window_steps: usize) -> Self {
        Self {
            encoder: EncoderSpec {
                inputs,
                architecture: Architecture::Mlp { hidden: vec![64] },
                dims: 20,
                head: Head::Symmetric,
            },
            p: 1.0,
            q: 1.0,
            objective: Objective::Regression {
                target: Target::Window {
                    steps: window_steps,
                },
                sampler: Sampler::UniformStartThenEnd,
            },
            scaling: Scaling::Off,
            batch: 32,
            learning_rate: LearningRate::Constant(1e-5),
            target_copy_steps: 50,
        }
    }

    /// Checks the ranges of all settings.
    pub fn check(&self) -> Result<(), SpecError> {
        let refuse = |field: &'static str, value: f64, rule: &'static str| {
            Err(SpecError { field, value, rule })
        };
        let encoder = &self.encoder;
        if encoder.inputs == 0 {
            return refuse("inputs", 0.0, "at least 1");
        }
        match &encoder.architecture {
            Architecture::Table { states: 0 } => return refuse("states", 0.0, "at least 1"),
            Architecture::Table { .. } if encoder.inputs != 1 => {
                return refuse("inputs", encoder.inputs as f64, "1 for a lookup table");
            }
            Architecture::Mlp { hidden }
            | Architecture::Fourier { hidden, .. }
            | Architecture::Cnn { hidden, .. }
                if hidden.contains(&0) =>
            {
                return refuse("hidden", 0.0, "at least 1 in each layer");
            }
            Architecture::Fourier { features: 0, .. } => {
                return refuse("features", 0.0, "at least 1");
            }
            Architecture::Fourier { frequency, .. }
                if !(*frequency > 0.0 && *frequency <= MOST_FREQUENCY) =>
            {
                let rule = "above 0 and at most 10000";
                return refuse("frequency", (*frequency).into(), rule);
            }
            Architecture::Cnn { images, .. } if images.inputs() != encoder.inputs => {
                let rule = "height × width × channels of the images";
                return refuse("inputs", encoder.inputs as f64, rule);
            }
            Architecture::Cnn { images, .. }
                if images.channels.is_empty() || images.channels.len() != images.strides.len() =>
            {
                let rule = "as many as channels, and at least 1";
                return refuse("strides", images.strides.len() as f64, rule);
            }
            Architecture::Cnn { images, .. }
                if images.channels.contains(&0) || images.strides.contains(&0) =>
            {
                return refuse(
                    "channels and strides",
                    0.0,
                    "at least 1 in each convolution",
                );
            }
            Architecture::Table { .. }
            | Architecture::Mlp { .. }
            | Architecture::Fourier { .. }
            | Architecture::Cnn { .. } => {}
        }
        if encoder.dims == 0 {
            return refuse("dims", 0.0, "at least 1");
        }
        if !(1.0..=MOST_POWER).contains(&self.p) {
            return refuse("p", self.p.into(), "at least 1 and at most 100");
        }
        if !(self.q > 0.0 && self.q <= MOST_POWER) {
            return refuse("q", self.q.into(), "above 0 and at most 100");
        }
        if encoder.head == Head::Quasimetric && (self.q - 1.0).abs() > f32::EPSILON {
            return refuse("q", self.q.into(), "1 for the head `quasimetric`");
        }
        if !(1..=MOST_BATCH).contains(&self.batch) {
            return refuse(
                "batch",
                self.batch as f64,
                "at least 1 and at most a million",
            );
        }
        encoder.check_size()?;
        self.learning_rate.check()?;
        self.check_objective()
    }

    fn check_objective(&self) -> Result<(), SpecError> {
        let refuse = |field: &'static str, value: f64, rule: &'static str| {
            Err(SpecError { field, value, rule })
        };
        match self.objective {
            Objective::Regression { target, .. } | Objective::Clips { target, .. } => {
                if let Some(steps) = target.window_steps()
                    && !(1..=MOST_STEPS).contains(&steps)
                {
                    return refuse(
                        "window_steps",
                        steps as f64,
                        "at least 1 and at most a billion",
                    );
                }
                if let Target::SeparatedWindow { far_share, .. } = target
                    && !(0.0..=1.0).contains(&far_share)
                {
                    return refuse("far_share", far_share.into(), "in 0…1");
                }
                let is_image = matches!(self.encoder.architecture, Architecture::Cnn { .. });
                let is_clip = matches!(self.objective, Objective::Clips { .. });
                if let Target::SeparatedWindow { far_share, .. } = target
                    && (is_image || is_clip)
                {
                    let rule = "left out: a separated window is not for images or clips";
                    return refuse("far_share", far_share.into(), rule);
                }
                let radius = target.radius();
                if !(radius >= 0.0 && radius.is_finite()) {
                    return refuse("radius", radius.into(), "not negative");
                }
                if let Objective::Clips { frames, .. } = self.objective
                    && !(2..=2 * self.batch).contains(&frames)
                {
                    let rule = "at least 2 and at most twice the batch";
                    return refuse("clip_frames", frames as f64, rule);
                }
            }
            Objective::GraphDrawing { beta, lambda, .. } => {
                if !(beta >= 0.0 && beta.is_finite()) {
                    return refuse("beta", beta.into(), "not negative");
                }
                if !(0.0..=1.0).contains(&lambda) {
                    return refuse("lambda", lambda.into(), "in 0…1");
                }
                if self.batch < 2 {
                    return refuse("batch", 1.0, "at least 2 to push apart");
                }
            }
        }
        Ok(())
    }
}

/// A setting out of range.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{field} is {value}; it must be {rule}")]
pub struct SpecError {
    /// Name of the setting.
    pub field: &'static str,
    /// Value given.
    pub value: f64,
    /// Valid range.
    pub rule: &'static str,
}

/// Limits that catch typing errors before they allocate terabytes.
const MOST_LAYERS: usize = 16;
const MOST_WIDTH: usize = 4_096;

/// Checks the widths of a policy's or critic's hidden layers.
pub(crate) fn check_hidden(hidden: &[usize]) -> Result<(), SpecError> {
    let refuse = |value: usize, rule| {
        Err(SpecError {
            field: "hidden",
            value: value as f64,
            rule,
        })
    };
    if hidden.len() > MOST_LAYERS {
        return refuse(hidden.len(), "at most 16 layers");
    }
    let is_out = |width: &&usize| !(1..=MOST_WIDTH).contains(*width);
    match hidden.iter().find(is_out) {
        Some(&width) => refuse(width, "1 to 4096 units for each layer"),
        None => Ok(()),
    }
}
