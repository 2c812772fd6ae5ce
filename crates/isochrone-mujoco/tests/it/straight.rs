//! What a controller covers that pushes straight at its goal and knows of no walls: the floor of every coverage.

use isochrone::env::{Environment, Observation};
use isochrone::rng::{Purpose, Seed};
use isochrone_mujoco::{World, WorldName};

const RADIUS_M: f64 = 0.3;
const MAX_STEPS: usize = 1_000;

fn place(seen: &Observation) -> Vec<f64> {
    let seen = seen.as_f32().unwrap();
    seen.iter().map(|x| f64::from(*x)).collect()
}

/// Steps until a damped spring between sphere and goal, limited to the actuator's force, gets there.
fn steps_to(world: &mut World, goal_m: [f64; 2]) -> Option<usize> {
    let mut seen = place(&world.reset(&mut Seed(0).stream(Purpose::Reset, 0, 0)));
    for step in 0..MAX_STEPS {
        let error = [goal_m[0] - seen[0], goal_m[1] - seen[1]];
        if error[0].hypot(error[1]) < RADIUS_M {
            return Some(step);
        }
        let force = [0, 1].map(|k| 2.0 * error[k] - 1.4 * seen[2 + k]);
        let largest = force[0].abs().max(force[1].abs()).max(1.0);
        let action = force.map(|f| (f / largest) as f32);
        seen = place(world.step(&action).unwrap().observation());
    }
    None
}

/// Coverage within 400 and within 1,000 steps.
fn coverage(name: WorldName) -> [f64; 2] {
    let mut world = name.build().unwrap();
    let goals = world.coverage_goals_m();
    let steps: Vec<Option<usize>> = goals.iter().map(|g| steps_to(&mut world, *g)).collect();
    [400, MAX_STEPS].map(|limit| {
        let reached = steps.iter().flatten().filter(|steps| **steps <= limit);
        reached.count() as f64 / goals.len() as f64
    })
}

/// Where walls are thin or a passage is one-way, most goals need a way round. More time does not help.
#[test]
fn a_straight_line_fails_where_it_must() {
    let measured = [
        (WorldName::PointMass, 0.382),
        (WorldName::PointMassThinSpiral, 0.102),
        (WorldName::PointMassOneWay, 0.49),
    ];
    for (name, expected) in measured {
        let [soon, late] = coverage(name);
        assert!((soon - expected).abs() < 0.02, "{name}: {soon}");
        assert!(late - soon < 0.05, "{name}: {soon}, then {late}");
    }
}
