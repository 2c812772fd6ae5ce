//! Bodies and arenas against the facts they were built from.

use isochrone::env::conformance::{check, check_snapshot};
use isochrone::env::{Environment, Observation, Successor};
use isochrone::rng::{Purpose, Seed};
use isochrone_mujoco::{Ant, Arena, Integrator, PointMass};

fn arena(text: &str) -> Arena {
    text.parse().unwrap()
}

fn start(world: &mut impl Environment) -> Vec<f32> {
    let seen = world.reset(&mut Seed(0).stream(Purpose::Reset, 0, 0));
    seen.as_f32().unwrap().to_vec()
}

#[test]
fn every_world_conforms() {
    for seed in (0..3).map(Seed) {
        for text in [Arena::FIGURE_EIGHT, Arena::SPIRAL, Arena::U, Arena::ROOM] {
            let point = PointMass::new(arena(text)).unwrap();
            check(|| point.clone(), seed).unwrap();
            check_snapshot(|| point.clone(), seed).unwrap();
        }
        for integrator in [Integrator::Rk4, Integrator::ImplicitFast] {
            let free = Ant::free(integrator).unwrap();
            check(|| free.clone(), seed).unwrap();
            check_snapshot(|| free.clone(), seed).unwrap();
            let maze = Ant::in_arena(&arena(Arena::U), integrator).unwrap();
            check(|| maze.clone(), seed).unwrap();
            check_snapshot(|| maze.clone(), seed).unwrap();
        }
    }
}

#[test]
fn masses_and_the_standing_ant() {
    let point = PointMass::new(arena(Arena::SPIRAL)).unwrap();
    assert!(
        (point.mass_kg() - 0.418_879).abs() < 1e-6,
        "{}",
        point.mass_kg()
    );
    let mut ant = Ant::free(Integrator::Rk4).unwrap();
    assert!((ant.mass_kg() - 0.910_88).abs() < 1e-5, "{}", ant.mass_kg());
    let seen = start(&mut ant);
    assert!(
        (seen[40] - 0.479).abs() < 5e-4,
        "centre of mass at {} m",
        seen[40]
    );
    // Left alone it stays up for the ten seconds of an episode.
    for _ in 0..500 {
        assert!(matches!(
            ant.step(&[0.0; 8]).unwrap(),
            Successor::Continue(_)
        ));
    }
}

#[test]
fn coverage_goals() {
    let count = |text| arena(text).coverage_goals_m().len();
    assert_eq!(count(Arena::SPIRAL), 272);
    assert_eq!(count(Arena::FIGURE_EIGHT), 304);
    assert_eq!(count(Arena::U), 112);
    let goals = arena(Arena::U).coverage_goals_m();
    let near = |g: &&[f64; 2]| g[0].hypot(g[1]) < 1.0;
    assert_eq!(
        goals.iter().filter(near).count(),
        12,
        "a motionless ant covers 12 of 112"
    );
    assert!(goals.iter().all(|&g| arena(Arena::U).is_feasible(g)));
    assert!(
        !arena(Arena::U).is_feasible([0.0, 2.0]),
        "inside the inner wall"
    );
}

/// Away from walls the sphere is a frictionless double integrator: 2 N on 0.4189 kg.
#[test]
fn a_free_sphere_is_a_double_integrator() {
    let mut point = PointMass::new(arena(Arena::ROOM)).unwrap();
    start(&mut point);
    let acceleration = 2.0 / point.mass_kg();
    let mut seen = Vec::new();
    for _ in 0..20 {
        let Successor::Continue(Observation::F32(now)) = point.step(&[1.0, -0.5]).unwrap() else {
            panic!("a point goes on");
        };
        seen = now;
    }
    let t = 20.0 * 0.02;
    let expected = [
        0.5 * acceleration * t * t,
        -0.25 * acceleration * t * t,
        acceleration * t,
        -0.5 * acceleration * t,
    ];
    for (found, expected) in seen.iter().zip(expected) {
        assert!(
            (f64::from(*found) / expected - 1.0).abs() < 1e-5,
            "{seen:?} {expected}"
        );
    }
}

/// However it is driven, the sphere's centre stays out of the walls.
#[test]
fn walls_hold_the_sphere() {
    for text in [Arena::SPIRAL, Arena::FIGURE_EIGHT, Arena::U] {
        let arena = arena(text);
        let mut point = PointMass::new(arena.clone()).unwrap();
        start(&mut point);
        for step in 0..4_000_u32 {
            let action = [(step / 90 % 3) as f32 - 1.0, (step / 35 % 3) as f32 - 1.0];
            let seen = point.step(&action).unwrap();
            let place = seen.observation().as_f32().unwrap();
            assert!(
                !arena.is_in_wall([f64::from(place[0]), f64::from(place[1])]),
                "{place:?}"
            );
        }
    }
}
