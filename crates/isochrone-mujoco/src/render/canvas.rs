//! What is drawn on: a buffer of EGL's or OSMesa's, larger than the picture and shrunk into it.

use super::camera::{Detail, Viewpoint};
use super::native::egl::Egl;
use super::native::osmesa::OsMesa;
use super::scene::Scene;
use super::{Goal, RenderError, Stage};
use mujoco_rs::prelude::RendererError;
use mujoco_rs::renderer::MjRenderer;
use std::error::Error as _;
use std::sync::{Mutex, PoisonError};

/// A pixel is the mean of this many samples squared: edges become smooth, and a body that moves by a fraction
/// of a pixel changes the picture.
pub(super) const SAMPLES_PER_SIDE: u32 = 3;
/// Room for what MuJoCo adds to a scene on its own.
const SPARE_GEOMS: u32 = 16;

/// Who draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Backend {
    Egl,
    OsMesa,
}

/// MuJoCo binds OpenGL's functions once for each process, to whoever was first; later canvases must be alike.
static BOUND: Mutex<Option<Backend>> = Mutex::new(None);

enum Surface {
    Egl(Egl),
    OsMesa(Box<OsMesa>),
}

/// A scene and the surface it is drawn on. Bound to the thread that opened it.
pub(super) struct Canvas {
    scene: Scene,
    surface: Surface,
    width_px: usize,
    height_px: usize,
}

impl Canvas {
    pub(super) fn open(stage: &Stage) -> Result<Self, RenderError> {
        let scene = Scene::new(stage)?;
        let surface = open_surface(stage, &scene)?;
        Ok(Self {
            scene,
            surface,
            width_px: stage.width_px as usize,
            height_px: stage.height_px as usize,
        })
    }

    pub(super) fn draw(
        &mut self,
        pose: &[f64],
        goal: Option<Goal>,
    ) -> Result<Vec<u8>, RenderError> {
        self.scene.pose(pose, goal)?;
        let data = &mut self.scene.data;
        let lost = |reason: String| RenderError::Lost { reason };
        let samples = match &mut self.surface {
            Surface::Egl(surface) => {
                let renderer = surface
                    .renderer()
                    .ok_or_else(|| lost("closed".to_owned()))?;
                let drawn = renderer.sync_data(data).and_then(|()| renderer.render());
                drawn.map_err(|error| lost(tell(&error)))?;
                renderer.rgb_flat().unwrap_or_default()
            }
            Surface::OsMesa(surface) => surface.draw(data).map_err(lost)?,
        };
        Ok(shrink(samples, self.width_px, self.height_px))
    }
}

/// The surface that `MUJOCO_GL` or an earlier canvas insists on; else EGL's, else OSMesa's.
fn open_surface(stage: &Stage, scene: &Scene) -> Result<Surface, RenderError> {
    let mut bound = BOUND.lock().unwrap_or_else(PoisonError::into_inner);
    let wanted = bound.or_else(|| match std::env::var("MUJOCO_GL").as_deref() {
        Ok("egl") => Some(Backend::Egl),
        Ok("osmesa") => Some(Backend::OsMesa),
        _ => None,
    });
    let unwanted = || "not tried".to_owned();
    let mut egl = unwanted();
    if wanted != Some(Backend::OsMesa) {
        match open_egl(stage, scene) {
            Ok(renderer) => {
                *bound = Some(Backend::Egl);
                return Ok(Surface::Egl(Egl::new(renderer)));
            }
            Err(error) => egl = tell(&error),
        }
    }
    let mut osmesa = unwanted();
    if wanted != Some(Backend::Egl) {
        let (camera, options) = (Viewpoint::of(stage).camera, Detail::of(stage).options());
        match OsMesa::open(scene.data.model(), camera, options) {
            Ok(surface) => {
                *bound = Some(Backend::OsMesa);
                return Ok(Surface::OsMesa(Box::new(surface)));
            }
            Err(reason) => osmesa = reason,
        }
    }
    Err(RenderError::NoDevice { egl, osmesa })
}

fn open_egl(stage: &Stage, scene: &Scene) -> Result<MjRenderer, RendererError> {
    MjRenderer::builder()
        .width(stage.width_px * SAMPLES_PER_SIDE)
        .height(stage.height_px * SAMPLES_PER_SIDE)
        .num_visual_internal_geom(SPARE_GEOMS)
        .camera(Viewpoint::of(stage).camera)
        .opts(Detail::of(stage).options())
        .build(scene.data.model())
}

/// The error with its cause, which is where the facts are.
fn tell(error: &RendererError) -> String {
    match error.source() {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

/// The mean colour of each pixel's samples.
fn shrink(samples: &[u8], width_px: usize, height_px: usize) -> Vec<u8> {
    let side = SAMPLES_PER_SIDE as usize;
    let row_bytes = 3 * width_px * side;
    let count = (side * side) as u16;
    let mut picture = Vec::with_capacity(3 * width_px * height_px);
    let mut sums = vec![0_u16; 3 * width_px];
    for rows in samples.chunks_exact(row_bytes * side) {
        sums.fill(count / 2);
        for row in rows.chunks_exact(row_bytes) {
            for (sum, block) in sums.chunks_exact_mut(3).zip(row.chunks_exact(3 * side)) {
                for sample in block.chunks_exact(3) {
                    for (total, value) in sum.iter_mut().zip(sample) {
                        *total += u16::from(*value);
                    }
                }
            }
        }
        picture.extend(sums.iter().map(|sum| (sum / count) as u8));
    }
    picture
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pixel_is_the_mean_of_its_samples() {
        // Two pixels side by side: nine grey samples, and one white among eight black ones.
        let mut samples = vec![0_u8; 3 * 6 * 3];
        for row in 0..3 {
            samples[18 * row..18 * row + 9].fill(100);
        }
        samples[18 + 12..18 + 15].fill(255);
        assert_eq!(shrink(&samples, 2, 1), [100, 100, 100, 28, 28, 28]);
    }
}
