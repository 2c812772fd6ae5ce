//! What a controller covers that pushes straight at its goal and knows of no walls: the floor of every coverage.

use isochrone::env::{Environment, Observation};
use isochrone::rng::{Purpose, Seed};
use isochrone_mujoco::{World, WorldName};

const RADIUS_M: f64 = 0.3;

fn place(seen: &Observation) -> Vec<f64> {
    let seen = seen.as_f32().unwrap();
    seen.iter().map(|x| f64::from(*x)).collect()
}

/// Whether a damped spring between sphere and goal, clipped to the actuator's force, gets there in time.
fn reaches(world: &mut World, goal_m: [f64; 2], steps: usize) -> bool {
    let mut seen = place(&world.reset(&mut Seed(0).stream(Purpose::Reset, 0, 0)));
    for _ in 0..steps {
        let error = [goal_m[0] - seen[0], goal_m[1] - seen[1]];
        if error[0].hypot(error[1]) < RADIUS_M {
            return true;
        }
        let force = [0, 1].map(|k| 2.0 * error[k] - 1.4 * seen[2 + k]);
        let largest = force[0].abs().max(force[1].abs()).max(1.0);
        let action = force.map(|f| (f / largest) as f32);
        seen = place(world.step(&action).unwrap().observation());
    }
    false
}

fn coverage(name: WorldName, steps: usize) -> f64 {
    let mut world = name.build().unwrap();
    let goals = world.coverage_goals_m();
    let reached = goals.iter().filter(|g| reaches(&mut world, **g, steps));
    reached.count() as f64 / goals.len() as f64
}

/// Where walls are thin or a passage is one-way, most goals need a way round. More time does not help.
#[test]
fn a_straight_line_fails_where_it_must() {
    let measured = [
        (WorldName::PointMassRoom, 0.99, 1.0),
        (WorldName::PointMass, 0.5, 0.8),
        (WorldName::PointMassSpiral, 0.2, 0.4),
        (WorldName::PointMassThinSpiral, 0.05, 0.15),
        (WorldName::PointMassOneWay, 0.3, 0.8),
    ];
    for (name, least, most) in measured {
        let [soon, late] = [400, 1_000].map(|steps| coverage(name, steps));
        println!("{name}: {soon:.3} in 400 steps, {late:.3} in 1000");
        assert!((least..=most).contains(&soon), "{name}: {soon}");
        assert!(late - soon < 0.05, "{name}: {soon}, then {late}");
    }
}
