//! Images of the states that were collected, drawn by several threads.

use anyhow::{Result, bail};
use isochrone::env::ObservationSpec;
#[cfg(feature = "worlds")]
use isochrone_mujoco::{StateRenderer, WorldName};

/// Draws the states of one world.
#[cfg(feature = "worlds")]
pub(super) struct Images {
    drawers: Vec<StateRenderer>,
}

/// Without worlds nothing can be drawn.
#[cfg(not(feature = "worlds"))]
pub(super) enum Images {}

impl Images {
    /// Images of this many pixels a side; `None` if none are wanted.
    pub(super) fn new(world: &str, side_px: Option<u32>, threads: usize) -> Result<Option<Self>> {
        let Some(side_px) = side_px else {
            return Ok(None);
        };
        #[cfg(feature = "worlds")]
        if let Ok(name) = world.parse::<WorldName>() {
            let first = StateRenderer::new(&name.build()?, side_px)?;
            let drawers = vec![first; threads.max(1)];
            return Ok(Some(Self { drawers }));
        }
        let _ = (side_px, threads);
        bail!("--image needs a MuJoCo world (`isochrone worlds` lists them); {world} is not one")
    }
}

#[cfg(not(feature = "worlds"))]
impl Images {
    pub(super) fn spec(&self) -> ObservationSpec {
        match *self {}
    }

    pub(super) fn draw(&mut self, _states: &[f32], _width: usize) -> Result<Vec<u8>> {
        match *self {}
    }
}

#[cfg(feature = "worlds")]
impl Images {
    /// Height, width and channels.
    pub(super) fn spec(&self) -> ObservationSpec {
        self.drawers[0].spec()
    }

    /// The images of states, end to end.
    pub(super) fn draw(&mut self, states: &[f32], width: usize) -> Result<Vec<u8>> {
        let rows = states.len() / width.max(1);
        let share = rows.div_ceil(self.drawers.len()).max(1) * width.max(1);
        let parts = std::thread::scope(|scope| {
            let parts = self.drawers.iter_mut().zip(states.chunks(share));
            let begun: Vec<_> = parts
                .map(|(drawer, part)| {
                    scope.spawn(move || {
                        let rows = part.chunks_exact(width.max(1));
                        rows.map(|row| drawer.draw(row))
                            .collect::<Result<Vec<_>, _>>()
                    })
                })
                .collect();
            let ended = begun.into_iter().map(std::thread::ScopedJoinHandle::join);
            ended
                .map(|part| part.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect::<Result<Vec<_>, _>>()
        })?;
        Ok(parts.into_iter().flatten().flatten().collect())
    }
}
