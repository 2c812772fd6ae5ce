//! Why there is no picture.

use super::{Goal, MAX_SIDE_PX};

/// Why a picture was not drawn.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// Neither EGL nor OSMesa gave a context.
    #[error(
        "no way to draw (EGL: {egl}; OSMesa: {osmesa}); install libegl1 and libgl1-mesa-dri, or libosmesa6, \
         as scripts/setup-render.sh does"
    )]
    NoDevice {
        /// What EGL said.
        egl: String,
        /// What OSMesa said.
        osmesa: String,
    },
    /// No pixels, or too many.
    #[error("a picture of {width_px}×{height_px} pixels: each side must be 1…{MAX_SIDE_PX}")]
    Size {
        /// The width asked for.
        width_px: u32,
        /// The height asked for.
        height_px: u32,
    },
    /// The model was refused.
    #[error("MuJoCo refused the model to draw: {reason}")]
    Model {
        /// What it said.
        reason: String,
    },
    /// A world with another model.
    #[error("the renderer was made for another world")]
    OtherWorld,
    /// A pose that is nowhere.
    #[error("entry {entry} of the pose is {value}")]
    Pose {
        /// Which entry.
        entry: usize,
        /// Its value.
        value: f64,
    },
    /// A goal that is nowhere, or has no size.
    #[error("a goal at {:?} m with a radius of {} m cannot be drawn", .goal.place_m, .goal.radius_m)]
    Goal {
        /// The goal.
        goal: Goal,
    },
    /// The context was opened and lost.
    #[error("drawing failed: {reason}")]
    Lost {
        /// What is known.
        reason: String,
    },
}
