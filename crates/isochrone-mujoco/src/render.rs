//! Pictures of worlds, without a window and without a graphics card.
//!
//! A [`Renderer`] has a model and a state of its own and takes from a world nothing but its pose, so drawing can
//! change no trajectory. Pictures are RGB bytes, row by row, top row first. They are drawn through EGL, or
//! through OSMesa where EGL has no device; the variable `MUJOCO_GL` (`egl`, `osmesa`) insists on one of them, as
//! it does for MuJoCo's own Python package.

mod camera;
mod canvas;
mod error;
#[expect(unsafe_code, reason = "parts of EGL and OSMesa have no safe wrapper")]
mod native;
mod scene;
mod studio;

use crate::arena::Extent;
pub use error::RenderError;
use std::sync::Arc;
use studio::Studio;

/// Longest side of a picture. MuJoCo ends the process when a driver refuses a buffer; three times this length, which
/// is what is drawn, is granted by every driver of the last ten years.
pub const MAX_SIDE_PX: u32 = 2048;

/// Where a picture is taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// Straight down, without perspective and without shadows. The world's [`Extent`] fills the picture, or its
    /// tighter side where their shapes differ; +x is to the right and +y is **up**, as in mathematics, whereas
    /// the text of an arena has +y downwards.
    TopDown,
    /// From above and aside, with perspective and shadows: for people.
    Bird,
}

/// A translucent disc on the floor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// Its centre.
    pub place_m: [f64; 2],
    /// Its radius.
    pub radius_m: f64,
}

impl Goal {
    fn is_drawable(&self) -> bool {
        let is_place = self.place_m.iter().all(|x| x.is_finite());
        is_place && self.radius_m.is_finite() && self.radius_m > 0.0
    }
}

/// A world that can be drawn. Its model must be sound: MuJoCo ends the process on some that are not.
pub trait Visible {
    /// Its model, as MuJoCo reads it.
    fn model_xml(&self) -> Arc<str>;

    /// The piece of floor that pictures show.
    fn extent(&self) -> Extent;

    /// Positions of all joints, in the model's order.
    fn pose(&self) -> &[f64];
}

/// What a picture shows, from where, and in which size.
#[derive(Clone, Debug)]
struct Stage {
    xml: Arc<str>,
    extent: Extent,
    view: View,
    width_px: u32,
    height_px: u32,
}

/// Draws one world, from one side, in one size.
///
/// OpenGL's contexts belong to the thread that made them, so each renderer keeps a thread that draws and does
/// nothing else. A renderer itself can be moved and used anywhere. A copy opens its context at its first
/// picture.
#[derive(Debug)]
pub struct Renderer {
    stage: Stage,
    studio: Option<Studio>,
}

impl Clone for Renderer {
    fn clone(&self) -> Self {
        Self {
            stage: self.stage.clone(),
            studio: None,
        }
    }
}

impl Renderer {
    /// Opens a context for pictures of this world.
    pub fn new(
        world: &impl Visible,
        view: View,
        width_px: u32,
        height_px: u32,
    ) -> Result<Self, RenderError> {
        if [width_px, height_px]
            .iter()
            .any(|side| !(1..=MAX_SIDE_PX).contains(side))
        {
            return Err(RenderError::Size {
                width_px,
                height_px,
            });
        }
        let stage = Stage {
            xml: world.model_xml(),
            extent: world.extent(),
            view,
            width_px,
            height_px,
        };
        let studio = Some(Studio::open(&stage)?);
        Ok(Self { stage, studio })
    }

    /// Width and height of the pictures.
    pub fn size_px(&self) -> (u32, u32) {
        (self.stage.width_px, self.stage.height_px)
    }

    /// The world as it is now, with a goal if there is one: three bytes for each pixel.
    ///
    /// The world must be the one that this renderer was made for, or a copy of it.
    pub fn draw(
        &mut self,
        world: &impl Visible,
        goal: Option<Goal>,
    ) -> Result<Vec<u8>, RenderError> {
        let xml = world.model_xml();
        if !Arc::ptr_eq(&xml, &self.stage.xml) && xml != self.stage.xml {
            return Err(RenderError::OtherWorld);
        }
        let pose = world.pose();
        if let Some(entry) = pose.iter().position(|x| !x.is_finite()) {
            let value = pose[entry];
            return Err(RenderError::Pose { entry, value });
        }
        if let Some(goal) = goal.filter(|goal| !goal.is_drawable()) {
            return Err(RenderError::Goal { goal });
        }
        let studio = match self.studio.take() {
            Some(studio) => studio,
            None => Studio::open(&self.stage)?,
        };
        self.studio.insert(studio).draw(pose.to_vec(), goal)
    }
}
