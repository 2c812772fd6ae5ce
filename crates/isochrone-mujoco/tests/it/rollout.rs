//! Rollouts on the simulator: the number of threads is not in the bytes.

use isochrone::comm::{DEFAULT_SHARDS, Shards, Single};
use isochrone::distance::Euclidean;
use isochrone::env::{ActionSpec, Environment, Observation, ObservationSpec};
use isochrone::policy::{Actor, FrozenPolicy, InputRow, PolicyError};
use isochrone::rng::{Purpose, Rng, Seed};
use isochrone::rollout::{
    Copies, EpisodeSource, Lockstep, Phase, Plan, Streams, Tail, Threads, collect_batch,
};
use isochrone::task::Task;
use isochrone::trajectory::Trajectories;
use isochrone_mujoco::{World, WorldName};

const BATCH_STEPS: usize = 2_000;

fn policy(inputs: InputRow, outputs: usize) -> FrozenPolicy {
    let mut rng = Seed(5).stream(Purpose::Weights, 0, 0);
    FrozenPolicy::untrained(inputs, &[64, 64], outputs, &mut rng).unwrap()
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

fn batch(world: &World, source: &mut dyn EpisodeSource) -> Trajectories {
    let space = world.xy_space().unwrap();
    let goals = world.goal_range().unwrap();
    let actor = policy(
        InputRow::plain(world.observation_spec().len(), 2),
        world.action_spec().len(),
    );
    let plan = Plan {
        streams: Streams {
            seed: Seed(1),
            iteration: 0,
            phase: Phase::Train,
        },
        actor: &actor,
        goals: &goals,
        task: Some(Task {
            space: &space,
            distance: &Euclidean,
            radius: 1.0,
        }),
        horizon_steps: 150,
        tail: Tail::FirstEpisodes {
            tail_steps: 20,
            episodes: u64::MAX,
        },
        waypoints: None,
    };
    let shards = Shards::new(DEFAULT_SHARDS, 1).unwrap();
    collect_batch(source, &plan, BATCH_STEPS, &Single, shards).unwrap()
}

#[test]
fn equal_bytes_for_1_2_4_and_8_threads_on_every_world() {
    for name in WorldName::ALL {
        let world = name.build().unwrap();
        let make = || world.clone();
        let one = batch(&world, &mut Threads::new(1, make));
        assert!(one.policy_steps() >= BATCH_STEPS);
        for threads in [2, 4, 8] {
            let other = batch(&world, &mut Threads::new(threads, make));
            assert!(
                bits(&one) == bits(&other),
                "{name}: {threads} threads differ from one"
            );
        }
    }
}

#[test]
fn threads_and_lanes_give_equal_bytes_on_point_mass_and_ants() {
    for name in WorldName::ALL {
        let world = name.build().unwrap();
        let make = || world.clone();
        let threads = batch(&world, &mut Threads::new(2, make));
        let lanes = batch(&world, &mut Lockstep::new(Copies::new(5, make)));
        assert!(bits(&threads) == bits(&lanes), "{name}");
    }
}

/// Pushes with all its strength to one side.
struct Forceful;

impl Actor for Forceful {
    fn check(&self, _: &ObservationSpec, _: usize, _: &ActionSpec) -> Result<(), PolicyError> {
        Ok(())
    }

    fn act(&self, _: &Observation, _: &[f32], _: &mut Rng, _: &mut Vec<f32>, action: &mut [f32]) {
        action.fill(0.1);
        action[0] = 1.0;
    }
}

/// A batch of somebody who runs into walls. There is no task: no goal ends an episode before the wall is met.
fn forceful_batch(world: &World) -> Trajectories {
    let plan = Plan {
        streams: Streams {
            seed: Seed(1),
            iteration: 0,
            phase: Phase::Train,
        },
        actor: &Forceful,
        goals: &world.goal_range().unwrap(),
        task: None,
        horizon_steps: 150,
        tail: Tail::Off,
        waypoints: None,
    };
    let shards = Shards::new(DEFAULT_SHARDS, 1).unwrap();
    let mut source = Threads::new(1, || world.clone());
    collect_batch(&mut source, &plan, BATCH_STEPS, &Single, shards).unwrap()
}

/// Replays every episode and holds its last state against the last that was seen. Returns the put-backs.
fn replay(name: WorldName, world: &mut World, seen: &Trajectories) -> usize {
    let mut put_backs = 0;
    for episode in seen.episodes() {
        let controls = world.controls_of(seen, episode).unwrap();
        put_backs += controls.put_backs();
        world.replay(&controls);
        let state = world.qpos().iter().chain(world.qvel());
        let last = seen.observations().row_f32(episode.rows().end - 1).unwrap();
        for (found, seen) in state.zip(last) {
            assert_eq!((*found as f32).to_bits(), seen.to_bits(), "{name}");
        }
    }
    put_backs
}

/// The bare engine goes where the rollout went, or the two could not be compared: into walls too.
#[test]
fn the_bare_engine_ends_where_the_rollout_did() {
    for name in WorldName::ALL {
        let mut world = name.build().unwrap();
        let seen = batch(&world, &mut Threads::new(1, || world.clone()));
        replay(name, &mut world, &seen);
        let seen = forceful_batch(&world);
        let put_backs = replay(name, &mut world, &seen);
        // In the thin spiral it meets a wall after 3 m, too slow to get into it.
        let gets_fast =
            matches!(world, World::PointMass(_)) && name != WorldName::PointMassThinSpiral;
        assert_eq!(put_backs > 0, gets_fast, "{name}: {put_backs} put-backs");
    }
}
