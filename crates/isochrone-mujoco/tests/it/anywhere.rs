//! Worlds whose episodes begin anywhere.

use isochrone::env::conformance::check;
use isochrone::env::{Environment, Successor};
use isochrone::rng::{Purpose, Seed};
use isochrone_mujoco::{Anywhere, WorldName};

#[test]
fn it_conforms() {
    for name in WorldName::ALL {
        let world = Anywhere::new(name.build().unwrap()).unwrap();
        check(|| world.clone(), Seed(0)).unwrap();
    }
}

/// Every start is the state at rest at a place with room, the place is another each time, and all cells get their share.
#[test]
fn starts_are_everywhere_at_rest() {
    let episodes = 400;
    for name in [WorldName::PointMassU, WorldName::MazeAnt] {
        let mut world = Anywhere::new(name.build().unwrap()).unwrap();
        let space = world.world().xy_space().unwrap();
        let mut cells = [[0; 3]; 3];
        for episode in 0..episodes {
            let seen = world.reset(&mut Seed(1).stream(Purpose::Reset, 0, episode));
            let seen = seen.as_f32().unwrap();
            let place = space.project(seen);
            let expected = world.world().state_at([place[0], place[1]]);
            for (entry, (s, e)) in seen.iter().zip(&expected).enumerate() {
                assert!(
                    (s - e).abs() < 1e-5,
                    "{name}: entry {entry} is {s}, not {e}"
                );
            }
            assert!(
                world.has_room([place[0], place[1]].map(f64::from)),
                "{name}: {place:?}"
            );
            let cell = |x: f32| (0.5 * (x + 1.0)) as usize;
            cells[cell(place[1])][cell(place[0])] += 1;
        }
        let floor = [[1, 1, 1], [0, 0, 1], [1, 1, 1]];
        for (row, (found, is_floor)) in cells.iter().zip(floor).enumerate() {
            for (column, (n, is_floor)) in found.iter().zip(is_floor).enumerate() {
                // An even share is 57.
                let sound = if is_floor == 1 { *n > 25 } else { *n == 0 };
                assert!(sound, "{name}: {n} starts in column {column}, row {row}");
            }
        }
    }
}

/// No start is astride a thin wall, whose two sides both have room for the corners of the body.
#[test]
fn thin_walls_are_kept_clear() {
    let world = Anywhere::new(WorldName::PointMassThinSpiral.build().unwrap()).unwrap();
    // The wall above the start cell is 0.1 m thick, the sphere 0.2 m wide.
    for (y, has_room) in [(-0.8, true), (-0.84, true), (-0.86, false), (-1.0, false)] {
        assert_eq!(world.has_room([0.0, y]), has_room, "{y}");
    }
    assert!(world.has_room([1.0 - 1e-9, 0.0]), "the way is open there");
}

/// A standing ant put down beside walls stays up: it was not put into one.
#[test]
fn an_ant_stands_wherever_it_starts() {
    let mut world = Anywhere::new(WorldName::MazeAnt.build().unwrap()).unwrap();
    for episode in 0..20 {
        world.reset(&mut Seed(2).stream(Purpose::Reset, 0, episode));
        for step in 0..100 {
            let went = world.step(&[0.0; 8]).unwrap();
            assert!(
                matches!(went, Successor::Continue(_)),
                "episode {episode}, step {step}"
            );
        }
    }
}
