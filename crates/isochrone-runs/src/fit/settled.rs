//! Open settings of a fit, filled in for its data, and the spec of its trainer.

use super::spec::{DataFacts, FitSpec};
use super::target_name::TargetName;
use crate::mapping::RoadmapSpec;
use anyhow::{Context, Result, bail};
use isochrone::embedding::{
    Architecture, Diagonal, DistanceSpec, EncoderSpec, Head, ImageSpec, LearningRate, Objective,
};
use isochrone::pairs::{Sampler, Target};
use isochrone::roadmap::{HopRule, Selection};

/// The roadmap of `geodesic`, if nothing else is set.
const LANDMARKS: usize = 2_000;
const HOP_STEPS: usize = 12;

/// Adam steps of a fit, at least, if `passes` is not set.
const LEAST_UPDATES: u64 = 20_000;
/// The same with convolutions, which take a hundred times as long.
const LEAST_IMAGE_UPDATES: u64 = 2_000;

/// The largest default window of `bootstrapped`: it extends beyond its window by itself, and the time of the search for goals
/// grows with the window.
const MOST_BOOTSTRAPPED_WINDOW: usize = 1_000;

/// Graph drawing, if nothing else is set: the public code's.
const BETA: f32 = 1.0;
const LAMBDA: f32 = 0.9;

/// σ of Fourier features of standardised inputs, if it is not set.
const FREQUENCY: f32 = 2.0;

impl FitSpec {
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
        let (p, q) = match self.target_name() {
            // Squared norms split commute times exactly; but with a potential they allow negative times.
            TargetName::Bootstrapped if head != Head::Quasimetric => (2.0, 2.0),
            TargetName::GraphDrawing => (2.0, 1.0),
            _ => (1.0, 1.0),
        };
        let is_drawing = self.target_name() == TargetName::GraphDrawing;
        let sampler = match self.clip_frames {
            // All pairs of a clip weigh the same.
            Some(_) => Sampler::UniformPairs,
            None => Sampler::UniformStartThenEnd,
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
            Some(_) => LEAST_IMAGE_UPDATES,
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
            p: Some(self.p.unwrap_or(p)),
            q: Some(self.q.unwrap_or(q)),
            sampler: (!is_drawing).then(|| self.sampler.unwrap_or(sampler)),
            beta: is_drawing.then(|| self.beta.unwrap_or(BETA)),
            gap_ratio: is_drawing.then(|| self.gap_ratio.unwrap_or(LAMBDA)),
            diagonal: is_drawing.then(|| self.diagonal.unwrap_or(Diagonal::One)),
            passes: Some(passes),
            image,
            channels: (self.channels.clone())
                .or_else(|| paper.as_ref().map(|of| of.channels.clone())),
            strides: self.strides.clone().or_else(|| paper.map(|of| of.strides)),
            fourier_frequency: (self.fourier_features)
                .map(|_| self.fourier_frequency.unwrap_or(FREQUENCY)),
            hidden: Some(self.hidden.clone().unwrap_or(hidden)),
            landmarks: is_geodesic.then(|| self.landmarks.unwrap_or(LANDMARKS)),
            hop_steps: is_geodesic.then_some(hop_steps),
            window_steps: match self.target_name() {
                TargetName::FirstPassage | TargetName::GraphDrawing => None,
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
        if let (Some(features), Some(_)) = (self.fourier_features, self.image) {
            bail!("fourier_features is {features}, and images have convolutions instead");
        }
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
                    None => self.layers()?,
                },
                dims: self.dims,
                head: self.head.with_context(unsettled)?,
            },
            p: self.p.with_context(unsettled)?,
            q: self.q.with_context(unsettled)?,
            objective: self.objective()?,
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

    /// The architecture for states that are no images.
    fn layers(&self) -> Result<Architecture> {
        let hidden = self.hidden.clone();
        let hidden = hidden.context("this setting is not settled")?;
        Ok(match self.fourier_features {
            Some(features) => Architecture::Fourier {
                features,
                frequency: self.fourier_frequency.unwrap_or(FREQUENCY),
                hidden,
            },
            None => Architecture::Mlp { hidden },
        })
    }

    fn objective(&self) -> Result<Objective> {
        let unsettled = || "this setting is not settled";
        if self.target_name() == TargetName::GraphDrawing {
            return Ok(Objective::GraphDrawing {
                beta: self.beta.with_context(unsettled)?,
                lambda: self.gap_ratio.with_context(unsettled)?,
                diagonal: self.diagonal.with_context(unsettled)?,
            });
        }
        let target = self.target()?;
        Ok(match self.clip_frames {
            Some(frames) => Objective::Clips { target, frames },
            None => Objective::Regression {
                target,
                sampler: self.sampler.with_context(unsettled)?,
            },
        })
    }

    fn target(&self) -> Result<Target> {
        let radius = || self.radius.context("this target needs a radius");
        let steps = self.window_steps.unwrap_or(0);
        Ok(match self.target_name() {
            TargetName::Window => Target::Window { steps },
            TargetName::GraphDrawing => bail!("graph drawing has no steps to learn"),
            TargetName::Geodesic => Target::Geodesic { steps },
            TargetName::FirstPassage => Target::FirstPassage { radius: radius()? },
            TargetName::Bootstrapped => Target::Bootstrapped {
                radius: radius()?,
                steps,
            },
        })
    }
}
