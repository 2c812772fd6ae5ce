//! The model that is drawn: the world's own, with what only pictures need.

use super::camera::{Detail, Viewpoint};
use super::canvas::SAMPLES_PER_SIDE;
use super::{Goal, RenderError, Stage, View};
use mujoco_rs::prelude::{MjData, MjModel, MjtObjBase};
use std::sync::Arc;

/// Goals are drawn as a site, to which MuJoCo gives neither mass nor contacts; the worlds' own models have no goal.
/// It must be away from the origin, or MuJoCo compiles its place away.
const GOAL_XML: &str = r#"<site name="goal" type="cylinder" pos="1 1 1" size="1 0.002" rgba="0.1 0.65 0.3 0"/></worldbody>"#;
const GOAL_OPACITY: f32 = 0.5;
/// Above the floor, and below all that a body consists of: what has reached a goal is seen on it.
const GOAL_HEIGHT_M: f64 = 0.006;
/// Side of the map that shadows are looked up in.
const SHADOW_MAP_PX: i32 = 4096;

/// A model for drawing and its state.
pub(super) struct Scene {
    /// Without a goal.
    bare: MjModel,
    /// With the goal, if there is one.
    pub(super) data: MjData<Arc<MjModel>>,
    goal: Option<Goal>,
}

impl Scene {
    pub(super) fn new(stage: &Stage) -> Result<Self, RenderError> {
        crate::log::route();
        let xml = stage.xml.replace("</worldbody>", GOAL_XML);
        let mut bare = MjModel::from_xml_string(&xml).map_err(|error| RenderError::Model {
            reason: error.to_string(),
        })?;
        let extent_m = bare.stat().extent as f32;
        let vis = bare.vis_mut();
        let detail = Detail::of(stage);
        (vis.quality.numslices, vis.quality.numstacks) = detail.slices_and_stacks();
        vis.global.fovy = Viewpoint::of(stage).fov;
        vis.global.orthographic = i32::from(stage.view == View::TopDown);
        // At most MAX_SIDE_PX · SAMPLES_PER_SIDE, which fits.
        vis.global.offwidth = (stage.width_px * SAMPLES_PER_SIDE).cast_signed();
        vis.global.offheight = (stage.height_px * SAMPLES_PER_SIDE).cast_signed();
        if stage.view == View::Bird {
            vis.quality.shadowsize = SHADOW_MAP_PX;
            let [width_m, depth_m] = stage.extent.size_m();
            vis.map.shadowclip = width_m.hypot(depth_m) as f32 / extent_m;
            aim_light(&mut bare, stage.extent.centre_m());
        }
        let data = MjData::new(Arc::new(bare.clone()));
        Ok(Self {
            bare,
            data,
            goal: None,
        })
    }

    /// Brings the body into a pose and the goal to its place, and all that is derived from them up to date.
    pub(super) fn pose(&mut self, pose: &[f64], goal: Option<Goal>) -> Result<(), RenderError> {
        if goal != self.goal {
            self.data = MjData::new(Arc::new(self.with_goal(goal)));
            self.goal = goal;
        }
        let qpos = self.data.qpos_mut();
        if qpos.len() != pose.len() {
            return Err(RenderError::OtherWorld);
        }
        qpos.copy_from_slice(pose);
        self.data.kinematics();
        self.data.com_pos();
        self.data.camlight();
        Ok(())
    }

    fn with_goal(&self, goal: Option<Goal>) -> MjModel {
        let mut model = self.bare.clone();
        let site = model.name_to_id(MjtObjBase::mjOBJ_SITE, "goal");
        if let (Some(goal), Some(site)) = (goal, site) {
            let [x, y] = goal.place_m;
            model.site_pos_mut()[site] = [x, y, GOAL_HEIGHT_M];
            model.site_size_mut()[site][0] = goal.radius_m;
            model.site_rgba_mut()[site][3] = GOAL_OPACITY;
        }
        model
    }
}

/// Puts parallel light where its shadows are computed round this place on the floor.
fn aim_light(model: &mut MjModel, [x, y]: [f64; 2]) {
    let directions = model.light_dir().to_vec();
    for (place, dir) in model.light_pos_mut().iter_mut().zip(directions) {
        let slope = place[2] / dir[2].abs();
        (place[0], place[1]) = (x - slope * dir[0], y - slope * dir[1]);
    }
}
