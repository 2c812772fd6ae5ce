//! Bodies and arenas against the facts they were built from.

use isochrone::env::conformance::{check, check_snapshot};
use isochrone::env::{Environment, Observation, Successor};
use isochrone::rng::{Purpose, Seed};
use isochrone_mujoco::{Ant, Arena, Integrator, PointMass, WallBox, WorldName};

const ARENAS: [&str; 6] = [
    Arena::FIGURE_EIGHT,
    Arena::SPIRAL,
    Arena::U,
    Arena::ROOM,
    Arena::THIN_SPIRAL,
    Arena::ONE_WAY,
];

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
        for text in ARENAS {
            let point = PointMass::new(arena(text)).unwrap();
            check(|| point.clone(), seed).unwrap();
            check_snapshot(|| point.clone(), seed).unwrap();
        }
        for integrator in [Integrator::Rk4, Integrator::ImplicitFast] {
            let free = Ant::free(integrator).unwrap();
            check(|| free.clone(), seed).unwrap();
            check_snapshot(|| free.clone(), seed).unwrap();
            let maze = Ant::in_arena(arena(Arena::U), integrator).unwrap();
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
        (seen[40] - 0.479_355_3).abs() < 1e-6,
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
    assert_eq!(count(Arena::THIN_SPIRAL), 400);
    assert_eq!(count(Arena::ONE_WAY), 192);
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

#[test]
fn the_catalogue_says_what_can_be_asked() {
    let goals = |name: WorldName| name.build().unwrap().coverage_goals_m();
    assert_eq!(goals(WorldName::PointMassSpiral).len(), 272);
    assert_eq!(goals(WorldName::PointMass).len(), 304);
    assert_eq!(goals(WorldName::MazeAnt).len(), 112);
    let free = goals(WorldName::FreeAnt);
    assert_eq!(free.len(), 100);
    assert_eq!((free[0], free[99]), ([-4.5, -4.5], [4.5, 4.5]));
    for name in WorldName::ALL {
        assert_eq!(name.as_str().parse(), Ok(name));
        let mut world = name.build().unwrap();
        let range = world.goal_range().unwrap();
        for goal in world.coverage_goals_m() {
            assert!(range.contains(&goal.map(|x| x as f32)), "{name} {goal:?}");
            assert!(world.is_feasible(goal), "{name} {goal:?}");
        }
        let seen = start(&mut world);
        let place = world.xy_space().unwrap().project(&seen).into_owned();
        assert!(place.iter().all(|x| x.abs() < 1e-6), "{name} {place:?}");
        let full = world.full_state_space().unwrap();
        assert_eq!(full.dims(), seen.len());
        // Asked for the place where it stands, everything is as it is.
        for (asked, seen) in world.state_at([0.0, 0.0]).iter().zip(&seen) {
            assert!((asked - seen).abs() < 1e-6, "{name} {asked} {seen}");
        }
        let there = world.state_at([1.0, 2.0]);
        assert_eq!(*world.xy_space().unwrap().project(&there), [1.0, 2.0]);
    }
    assert_eq!(
        "maze-ante".parse::<WorldName>().unwrap_err().to_string(),
        "there is no world `maze-ante`; there are point-mass, point-mass-spiral, point-mass-u, point-mass-room, \
         point-mass-thin-spiral, point-mass-one-way, free-ant, maze-ant, free-ant-fast, maze-ant-fast"
    );
}

#[test]
fn goal_ranges_are_the_reference_codes() {
    let range = |name: WorldName| name.build().unwrap().goal_range().unwrap();
    let spiral = range(WorldName::PointMassSpiral);
    assert_eq!(
        (spiral.centre(), spiral.half_width()),
        (&[0.0; 2][..], &[7.0; 2][..])
    );
    let maze = range(WorldName::MazeAnt);
    assert_eq!(
        (maze.centre(), maze.half_width()),
        (&[2.0; 2][..], &[5.0; 2][..])
    );
    let free = range(WorldName::FreeAnt);
    assert_eq!(
        (free.centre(), free.half_width()),
        (&[0.0; 2][..], &[5.0; 2][..])
    );
}

/// The few cells that are looked at are all that matter: borders and corners included.
#[test]
fn walls_are_found_like_by_asking_them_all() {
    for text in ARENAS {
        let arena = arena(text);
        assert_eq!(arena.to_string(), text);
        let walls = arena.walls();
        let offsets = [0.0, 1e-16, -1e-16, 1e-9, -1e-9, 0.3];
        for (x, y) in (-40..80).flat_map(|x| (-40..80).map(move |y| (x, y))) {
            for (dx, dy) in offsets.iter().flat_map(|a| offsets.map(|b| (*a, b))) {
                let place = [
                    f64::from(x) / 4.0 * (1.0 + dx),
                    f64::from(y) / 4.0 * (1.0 + dy),
                ];
                let inside =
                    |w: &WallBox| (0..2).all(|k| (place[k] - w.centre_m[k]).abs() <= w.half_m[k]);
                assert_eq!(
                    arena.is_in_wall(place),
                    walls.iter().any(inside),
                    "{place:?}"
                );
            }
        }
        for strange in [f64::NAN, f64::INFINITY, -1e300] {
            assert!(!arena.is_in_wall([strange, 0.0]));
        }
    }
}

/// What is wrong with a text is said with its line and column.
#[test]
fn texts_that_are_no_arenas_are_refused() {
    let thin = "wall_thickness_m = 0.1\n";
    for (text, complaint) in [
        ("", "the arena is empty"),
        ("###\n#r#\n##", "line 3 has 2 characters"),
        (
            "#x#\n#r#",
            "line 1, column 2: 'x' is not one of wall `#`, floor `.`",
        ),
        ("#.#", "0 starts"),
        ("#rr", "2 starts"),
        ("#r>", "push_n and cells that push"),
        ("push_n = 3\n#r.", "push_n and cells that push"),
        (
            "push_n = -3\n#r>",
            "line 1: \"push_n = -3\" is not a setting",
        ),
        (
            "thickness = 3\n#r>",
            "line 1: \"thickness = 3\" is not a setting",
        ),
        ("wall_thickness_m = 2\n+-+\n|r|\n+-+", "above 0 and below 2"),
        ("wall_thickness_m = NaN\n+-+\n|r|\n+-+", "is not a setting"),
        (&format!("{thin}{thin}+-+\n|r|\n+-+"), "line 2"),
        (&format!("{thin}+-+\n|r|"), "has 2 and 3"),
        (
            &format!("{thin}--+\n|r|\n+-+"),
            "line 2, column 1: '-' is not one of post `+`",
        ),
        (
            &format!("{thin}+-+\n-r|\n+-+"),
            "line 3, column 1: '-' is not one of wall `|`",
        ),
        (
            &format!("{thin}+-+\n|r|\n+|+"),
            "line 4, column 2: '|' is not one of wall `-`",
        ),
    ] {
        let said = text.parse::<Arena>().unwrap_err().to_string();
        assert!(said.contains(complaint), "{text:?}: {said}");
    }
}

/// Runs of edges are one box each, which reaches half a thickness beyond its posts.
#[test]
fn edges_in_a_line_are_one_wall() {
    let text = "wall_thickness_m = 0.5\n+-+-+\n|r .|\n+-+ +\n|. .|\n+-+-+\n";
    let arena = arena(text);
    assert_eq!(arena.to_string(), text);
    let boxes: Vec<_> = arena
        .walls()
        .iter()
        .map(|w| (w.centre_m, w.half_m))
        .collect();
    let level = [
        ([1.0, -1.0], [2.25, 0.25]),
        ([0.0, 1.0], [1.25, 0.25]),
        ([1.0, 3.0], [2.25, 0.25]),
    ];
    let upright = [([-1.0, 1.0], [0.25, 2.25]), ([3.0, 1.0], [0.25, 2.25])];
    assert_eq!(boxes, [&level[..], &upright].concat());
    assert!(arena.is_feasible([0.0, 0.7]) && !arena.is_feasible([0.0, 0.75]));
    assert!(arena.forbids([0.0, 0.7], [0.0, 1.3]));
    assert!(!arena.forbids([2.0, 0.7], [2.0, 1.3]));
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
    for text in ARENAS {
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
