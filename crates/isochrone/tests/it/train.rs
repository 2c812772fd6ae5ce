//! The loop: the same bytes however it is run, and goals that move outwards.

use isochrone::advantage::{AdvantageSpec, TimeoutValue};
use isochrone::baseline::BaselineName;
use isochrone::comm::threads::ThreadComm;
use isochrone::comm::{Comm, DEFAULT_SHARDS, Shards, Single};
use isochrone::curriculum::{Bounds, GanSpec, QueueSpec};
use isochrone::distance::Euclidean;
use isochrone::env::Environment;
use isochrone::env::point::Point;
use isochrone::goal::{GoalRange, GoalSpace};
use isochrone::policy::Std;
use isochrone::rng::Seed;
use isochrone::rollout::Threads;
use isochrone::train::{
    Blind, EvaluationSpec, Field, Generator, Go, IterationReport, LabelSource, Part, Team,
    TrainError, TrainSpec, Training, TrainingState, Watch,
};
use isochrone::trpo::TrpoSpec;
use std::sync::Arc;

fn world() -> Point {
    Point::new(vec![1.0, 1.0])
}

fn spec(generator: Generator, labels: LabelSource) -> TrainSpec {
    TrainSpec {
        seed: Seed(11),
        hidden: vec![16],
        std: Std::Learned,
        first_std: 1.0,
        baseline: BaselineName::Linear,
        advantage: AdvantageSpec {
            discount: 0.99,
            lambda: 1.0,
            timeout_value: TimeoutValue::Zero,
        },
        trpo: TrpoSpec::default(),
        horizon_steps: 60,
        batch_steps: 2_000,
        updates_per_iteration: 2,
        radius: 0.3,
        generator,
        new_goals: 40,
        old_goals: 20,
        archive_spacing: 0.1,
        labels,
        bounds: Bounds { min: 0.1, max: 0.9 },
        initial_states: 500,
        on_policy_states: 200,
        evaluation: EvaluationSpec {
            radius: 0.3,
            horizon_steps: 60,
            rollouts: 2,
        },
    }
}

fn gan() -> Generator {
    Generator::GoalGan(GanSpec {
        generator_hidden: vec![32],
        discriminator_hidden: vec![32],
        iterations: 30,
        initial_iterations: 30,
        noise_std: 0.1,
        ..GanSpec::default()
    })
}

fn action_noise() -> Generator {
    Generator::ActionNoise {
        queue: QueueSpec::default(),
        tail_steps: 20,
    }
}

fn training(spec: TrainSpec) -> Training {
    let world = world();
    let grid = (0..25).map(|k| [0.2 * (k % 5) as f32 - 0.4, 0.2 * (k / 5) as f32 - 0.4]);
    let field = Field {
        observation: world.observation_spec(),
        action: world.action_spec(),
        space: GoalSpace::entries(&[0, 1], &world.observation_spec()).unwrap(),
        range: GoalRange::new(vec![0.0; 2], vec![1.5; 2]).unwrap(),
        coverage_goals: grid.map(|goal| goal.to_vec()).collect(),
    };
    Training::new(spec, field, Arc::new(Euclidean)).unwrap()
}

fn team(comm: &dyn Comm, threads: usize) -> Team<'_> {
    Team {
        comm,
        shards: Shards::new(DEFAULT_SHARDS, 1).unwrap(),
        threads,
    }
}

/// Some iterations from the beginning.
fn run(
    spec: TrainSpec,
    iterations: usize,
    team: &Team<'_>,
) -> (TrainingState, Vec<IterationReport>) {
    let mut source = Threads::new(team.threads, world);
    let mut training = training(spec);
    training.prepare(&mut source, team, &mut Blind).unwrap();
    let reports = (0..iterations).map(|_| training.iterate(&mut source, team, &mut Blind).unwrap());
    let reports = reports.collect();
    (training.save(), reports)
}

fn methods() -> [TrainSpec; 4] {
    let fresh = LabelSource::Fresh { rollouts: 2 };
    let paths = LabelSource::TrainingPaths { least: 2 };
    [
        spec(Generator::Uniform, paths),
        spec(gan(), fresh),
        spec(gan(), paths),
        spec(action_noise(), paths),
    ]
}

#[test]
fn equal_bytes_for_any_number_of_threads_and_ranks() {
    for spec in methods() {
        let alone = run(spec.clone(), 2, &team(&Single, 1));
        assert_eq!(alone, run(spec.clone(), 2, &team(&Single, 3)));
        let (alone, spec) = (&alone, &spec);
        for ranks in [2, 4] {
            std::thread::scope(|scope| {
                for comm in ThreadComm::group(ranks) {
                    scope.spawn(move || {
                        let shared = run(spec.clone(), 2, &team(&comm, 1));
                        assert_eq!(*alone, shared, "{ranks} ranks");
                    });
                }
            });
        }
    }
}

#[test]
fn a_restored_training_goes_on_as_the_unbroken_one() {
    for spec in methods() {
        let team = team(&Single, 2);
        let (whole, reports) = run(spec.clone(), 3, &team);
        let (half, _) = run(spec.clone(), 1, &team);
        let mut source = Threads::new(2, world);
        let mut resumed = training(spec);
        resumed.restore(&half).unwrap();
        for report in &reports[1..] {
            // Looking moves nothing.
            resumed.evaluate(&mut source, &team).unwrap();
            assert_eq!(
                *report,
                resumed.iterate(&mut source, &team, &mut Blind).unwrap()
            );
        }
        assert_eq!(whole, resumed.save());
    }
}

#[test]
fn goals_move_outwards_and_more_are_reached() {
    let team = team(&Single, 2);
    for generator in [gan(), action_noise()] {
        let spec = TrainSpec {
            batch_steps: 5_000,
            updates_per_iteration: 5,
            ..spec(generator, LabelSource::Fresh { rollouts: 3 })
        };
        let mut source = Threads::new(2, world);
        let mut training = training(spec);
        training.prepare(&mut source, &team, &mut Blind).unwrap();
        let before = training.evaluate(&mut source, &team).unwrap();
        for _ in 0..12 {
            let report = training.iterate(&mut source, &team, &mut Blind).unwrap();
            assert_eq!(report.updates.len(), 5);
            assert!(report.counters.env_steps > report.counters.steps);
        }
        let after = training.evaluate(&mut source, &team).unwrap();
        assert!(
            after.mean > before.mean + 0.2,
            "{} to {}",
            before.mean,
            after.mean
        );
    }
}

#[test]
fn whoever_looks_on_can_stop_it() {
    struct Impatient(Vec<Part>);
    impl Watch for Impatient {
        fn begins(&mut self, part: Part) {
            self.0.push(part);
        }
        fn goes_on(&mut self) -> Go {
            Go::Stop
        }
    }
    let (team, mut source) = (team(&Single, 1), Threads::new(1, world));
    let mut training = training(spec(Generator::Uniform, LabelSource::Fresh { rollouts: 1 }));
    let mut watch = Impatient(Vec::new());
    let stopped = training.iterate(&mut source, &team, &mut watch);
    assert_eq!(stopped.unwrap_err(), TrainError::Stopped);
    assert_eq!(watch.0, [Part::Goals, Part::Rollout, Part::Update]);
}

#[test]
fn settings_that_cannot_be_are_named() {
    let mut wrong = spec(gan(), LabelSource::Fresh { rollouts: 1 });
    wrong.trpo.shrink = 1.0;
    assert_eq!(
        wrong.check().unwrap_err().to_string(),
        "trpo.shrink is 1; it must be between 0 and 1"
    );
    let mut wrong = spec(gan(), LabelSource::Fresh { rollouts: 1 });
    wrong.batch_steps = 0;
    assert_eq!(
        wrong.check().unwrap_err().to_string(),
        "batch_steps is 0; it must be at least 1"
    );
}
