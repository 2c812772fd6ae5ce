//! Worlds with image observations.

use crate::render::{RenderError, Renderer, View, Visible};
use isochrone::env::{
    ActionSpec, Dtype, Environment, Observation, ObservationSpec, Snapshot, SnapshotError,
    StepError, Successor,
};
use isochrone::rng::Rng;

/// A world whose observation is its picture: 32×32 RGB bytes, from above ([`View::TopDown`]).
/// Dynamics, actions and saved states are the world's own.
///
/// [`Pixels::new`] checks that rendering works. If it fails later, for example because a GPU is removed, the episode ends: the
/// step that could not be rendered, or the first step after such a reset (whose picture is black), returns
/// [`StepError::Unseen`] with the reason, and later steps are errors. This flag is not part of a snapshot.
///
/// A clone has the same state, and opens its own OpenGL context at its first picture.
#[derive(Clone, Debug)]
pub struct Pixels<W> {
    world: W,
    renderer: Renderer,
    sight: Sight,
}

/// Whether the episode's pictures could be rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Sight {
    /// All were rendered.
    Clear,
    /// The first was not; reported at the next step, because a reset cannot fail.
    Dark { reason: String },
    /// One was not, and the error was returned.
    Over,
}

impl<W: Visible> Pixels<W> {
    /// Width and height of the picture.
    pub const SIDE_PX: u32 = 32;
    const BYTES: usize = 3 * (Self::SIDE_PX * Self::SIDE_PX) as usize;

    /// Renders a world.
    pub fn new(world: W) -> Result<Self, RenderError> {
        let renderer = Renderer::new(&world, View::TopDown, Self::SIDE_PX, Self::SIDE_PX)?;
        Ok(Self {
            world,
            renderer,
            sight: Sight::Clear,
        })
    }

    /// The inner world.
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
        let (sight, seen) = match self.observe() {
            Ok(seen) => (Sight::Clear, seen),
            Err(error) => {
                let reason = error.to_string();
                (
                    Sight::Dark { reason },
                    Observation::U8(vec![0; Self::BYTES]),
                )
            }
        };
        self.sight = sight;
        seen
    }

    fn step(&mut self, action: &[f32]) -> Result<Successor<Observation>, StepError> {
        match std::mem::replace(&mut self.sight, Sight::Over) {
            Sight::Clear => self.sight = Sight::Clear,
            Sight::Dark { reason } => return Err(StepError::Unseen { reason }),
            Sight::Over => return Err(StepError::AfterTerminal),
        }
        let successor = self.world.step(action)?;
        let seen = self.observe().map_err(|error| {
            self.sight = Sight::Over;
            let reason = error.to_string();
            StepError::Unseen { reason }
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
        self.world.restore(state)?;
        self.sight = Sight::Clear;
        Ok(())
    }
}
