//! One MuJoCo model and its state, with checks for NaN and infinity.
//!
//! MuJoCo ends the process on some errors and silently resets on others. Models come from this crate's own assets, and the
//! automatic reset is switched off in them. After every step the state is checked: NaN or infinity is an error that ends the
//! episode.

use crate::arena::{Arena, ArenaError};
use isochrone::env::snapshot::{Status, check_numbers};
use isochrone::env::{SnapshotError, StepError};
use mujoco_rs::prelude::{MjData, MjModel, MjtState};
use std::sync::Arc;

/// A position or velocity beyond this counts as unstable (MuJoCo's own limit).
const MAX_ABS: f64 = 1e10;

/// Why a world could not be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WorldError {
    /// An error of MuJoCo.
    #[error("MuJoCo refused the model: {reason}")]
    Model {
        /// Its message.
        reason: String,
    },
    /// An invalid arena.
    #[error(transparent)]
    Arena(#[from] ArenaError),
}

/// The integrator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Integrator {
    /// Fourth-order Runge–Kutta: the paper's.
    Rk4,
    /// Implicit in velocity: about four times as fast, other trajectories. Worlds with it are named `*-fast`.
    ImplicitFast,
}

/// Light, colours and textures: no influence on the physics.
const LOOK: &str = include_str!("../assets/look.xml");

/// A body's XML with its look, an arena's walls and an integrator.
pub(crate) fn compose(body: &str, arena: Option<&Arena>, integrator: Integrator) -> String {
    let walls = arena.map_or_else(String::new, Arena::to_mjcf);
    let name = match integrator {
        Integrator::Rk4 => "RK4",
        Integrator::ImplicitFast => "implicitfast",
    };
    body.replace("  <!-- look -->\n", LOOK)
        .replace("    <!-- walls -->\n", &walls)
        .replace(r#"integrator="RK4""#, &format!(r#"integrator="{name}""#))
}

/// A model, shared by all copies of a world, and one state, which each copy has for itself.
#[derive(Clone, Debug)]
pub(crate) struct Physics {
    xml: Arc<str>,
    /// Hash of the model, in snapshots.
    tag: f64,
    model: Arc<MjModel>,
    data: MjData<Arc<MjModel>>,
    start_qpos: Vec<f64>,
    status: Status,
}

impl Physics {
    /// Compiles a model whose episodes start at `start_qpos`, at rest.
    pub(crate) fn new(xml: &str, start_qpos: Vec<f64>) -> Result<Self, WorldError> {
        let refused = |reason: String| WorldError::Model { reason };
        crate::log::route();
        let model = MjModel::from_xml_string(xml).map_err(|error| refused(error.to_string()))?;
        let model = Arc::new(model);
        let data = MjData::new(Arc::clone(&model));
        let (given, wanted) = (start_qpos.len(), data.qpos().len());
        if given != wanted {
            return Err(refused(format!(
                "its positions are {wanted} numbers, the start has {given}"
            )));
        }
        Ok(Self {
            xml: xml.into(),
            tag: tag_of(xml),
            model,
            data,
            start_qpos,
            status: Status::Idle,
        })
    }

    /// Resets to the start. Everything is cleared first: the solver's warm start is part of the state.
    pub(crate) fn reset(&mut self) {
        self.reset_bare();
        self.refresh();
    }

    /// The same without updating derived quantities.
    pub(crate) fn reset_bare(&mut self) {
        self.data.reset();
        self.data.qpos_mut().copy_from_slice(&self.start_qpos);
        self.status = Status::Running;
    }

    /// One time step, without checks.
    pub(crate) fn step_bare(&mut self, controls: &[f64]) {
        self.data.ctrl_mut().copy_from_slice(controls);
        self.data.step();
    }

    /// Applies a constant force to the first two degrees of freedom, until told otherwise or reset. It is part of the
    /// integration state.
    pub(crate) fn push(&mut self, force_n: [f64; 2]) {
        self.data.qfrc_applied_mut()[..2].copy_from_slice(&force_n);
    }

    /// Entries of a control.
    pub(crate) fn controls(&self) -> usize {
        self.data.ctrl().len()
    }

    /// Ends the episode: no step until the next reset.
    pub(crate) fn end_episode(&mut self) {
        self.status = Status::Idle;
    }

    /// One time step under these controls, if an episode is running; NaN or infinity ends it.
    /// Frames and centres of mass are not brought up to the new state: see [`Physics::refresh`].
    pub(crate) fn step(&mut self, controls: impl Iterator<Item = f64>) -> Result<(), StepError> {
        if self.status == Status::Idle {
            return Err(StepError::AfterTerminal);
        }
        for (control, value) in self.data.ctrl_mut().iter_mut().zip(controls) {
            *control = value;
        }
        self.data.step();
        let is_sound = |values: &[f64]| values.iter().all(|x| x.abs() <= MAX_ABS);
        let broken = [(self.qpos(), "a position"), (self.qvel(), "a velocity")]
            .into_iter()
            .find_map(|(values, what)| (!is_sound(values)).then_some(what));
        if let Some(what) = broken {
            self.status = Status::Idle;
            return Err(StepError::Unstable {
                what: what.to_owned(),
            });
        }
        Ok(())
    }

    /// Updates frames and centres of mass for the new positions, for observations and rendering. A full `mj_forward` would
    /// repeat the collision detection and the solver for unused results.
    pub(crate) fn refresh(&mut self) {
        self.data.kinematics();
        self.data.com_pos();
    }

    /// Moves the body to another position; nothing else changes. Positions begin with it.
    pub(crate) fn move_to(&mut self, place_m: [f64; 2]) {
        self.data.qpos_mut()[..2].copy_from_slice(&place_m);
        self.refresh();
    }

    /// What the model was compiled from.
    pub(crate) fn xml(&self) -> Arc<str> {
        Arc::clone(&self.xml)
    }

    pub(crate) fn qpos(&self) -> &[f64] {
        self.data.qpos()
    }

    pub(crate) fn qpos_mut(&mut self) -> &mut [f64] {
        self.data.qpos_mut()
    }

    pub(crate) fn qvel(&self) -> &[f64] {
        self.data.qvel()
    }

    /// Rotation matrix of a body, row by row. Body 1 is the first after the world.
    pub(crate) fn rotation(&self, body: usize) -> [f64; 9] {
        self.data.xmat()[body]
    }

    /// Centre of mass of a body and its descendants.
    pub(crate) fn subtree_com_m(&self, body: usize) -> [f64; 3] {
        self.data.subtree_com()[body]
    }

    /// Mass of all moving bodies.
    pub(crate) fn total_mass_kg(&self) -> f64 {
        self.model.totalmass()
    }

    /// Everything the next steps depend on: the engine's integration state, which begins with the time, the
    /// positions and the velocities, whether there may be a step, and the tag of the model.
    pub(crate) fn save(&self) -> Vec<f64> {
        let mut saved = self.data.state(STATE).into_vec();
        saved.extend([self.status.to_number(), self.tag]);
        saved
    }

    pub(crate) fn restore(&mut self, saved: &[f64]) -> Result<(), SnapshotError> {
        let numbers = self.model.state_size(STATE);
        check_numbers(saved, numbers + 2)?;
        let (status, tag) = (Status::from_number(saved[numbers])?, saved[numbers + 1]);
        if tag.to_bits() != self.tag.to_bits() {
            return Err(SnapshotError::OtherWorld);
        }
        let restored = self.data.set_state(&saved[..numbers], STATE);
        restored.map_err(|_| SnapshotError::OtherWorld)?;
        self.refresh();
        self.status = status;
        Ok(())
    }
}

/// The whole integration state. Anything less diverges: the warm start is in it.
const STATE: u32 = MjtState::mjSTATE_INTEGRATION as u32;

/// A number that tells models apart: the 64-bit FNV-1a hash of what the physics depend on, folded to the 52 bits that
/// an f64 holds exactly. Colours may change without making old states strange.
fn tag_of(xml: &str) -> f64 {
    let physics = xml.replace(LOOK, "");
    let hash = physics
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
    ((hash >> 52) ^ (hash & ((1 << 52) - 1))) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// States outlive versions of this crate: the hash must stay what it is. FNV's own test vectors, folded.
    #[test]
    fn tags_are_stable_and_exact() {
        let folded = |hash: u64| (hash >> 52) ^ (hash & 0xf_ffff_ffff_ffff);
        for (text, hash) in [
            ("", 0xcbf2_9ce4_8422_2325),
            ("a", 0xaf63_dc4c_8601_ec8c),
            ("foobar", 0x8594_4171_f739_67e8),
        ] {
            assert_eq!(tag_of(text) as u64, folded(hash), "{text}");
        }
        assert_eq!(tag_of(&format!("a{LOOK}")).to_bits(), tag_of("a").to_bits());
    }
}
