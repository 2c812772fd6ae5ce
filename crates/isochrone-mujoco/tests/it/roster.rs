//! The worlds by name, behind one interface, and ways to drive them.

use isochrone::env::{Environment, Snapshot, Successor};
use isochrone::rng::{Purpose, Seed};
use isochrone_mujoco::{Ant, Arena, Integrator, PointMass};
use rand::RngExt;

/// A world whose state can be read in full precision, which observations cannot.
pub(crate) trait Simulated: Environment + Snapshot {
    /// Positions, then velocities.
    fn state(&self) -> Vec<f64>;

    /// The same as bits.
    fn state_bits(&self) -> Vec<u64> {
        self.state().into_iter().map(f64::to_bits).collect()
    }

    /// Begins an episode. No MuJoCo world draws anything.
    fn begin(&mut self) {
        self.reset(&mut Seed(0).stream(Purpose::Reset, 0, 0));
    }
}

impl Simulated for PointMass {
    fn state(&self) -> Vec<f64> {
        [self.qpos(), self.qvel()].concat()
    }
}

impl Simulated for Ant {
    fn state(&self) -> Vec<f64> {
        [self.qpos(), self.qvel()].concat()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    PointMass,
    Ant(Integrator),
}

/// How a world is made.
pub(crate) struct World {
    pub(crate) name: &'static str,
    pub(crate) body: Body,
    pub(crate) arena: Option<Arena>,
    /// Of its actions. Each its own, or a corridor would be walked the same way in all worlds that have it.
    seed: u64,
}

/// All of them.
pub(crate) fn worlds() -> Vec<World> {
    let (point, ant, fast) = (
        Body::PointMass,
        Body::Ant(Integrator::Rk4),
        Body::Ant(Integrator::ImplicitFast),
    );
    let list = [
        (
            0,
            "point-mass-figure-eight",
            point,
            Some(Arena::FIGURE_EIGHT),
        ),
        (1, "point-mass-spiral", point, Some(Arena::SPIRAL)),
        (2, "point-mass-u", point, Some(Arena::U)),
        (3, "point-mass-room", point, Some(Arena::ROOM)),
        (8, "point-mass-thin-spiral", point, Some(Arena::THIN_SPIRAL)),
        (9, "point-mass-one-way", point, Some(Arena::ONE_WAY)),
        (4, "free-ant", ant, None),
        (5, "maze-ant", ant, Some(Arena::U)),
        (6, "free-ant-fast", fast, None),
        (7, "maze-ant-fast", fast, Some(Arena::U)),
    ];
    let world = |(seed, name, body, arena): (u64, _, _, Option<&str>)| World {
        name,
        body,
        arena: arena.map(|text| text.parse().unwrap()),
        seed,
    };
    list.into_iter().map(world).collect()
}

pub(crate) fn named(name: &str) -> World {
    worlds().into_iter().find(|w| w.name == name).unwrap()
}

impl World {
    pub(crate) fn make(&self) -> Box<dyn Simulated> {
        match (self.body, &self.arena) {
            (Body::PointMass, arena) => Box::new(PointMass::new(arena.clone().unwrap()).unwrap()),
            (Body::Ant(integrator), None) => Box::new(Ant::free(integrator).unwrap()),
            (Body::Ant(integrator), Some(arena)) => {
                Box::new(Ant::in_arena(arena.clone(), integrator).unwrap())
            }
        }
    }

    pub(crate) fn mjcf(&self) -> String {
        match self.body {
            Body::PointMass => PointMass::mjcf(self.arena.as_ref().unwrap()),
            Body::Ant(integrator) => Ant::mjcf(self.arena.as_ref(), integrator),
        }
    }

    pub(crate) fn start_qpos(&self) -> Vec<f64> {
        match self.body {
            Body::PointMass => vec![0.0; 2],
            Body::Ant(_) => Ant::START_QPOS.to_vec(),
        }
    }

    /// What an action of one commands: newtons, or newton metres.
    pub(crate) fn strength(&self) -> f64 {
        match self.body {
            Body::PointMass => 2.0,
            Body::Ant(_) => 150.0,
        }
    }

    /// The controls that an action stands for.
    pub(crate) fn controls(&self, action: &[f32]) -> Vec<f64> {
        let control = |a: &f32| self.strength() * f64::from(a.clamp(-1.0, 1.0));
        action.iter().map(control).collect()
    }

    /// Random actions in `−strength…strength`.
    pub(crate) fn random_actions(&self, steps: usize, strength: f32) -> Vec<Vec<f32>> {
        let length = match self.body {
            Body::PointMass => 2,
            Body::Ant(_) => 8,
        };
        let mut rng = Seed(self.seed).stream(Purpose::Act, 0, 0);
        let mut draw = || strength * (2.0 * rng.random::<f32>() - 1.0);
        (0..steps)
            .map(|_| (0..length).map(|_| draw()).collect())
            .collect()
    }

    /// Actions that make something happen. A point mass rushes round a square, so that it meets far walls fast
    /// enough for its centre to get into them: boxes stop anything slower. In the thin spiral that needs its long corridors. An ant works all ankles at once, and
    /// soon leaps or falls out of the heights in which it may be.
    pub(crate) fn forceful_actions(&self, steps: usize) -> Vec<Vec<f32>> {
        if self.name == "point-mass-thin-spiral" {
            return crate::thin_spiral::actions_of_a_runner(steps);
        }
        let mut actions = self.random_actions(steps, 0.25);
        for (step, action) in actions.iter_mut().enumerate() {
            match self.body {
                Body::PointMass => match step % 300 {
                    0..100 => action[0] = 1.0,
                    100..150 => action[1] = 1.0,
                    150..250 => action[0] = -1.0,
                    _ => action[1] = -1.0,
                },
                Body::Ant(_) => {
                    let sign = [-1.0, 1.0][step / 8 % 2];
                    // The legs' order is 4, 1, 2, 3; the ankles of 2 and 3 bend the other way.
                    for (ankle, way) in [(1, 1.0), (3, 1.0), (5, -1.0), (7, -1.0)] {
                        action[ankle] = sign * way;
                    }
                }
            }
        }
        actions
    }
}

/// What happened when a world was driven.
pub(crate) struct Run {
    /// The state after each step, as bits.
    pub(crate) states: Vec<Vec<u64>>,
    /// The steps before which it was reset because the one before had ended the episode.
    pub(crate) resets: Vec<usize>,
}

/// Steps a world through all actions, from a reset on, with a reset whenever it ends.
pub(crate) fn drive(world: &mut dyn Simulated, actions: &[Vec<f32>]) -> Run {
    world.begin();
    let mut run = Run {
        states: Vec::new(),
        resets: Vec::new(),
    };
    for (step, action) in actions.iter().enumerate() {
        let successor = world.step(action).unwrap();
        run.states.push(world.state_bits());
        if matches!(successor, Successor::Terminal(_)) {
            world.begin();
            run.resets.push(step + 1);
        }
    }
    run
}
