//! The native worlds: the conformance list, and the answers they are known by.

use crate::worlds::assert_close;
use isochrone::env::conformance::{Violation, check, check_snapshot};
use isochrone::env::grid::{Grid, Start};
use isochrone::env::normalised::Normalised;
use isochrone::env::point::Point;
use isochrone::env::u_room::URoom;
use isochrone::env::{
    ActionSpec, Environment, Observation, ObservationSpec, Snapshot, SnapshotError, StepError,
    Successor,
};
use isochrone::markov::{Chain, commute_times, passage_times};
use isochrone::maze::{Cell, Maze, Moves, WallRule};
use isochrone::rng::{Purpose, Rng, Seed};
use rand::RngExt;

fn grid(walls: WallRule) -> Grid {
    let maze: Maze = "....\n.##.\n....\n".parse().unwrap();
    Grid::new(maze, Moves::NORTH_EAST, walls, Start::Uniform).unwrap()
}

#[test]
fn native_worlds_conform() {
    for seed in (0..5).map(Seed) {
        for walls in [WallRule::Stay, WallRule::Renormalise] {
            check(|| grid(walls), seed).unwrap();
            check_snapshot(|| grid(walls), seed).unwrap();
        }
        check(|| Point::new(vec![1.0, 5.0, 0.3]), seed).unwrap();
        check_snapshot(|| Point::new(vec![1.0, 5.0, 0.3]), seed).unwrap();
        let normalised = || Normalised::new(Point::new(vec![1.0, 5.0, 0.3]));
        check(normalised, seed).unwrap();
        check_snapshot(normalised, seed).unwrap();
        check(URoom::default, seed).unwrap();
        check_snapshot(URoom::default, seed).unwrap();
    }
}

/// A uniformly random action walks exactly the maze's chain: counted, it gives the exact commute times.
#[test]
fn a_random_walker_in_a_grid_is_the_chain() {
    for walls in [WallRule::Stay, WallRule::Renormalise] {
        let maze: Maze = "....\n.##.\n....\n".parse().unwrap();
        let mut world = grid(walls);
        let trajectories: Vec<Vec<usize>> = (0..400)
            .map(|episode| {
                let mut actions = Seed(5).stream(Purpose::Act, 0, episode);
                let mut seen = vec![world.reset(&mut Seed(5).stream(Purpose::Reset, 0, episode))];
                for _ in 0..1_000 {
                    let action = [2.0 * actions.random::<f32>() - 1.0];
                    seen.push(world.step(&action).unwrap().observation().clone());
                }
                let state = |o: &Observation| {
                    let [column, row] = o.as_f32().unwrap()[..] else {
                        panic!("two numbers")
                    };
                    let cell = Cell {
                        column: column as usize,
                        row: row as usize,
                    };
                    maze.state(cell).unwrap()
                };
                seen.iter().map(state).collect()
            })
            .collect();
        let seen = Chain::from_trajectories(maze.n_states(), &trajectories).unwrap();
        let exact = maze.chain(Moves::NORTH_EAST, walls).unwrap();
        let commute = |chain: &Chain| commute_times(&passage_times(chain));
        let (found, exact) = (commute(&seen.chain), commute(&exact));
        for j in 1..maze.n_states() {
            assert!(
                (found[(0, j)] / exact[(0, j)] - 1.0).abs() < 0.05,
                "{walls:?} {j}"
            );
        }
    }
}

/// Full thrust for one second from rest: v = a t, x = a t (t + dt) / 2, and both stop at their bounds.
#[test]
fn a_point_moves_as_newton_says() {
    let mut point = Point::new(vec![1.5, 0.1]);
    point.reset(&mut Seed(0).stream(Purpose::Reset, 0, 0));
    let mut last = Vec::new();
    for _ in 0..50 {
        let Successor::Continue(Observation::F32(seen)) = point.step(&[2.0, -9.0]).unwrap() else {
            panic!("a point goes on");
        };
        last = seen.iter().map(|x| f64::from(*x)).collect();
    }
    let expected = [1.02, -0.1, 2.0, -2.0].map(|x| f64::from(x as f32));
    for (found, expected) in last.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-6, "{last:?}");
    }
    assert_close("bound", &[last[1]], &[f64::from(-0.1_f32)]);
}

/// −1…1 spans the inner box, lopsided or not; what is outside is at its border.
#[test]
fn normalised_actions_span_the_inner_box() {
    /// Sees the action it was given.
    struct Mirror(ActionSpec);
    impl Environment for Mirror {
        fn observation_spec(&self) -> ObservationSpec {
            ObservationSpec::vector(2)
        }
        fn action_spec(&self) -> ActionSpec {
            self.0.clone()
        }
        fn reset(&mut self, _: &mut Rng) -> Observation {
            Observation::F32(vec![0.0; 2])
        }
        fn step(&mut self, action: &[f32]) -> Result<Successor<Observation>, StepError> {
            Ok(Successor::Continue(Observation::F32(action.to_vec())))
        }
    }
    let inner = ActionSpec {
        low: vec![-2.0, 1.0],
        high: vec![2.0, 5.0],
    };
    let mut world = Normalised::new(Mirror(inner));
    assert_eq!(world.action_spec(), ActionSpec::symmetric(2, 1.0));
    let mut given = |action: [f32; 2]| {
        let seen = world.step(&action).unwrap();
        seen.observation().as_f32().unwrap().to_vec()
    };
    assert_eq!(given([-1.0, -1.0]), [-2.0, 1.0]);
    assert_eq!(given([0.5, 0.0]), [1.0, 3.0]);
    assert_eq!(given([9.0, -9.0]), [2.0, 1.0]);
    let endless = Normalised::new(Point::new(vec![1.0])).step(&[f32::NAN]);
    assert!(matches!(endless, Err(StepError::NonFiniteAction { .. })));
}

/// However hard it runs against it, a walker does not pass the wall.
#[test]
fn the_wall_of_the_room_holds() {
    let mut room = URoom::default();
    for episode in 0..200 {
        let Observation::F32(seen) = room.reset(&mut Seed(2).stream(Purpose::Reset, 0, episode))
        else {
            panic!("a vector");
        };
        if seen[0] > 0.2 || seen[1] > 0.0 {
            continue;
        }
        for _ in 0..20 {
            let seen = room.step(&[0.0, 0.75]).unwrap();
            assert!(
                seen.observation().as_f32().unwrap()[1] <= -0.049,
                "{seen:?}"
            );
        }
    }
}

/// The fields are public, so bounds may be anything; what comes of it is a number or a refusal.
#[test]
fn strange_boxes_do_not_panic() {
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    let spec = ActionSpec {
        low: vec![-1.0, nan, -1.0, 3.0, -inf],
        high: vec![1.0, 1.0, nan, -3.0, inf],
    };
    let clipped = |value: f32| spec.clip(&[value; 5]).unwrap();
    assert_eq!(clipped(9.0), [1.0, 1.0, 9.0, -3.0, 9.0]);
    assert_eq!(clipped(-9.0), [-1.0, -9.0, -1.0, -3.0, -9.0]);
    let uneven = ActionSpec {
        low: vec![-1.0; 2],
        high: vec![1.0],
    };
    assert_eq!((uneven.len(), uneven.is_empty()), (1, false));
    assert_eq!(uneven.clip(&[7.0]), Ok(vec![1.0]));
    let (got, expected) = (2, 1);
    assert_eq!(
        uneven.clip(&[7.0; 2]),
        Err(StepError::ActionLength { got, expected })
    );
}

/// A world that forgets, when it is restored, that there was nothing to step.
#[test]
fn forgetful_states_are_caught() {
    struct Forgetful(URoom);
    impl Environment for Forgetful {
        fn observation_spec(&self) -> ObservationSpec {
            self.0.observation_spec()
        }
        fn action_spec(&self) -> ActionSpec {
            self.0.action_spec()
        }
        fn reset(&mut self, rng: &mut Rng) -> Observation {
            self.0.reset(rng)
        }
        fn step(&mut self, action: &[f32]) -> Result<Successor<Observation>, StepError> {
            self.0.step(action)
        }
    }
    impl Snapshot for Forgetful {
        fn save(&self) -> Vec<f64> {
            self.0.save()[..2].to_vec()
        }
        fn restore(&mut self, saved: &[f64]) -> Result<(), SnapshotError> {
            self.0.restore(&[saved, &[1.0]].concat())
        }
    }
    let verdict = check_snapshot(|| Forgetful(URoom::default()), Seed(0)).unwrap_err();
    let expected = "a step from a state before the first reset";
    assert!(
        matches!(verdict, Violation::NotRefused { what, .. } if what == expected),
        "{verdict}"
    );
}

/// The list finds what it is for.
#[test]
fn broken_worlds_are_caught() {
    #[derive(Clone, Copy, PartialEq)]
    enum Fault {
        Hidden,
        Endless,
        Deaf,
    }
    struct Broken(Fault, u64);
    impl Environment for Broken {
        fn observation_spec(&self) -> ObservationSpec {
            ObservationSpec::vector(1)
        }
        fn action_spec(&self) -> ActionSpec {
            ActionSpec::symmetric(1, 1.0)
        }
        fn reset(&mut self, _: &mut Rng) -> Observation {
            // Hidden: an earlier episode is remembered.
            self.1 = if self.0 == Fault::Hidden {
                self.1 + 1
            } else {
                1
            };
            Observation::F32(vec![self.1 as f32])
        }
        fn step(&mut self, action: &[f32]) -> Result<Successor<Observation>, StepError> {
            if self.0 != Fault::Deaf {
                self.action_spec().clip(action)?;
            }
            if self.1 == 0 {
                return Err(StepError::AfterTerminal);
            }
            self.1 += 1;
            let seen = Observation::F32(vec![self.1 as f32]);
            let over = self.0 == Fault::Endless && self.1 > 9;
            Ok(if over {
                Successor::Terminal(seen)
            } else {
                Successor::Continue(seen)
            })
        }
    }
    let verdict = |fault| check(|| Broken(fault, 0), Seed(0)).unwrap_err();
    assert!(matches!(
        verdict(Fault::Hidden),
        Violation::NotDeterministic { .. }
    ));
    assert!(matches!(
        verdict(Fault::Endless),
        Violation::NotRefused {
            what: "a step after the end",
            ..
        }
    ));
    assert!(matches!(verdict(Fault::Deaf), Violation::NotRefused { .. }));
}
