//! Roadmaps against brute force and the shortest paths of mazes.

use isochrone::comm::Single;
use isochrone::distance::{Distance, Learned};
use isochrone::embedding::{
    Architecture, DistanceSpec, DistanceTrainer, Head, LearningRate, Objective, Part, TrainError,
};
use isochrone::evaluate::spearman;
use isochrone::maze::Maze;
use isochrone::nn::NamedArray;
use isochrone::pairs::{Episodes, Sampler, Target};
use isochrone::rng::{Purpose, Rng, Seed};
use isochrone::roadmap::{
    Follower, FollowerSpec, Geodesic, Hop, HopCost, HopRule, Landmarks, Roadmap, RouteError,
    Selection, connectivity,
};
use proptest::prelude::*;
use rand::RngExt;
use std::cmp::Ordering;
use std::sync::Arc;

/// A U: the two arms are two apart, and eleven steps on foot.
const U: &str = "\
.....
.....
.###.
.....
.....
";
const U_BLOCKED: &str = "\
.....
.....
#####
.....
.....
";

struct Walks {
    states: Vec<f32>,
    ranges: Vec<std::ops::Range<usize>>,
}

impl Walks {
    fn of(maze: &Maze, episodes: usize, steps: usize, seed: u64) -> Self {
        let free = cells(maze);
        let mut rng = Seed(seed).stream(Purpose::Act, 0, 0);
        let (mut states, mut ranges) = (Vec::new(), Vec::new());
        for episode in 0..episodes {
            let mut at = free[rng.random_range(0..free.len())];
            ranges.push(episode * (steps + 1)..(episode + 1) * (steps + 1));
            for _ in 0..=steps {
                states.extend([at.0 as f32, at.1 as f32]);
                at = stepped(maze, at, &mut rng);
            }
        }
        Self { states, ranges }
    }

    fn episodes(&self) -> Episodes<'_> {
        Episodes::new(&self.states, 2, self.ranges.clone()).unwrap()
    }
}

fn cells(maze: &Maze) -> Vec<(usize, usize)> {
    let cell = |state| maze.cell(state);
    (0..maze.n_states())
        .map(cell)
        .map(|cell| (cell.column, cell.row))
        .collect()
}

fn stepped(maze: &Maze, (x, y): (usize, usize), rng: &mut Rng) -> (usize, usize) {
    let moves = [(1, 0), (-1, 0), (0, 1), (0, -1)];
    let (dx, dy): (isize, isize) = moves[rng.random_range(0..4)];
    let to = (x.wrapping_add_signed(dx), y.wrapping_add_signed(dy));
    if cells(maze).contains(&to) {
        to
    } else {
        (x, y)
    }
}

fn fewest_steps(maze: &Maze, from: (usize, usize)) -> Vec<((usize, usize), usize)> {
    let free = cells(maze);
    let mut found = vec![(from, 0)];
    let mut at = 0;
    while at < found.len() {
        let ((x, y), steps) = found[at];
        for to in [
            (x + 1, y),
            (x.wrapping_sub(1), y),
            (x, y + 1),
            (x, y.wrapping_sub(1)),
        ] {
            if free.contains(&to) && found.iter().all(|(cell, _)| *cell != to) {
                found.push((to, steps + 1));
            }
        }
        at += 1;
    }
    found
}

fn map_of(text: &str, steps: usize, threads: usize) -> (Maze, Roadmap) {
    let maze = text.parse::<Maze>().unwrap();
    let walks = Walks::of(&maze, 200, 50, 1);
    let landmarks: Vec<f32> = cells(&maze)
        .iter()
        .flat_map(|(x, y)| [*x as f32, *y as f32])
        .collect();
    let distance = Learned::euclidean(2, None, 1.0).unwrap();
    let rule = HopRule::Witnessed { steps };
    let mut map = Roadmap::new(distance, landmarks, rule).unwrap();
    map.witness(&walks.episodes(), threads).unwrap();
    (maze, map)
}

/// With a landmark per cell and hops of one step, routes are the shortest paths of the maze.
#[test]
fn routes_are_shortest_paths() {
    let (maze, map) = map_of(U, 1, 1);
    for from in cells(&maze) {
        for (to, steps) in fewest_steps(&maze, from) {
            let [s, g] = [from, to].map(|(x, y)| [x as f32, y as f32]);
            let route = map.route(&s, &g).unwrap();
            assert!(
                (route.total_steps - steps as f64).abs() < 1e-4,
                "{from:?} {to:?}"
            );
            assert!(route.largest_leg_steps() < 1.0 + 1e-6);
            assert!(route.rarest_hop().is_none_or(|seen| seen > 0));
        }
    }
    assert!((connectivity(&map).largest_share - 1.0).abs() < 1e-12);
}

/// With a landmark per cell, the fewest steps along the map are those of the maze.
#[test]
fn geodesics_are_the_fewest_steps() {
    let (maze, map) = map_of(U, 1, 1);
    let geodesic = Geodesic::new(map, 2);
    let (_, longer) = map_of(U, 4, 1);
    let longer = Geodesic::new(longer, 1);
    for from in cells(&maze) {
        for (to, steps) in fewest_steps(&maze, from) {
            let [s, g] = [from, to].map(|(x, y)| [x as f32, y as f32]);
            let found = geodesic.between(&s, &g).unwrap();
            assert!(
                (found - steps as f64).abs() < 1e-4,
                "{from:?} {to:?} {found}"
            );
            // Between neighbours the distance itself may be less than the way round a corner, but never more.
            let found = longer.between(&s, &g).unwrap();
            assert!(
                found < steps as f64 + 1e-4 && found > 0.6 * steps as f64 - 1e-4,
                "{found} {steps}"
            );
        }
    }
    assert!(geodesic.between(&[0.0], &[0.0, 0.0]).is_err());
    let map = geodesic.map();
    let goal = [2.0, 3.0];
    let found = map.fewest_steps(map.states().chunks(2), &goal).unwrap();
    for (state, found) in map.states().chunks(2).zip(found) {
        let wanted = geodesic.between(state, &goal).unwrap();
        assert!((found - wanted).abs() < 1e-4, "{state:?}: {found} {wanted}");
    }
}

/// Round a ring that is walked in one direction, there and back is once round.
#[test]
fn geodesics_have_a_direction() {
    let around = |at: usize| (at as f32 * std::f32::consts::TAU / 24.0).sin_cos();
    let walk: Vec<f32> = (0..100)
        .chain(0..101)
        .flat_map(|at| <[f32; 2]>::from(around(at)))
        .collect();
    let distance = Learned::euclidean(2, None, 4.0).unwrap();
    let landmarks = walk[..48].to_vec();
    let mut map = Roadmap::new(distance, landmarks, HopRule::Witnessed { steps: 1 }).unwrap();
    map.witness(&Episodes::new(&walk, 2, vec![0..100, 100..201]).unwrap(), 1)
        .unwrap();
    let geodesic = Geodesic::new(map, 1);
    for (a, b) in [(0, 1), (0, 5), (3, 20), (10, 14)] {
        let state = |at: usize| &walk[2 * at..2 * at + 2];
        let there = geodesic.between(state(a), state(b)).unwrap();
        let back = geodesic.between(state(b), state(a)).unwrap();
        assert!((there - (b - a) as f64).abs() < 0.1, "{there}");
        assert!((there + back - 24.0).abs() < 0.2, "{there} {back}");
        let route = geodesic.map().route(state(b), state(a)).unwrap();
        assert!(route.total_steps > back, "no leg leads back: {route:?}");
    }
}

/// A network on (x, y) that learns from the map knows the way round the wall.
#[test]
fn a_geodesic_is_learned() {
    let (maze, map) = map_of(U, 2, 1);
    let walks = Walks::of(&maze, 200, 50, 1);
    let mut spec = DistanceSpec::paper(2, 5);
    spec.encoder.architecture = Architecture::Mlp { hidden: vec![32] };
    spec.batch = 256;
    spec.learning_rate = LearningRate::Decay {
        from: 1e-2,
        to: 1e-4,
        steps: 1_600,
    };
    spec.objective = Objective::Regression {
        target: Target::Geodesic { steps: 5 },
        sampler: Sampler::UniformStartThenEnd,
    };
    let mut trainer = DistanceTrainer::new(spec, Seed(0)).unwrap();
    let episodes = walks.episodes();
    let parts = Part::whole(&episodes);
    assert_eq!(trainer.epoch(&parts, 0, &Single), Err(TrainError::NoMap));
    trainer.set_geodesic(Arc::new(Geodesic::new(map, 1)));
    for epoch in 0..40 {
        trainer.epoch(&parts, epoch, &Single).unwrap();
    }
    let learned = trainer.distance().unwrap();
    let (mut found, mut wanted) = (Vec::new(), Vec::new());
    for from in cells(&maze) {
        for (to, steps) in fewest_steps(&maze, from) {
            let [s, g] = [from, to].map(|(x, y)| [x as f32, y as f32]);
            found.push(learned.between(&s, &g).unwrap());
            wanted.push(steps as f64);
        }
    }
    let rank = spearman(&found, &wanted).unwrap().unwrap();
    assert!(rank > 0.97, "{rank}");
}

/// The learned distance alone goes through the wall.
#[test]
fn hops_by_distance_alone_cross_walls() {
    let (_, map) = map_of(U, 2, 1);
    let (distance, states) = (map.distance().clone(), map.states().to_vec());
    let learned = Roadmap::new(distance, states, HopRule::Learned { steps: 2.0 }).unwrap();
    let [s, g] = [[2.0, 1.0], [2.0, 3.0]];
    assert!((learned.route(&s, &g).unwrap().total_steps - 2.0).abs() < 1e-6);
    assert!(map.route(&s, &g).unwrap().total_steps > 4.0);
}

/// Downhill is near and uphill far: few steps one way may be a large norm.
#[test]
fn hops_by_distance_alone_have_a_direction() {
    let mut spec = DistanceSpec::paper(1, 10);
    spec.encoder.architecture = Architecture::Table { states: 3 };
    spec.encoder.dims = 1;
    // 10 − 8 steps down, and within the norm 10 + 8 − 8.
    for (head, steps) in [(Head::Potential, 3.0), (Head::Quasimetric, 11.0)] {
        spec.encoder.head = head;
        let points = vec![0.0, 0.0, 10.0, -8.0, 20.0, -16.0];
        let table = NamedArray::f32("table", [3, 2], points);
        let distance = Learned::of_arrays(&spec, &[table], 1.0).unwrap();
        let map = Roadmap::new(distance, vec![0.0, 1.0, 2.0], HopRule::Learned { steps });
        let map = map.unwrap();
        let hops: Vec<_> = map.hops().iter().map(|hop| (hop.from, hop.to)).collect();
        assert_eq!(hops, [(0, 1), (1, 2)], "{head:?}");
    }
}

#[test]
fn what_nobody_walked_is_refused_with_the_nearest_approach() {
    let (maze, map) = map_of(U_BLOCKED, 3, 1);
    let error = map.route(&[0.0, 0.0], &[4.0, 4.0]).unwrap_err();
    let free = cells(&maze);
    let place = |cell| free.iter().position(|at| *at == cell).unwrap();
    let RouteError::Unconnected {
        from,
        to,
        nearest,
        steps,
    } = error
    else {
        panic!("{error}");
    };
    assert_eq!(
        (from, to, nearest),
        (place((0, 0)), place((4, 4)), place((4, 1)))
    );
    assert!((steps - 3.0).abs() < 1e-6);
    let halves = connectivity(&map);
    assert_eq!((halves.components, halves.isolated), (2, 0));
    assert!((halves.largest_share - 0.5).abs() < 1e-12);
    assert!(map.route(&[0.0], &[4.0, 4.0]).is_err());
}

#[test]
fn threads_and_pieces_change_nothing() {
    let (maze, one) = map_of(U, 4, 1);
    for threads in [2, 4, 7] {
        assert_eq!(map_of(U, 4, threads).1.hops(), one.hops());
    }
    let walks = Walks::of(&maze, 200, 50, 1);
    let mut pieces =
        Roadmap::new(one.distance().clone(), one.states().to_vec(), one.rule()).unwrap();
    for half in [0, 1] {
        pieces
            .witness(&walks.episodes().filtered(|at| at % 2 == half), 1)
            .unwrap();
    }
    assert_eq!(pieces.hops(), one.hops());
    let again = Roadmap::with_hops(
        one.distance().clone(),
        one.states().to_vec(),
        one.rule(),
        one.hops().to_vec(),
    );
    assert_eq!(again.unwrap().hops(), one.hops());
}

#[test]
fn a_hop_that_fails_more_often_than_it_was_made_is_dropped() {
    let (_, mut map) = map_of(U, 1, 1);
    let (s, g) = ([0.0, 1.0], [0.0, 3.0]);
    let before = map.route(&s, &g).unwrap();
    let legs: Vec<usize> = before.legs.iter().filter_map(|leg| leg.landmark).collect();
    let hop = (legs[0], legs[1]);
    let count = map
        .hops()
        .iter()
        .find(|h| (h.from as usize, h.to as usize) == hop)
        .unwrap()
        .count;
    for _ in 0..count {
        map.fail(hop.0, hop.1);
    }
    assert_eq!(map.route(&s, &g).unwrap(), before);
    map.fail(hop.0, hop.1);
    assert!(map.route(&s, &g).unwrap().total_steps > before.total_steps + 1.0);
}

/// The follower reaches every goal of the maze with a body that moves one cell towards its waypoint at a time.
#[test]
fn the_follower_arrives() {
    let (maze, map) = map_of(U, 2, 1);
    let free = cells(&maze);
    let mut rng = Seed(5).stream(Purpose::Act, 0, 0);
    for _ in 0..100 {
        let [mut at, goal] = [0, 1].map(|_| free[rng.random_range(0..free.len())]);
        let mut follower = Follower::new(FollowerSpec {
            lookahead_steps: 2.0,
            waypoint_every_steps: 1,
            patience_waypoints: 12,
        });
        let to = [goal.0 as f32, goal.1 as f32];
        for _ in 0..60 {
            if at == goal {
                break;
            }
            let waypoint = follower
                .waypoint(&map, &[at.0 as f32, at.1 as f32], &to)
                .unwrap();
            let aim = waypoint.landmark.map_or(goal, |landmark| free[landmark]);
            at = towards(&free, at, aim);
        }
        assert_eq!(at, goal);
        assert!(follower.plans() <= 2, "{}", follower.plans());
    }
}

/// On a line the steps to the goal are what is left of it, also where start and goal share a region.
#[test]
fn a_follower_counts_steps_from_where_it_is() {
    let walk: Vec<f32> = (0..21_u8).map(f32::from).collect();
    let distance = Learned::euclidean(1, None, 1.0).unwrap();
    let rule = HopRule::Witnessed { steps: 3 };
    let mut map = Roadmap::new(distance, vec![0.0, 10.0, 20.0], rule).unwrap();
    let episodes = Episodes::new(&walk, 1, std::iter::once(0..21).collect()).unwrap();
    map.witness(&episodes, 1).unwrap();
    for (goal, places) in [(11_u8, vec![8_u8, 9, 11]), (20, vec![0, 4, 14, 20])] {
        let mut follower = Follower::new(FollowerSpec {
            lookahead_steps: 4.0,
            waypoint_every_steps: 1,
            patience_waypoints: usize::MAX,
        });
        for place in places {
            let [state, to] = [place, goal].map(|at| [f32::from(at)]);
            let waypoint = follower.waypoint(&map, &state, &to).unwrap();
            let left = f64::from(goal - place);
            assert!(
                (waypoint.steps_to_goal - left).abs() < 1e-6,
                "{place} {waypoint:?}"
            );
        }
    }
}

/// A body that cannot get to one landmark is sent round it.
#[test]
fn the_follower_avoids_what_it_cannot_reach() {
    let (maze, map) = map_of(".....\n.....\n.....\n", 2, 1);
    let free = cells(&maze);
    let closed = (2, 1);
    let open: Vec<_> = free
        .iter()
        .copied()
        .filter(|cell| *cell != closed)
        .collect();
    let (mut at, goal) = ((0, 1), (4, 1));
    let mut follower = Follower::new(FollowerSpec {
        lookahead_steps: 1.0,
        waypoint_every_steps: 1,
        patience_waypoints: 3,
    });
    for _ in 0..60 {
        let state = [at.0 as f32, at.1 as f32];
        let waypoint = follower.waypoint(&map, &state, &[4.0, 1.0]).unwrap();
        let aim = waypoint.landmark.map_or(goal, |landmark| free[landmark]);
        at = towards(&open, at, aim);
    }
    assert_eq!(at, goal);
    assert!(follower.plans() > 1);
}

/// After a miss, the follower plans a route without the landmark; if there is none, it tries the same landmark again.
#[test]
fn a_missed_waypoint_is_avoided_at_once() {
    let never = FollowerSpec {
        lookahead_steps: 0.0,
        waypoint_every_steps: 1,
        patience_waypoints: usize::MAX,
    };
    let (_, map) = map_of(".....\n.....\n.....\n", 2, 1);
    let (start, goal) = ([0.0, 1.0], [4.0, 1.0]);
    let mut follower = Follower::new(never);
    let missed = follower.waypoint(&map, &start, &goal).unwrap().landmark;
    follower.miss(&map, &start).unwrap();
    let other = follower.waypoint(&map, &start, &goal).unwrap();
    assert_ne!(other.landmark, missed);
    assert!(other.steps_to_goal.is_finite());

    let (_, corridor) = map_of(".....\n", 1, 1);
    let mut follower = Follower::new(never);
    let only = follower.waypoint(&corridor, &[0.0, 0.0], &[4.0, 0.0]);
    follower.miss(&corridor, &[0.0, 0.0]).unwrap();
    let again = follower.waypoint(&corridor, &[0.0, 0.0], &[4.0, 0.0]);
    assert_eq!(again.unwrap(), only.unwrap());
}

/// Routes at the cost of attempts: expected steps, whatever the distance says.
#[test]
fn routes_take_the_hops_that_are_made_soonest() {
    let hop = |from, to, count, failures, total_steps| Hop {
        from,
        to,
        count,
        failures,
        total_steps,
        fewest_steps: 1,
        between_steps: 1.0,
    };
    let route_of = |direct: Hop| {
        let hops = vec![hop(0, 1, 9, 0, 90), direct, hop(1, 2, 9, 0, 90)];
        let distance = Learned::euclidean(1, None, 1.0).unwrap();
        let rule = HopRule::Witnessed { steps: 10 };
        let map = Roadmap::with_hops(distance, vec![0.0, 100.0, 200.0], rule, hops).unwrap();
        let map = map.with_cost(HopCost::Attempts {
            untried_steps: 10.0,
            failed_steps: 50.0,
        });
        let tree = map.tree_to(&[200.0]).unwrap();
        (tree.steps(0), tree.next(0))
    };
    assert_eq!(route_of(hop(0, 2, 0, 0, 0)), (15.0, Some(2)), "untried");
    assert_eq!(route_of(hop(0, 2, 4, 0, 65)), (16.0, Some(2)), "made in 16");
    assert_eq!(
        route_of(hop(0, 2, 4, 2, 65)),
        (19.5, Some(1)),
        "missed twice"
    );
    assert_eq!(
        route_of(hop(0, 2, 1, 2, 0)),
        (19.5, Some(1)),
        "missed more often than made"
    );
}

fn towards(free: &[(usize, usize)], at: (usize, usize), aim: (usize, usize)) -> (usize, usize) {
    let step = |from: usize, to: usize| match from.cmp(&to) {
        Ordering::Less => from + 1,
        Ordering::Equal => from,
        Ordering::Greater => from - 1,
    };
    for to in [(step(at.0, aim.0), at.1), (at.0, step(at.1, aim.1))] {
        if to != at && free.contains(&to) {
            return to;
        }
    }
    at
}

#[test]
fn landmarks_are_added_without_losing_hops() {
    let (_, mut map) = map_of(U, 2, 1);
    let hops = map.hops().to_vec();
    let route = map.route(&[0.0, 0.0], &[4.0, 4.0]).unwrap();
    map.add_landmarks(&[9.0, 9.0]).unwrap();
    assert_eq!(map.hops(), hops);
    assert_eq!(map.route(&[0.0, 0.0], &[4.0, 4.0]).unwrap(), route);
    assert!(map.route(&[9.0, 9.0], &[4.0, 4.0]).is_err());
}

#[test]
fn impossible_maps_are_refused() {
    let distance = || Learned::euclidean(2, None, 1.0).unwrap();
    let witnessed = |steps| HopRule::Witnessed { steps };
    assert!(Roadmap::new(distance(), vec![], witnessed(3)).is_err());
    assert!(Roadmap::new(distance(), vec![1.0; 3], witnessed(3)).is_err());
    assert!(Roadmap::new(distance(), vec![1.0; 4], witnessed(0)).is_err());
    let learned = HopRule::Learned { steps: f64::NAN };
    assert!(Roadmap::new(distance(), vec![1.0; 4], learned).is_err());
    let (_, map) = map_of(U, 2, 1);
    let mut hops = map.hops().to_vec();
    hops.swap(0, 1);
    let twisted = Roadmap::with_hops(distance(), map.states().to_vec(), map.rule(), hops);
    assert!(twisted.is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Costs to a goal are the least fixed point of Bellman's equation.
    #[test]
    fn trees_solve_bellmans_equation(seed in 0_u64..1_000, steps in 1_usize..6) {
        let maze = U.parse::<Maze>().unwrap();
        let walks = Walks::of(&maze, 6, 30, seed);
        let distance = Learned::euclidean(2, None, 1.0).unwrap();
        let mut landmarks = Landmarks::new(12, Selection::Random, 2, Seed(seed));
        walks.states.chunks(2).for_each(|state| landmarks.add(state));
        let states = landmarks.choose(&distance).unwrap();
        let mut map = Roadmap::new(distance, states, HopRule::Witnessed { steps }).unwrap();
        map.witness(&walks.episodes(), 2).unwrap();
        let goal = [4.0, 4.0];
        let tree = map.tree_to(&goal).unwrap();
        let apart = |a: &[f32], b: &[f32]| f64::from(a[0] - b[0]).hypot(f64::from(a[1] - b[1]));
        for landmark in 0..map.len() {
            let hops = map.hops().iter().filter(|hop| hop.from as usize == landmark);
            let through = hops.map(|hop| {
                let to = hop.to as usize;
                apart(map.landmark(landmark), map.landmark(to)) + tree.steps(to)
            });
            let best = through.fold(f64::INFINITY, f64::min);
            let straight = apart(map.landmark(landmark), &goal);
            let found = tree.steps(landmark);
            let is_fixed = (found - best).abs() < 1e-3 || (found - straight).abs() < 1e-3;
            prop_assert!(found <= best + 1e-3 && (is_fixed || found.is_infinite()), "{found} {best} {straight}");
        }
    }

    /// A search for one route ends early, and finds what the tree of all routes has; also where the distance, with q > 1, has
    /// no triangle inequality.
    #[test]
    fn one_route_is_the_cheapest(seed in 0_u64..1_000, p in 1_u8..3, q in 1_u8..4) {
        let mut spec = DistanceSpec::paper(1, 10);
        spec.encoder.architecture = Architecture::Table { states: 12 };
        (spec.p, spec.q) = (f32::from(p), f32::from(q));
        let distance = DistanceTrainer::new(spec, Seed(seed)).unwrap().distance().unwrap();
        let mut rng = Seed(seed).stream(Purpose::Assess, 0, 0);
        let walk: Vec<f32> = (0..60).map(|_| f32::from(rng.random_range(0..12_u8))).collect();
        let states = (0..12_u8).map(f32::from).collect();
        let mut map = Roadmap::new(distance, states, HopRule::Witnessed { steps: 1 }).unwrap();
        map.witness(&Episodes::new(&walk, 1, vec![0..30, 30..60]).unwrap(), 1).unwrap();
        let tree = map.tree_to(&[0.0]).unwrap();
        for start in 0..12_u8 {
            let start = [f32::from(start)];
            match (map.route(&start, &[0.0]), map.route_in(&tree, &start)) {
                (Ok(one), Ok(all)) => {
                    let apart = (one.total_steps - all.total_steps).abs();
                    prop_assert!(apart <= 1e-3 * all.total_steps, "{one:?} {all:?}");
                }
                (one, all) => prop_assert_eq!(one, all),
            }
        }
    }
}

/// A landmark that trajectories only leave is no way to a goal: a route is refused, and a follower goes as near as it can.
#[test]
fn a_goal_without_a_route_is_approached() {
    let there: Vec<f32> = (0..10_u8).map(f32::from).collect();
    let back = [14.0, 13.0, 12.0, 11.0, 10.0, 9.0];
    let walk = [there.as_slice(), &back].concat();
    let distance = Learned::euclidean(1, None, 1.0).unwrap();
    let rule = HopRule::Witnessed { steps: 3 };
    let landmarks = vec![0.0, 3.0, 6.0, 9.0, 14.0];
    let mut map = Roadmap::new(distance, landmarks, rule).unwrap();
    let episodes = Episodes::new(&walk, 1, vec![0..10, 10..16]).unwrap();
    map.witness(&episodes, 1).unwrap();
    assert!(map.hops().iter().all(|hop| hop.to != 4));
    let refused = map.route(&[0.0], &[14.5]).unwrap_err();
    assert!(
        matches!(refused, RouteError::Unconnected { nearest: 3, .. }),
        "{refused}"
    );
    let spec = FollowerSpec {
        lookahead_steps: 4.0,
        waypoint_every_steps: 1,
        patience_waypoints: 5,
    };
    let mut follower = Follower::new(spec);
    let mut aims = Vec::new();
    for at in 0..10_u8 {
        let waypoint = follower.waypoint(&map, &[f32::from(at)], &[14.5]).unwrap();
        assert!(waypoint.steps_to_goal.is_infinite());
        aims.push(waypoint.landmark);
    }
    aims.dedup();
    assert_eq!(aims, [Some(1), Some(2), Some(3), None]);
}
