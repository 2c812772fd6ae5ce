//! What is learned from images, with which settings.

use crate::reproduce::Size;
use isochrone::embedding::{
    Architecture, Diagonal, DistanceSpec, EncoderSpec, Head, ImageSpec, LearningRate, Objective,
    Scaling,
};
use isochrone::pairs::Target;
use serde::Serialize;

/// Steps of an episode: the paper's, and so the longest lag.
pub(super) const EPISODE_STEPS: usize = 100;
/// Pixels of an image's side.
pub(super) const SIDE_PX: u32 = 32;
pub(super) const CHANNELS: usize = 3;
/// The paper's layers behind the convolutions.
const HIDDEN: [usize; 2] = [128, 128];
/// Images of a clip.
const CLIP_FRAMES: usize = 16;

/// A method.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(in crate::reproduce) enum Method {
    /// The paper's distance between images.
    Images { dims: usize },
    /// The same between the ant's 41 numbers.
    Numbers { dims: usize },
    /// Wu, Tucker and Nachum's graph drawing of images.
    Laplacian {
        beta: f32,
        learning_rate: f64,
        dims: usize,
    },
}

impl Method {
    /// Its name in results.csv.
    pub(in crate::reproduce) fn name(self) -> String {
        match self {
            Self::Images { dims } => format!("images-{dims}"),
            Self::Numbers { dims } => format!("numbers-{dims}"),
            Self::Laplacian {
                beta,
                learning_rate,
                dims,
            } => format!("laplacian-{beta}-{learning_rate:e}-{dims}"),
        }
    }
}

/// A method with the amount of data and of updates; its hash stands in results.csv.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(in crate::reproduce) struct Setting {
    pub(super) method: Method,
    /// Images, or states, to learn from.
    pub(super) frames: usize,
    /// Images to judge by.
    pub(super) held_out_frames: usize,
    /// Of an epoch.
    pub(super) chunk_frames: usize,
    pub(super) updates: u64,
    /// Images of an update: two for a pair, three for a sample of graph drawing.
    pub(super) images: usize,
}

impl Setting {
    pub(in crate::reproduce) fn new(method: Method, size: Size) -> Self {
        let updates = match method {
            Method::Images { .. } | Method::Laplacian { .. } => size.pick(1_200, 2),
            // A thousandth of the work.
            Method::Numbers { .. } => size.pick(10_000, 50),
        };
        Self {
            method,
            frames: size.pick(20_000, 400),
            held_out_frames: size.pick(1_000, 120),
            chunk_frames: size.pick(4_000, 400),
            updates,
            images: 128,
        }
    }

    /// Smaller and fewer updates, for figures of many trainings: a sixth of the work.
    pub(in crate::reproduce) fn of_sweep(method: Method, size: Size) -> Self {
        Self {
            updates: size.pick(400, 2),
            images: 64,
            ..Self::new(method, size)
        }
    }

    /// The trainer's settings for states of `width` numbers.
    pub(super) fn spec(&self, width: usize) -> DistanceSpec {
        let images = || {
            let side = SIDE_PX as usize;
            Architecture::Cnn {
                images: ImageSpec::paper([side, side, CHANNELS]),
                hidden: HIDDEN.to_vec(),
            }
        };
        let (architecture, dims) = match self.method {
            Method::Images { dims } | Method::Laplacian { dims, .. } => (images(), dims),
            Method::Numbers { dims } => {
                let hidden = HIDDEN.to_vec();
                (Architecture::Mlp { hidden }, dims)
            }
        };
        let paper = DistanceSpec {
            encoder: EncoderSpec {
                inputs: width,
                architecture,
                dims,
                head: Head::Symmetric,
            },
            p: 2.0,
            ..DistanceSpec::paper(width, EPISODE_STEPS)
        };
        match self.method {
            Method::Images { .. } | Method::Numbers { .. } => DistanceSpec {
                objective: Objective::Clips {
                    target: Target::Window {
                        steps: EPISODE_STEPS,
                    },
                    frames: CLIP_FRAMES,
                },
                scaling: Scaling::Running,
                batch: self.images / 2,
                learning_rate: LearningRate::Decay {
                    from: 1e-3,
                    to: 1e-5,
                    steps: self.updates,
                },
                ..paper
            },
            Method::Laplacian {
                beta,
                learning_rate,
                ..
            } => DistanceSpec {
                objective: Objective::GraphDrawing {
                    beta,
                    // Both states of a pair anywhere in an episode, as in the paper.
                    lambda: 1.0,
                    diagonal: Diagonal::One,
                },
                batch: self.images / 3,
                learning_rate: LearningRate::Constant(learning_rate),
                ..paper
            },
        }
    }
}
