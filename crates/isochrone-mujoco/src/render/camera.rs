//! From where a stage is seen.

use super::{Stage, View};
use mujoco_rs::prelude::{MjtVisFlag, MjvCamera, MjvOption};

/// Opening angle of the bird's eye.
const BIRD_FOV_DEG: f64 = 40.0;
/// Where the bird looks: a little to the left of +y, and steeply down, so that walls hide little floor.
const BIRD_AZIMUTH_DEG: f64 = 105.0;
const BIRD_ELEVATION_DEG: f64 = -55.0;
/// Air round the arena in the bird's picture.
const BIRD_MARGIN: f64 = 1.08;
/// Above all that is in a world; without perspective the distance has no other effect.
const TOP_DOWN_HEIGHT_M: f64 = 10.0;

/// Longest side of a picture that is drawn without what cannot be seen in it.
const SMALL_PX: u32 = 64;

/// How much work a picture is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    /// A plain floor, and round things with few corners: what agents see.
    Small,
    /// A tiled floor, and round things that look round.
    Large,
}

impl Detail {
    pub(super) fn of(stage: &Stage) -> Self {
        if stage.width_px.max(stage.height_px) <= SMALL_PX {
            Self::Small
        } else {
            Self::Large
        }
    }

    /// Into how many pieces a sphere is cut.
    pub(super) const fn slices_and_stacks(self) -> (i32, i32) {
        match self {
            Self::Small => (16, 8),
            Self::Large => (64, 32),
        }
    }

    pub(super) fn options(self) -> MjvOption {
        let mut options = MjvOption::default();
        options.flags[MjtVisFlag::mjVIS_TEXTURE as usize] = u8::from(self == Self::Large);
        options
    }
}

/// A camera and what MuJoCo keeps outside of it.
pub(super) struct Viewpoint {
    pub(super) camera: MjvCamera,
    /// Full vertical opening: degrees, or metres if the camera has no perspective.
    pub(super) fov: f32,
}

impl Viewpoint {
    pub(super) fn of(stage: &Stage) -> Self {
        let aspect = f64::from(stage.width_px) / f64::from(stage.height_px);
        let [x, y] = stage.extent.centre_m();
        let [width_m, depth_m] = stage.extent.size_m();
        let mut camera = MjvCamera {
            lookat: [x, y, 0.0],
            ..MjvCamera::default()
        };
        let fov = match stage.view {
            View::TopDown => {
                camera.azimuth = 90.0;
                camera.elevation = -90.0;
                camera.distance = TOP_DOWN_HEIGHT_M;
                depth_m.max(width_m / aspect)
            }
            View::Bird => {
                camera.azimuth = BIRD_AZIMUTH_DEG;
                camera.elevation = BIRD_ELEVATION_DEG;
                camera.distance = bird_distance_m(width_m, depth_m, aspect);
                BIRD_FOV_DEG
            }
        };
        Self {
            camera,
            fov: fov as f32,
        }
    }
}

/// The distance from which all corners of the floor are in the picture.
///
/// With right vector r, up vector u and forward vector f, a corner c (seen from the point looked at) lies on the
/// picture's edge when |c·r| = aspect · tan(fov/2) · (d + c·f), and likewise for u without the aspect.
fn bird_distance_m(width_m: f64, depth_m: f64, aspect: f64) -> f64 {
    let (sin_a, cos_a) = BIRD_AZIMUTH_DEG.to_radians().sin_cos();
    let (sin_e, cos_e) = BIRD_ELEVATION_DEG.to_radians().sin_cos();
    let tan = (BIRD_FOV_DEG / 2.0).to_radians().tan();
    let corners = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)];
    let needed = corners.map(|(i, j)| {
        let (x, y) = (i * width_m / 2.0, j * depth_m / 2.0);
        let right = x * sin_a - y * cos_a;
        let ahead = x * cos_a + y * sin_a;
        let up = -sin_e * ahead;
        let forward = cos_e * ahead;
        (right.abs() / (aspect * tan)).max(up.abs() / tan) - forward
    });
    BIRD_MARGIN * needed.into_iter().fold(0.0, f64::max)
}
