//! Rollouts: what an episode is, and that nobody's number of threads is in it.

use crate::thread_comm::ThreadComm;
use isochrone::comm::{Comm, Shards, Single};
use isochrone::distance::{Euclidean, FeasibleEuclidean};
use isochrone::env::grid::{Grid, Start};
use isochrone::env::point::Point;
use isochrone::env::u_room::URoom;
use isochrone::env::{ActionSpec, Environment, Observation, ObservationSpec, StepError, Successor};
use isochrone::goal::{GoalRange, GoalSpace};
use isochrone::maze::{Maze, Moves, WallRule};
use isochrone::policy::{Actor, FrozenPolicy, InputRow, Uniform};
use isochrone::rng::{Purpose, Rng, Seed};
use isochrone::rollout::{
    Copies, EpisodeSource, GoalSource, Lockstep, NoGoal, Phase, Plan, RolloutError, Streams, Tail,
    Threads, VectorEnvironment, collect_alone, collect_batch,
};
use isochrone::task::Task;
use isochrone::trajectory::{End, Episode, Trajectories};
use rand::RngExt;

const STREAMS: Streams = Streams {
    seed: Seed(11),
    iteration: 3,
    phase: Phase::Train,
};

/// Trajectories for their own sake.
fn goalless(actor: &dyn Actor, horizon_steps: usize) -> Plan<'_> {
    Plan {
        streams: STREAMS,
        actor,
        goals: &NoGoal,
        task: None,
        horizon_steps,
        tail: Tail::Off,
        waypoints: None,
    }
}

/// A policy with random weights, 2×16 tanh.
fn random_policy(inputs: InputRow, outputs: usize) -> FrozenPolicy {
    let mut rng = Seed(5).stream(Purpose::Weights, 0, 0);
    FrozenPolicy::untrained(inputs, &[16, 16], outputs, &mut rng).unwrap()
}

fn collect(source: &mut dyn EpisodeSource, plan: &Plan<'_>, steps: usize) -> Trajectories {
    collect_alone(source, plan, steps).unwrap()
}

/// Everything that was stored, as bits.
fn bits(seen: &Trajectories) -> (Vec<u32>, Vec<u32>, String) {
    let bits = |values: &[f32]| values.iter().map(|x| x.to_bits()).collect();
    let states = seen.observations().as_f32().unwrap();
    (
        bits(states),
        bits(seen.actions()),
        format!("{:?}", seen.episodes()),
    )
}

/// A batch on a world with goals in its first two entries, by both drivers and several counts: all equal.
fn drivers_agree<E: Environment + Send>(name: &str, make: impl Fn() -> E, tail: Tail) {
    let world = make();
    let (seen, body) = (world.observation_spec(), world.action_spec());
    let space = GoalSpace::entries(&[0, 1], &seen).unwrap();
    let goals = GoalRange::new(vec![0.5, 0.5], vec![1.0, 1.0]).unwrap();
    let actor = random_policy(InputRow::plain(seen.len(), 2), body.len());
    let task = Task {
        space: &space,
        distance: &Euclidean,
        radius: 0.3,
    };
    let plan = Plan {
        streams: STREAMS,
        actor: &actor,
        goals: &goals,
        task: Some(task),
        horizon_steps: 50,
        tail,
        waypoints: None,
    };
    let first = collect(&mut Threads::new(1, &make), &plan, 1_500);
    assert!(first.policy_steps() >= 1_500);
    for threads in [2, 4, 8] {
        let other = collect(&mut Threads::new(threads, &make), &plan, 1_500);
        assert!(
            bits(&first) == bits(&other),
            "{name}: {threads} threads differ from one"
        );
    }
    for lanes in [1, 3, 16] {
        let mut source = Lockstep::new(Copies::new(lanes, &make));
        let other = collect(&mut source, &plan, 1_500);
        assert!(
            bits(&first) == bits(&other),
            "{name}: {lanes} lanes differ from a thread"
        );
    }
}

#[test]
fn threads_and_lanes_give_equal_bytes_on_native_worlds() {
    let maze: Maze = ".....\n.###.\n.....\n".parse().unwrap();
    let grid = Grid::new(maze, Moves::UNIFORM, WallRule::Stay, Start::Uniform).unwrap();
    for tail in [
        Tail::Off,
        Tail::AfterSuccess {
            tail_steps: 7,
            episodes: u64::MAX,
        },
        Tail::FirstEpisodes {
            tail_steps: 7,
            episodes: u64::MAX,
        },
    ] {
        drivers_agree("grid", || grid.clone(), tail);
        drivers_agree("point", || Point::new(vec![1.0; 3]), tail);
        drivers_agree("u-room", URoom::default, tail);
    }
}

/// Ranks share the episodes by shard; together they have what one alone has.
#[test]
fn ranks_share_a_batch() {
    let spec = Point::new(vec![1.0; 2]).action_spec();
    let actor = Uniform(spec);
    let plan = goalless(&actor, 20);
    let batch = |comm: &dyn Comm| {
        let mut source = Threads::new(1, || Point::new(vec![1.0; 2]));
        let shards = Shards::new(4, comm.size()).unwrap();
        collect_batch(&mut source, &plan, 333, comm, shards).unwrap()
    };
    let alone = batch(&Single);
    let ranks = ThreadComm::group(2);
    let parts: Vec<Trajectories> = std::thread::scope(|scope| {
        let workers: Vec<_> = ranks
            .iter()
            .map(|comm| scope.spawn(|| batch(comm)))
            .collect();
        workers.into_iter().map(|w| w.join().unwrap()).collect()
    });
    let numbers = |t: &Trajectories| t.episodes().iter().map(|e| e.number).collect::<Vec<_>>();
    assert_eq!(numbers(&alone), (0..17).collect::<Vec<u64>>());
    for part in &parts {
        for episode in part.episodes() {
            let whole = &alone.episodes()[episode.number as usize];
            for (a, b) in episode.rows().zip(whole.rows()) {
                assert_eq!(
                    part.observations().row_f32(a),
                    alone.observations().row_f32(b)
                );
            }
        }
    }
    let mut shared: Vec<u64> = parts.iter().flat_map(numbers).collect();
    shared.sort_unstable();
    assert_eq!(shared, numbers(&alone));
}

/// Counts its steps, ends or breaks when told to.
#[derive(Clone)]
struct Clockwork {
    at: f32,
    ends_at: f32,
    breaks_at: f32,
}

impl Environment for Clockwork {
    fn observation_spec(&self) -> ObservationSpec {
        ObservationSpec::vector(1)
    }

    fn action_spec(&self) -> ActionSpec {
        ActionSpec::symmetric(1, 1.0)
    }

    fn reset(&mut self, _rng: &mut Rng) -> Observation {
        self.at = 0.0;
        Observation::F32(vec![0.0])
    }

    fn step(&mut self, _action: &[f32]) -> Result<Successor<Observation>, StepError> {
        self.at += 1.0;
        if self.at >= self.breaks_at {
            let what = "the spring".to_owned();
            return Err(StepError::Unstable { what });
        }
        let seen = Observation::F32(vec![self.at]);
        if self.at >= self.ends_at {
            Ok(Successor::Terminal(seen))
        } else {
            Ok(Successor::Continue(seen))
        }
    }
}

struct At(f32);

impl GoalSource for At {
    fn dims(&self) -> usize {
        1
    }

    fn goal(&self, _episode: u64, _rng: &mut Rng) -> Vec<f32> {
        vec![self.0]
    }
}

/// One episode of a clockwork with horizon 10 and a tail of 4 after everything.
fn one_episode(goal: f32, ends_at: f32, breaks_at: f32) -> Trajectories {
    let make = || Clockwork {
        at: 0.0,
        ends_at,
        breaks_at,
    };
    let space = GoalSpace::full_state(&make().observation_spec()).unwrap();
    let actor = Uniform(make().action_spec());
    let task = Task {
        space: &space,
        distance: &Euclidean,
        radius: 0.5,
    };
    let plan = Plan {
        streams: STREAMS,
        actor: &actor,
        goals: &At(goal),
        task: Some(task),
        horizon_steps: 10,
        tail: Tail::FirstEpisodes {
            tail_steps: 4,
            episodes: u64::MAX,
        },
        waypoints: None,
    };
    Threads::new(1, make).run(&[0], &plan).unwrap()
}

#[test]
fn an_episode_ends_as_it_should() {
    const NEVER: f32 = 1e9;
    // goal, ends at, breaks at → end, policy steps, tail steps, whether the world terminated, instabilities
    let trials = [
        ((3.0, NEVER, NEVER), (End::Reached, 3, 4, false, 0)),
        ((NEVER, NEVER, NEVER), (End::Horizon, 10, 4, false, 0)),
        ((10.0, NEVER, NEVER), (End::Reached, 10, 4, false, 0)), // on the last permitted step
        ((NEVER, 6.0, NEVER), (End::Terminal, 6, 0, true, 0)),
        ((6.0, 6.0, NEVER), (End::Reached, 6, 0, true, 0)), // reached in the fall
        ((NEVER, 12.0, NEVER), (End::Horizon, 10, 2, true, 0)), // the tail falls
        ((3.0, 5.0, NEVER), (End::Reached, 3, 2, true, 0)), // … after a success
        ((NEVER, NEVER, 5.0), (End::Unstable, 4, 0, false, 1)), // the fifth state is none
        ((3.0, NEVER, 5.0), (End::Reached, 3, 1, false, 1)), // the tail breaks
        ((0.0, NEVER, NEVER), (End::Horizon, 10, 4, false, 0)), // the start is not judged
    ];
    for ((goal, ends, breaks), expected) in trials {
        let seen = one_episode(goal, ends, breaks);
        let [episode] = seen.episodes() else {
            panic!("one episode");
        };
        let found = (
            episode.end,
            episode.policy_steps,
            episode.tail_steps,
            episode.is_terminal,
            episode.instabilities,
        );
        assert_eq!(found, expected, "goal {goal}");
        let (policy, tail) = (episode.policy_steps, episode.tail_steps);
        // Every state was stored, once and in order.
        let rows: Vec<f32> = (0..=policy + tail).map(|k| k as f32).collect();
        assert_eq!(seen.observations().as_f32(), Some(&rows[..]));
        assert_eq!(seen.actions().len(), policy + tail);
        assert_eq!(episode.tail_rows().start, episode.policy_rows().end - 1);
        assert_eq!(episode.rows().end, episode.tail_rows().end);
        assert_eq!(episode.tail_rows_within(tail + 1), episode.tail_rows());
        assert_eq!(episode.tail_rows_within(1).len(), tail.min(1) + 1);
    }
}

/// Waves are max(8, ⌈missing ÷ horizon⌉) episodes.
#[test]
fn batches_are_whole_waves() {
    let make = |ends_at| {
        move || Clockwork {
            at: 0.0,
            ends_at,
            breaks_at: 1e9,
        }
    };
    let actor = Uniform(ActionSpec::symmetric(1, 1.0));
    let plan = goalless(&actor, 10);
    let episodes = |ends_at, steps| {
        let batch = collect(&mut Threads::new(1, make(ends_at)), &plan, steps);
        batch.episodes().len()
    };
    assert_eq!(episodes(1e9, 1_000), 100);
    assert_eq!(episodes(1e9, 1), 8);
    // Episodes of 5: 100 give 500, 50 give 250, 25 give 125, 13 give 65, 8 give 40, 8 more.
    assert_eq!(episodes(5.0, 1_000), 100 + 50 + 25 + 13 + 8 + 8);
    assert_eq!(episodes(1e9, 0), 0);
}

/// A policy that is not finite stops the rollout, and is named by episode and step.
#[test]
fn what_does_not_fit_is_refused() {
    struct Broken;
    impl Actor for Broken {
        fn check(
            &self,
            _: &ObservationSpec,
            _: usize,
            _: &ActionSpec,
        ) -> Result<(), isochrone::policy::PolicyError> {
            Ok(())
        }
        fn act(&self, _: &Observation, _: &[f32], _: &mut Rng, _: &mut Vec<f32>, a: &mut [f32]) {
            a.fill(f32::NAN);
        }
    }
    let make = || Point::new(vec![1.0; 2]);
    let run = |actor: &dyn Actor, horizon_steps| {
        let plan = goalless(actor, horizon_steps);
        let mut source = Threads::new(2, make);
        source.run(&[4, 5], &plan).unwrap_err().to_string()
    };
    assert_eq!(
        run(&Broken, 5),
        "episode 4, step 0: entry 0 of the action is NaN"
    );
    assert_eq!(run(&Broken, 0), RolloutError::NoHorizon.to_string());
    assert_eq!(
        run(&random_policy(InputRow::plain(3, 0), 2), 5),
        "the policy takes 3 inputs; the observation has 4 and the goal 0"
    );
}

/// Only training draws from training's streams: the same numbers, other episodes.
#[test]
fn every_phase_has_streams_of_its_own() {
    let actor = Uniform(Point::new(vec![1.0; 2]).action_spec());
    let run = |phase| {
        let plan = Plan {
            streams: Streams { phase, ..STREAMS },
            ..goalless(&actor, 5)
        };
        let mut source = Threads::new(1, || Point::new(vec![1.0; 2]));
        source.run(&[0], &plan).unwrap()
    };
    let phases = [Phase::Train, Phase::Evaluate, Phase::Label, Phase::Gather];
    for (at, phase) in phases.into_iter().enumerate() {
        for other in &phases[..at] {
            assert_ne!(run(phase).actions(), run(*other).actions());
        }
    }
}

/// A rank that fails tells the others, which would wait for its steps for ever.
#[test]
fn a_rank_that_fails_ends_them_all() {
    struct Mute;
    impl GoalSource for Mute {
        fn dims(&self) -> usize {
            2
        }
        fn goal(&self, episode: u64, _rng: &mut Rng) -> Vec<f32> {
            let value = if episode == 1 { f32::NAN } else { 0.0 };
            vec![value; 2]
        }
    }
    let actor = Uniform(Point::new(vec![1.0; 2]).action_spec());
    let plan = Plan {
        goals: &Mute,
        ..goalless(&actor, 20)
    };
    let ranks = ThreadComm::group(2);
    let run = |comm: &dyn Comm| {
        let mut source = Threads::new(2, || Point::new(vec![1.0; 2]));
        let shards = Shards::new(2, 2).unwrap();
        let batch = collect_batch(&mut source, &plan, 333, comm, shards);
        batch.unwrap_err().to_string()
    };
    let told: Vec<String> = std::thread::scope(|scope| {
        let workers: Vec<_> = ranks.iter().map(|comm| scope.spawn(|| run(comm))).collect();
        workers.into_iter().map(|w| w.join().unwrap()).collect()
    });
    assert_eq!(told[1], "episode 1: entry 0 of its goal is not finite");
    assert_eq!(
        told[0],
        "rank 1 aborted the run: episode 1: entry 0 of its goal is not finite"
    );
}

/// Says nothing for some of its lanes.
struct Silent(Copies<Point>, usize);

impl VectorEnvironment for Silent {
    fn observation_spec(&self) -> ObservationSpec {
        self.0.observation_spec()
    }
    fn action_spec(&self) -> ActionSpec {
        self.0.action_spec()
    }
    fn lanes(&self) -> usize {
        self.1
    }
    fn reset(&mut self, lane: usize, rng: &mut Rng) -> Observation {
        self.0.reset(lane, rng)
    }
    fn step(
        &mut self,
        actions: &[(usize, &[f32])],
    ) -> Vec<Result<Successor<Observation>, StepError>> {
        self.0.step(&actions[1..])
    }
}

#[test]
fn environments_that_do_not_keep_their_word_are_refused() {
    let point = || Point::new(vec![1.0; 2]);
    let actor = Uniform(point().action_spec());
    let space = GoalSpace::full_state(&ObservationSpec::vector(2)).unwrap();
    let plan = goalless(&actor, 20);
    let lanes = |count| {
        let mut source = Lockstep::new(Silent(Copies::new(3, point), count));
        source.run(&[0, 1, 2, 3], &plan).unwrap_err().to_string()
    };
    assert_eq!(lanes(3), "3 environments were stepped, 2 answered");
    assert_eq!(lanes(0), "there are no environments to step");
    let goals = GoalRange::new(vec![0.0; 2], vec![1.0; 2]).unwrap();
    let task = |radius| Task {
        space: &space,
        distance: &Euclidean,
        radius,
    };
    let told = |radius| {
        let plan = Plan {
            goals: &goals,
            task: Some(task(radius)),
            ..plan
        };
        let mut source = Threads::new(1, URoom::default);
        source.run(&[0], &plan).unwrap_err().to_string()
    };
    assert_eq!(
        told(f64::NAN),
        "the radius of the task is NaN; it must be above 0"
    );
    let plan = Plan {
        goals: &goals,
        task: Some(task(1.0)),
        ..plan
    };
    let told = Threads::new(1, point).run(&[0], &plan).unwrap_err();
    assert_eq!(
        told.to_string(),
        "the task is about observations of 2 entries, the world shows 4"
    );
}

/// A world that panics is an error of the rollout, and nobody waits for its episode.
#[test]
fn a_panic_in_a_world_is_told() {
    struct Fragile(Point);
    impl Environment for Fragile {
        fn observation_spec(&self) -> ObservationSpec {
            self.0.observation_spec()
        }
        fn action_spec(&self) -> ActionSpec {
            self.0.action_spec()
        }
        fn reset(&mut self, rng: &mut Rng) -> Observation {
            assert!(rng.random::<f32>() < 0.8, "this world is fragile");
            self.0.reset(rng)
        }
        fn step(&mut self, action: &[f32]) -> Result<Successor<Observation>, StepError> {
            self.0.step(action)
        }
    }
    let actor = Uniform(Point::new(vec![1.0; 2]).action_spec());
    let plan = goalless(&actor, 20);
    let mut source = Threads::new(3, || Fragile(Point::new(vec![1.0; 2])));
    let told = collect_alone(&mut source, &plan, 10_000);
    assert_eq!(told.unwrap_err(), RolloutError::Panicked);
}

/// However wide the radius is, a goal that cannot be is not reached; the others are at once.
#[test]
fn what_cannot_be_is_not_reached() {
    let point = || Point::new(vec![1.0; 2]);
    let actor = Uniform(point().action_spec());
    let goals = GoalRange::new(vec![0.0; 2], vec![1.0; 2]).unwrap();
    let space = GoalSpace::entries(&[0, 1], &point().observation_spec()).unwrap();
    let distance = FeasibleEuclidean::new(std::sync::Arc::new(|goal: &[f32]| goal[0] < 0.0));
    let task = Task {
        space: &space,
        distance: &distance,
        radius: 100.0,
    };
    let plan = Plan {
        goals: &goals,
        task: Some(task),
        ..goalless(&actor, 20)
    };
    let episodes: Vec<u64> = (0..40).collect();
    let seen = Threads::new(1, point).run(&episodes, &plan).unwrap();
    let is_reached = |episode: &Episode| episode.end == End::Reached;
    for episode in seen.episodes() {
        assert_eq!(is_reached(episode), episode.goal[0] < 0.0, "{episode:?}");
    }
    assert!(seen.episodes().iter().any(is_reached));
    assert!(!seen.episodes().iter().all(is_reached));
}
