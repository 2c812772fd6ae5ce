//! Images of recorded states.

use crate::arena::Extent;
use crate::render::{RenderError, Renderer, View, Visible};
use crate::world::World;
use isochrone::env::{Dtype, ObservationSpec};
use std::sync::Arc;

/// Draws states as a world's observations give them, from above. An observation begins with the positions of all joints, which are
/// all that an image shows.
///
/// A clone opens its own OpenGL context at its first image.
#[derive(Clone, Debug)]
pub struct StateRenderer {
    posed: Posed,
    renderer: Renderer,
}

#[derive(Clone, Debug)]
struct Posed {
    xml: Arc<str>,
    extent: Extent,
    pose: Vec<f64>,
}

impl Visible for Posed {
    fn model_xml(&self) -> Arc<str> {
        Arc::clone(&self.xml)
    }

    fn extent(&self) -> Extent {
        self.extent
    }

    fn pose(&self) -> &[f64] {
        &self.pose
    }
}

impl StateRenderer {
    /// Square images of a world's states.
    pub fn new(world: &World, side_px: u32) -> Result<Self, RenderError> {
        let renderer = Renderer::new(world, View::TopDown, side_px, side_px)?;
        let posed = Posed {
            xml: world.model_xml(),
            extent: world.extent(),
            pose: world.pose().to_vec(),
        };
        Ok(Self { posed, renderer })
    }

    /// Height, width and channels.
    pub fn spec(&self) -> ObservationSpec {
        let (width, height) = self.renderer.size_px();
        ObservationSpec {
            shape: vec![height as usize, width as usize, 3],
            dtype: Dtype::U8,
        }
    }

    /// The image of a state: three bytes for each pixel, row by row. Entries after the positions are not used.
    pub fn draw(&mut self, state: &[f32]) -> Result<Vec<u8>, RenderError> {
        for (entry, value) in self.posed.pose.iter_mut().zip(state) {
            *entry = f64::from(*value);
        }
        self.renderer.draw(&self.posed, None)
    }
}
