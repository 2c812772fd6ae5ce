//! The loop: the same bytes however it is run, and goals that move outwards.

use crate::thread_comm::ThreadComm;
use isochrone::advantage::TimeoutValue;
use isochrone::baseline::BaselineName;
use isochrone::comm::{Comm, DEFAULT_SHARDS, Shards, Single, Workers};
use isochrone::curriculum::{GoalFilter, PooledLabelSpec};
use isochrone::distance::Euclidean;
use isochrone::embedding::{Architecture, DistanceSpec, Head, LearningRate, Objective, Scaling};
use isochrone::env::point::Point;
use isochrone::env::{ActionSpec, Environment, ObservationSpec};
use isochrone::goal::{GoalRange, GoalSpace, Proposals};
use isochrone::goal_generator::{ActionNoiseSpec, FrontierSpec, GanSpec, GeneratorSpec};
use isochrone::learner::{GoalReward, LearnerSpec, SacLearnerSpec, TrpoLearnerSpec};
use isochrone::pairs::{Sampler, Target};
use isochrone::policy::{PolicyInput, Std};
use isochrone::rng::Seed;
use isochrone::rollout::{EpisodeSource, Phase, Plan, Queue, RolloutError, Threads};
use isochrone::train::{
    AgentSpec, DistanceConfig, EpsilonSpec, EvaluationSpec, FeasibleGoals, GoalDistance, GoalSetup,
    HopsFrom, IterationReport, LabelSpec, NoObserver, Observer, PlannerSpec, PredictorData,
    PredictorInput, PredictorSettings, PredictorSpec, RolloutLabelSpec, TargetSpec, TrainPhase,
    Training, TrainingError, TrainingState, UpdateReport, WaypointRegion, WaypointSpec,
};
use isochrone::trajectory::{End, Trajectories};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

fn world() -> Point {
    Point::new(vec![1.0, 1.0])
}

fn spec(generator: GeneratorSpec, labels: LabelSpec) -> AgentSpec {
    AgentSpec {
        seed: Seed(11),
        learner: LearnerSpec::Trpo(TrpoLearnerSpec {
            input: PolicyInput::StateGoal,
            hidden: vec![16],
            std: Std::Learned,
            first_std: 1.0,
            baseline: BaselineName::Linear,
            discount: 0.99,
            lambda: 1.0,
            timeout_value: TimeoutValue::Zero,
            kl_limit: 0.01,
            conjugate_steps: 10,
            damping: 1e-5,
        }),
        horizon_steps: 60,
        batch_steps: 2_000,
        updates_per_iteration: 2,
        distance: within(0.3),
        generator,
        new_goals: 40,
        old_goals: 20,
        archive_spacing_m: 0.1,
        goal_filter: GoalFilter::Off {},
        labels,
        initial_states: 500,
        on_policy_states: 200,
        planner: PlannerSpec::Off {},
        evaluation: EvaluationSpec {
            radius_m: 0.3,
            horizon_steps: 60,
            long_horizon_steps: 0,
            rollouts: 2,
        },
        shards: DEFAULT_SHARDS,
    }
}

/// The loop reads only ε of it: these tests bring distances of their own.
const fn within(radius_m: f64) -> GoalDistance {
    GoalDistance::Euclidean {
        radius_m,
        feasible_goals: FeasibleGoals::Any,
    }
}

fn labels(kind: fn(RolloutLabelSpec) -> LabelSpec, rollouts: u32) -> LabelSpec {
    kind(RolloutLabelSpec {
        rollouts,
        min: 0.1,
        max: 0.9,
    })
}

fn gan() -> GeneratorSpec {
    GeneratorSpec::GoalGan(GanSpec {
        generator_hidden: vec![32],
        discriminator_hidden: vec![32],
        iterations: 30,
        initial_iterations: 30,
        noise_std_m: 0.1,
        ..GanSpec::reference()
    })
}

fn action_noise() -> GeneratorSpec {
    GeneratorSpec::ActionNoise(ActionNoiseSpec::paper(20))
}

fn frontier() -> GeneratorSpec {
    GeneratorSpec::Frontier(FrontierSpec {
        neighbours: 5,
        candidates: 10,
        kept_states: 400,
    })
}

/// What goals are about.
#[derive(Clone, Copy)]
enum Goals {
    Places,
    States,
    /// States of which only the place is proposed.
    StatesAtRest,
}

/// What tells one method from another.
#[derive(Clone)]
struct Method {
    spec: AgentSpec,
    distance: DistanceConfig,
    goals: Goals,
}

impl Method {
    fn straight(generator: GeneratorSpec, labels: LabelSpec) -> Self {
        Self {
            spec: spec(generator, labels),
            distance: DistanceConfig::Given(Arc::new(Euclidean)),
            goals: Goals::Places,
        }
    }

    /// With a distance that is learned.
    fn learned(
        generator: GeneratorSpec,
        data: PredictorData,
        target: Target,
        goals: Goals,
    ) -> Self {
        let inputs = match goals {
            Goals::Places => 2,
            Goals::States | Goals::StatesAtRest => 4,
        };
        let sampler = Sampler::UniformStartThenEnd;
        let predictor = PredictorSpec {
            distance: DistanceSpec {
                objective: Objective::Regression { target, sampler },
                learning_rate: LearningRate::Constant(1e-3),
                ..DistanceSpec::paper(inputs, 60)
            },
            predictor_input: setup(goals).space,
            goals: Proposals::whole(inputs),
            data,
            initial_samples: 1_500,
            initial_epochs: 2,
            replay_states: 0,
        };
        let spec = AgentSpec {
            distance: within(8.0),
            ..spec(generator, labels(LabelSpec::TrainingPaths, 2))
        };
        Self {
            spec,
            distance: DistanceConfig::Learned(Box::new(predictor)),
            goals,
        }
    }
}

fn setup(goals: Goals) -> GoalSetup {
    let world = world();
    let observation = world.observation_spec();
    let grid = (0..25).map(|k| [0.2 * (k % 5) as f32 - 0.4, 0.2 * (k / 5) as f32 - 0.4]);
    let (space, proposals) = match goals {
        Goals::Places => (
            GoalSpace::entries(&[0, 1], &observation).unwrap(),
            Proposals::whole(2),
        ),
        Goals::States => (
            GoalSpace::full_state(&observation).unwrap(),
            Proposals::whole(4),
        ),
        Goals::StatesAtRest => (
            GoalSpace::full_state(&observation).unwrap(),
            Proposals::new(vec![0.0; 4], vec![(0, 0), (1, 1)]).unwrap(),
        ),
    };
    let measured: Vec<usize> = (2..proposals.dims()).collect();
    let half_width = [vec![1.5; 2], vec![0.0; measured.len()]].concat();
    let dims = space.dims();
    GoalSetup {
        action: world.action_spec(),
        range: GoalRange::new(vec![0.0; proposals.dims()], half_width).unwrap(),
        proposals,
        measured,
        place: vec![0, 1],
        coverage_goals: grid
            .map(|goal| [&goal[..], &vec![0.0; dims - 2]].concat())
            .collect(),
        space,
        observation,
        whole_state: None,
        is_feasible: None,
    }
}

fn training(method: Method) -> Training {
    Training::with_distance(method.spec, setup(method.goals), method.distance).unwrap()
}

fn workers(comm: &dyn Comm, threads: usize) -> Workers<'_> {
    Workers {
        comm,
        shards: Shards::new(DEFAULT_SHARDS, 1).unwrap(),
        threads,
    }
}

/// Some iterations from the beginning.
fn run(
    method: Method,
    iterations: usize,
    workers: &Workers<'_>,
) -> (TrainingState, Vec<IterationReport>) {
    let mut source = Threads::new(workers.threads, world);
    let mut training = training(method);
    training
        .prepare(&mut source, workers, &mut NoObserver)
        .unwrap();
    let reports = (0..iterations).map(|_| {
        training
            .iterate(&mut source, workers, &mut NoObserver)
            .unwrap()
    });
    let reports = reports.collect();
    (training.save(), reports)
}

/// The same with everything that the others do not have: a unit that moves, a potential, and whole states seen where goals
/// are places.
fn bootstrapped(generator: GeneratorSpec, data: PredictorData) -> Method {
    let target = Target::Bootstrapped {
        radius: 0.2,
        steps: 15,
    };
    let mut method = Method::learned(generator, data, target, Goals::Places);
    if let DistanceConfig::Learned(predictor) = &mut method.distance {
        predictor.predictor_input = setup(Goals::States).space;
        predictor.goals = setup(Goals::StatesAtRest).proposals;
        predictor.distance.encoder.inputs = 4;
        predictor.distance.encoder.head = Head::Potential;
        predictor.distance.scaling = Scaling::Running;
    }
    method
}

/// Labels of several iterations, a filter of goals, and the difference between goal and state among the policy's inputs.
fn steadier() -> Method {
    let labels = LabelSpec::Pooled(PooledLabelSpec {
        iterations: 2,
        radius_m: 0.2,
        min: 0.1,
        max: 0.9,
    });
    let mut method = Method::straight(gan(), labels);
    method.spec.goal_filter = GoalFilter::NearVisited { radius_m: 0.3 };
    let LearnerSpec::Trpo(learner) = &mut method.spec.learner else {
        unreachable!("the method is TRPO");
    };
    learner.input = PolicyInput::StateGoalDifference;
    method
}

/// The same method with waypoints; so few landmarks that they are thinned.
fn planned(mut method: Method) -> Method {
    method.spec.planner = PlannerSpec::Waypoints(WaypointSpec {
        landmarks: 12,
        spacing: 1.0,
        hop_steps: 10,
        limit_steps: 15,
        tail_steps: 20,
        region: WaypointRegion::Nearest,
        hops_from: HopsFrom::History,
    });
    method
}

/// The same method, with hops that the kept trajectories made, within ε of landmarks.
fn planned_again(method: Method) -> Method {
    let mut method = planned(method);
    if let PlannerSpec::Waypoints(waypoints) = &mut method.spec.planner {
        waypoints.region = WaypointRegion::WithinEpsilon;
        waypoints.hops_from = HopsFrom::Replay;
    }
    method
}

/// A distance that learns from earlier trajectories again, more than are kept, with far pairs, and an ε that follows it.
fn replayed(mut method: Method) -> Method {
    if let DistanceConfig::Learned(predictor) = &mut method.distance {
        predictor.replay_states = 1_000;
        predictor.distance.encoder.architecture = Architecture::Fourier {
            features: 6,
            frequency: 1.5,
            hidden: vec![8],
        };
        predictor.distance.objective = Objective::Regression {
            target: Target::SeparatedWindow {
                steps: 15,
                far_share: 0.5,
            },
            sampler: Sampler::UniformStartThenEnd,
        };
    }
    method.spec.distance = GoalDistance::OnPolicy {
        epsilon_steps: 8.0,
        epsilon: EpsilonSpec::Adaptive {
            max_share: 0.2,
            min_share: 0.05,
            rate: 0.3,
        },
        predictor: PredictorSettings {
            input: PredictorInput::GoalSpace,
            target: TargetSpec::Window { steps: 60 },
            fourier_features: 0,
            fourier_frequency: 1.5,
            hidden: vec![64],
            dims: 20,
            head: Head::Symmetric,
            p: 1.0,
            q: 1.0,
            scaling: Scaling::Off,
            batch: 32,
            learning_rate: 1e-3,
            initial_samples: 1_500,
            initial_epochs: 2,
            replay_states: 1_000,
        },
    };
    method
}

/// The same method by SAC, with a buffer so small that episodes are forgotten.
fn by_sac(mut method: Method) -> Method {
    method.spec.learner = LearnerSpec::Sac(SacLearnerSpec {
        input: PolicyInput::StateGoalDifference,
        hidden: vec![16],
        learning_rate: 1e-3,
        batch: 32,
        tau: 0.01,
        target_entropy: -1.0,
        first_temperature: 0.1,
        discount: 0.95,
        reward: GoalReward::Potential,
        max_distance: 50.0,
        updates_per_step: 0.02,
        warm_up_steps: 500,
        replay_steps: 4_000,
        future_share: 0.4,
        final_share: 0.2,
        random_share: 0.2,
        imitation_weight: 1.0,
    });
    method
}

fn methods() -> [Method; 19] {
    let fresh = labels(LabelSpec::Fresh, 2);
    let paths = labels(LabelSpec::TrainingPaths, 2);
    let off_policy = PredictorData::OffPolicy { tail_steps: 20 };
    let window = Target::Window { steps: 60 };
    let passage = Target::FirstPassage { radius: 0.2 };
    let short = Target::Window { steps: 15 };
    [
        Method::straight(GeneratorSpec::Uniform {}, paths),
        Method::straight(gan(), fresh),
        Method::straight(gan(), paths),
        Method::straight(action_noise(), paths),
        Method::straight(frontier(), paths),
        Method::learned(frontier(), PredictorData::OnPolicy, window, Goals::States),
        Method::learned(gan(), PredictorData::OnPolicy, passage, Goals::Places),
        Method::learned(action_noise(), off_policy, window, Goals::Places),
        Method::learned(gan(), off_policy, short, Goals::States),
        Method::learned(gan(), PredictorData::OnPolicy, window, Goals::StatesAtRest),
        bootstrapped(gan(), off_policy),
        steadier(),
        planned(Method::straight(frontier(), paths)),
        planned(bootstrapped(frontier(), off_policy)),
        replayed(Method::learned(
            gan(),
            PredictorData::OnPolicy,
            window,
            Goals::Places,
        )),
        replayed(planned_again(Method::learned(
            frontier(),
            off_policy,
            short,
            Goals::Places,
        ))),
        by_sac(Method::straight(gan(), fresh)),
        by_sac(planned(Method::learned(
            frontier(),
            off_policy,
            short,
            Goals::Places,
        ))),
        by_sac(planned(bootstrapped(frontier(), off_policy))),
    ]
}

#[test]
fn equal_bytes_for_any_number_of_threads_and_ranks() {
    for method in methods() {
        let alone = run(method.clone(), 2, &workers(&Single, 1));
        assert_eq!(alone, run(method.clone(), 2, &workers(&Single, 3)));
        let (alone, method) = (&alone, &method);
        for ranks in [2, 4] {
            std::thread::scope(|scope| {
                for comm in ThreadComm::group(ranks) {
                    scope.spawn(move || {
                        let shared = run(method.clone(), 2, &workers(&comm, 1));
                        assert_eq!(*alone, shared, "{ranks} ranks");
                    });
                }
            });
        }
    }
}

#[test]
fn a_restored_training_goes_on_as_the_unbroken_one() {
    for method in methods() {
        let workers = workers(&Single, 2);
        let (whole, reports) = run(method.clone(), 3, &workers);
        let (half, _) = run(method.clone(), 1, &workers);
        let mut source = Threads::new(2, world);
        let mut resumed = training(method);
        resumed.restore(&half).unwrap();
        for report in &reports[1..] {
            // Looking moves nothing.
            resumed.evaluate(&mut source, &workers).unwrap();
            resumed.evaluate_planned(&mut source, &workers).unwrap();
            assert_eq!(
                *report,
                resumed
                    .iterate(&mut source, &workers, &mut NoObserver)
                    .unwrap()
            );
        }
        assert_eq!(whole, resumed.save());
    }
}

#[test]
fn goals_move_outwards_and_more_are_reached() {
    let workers = workers(&Single, 2);
    for generator in [gan(), action_noise()] {
        let mut method = Method::straight(generator, labels(LabelSpec::Fresh, 3));
        method.spec.batch_steps = 5_000;
        method.spec.updates_per_iteration = 5;
        let mut source = Threads::new(2, world);
        let mut training = training(method);
        training
            .prepare(&mut source, &workers, &mut NoObserver)
            .unwrap();
        let before = training.evaluate(&mut source, &workers).unwrap();
        for _ in 0..12 {
            let report = training
                .iterate(&mut source, &workers, &mut NoObserver)
                .unwrap();
            assert_eq!(report.updates.len(), 5);
            assert!(report.counters.env_steps > report.counters.steps);
        }
        let after = training.evaluate(&mut source, &workers).unwrap();
        assert!(
            after.mean > before.mean + 0.2,
            "{} to {}",
            before.mean,
            after.mean
        );
    }
}

/// Where every goal is reached at once, episodes have a step each, and random steps after them would be most of the work.
fn assert_bounded(
    mut method: Method,
    tail_steps: usize,
    first_states: usize,
    most_per_update: usize,
) {
    method.spec.distance = within(1e6);
    let per_update = method.spec.batch_steps;
    let (_, reports) = run(method, 1, &workers(&Single, 2));
    let updates = &reports[0].updates;
    assert!(updates.iter().all(|update| update.episodes >= per_update));
    let counters = reports[0].counters;
    let random = (counters.env_steps - counters.steps) as usize;
    // Before the first iteration states of the untrained policy are seen, a batch more than is asked for at the most.
    let most = updates.len() * most_per_update + first_states + per_update;
    assert!(random <= most, "{random} random steps, at most {most}");
    let episodes: usize = updates.iter().map(|update| update.episodes).sum();
    assert!(
        tail_steps * episodes > 2 * most,
        "{episodes} episodes are too few to need a bound"
    );
}

#[test]
fn tails_of_action_noise_are_bounded() {
    let paths = labels(LabelSpec::TrainingPaths, 2);
    let method = Method::straight(action_noise(), paths);
    let AgentSpec {
        batch_steps,
        initial_states,
        ..
    } = method.spec;
    assert_bounded(method, 20, initial_states, 2 * batch_steps);
}

/// Off-policy tails are together no longer than a batch, and the last of them.
#[test]
fn tails_of_off_policy_are_bounded() {
    let data = PredictorData::OffPolicy { tail_steps: 20 };
    let method = Method::learned(gan(), data, Target::Window { steps: 60 }, Goals::Places);
    let most = method.spec.batch_steps + 20;
    assert_bounded(method, 20, 1_500, most);
}

/// A rollout: what it was asked for, and what came of it.
struct Rollout {
    phase: Phase,
    has_waypoints: bool,
    paths: Trajectories,
}

/// Keeps all rollouts of a training.
struct Recorder {
    source: Threads<Point>,
    rollouts: Vec<Rollout>,
}

impl EpisodeSource for Recorder {
    fn observation_spec(&self) -> ObservationSpec {
        self.source.observation_spec()
    }
    fn action_spec(&self) -> ActionSpec {
        self.source.action_spec()
    }
    fn drain(&mut self, queue: &Queue, plan: &Plan<'_>) -> Result<Trajectories, RolloutError> {
        let paths = self.source.drain(queue, plan)?;
        self.rollouts.push(Rollout {
            phase: plan.streams.phase,
            has_waypoints: plan.waypoints.is_some(),
            paths: paths.clone(),
        });
        Ok(paths)
    }
}

/// The rollouts of the first iteration, and those before it.
fn recorded(method: Method) -> Vec<Rollout> {
    let workers = workers(&Single, 1);
    let mut source = Recorder {
        source: Threads::new(1, world),
        rollouts: Vec::new(),
    };
    let mut training = training(method);
    training
        .prepare(&mut source, &workers, &mut NoObserver)
        .unwrap();
    training
        .iterate(&mut source, &workers, &mut NoObserver)
        .unwrap();
    source.rollouts
}

/// Labels say how hard goals are for the agent as it is trained: with its planner, if it has one.
#[test]
fn fresh_labels_are_made_with_the_planner_of_training() {
    let straight = Method::straight(frontier(), labels(LabelSpec::Fresh, 2));
    for (method, has_planner) in [(planned(straight.clone()), true), (straight, false)] {
        let rollouts = recorded(method);
        for phase in [Phase::Train, Phase::Label] {
            let of_phase = rollouts.iter().filter(|rollout| rollout.phase == phase);
            let found: Vec<bool> = of_phase.map(|rollout| rollout.has_waypoints).collect();
            let expected = vec![has_planner; found.len().max(1)];
            assert_eq!(found, expected, "{phase:?}");
        }
    }
}

fn set_planner_tail(method: &mut Method, steps: usize) {
    let PlannerSpec::Waypoints(planner) = &mut method.spec.planner else {
        unreachable!("the method has waypoints");
    };
    planner.tail_steps = steps;
}

/// Tails of the planner follow all episodes, longer ones of action noise a success.
#[test]
fn every_part_gets_the_tails_that_it_asks_for() {
    let paths = labels(LabelSpec::TrainingPaths, 2);
    let mut method = planned(Method::straight(action_noise(), paths));
    set_planner_tail(&mut method, 7);
    let batch_steps = method.spec.batch_steps as u64;
    let mut lengths = BTreeSet::new();
    let rollouts = recorded(method);
    let training = rollouts.iter().filter(|of| of.phase == Phase::Train);
    for episode in training.flat_map(|of| of.paths.episodes()) {
        let noise = episode.end == End::Reached && episode.number < batch_steps.div_ceil(20);
        let expected = match episode.number {
            _ if noise => 20,
            number if number < batch_steps.div_ceil(7) => 7,
            _ => 0,
        };
        assert_eq!(episode.tail_steps, expected, "{episode:?}");
        lengths.insert(expected);
    }
    assert!(lengths.contains(&7) && lengths.contains(&20), "{lengths:?}");
}

/// The predictor learns from as many random steps as it asks for, also where the planner asks for more.
#[test]
fn longer_tails_of_others_do_not_change_the_distance() {
    let report = |planner_steps| {
        let data = PredictorData::OffPolicy { tail_steps: 20 };
        let window = Target::Window { steps: 60 };
        let mut method = planned(Method::learned(frontier(), data, window, Goals::Places));
        method.spec.updates_per_iteration = 1;
        set_planner_tail(&mut method, planner_steps);
        let (_, reports) = run(method, 1, &workers(&Single, 1));
        reports[0].predictor.unwrap()
    };
    assert_eq!(report(20), report(40));
}

/// A pursuit that another training began is begun anew: their landmarks differ, though both are in the same iteration.
#[test]
fn a_pursuit_belongs_to_one_roadmap() {
    let trained = |seed| {
        let paths = labels(LabelSpec::TrainingPaths, 2);
        let mut method = planned(Method::straight(frontier(), paths));
        method.spec.seed = Seed(seed);
        // Landmarks so near to each other that there are several round the start.
        method.spec.distance = within(0.05);
        method.spec.archive_spacing_m = 0.02;
        let (state, _) = run(method.clone(), 1, &workers(&Single, 1));
        let mut training = training(method);
        training.restore(&state).unwrap();
        training
    };
    let (one, other) = (trained(11), trained(12));
    let places = setup(Goals::Places).coverage_goals;
    let mut by_landmark = 0;
    for from in &places {
        let seen = [from[0], from[1], 0.0, 0.0];
        for goal in &places {
            let mut pursuit = one.pursue(&seen, goal).unwrap();
            by_landmark += usize::from(pursuit.waypoint() != goal);
            other.advance(&mut pursuit, &seen).unwrap();
            let anew = other.pursue(&seen, goal).unwrap();
            assert_eq!(pursuit.waypoint(), anew.waypoint(), "{from:?} {goal:?}");
        }
    }
    assert!(by_landmark > 0, "no route has a landmark");
}

/// A point that learns how far things are goes farther than it did, and what it calls reached mostly is.
#[test]
fn a_distance_learned_beside_the_policy_serves_it() {
    let workers = workers(&Single, 2);
    let data = PredictorData::OffPolicy { tail_steps: 40 };
    let window = Target::Window { steps: 60 };
    let mut method = Method::learned(gan(), data, window, Goals::Places);
    method.spec.batch_steps = 5_000;
    method.spec.updates_per_iteration = 5;
    let DistanceConfig::Learned(predictor) = &mut method.distance else {
        panic!("it is learned");
    };
    predictor.initial_samples = 10_000;
    predictor.initial_epochs = 20;
    let mut source = Threads::new(2, world);
    let mut training = training(method);
    let begun = training
        .prepare(&mut source, &workers, &mut NoObserver)
        .unwrap();
    let begun = begun.unwrap();
    assert!(
        begun.loss > 0.0 && begun.mean_distance_steps > 5.0,
        "{begun:?}"
    );
    let before = training.evaluate(&mut source, &workers).unwrap();
    let mut falsely = 0.0;
    for _ in 0..12 {
        let report = training
            .iterate(&mut source, &workers, &mut NoObserver)
            .unwrap();
        let learned = report.predictor.unwrap();
        assert!(learned.pairs > 0 && learned.drift > 0.0, "{learned:?}");
        assert!((0.0..1.0).contains(&learned.sphere_share), "{learned:?}");
        let count = |of: fn(&UpdateReport) -> usize| report.updates.iter().map(of).sum::<usize>();
        let reached = count(|u| u.reached).max(1);
        falsely = count(|u| u.falsely_reached) as f64 / reached as f64;
    }
    let after = training.evaluate(&mut source, &workers).unwrap();
    let (before, after) = (before.mean, after.mean);
    assert!(after > before + 0.2, "{before} to {after}");
    assert!(falsely < 0.5, "{falsely}");
}

/// Where no range is known it is that of the first samples, and it is kept.
#[test]
fn unknown_ranges_are_measured_once() {
    let workers = workers(&Single, 1);
    let data = PredictorData::OffPolicy { tail_steps: 20 };
    let method = Method::learned(gan(), data, Target::Window { steps: 60 }, Goals::States);
    let (state, _) = run(method.clone(), 1, &workers);
    let range = state
        .arrays
        .iter()
        .find(|array| array.name == "goal_range")
        .unwrap();
    let half_width = &range.as_f32().unwrap()[4..];
    assert_eq!(half_width[..2], [1.5, 1.5]);
    assert!(
        half_width[2..].iter().all(|x| (0.01..10.0).contains(x)),
        "{half_width:?}"
    );
    let straight = Training::with_distance(
        method.spec,
        setup(Goals::States),
        DistanceConfig::Given(Arc::new(Euclidean)),
    );
    assert_eq!(straight.unwrap_err(), TrainingError::NothingToMeasure);
}

#[test]
fn an_observer_can_stop_training() {
    struct Impatient(Vec<TrainPhase>);
    impl Observer for Impatient {
        fn phase_begins(&mut self, phase: TrainPhase) {
            self.0.push(phase);
        }
        fn poll(&mut self) -> ControlFlow<()> {
            ControlFlow::Break(())
        }
    }
    let (workers, mut source) = (workers(&Single, 1), Threads::new(1, world));
    let labels = labels(LabelSpec::Fresh, 1);
    let mut training = training(Method::straight(GeneratorSpec::Uniform {}, labels));
    let mut observer = Impatient(Vec::new());
    let stopped = training.iterate(&mut source, &workers, &mut observer);
    assert_eq!(stopped.unwrap_err(), TrainingError::Stopped);
    let phases = [
        TrainPhase::Goals,
        TrainPhase::Rollout,
        TrainPhase::Update,
        TrainPhase::Distance,
    ];
    assert_eq!(observer.0, phases);
}

/// A learner with a replay buffer may owe thousands of updates: it can be stopped between them.
#[test]
fn an_observer_can_stop_the_updates_of_a_replay_learner() {
    struct StopsUpdates(Option<TrainPhase>);
    impl Observer for StopsUpdates {
        fn phase_begins(&mut self, phase: TrainPhase) {
            self.0 = Some(phase);
        }
        fn poll(&mut self) -> ControlFlow<()> {
            match self.0 {
                Some(TrainPhase::Update) => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        }
    }
    let (workers, mut source) = (workers(&Single, 1), Threads::new(1, world));
    let paths = labels(LabelSpec::TrainingPaths, 2);
    let mut method = by_sac(Method::straight(GeneratorSpec::Uniform {}, paths));
    let LearnerSpec::Sac(learner) = &mut method.spec.learner else {
        unreachable!("the method is SAC");
    };
    learner.updates_per_step = 0.5;
    let mut training = training(method);
    let mut observer = StopsUpdates(None);
    let stopped = training.iterate(&mut source, &workers, &mut observer);
    assert_eq!(stopped.unwrap_err(), TrainingError::Stopped);
}

/// With a planner the policy learns from its waypoints; without one the weight changes nothing.
#[test]
fn waypoints_are_imitated_where_there_are_some() {
    let learned = |method: Method, weight: f64| {
        let mut method = by_sac(method);
        let LearnerSpec::Sac(learner) = &mut method.spec.learner else {
            unreachable!("the method is SAC");
        };
        learner.imitation_weight = weight;
        run(method, 2, &workers(&Single, 1)).0
    };
    let paths = labels(LabelSpec::TrainingPaths, 2);
    let alone = Method::straight(frontier(), paths);
    let with_planner = planned(alone.clone());
    assert_eq!(learned(alone.clone(), 0.0), learned(alone, 1.0));
    assert_ne!(
        learned(with_planner.clone(), 0.0),
        learned(with_planner, 1.0)
    );
}

#[test]
fn settings_that_cannot_be_are_named() {
    let mut wrong = spec(gan(), labels(LabelSpec::Fresh, 1));
    let LearnerSpec::Trpo(trpo) = &mut wrong.learner else {
        unreachable!("the method is TRPO");
    };
    trpo.lambda = 1.5;
    assert_eq!(
        wrong.check().unwrap_err().to_string(),
        "lambda is 1.5; it must be from 0 to 1"
    );
    let mut wrong = spec(gan(), labels(LabelSpec::Fresh, 1));
    wrong.batch_steps = 0;
    assert_eq!(
        wrong.check().unwrap_err().to_string(),
        "batch_steps is 0; it must be at least 1 and at most 100000000"
    );
    let mut wrong = spec(gan(), labels(LabelSpec::Fresh, 1));
    wrong.evaluation.long_horizon_steps = 59;
    assert_eq!(
        wrong.check().unwrap_err().to_string(),
        "evaluation.long_horizon_steps is 59; it must be 0 or at least evaluation.horizon_steps (60)"
    );
    wrong.evaluation.long_horizon_steps = 60;
    wrong.check().unwrap();
}

#[test]
fn settings_of_sac_that_cannot_be_are_named() {
    let told = |change: fn(&mut SacLearnerSpec)| {
        let paths = labels(LabelSpec::TrainingPaths, 2);
        let mut method = by_sac(Method::straight(gan(), paths));
        let LearnerSpec::Sac(learner) = &mut method.spec.learner else {
            unreachable!("the method is SAC");
        };
        change(learner);
        method.spec.check().map_err(|error| error.to_string())
    };
    assert_eq!(told(|learner| learner.target_entropy = 0.69), Ok(()));
    assert_eq!(
        told(|learner| learner.target_entropy = 0.7),
        Err("target_entropy is 0.7; it must be finite and at most ln 2 = 0.693, the entropy of uniform actions from -1 to 1"
            .to_owned())
    );
    assert_eq!(
        told(|learner| learner.discount = 1.0),
        Err("discount is 1; it must be at least 0 and below 1, or goals that are never reached have infinite values"
            .to_owned())
    );
}

/// Imitation keeps a table of all pairs of landmarks.
#[test]
fn too_many_landmarks_to_imitate_are_named() {
    let paths = labels(LabelSpec::TrainingPaths, 2);
    let mut method = planned(by_sac(Method::straight(frontier(), paths)));
    let PlannerSpec::Waypoints(planner) = &mut method.spec.planner else {
        unreachable!("the method has a planner");
    };
    planner.landmarks = 2_001;
    assert_eq!(
        method.spec.check().unwrap_err().to_string(),
        "planner.landmarks is 2001; it must be at most 2000 where learner.imitation_weight is above 0"
    );
    let LearnerSpec::Sac(learner) = &mut method.spec.learner else {
        unreachable!("the method is SAC");
    };
    learner.imitation_weight = 0.0;
    method.spec.check().unwrap();
}
