//! Worlds seen as pictures.

use crate::render::{RenderError, Renderer, View, Visible};
use isochrone::env::{
    ActionSpec, Dtype, Environment, Observation, ObservationSpec, Snapshot, SnapshotError,
    StepError, Successor,
};
use isochrone::rng::Rng;

/// A world whose observation is a picture of it: 32×32 RGB bytes, straight from above ([`View::TopDown`]).
/// Dynamics, actions and saved states are the world's own.
///
/// [`Pixels::new`] makes sure that pictures can be drawn. Should that be lost later, as when a graphics card is
/// taken away, a reset shows black and steps are refused with [`StepError::Unseen`].
#[derive(Clone, Debug)]
pub struct Pixels<W> {
    world: W,
    renderer: Renderer,
}

impl<W: Visible> Pixels<W> {
    /// Width and height of the picture.
    pub const SIDE_PX: u32 = 32;
    const BYTES: usize = 3 * (Self::SIDE_PX * Self::SIDE_PX) as usize;

    /// Looks at a world.
    pub fn new(world: W) -> Result<Self, RenderError> {
        let renderer = Renderer::new(&world, View::TopDown, Self::SIDE_PX, Self::SIDE_PX)?;
        Ok(Self { world, renderer })
    }

    /// The world itself.
    pub fn world(&self) -> &W {
        &self.world
    }

    fn observe(&mut self) -> Result<Observation, RenderError> {
        self.renderer.draw(&self.world, None).map(Observation::U8)
    }
}

impl<W: Environment + Visible> Environment for Pixels<W> {
    fn observation_spec(&self) -> ObservationSpec {
        let side = Self::SIDE_PX as usize;
        ObservationSpec {
            shape: vec![side, side, 3],
            dtype: Dtype::U8,
        }
    }

    fn action_spec(&self) -> ActionSpec {
        self.world.action_spec()
    }

    fn reset(&mut self, rng: &mut Rng) -> Observation {
        self.world.reset(rng);
        self.observe()
            .unwrap_or_else(|_| Observation::U8(vec![0; Self::BYTES]))
    }

    fn step(&mut self, action: &[f32]) -> Result<Successor<Observation>, StepError> {
        let successor = self.world.step(action)?;
        let seen = self.observe().map_err(|error| StepError::Unseen {
            reason: error.to_string(),
        })?;
        Ok(match successor {
            Successor::Continue(_) => Successor::Continue(seen),
            Successor::Terminal(_) => Successor::Terminal(seen),
            Successor::Truncated(_) => Successor::Truncated(seen),
        })
    }
}

impl<W: Snapshot> Snapshot for Pixels<W> {
    fn save(&self) -> Vec<f64> {
        self.world.save()
    }

    fn restore(&mut self, state: &[f64]) -> Result<(), SnapshotError> {
        self.world.restore(state)
    }
}
