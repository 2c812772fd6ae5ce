//! Worlds of pixels whose pictures are lost.

use isochrone::env::{
    ActionSpec, Environment, Observation, ObservationSpec, Snapshot, SnapshotError, StepError,
    Successor,
};
use isochrone::rng::{Purpose, Rng, Seed};
use isochrone_mujoco::render::Visible;
use isochrone_mujoco::{Arena, Extent, Pixels, PointMass};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A point mass that can be hidden: it then has a pose that no renderer draws.
struct Hideable {
    world: PointMass,
    is_hidden: Arc<AtomicBool>,
}

impl Visible for Hideable {
    fn model_xml(&self) -> Arc<str> {
        self.world.model_xml()
    }

    fn extent(&self) -> Extent {
        self.world.extent()
    }

    fn pose(&self) -> &[f64] {
        if self.is_hidden.load(Ordering::Relaxed) {
            &[f64::NAN; 2]
        } else {
            self.world.pose()
        }
    }
}

impl Environment for Hideable {
    fn observation_spec(&self) -> ObservationSpec {
        self.world.observation_spec()
    }

    fn action_spec(&self) -> ActionSpec {
        self.world.action_spec()
    }

    fn reset(&mut self, rng: &mut Rng) -> Observation {
        self.world.reset(rng)
    }

    fn step(&mut self, action: &[f32]) -> Result<Successor<Observation>, StepError> {
        self.world.step(action)
    }
}

impl Snapshot for Hideable {
    fn save(&self) -> Vec<f64> {
        self.world.save()
    }

    fn restore(&mut self, state: &[f64]) -> Result<(), SnapshotError> {
        self.world.restore(state)
    }
}

/// The world, and what hides it.
fn hideable() -> (Pixels<Hideable>, Arc<AtomicBool>) {
    let is_hidden = Arc::new(AtomicBool::new(false));
    let world = Hideable {
        world: PointMass::new(Arena::ROOM.parse().unwrap()).unwrap(),
        is_hidden: Arc::clone(&is_hidden),
    };
    (Pixels::new(world).unwrap(), is_hidden)
}

fn begin(world: &mut impl Environment) -> Observation {
    world.reset(&mut Seed(0).stream(Purpose::Reset, 0, 0))
}

fn unseen() -> Result<Successor<Observation>, StepError> {
    let reason = "entry 0 of the pose is NaN".to_owned();
    Err(StepError::Unseen { reason })
}

const STILL: [f32; 2] = [0.0; 2];

#[test]
fn an_episode_ends_when_it_is_lost_from_sight() {
    let (mut world, is_hidden) = hideable();
    begin(&mut world);
    assert!(world.step(&STILL).is_ok());
    let saved = world.save();
    is_hidden.store(true, Ordering::Relaxed);
    assert_eq!(world.step(&STILL), unseen());
    // Though it could be seen again, and its dynamics could go on.
    is_hidden.store(false, Ordering::Relaxed);
    assert_eq!(world.step(&STILL), Err(StepError::AfterTerminal));
    begin(&mut world);
    assert!(world.step(&STILL).is_ok(), "a reset begins anew");
    is_hidden.store(true, Ordering::Relaxed);
    assert_eq!(world.step(&STILL), unseen());
    is_hidden.store(false, Ordering::Relaxed);
    world.restore(&saved).unwrap();
    assert!(world.step(&STILL).is_ok(), "a state that was seen goes on");
}

#[test]
fn a_reset_that_nobody_saw_is_told_by_the_first_step() {
    let (mut world, is_hidden) = hideable();
    is_hidden.store(true, Ordering::Relaxed);
    let Observation::U8(seen) = begin(&mut world) else {
        panic!("a picture");
    };
    assert!(seen.iter().all(|byte| *byte == 0), "black");
    // Black is no state of this world: nothing may be learned from going on.
    is_hidden.store(false, Ordering::Relaxed);
    assert_eq!(world.step(&STILL), unseen());
    assert_eq!(world.step(&STILL), Err(StepError::AfterTerminal));
    assert_ne!(begin(&mut world), Observation::U8(seen));
    assert!(world.step(&STILL).is_ok());
}
