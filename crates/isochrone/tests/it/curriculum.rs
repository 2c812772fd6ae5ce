//! Labels, lists, the archive, the queue, and coverage: laws, brute force, and worlds with known answers.

use crate::thread_comm::ThreadComm;
use isochrone::comm::{Comm, Shards, Single};
use isochrone::curriculum::{Archive, Bounds, Difficulty, EachGoal, GoalList, Tallies};
use isochrone::distance::{Distance, Euclidean};
use isochrone::env::grid::{Grid, Start};
use isochrone::env::{ActionSpec, Environment, ObservationSpec};
use isochrone::evaluate::{Coverage, CoveragePlan, coverage};
use isochrone::goal::{GoalRange, GoalSpace};
use isochrone::goal_generator::{ActionNoiseSpec, GoalQueue};
use isochrone::maze::{Maze, Moves, WallRule};
use isochrone::policy::Uniform;
use isochrone::rng::{Purpose, Rng, Seed};
use isochrone::rollout::{EpisodeSource, GoalSource, Phase, Plan, Streams, Tail, Threads};
use isochrone::task::Task;
use isochrone::trajectory::{End, Trajectories};
use proptest::prelude::*;
use rand::RngExt;

fn stream(seed: u64) -> Rng {
    Seed(seed).stream(Purpose::Goals, 0, 0)
}

/// Goals on a coarse lattice, so that many are equal or exactly at a distance that is asked about.
fn lattice(dims: usize, most: usize) -> impl Strategy<Value = Vec<Vec<f32>>> {
    let number = (-6_i32..6).prop_map(|k| k as f32 * 0.25);
    prop::collection::vec(prop::collection::vec(number, dims), 0..most)
}

proptest! {
    /// Every share of successes has one label, the borders are outside, and more successes never make a goal harder.
    #[test]
    fn labels_part_the_rates(min in 0.0..0.9_f64, width in 0.01..1.0_f64, rates in prop::collection::vec(0.0..=1.0_f64, 2..20)) {
        let bounds = Bounds { min, max: (min + width).min(1.0) };
        bounds.check().unwrap();
        prop_assert_eq!(bounds.difficulty(bounds.min), Difficulty::Hard);
        prop_assert_eq!(bounds.difficulty(bounds.max), Difficulty::Easy);
        let mut rates = rates;
        rates.sort_by(f64::total_cmp);
        let rank = |rate: &f64| match bounds.difficulty(*rate) {
            Difficulty::Hard => 0,
            Difficulty::Intermediate => 1,
            Difficulty::Easy => 2,
        };
        prop_assert!(rates.is_sorted_by_key(rank));
        let between = rates.iter().filter(|rate| (bounds.min < **rate) && (**rate < bounds.max));
        let labelled = rates.iter().filter(|rate| rank(rate) == 1);
        prop_assert_eq!(between.count(), labelled.count());
    }

    /// The archive is what comparing each with each gives, whatever the batches.
    #[test]
    fn the_archive_is_the_brute_force_one(
        (dims, batches) in (1_usize..5).prop_flat_map(|dims| {
            (Just(dims), prop::collection::vec(lattice(dims, 30), 1..5))
        }),
        spacing in prop::sample::select(vec![0.0, 0.2, 0.25, 0.3, 0.5, 0.75, 2.0]),
        jitter in prop::bool::ANY,
    ) {
        let mut archive = Archive::new(spacing, dims);
        let mut kept: Vec<Vec<f32>> = Vec::new();
        let mut rng = stream(1);
        for mut batch in batches {
            if jitter {
                batch.iter_mut().flatten().for_each(|x| *x += 0.1 * rng.random::<f32>());
            }
            let far = |goal: &Vec<f32>, from: &[Vec<f32>]| {
                from.iter().all(|other| Euclidean.between(other, goal).unwrap() > spacing)
            };
            let mut fresh: Vec<Vec<f32>> = Vec::new();
            for goal in &batch {
                if far(goal, &fresh) {
                    fresh.push(goal.clone());
                }
            }
            fresh.retain(|goal| far(goal, &kept));
            kept.extend(fresh);
            archive.add(&batch);
        }
        prop_assert_eq!(archive.goals(), kept.concat());
        for (at, goal) in kept.iter().enumerate() {
            for other in &kept[..at] {
                prop_assert!(Euclidean.between(goal, other).unwrap() > spacing);
            }
        }
        // A sample has no goal twice, and all of them if it may.
        let mut all = archive.sample(usize::MAX, &mut rng);
        prop_assert_eq!(archive.sample(3, &mut rng).len(), kept.len().min(3));
        all.sort_by(|a, b| a.partial_cmp(b).unwrap());
        kept.sort_by(|a, b| a.partial_cmp(b).unwrap());
        prop_assert_eq!(all, kept);
    }

    /// An archive that was saved goes on as if it had not been.
    #[test]
    fn archive_and_queue_go_on(first in lattice(2, 40), second in lattice(2, 40)) {
        let mut archive = Archive::new(0.3, 2);
        archive.add(&first);
        let mut other = Archive::new(0.3, 2);
        other.restore(&[archive.save()]).unwrap();
        archive.add(&second);
        other.add(&second);
        prop_assert_eq!(archive, other);

        let spec = ActionNoiseSpec { size: 10, replaced: 4, tolerance: 0.1, tail_steps: 1 };
        let mut queue = GoalQueue::new(spec, 2);
        queue.offer(&first, &mut stream(1));
        let mut other = GoalQueue::new(spec, 2);
        other.restore(&[queue.save()]).unwrap();
        prop_assert_eq!(queue.offer(&second, &mut stream(2)), other.offer(&second, &mut stream(2)));
        prop_assert_eq!(queue, other);
    }

    /// What the queue promises, offer after offer.
    #[test]
    fn the_queue_keeps_its_promises(
        offers in prop::collection::vec(lattice(2, 60), 1..8),
        size in 1_usize..30,
        replaced in 1_usize..10,
        tolerance in prop::sample::select(vec![0.0, 1e-4, 0.25, 0.3]),
        seed in any::<u64>(),
    ) {
        let replaced = replaced.min(size);
        let spec = ActionNoiseSpec { size, replaced, tolerance, tail_steps: 1 };
        spec.check().unwrap();
        let (mut queue, mut rng) = (GoalQueue::new(spec, 2), stream(seed));
        let list = |queue: &GoalQueue| queue.goals().chunks(2).map(<[f32]>::to_vec).collect::<Vec<_>>();
        for candidates in offers {
            let before = list(&queue);
            let taken = queue.offer(&candidates, &mut rng);
            let after = list(&queue);
            // The oldest left, the rest is in its order, and what came stands behind it.
            prop_assert_eq!(after.len(), (before.len() + taken).min(size));
            let stayed = after.len() - taken;
            prop_assert_eq!(&after[..stayed], &before[before.len() - stayed..]);
            prop_assert!(after[stayed..].iter().all(|goal| candidates.contains(goal)));
            // None is there twice.
            for (at, goal) in after.iter().enumerate() {
                prop_assert!(after[..at].iter().all(|other| Euclidean.between(goal, other).unwrap() > tolerance));
            }
            // No more than allowed, and no fewer than possible.
            let most = replaced.max(size - before.len());
            prop_assert!(taken <= most);
            if taken < most {
                let is_there = |goal: &Vec<f32>| {
                    let mut all = before.iter().chain(&after);
                    all.any(|other| Euclidean.between(goal, other).unwrap() <= tolerance)
                };
                prop_assert!(candidates.iter().all(is_there));
            }
            prop_assert_eq!(queue.sample(size, &mut rng).len(), after.len());
        }
    }

    /// What is clipped to a range is in it, and what was in it has not moved.
    #[test]
    fn clipped_goals_are_within(
        sides in prop::collection::vec((-1e3..1e3_f32, 0.0..1e2_f32, -2e3..2e3_f32), 1..5),
    ) {
        let centre = sides.iter().map(|side| side.0).collect();
        let range = GoalRange::new(centre, sides.iter().map(|side| side.1).collect()).unwrap();
        let mut goal: Vec<f32> = sides.iter().map(|side| side.2).collect();
        range.clip(&mut goal);
        prop_assert!(range.contains(&goal));
        let clipped = goal.clone();
        range.clip(&mut goal);
        prop_assert_eq!(goal, clipped);
    }
}

/// Which candidates enter a full queue is left to chance: each as often as any other.
#[test]
fn the_queue_takes_any_candidate_equally_often() {
    let candidates: Vec<Vec<f32>> = (0..20).map(|k| vec![k as f32]).collect();
    let spec = ActionNoiseSpec {
        size: 5,
        replaced: 5,
        tolerance: 0.0,
        tail_steps: 1,
    };
    let (mut rng, mut counts, trials) = (stream(3), [0_u32; 20], 8_000);
    for _ in 0..trials {
        let mut queue = GoalQueue::new(spec, 1);
        assert_eq!(queue.offer(&candidates, &mut rng), 5);
        for goal in queue.goals() {
            counts[*goal as usize] += 1;
        }
    }
    // A quarter of the trials each; 5 standard deviations of a binomial are 194.
    let expected = trials / 4;
    assert!(
        counts.iter().all(|count| count.abs_diff(expected) < 194),
        "{counts:?}"
    );
}

/// A walker that is somewhere in a room after some steps, and goals here and there.
fn room() -> Grid {
    let maze: Maze = ".....\n.###.\n.....\n".parse().unwrap();
    Grid::new(maze, Moves::UNIFORM, WallRule::Stay, Start::Uniform).unwrap()
}

fn goals() -> Vec<Vec<f32>> {
    let mut goals: Vec<Vec<f32>> = (0..5).map(|x| vec![x as f32, 0.0]).collect();
    goals.push(vec![2.0, 1.0]); // inside the wall
    goals.push(goals[1].clone()); // twice
    goals
}

fn with_task<T>(use_it: impl FnOnce(Task<'_>) -> T) -> T {
    let space = GoalSpace::entries(&[0, 1], &room().observation_spec()).unwrap();
    use_it(Task {
        space: &space,
        distance: &Euclidean,
        radius: 0.5,
    })
}

fn attempts(source: &dyn GoalSource, episodes: &[u64]) -> Trajectories {
    let actor = Uniform(room().action_spec());
    with_task(|task| {
        let plan = Plan {
            streams: Streams {
                seed: Seed(4),
                iteration: 1,
                phase: Phase::Label,
            },
            actor: &actor,
            goals: source,
            task: Some(task),
            horizon_steps: 12,
            tail: Tail::Off,
            waypoints: None,
        };
        Threads::new(1, room).run(episodes, &plan).unwrap()
    })
}

/// However the episodes are shared out, the counts add up to the same, and to what a plain count of each goal's
/// episodes says.
#[test]
fn tallies_add_up() {
    let list = GoalList::new(goals()).unwrap();
    let all: Vec<u64> = (0..300).collect();
    let whole = attempts(&list, &all);
    // The last goals are not asked about.
    let asked = &goals()[..4];
    let mut once = Tallies::of_goals(asked);
    once.count(&whole);
    for parts in [2, 3, 7] {
        let mut sums = vec![0.0; once.numbers().len()];
        for part in 0..parts {
            let mine: Vec<u64> = all.iter().copied().filter(|e| e % parts == part).collect();
            let mut tallies = Tallies::of_goals(asked);
            tallies.count(&attempts(&list, &mine));
            for (sum, number) in sums.iter_mut().zip(tallies.numbers()) {
                *sum += number;
            }
        }
        let mut joined = Tallies::of_goals(asked);
        joined.set_numbers(&sums);
        assert_eq!(joined, once);
    }
    let bounds = Bounds { min: 0.0, max: 1.0 };
    let labelled = once.labelled(bounds, 1);
    assert_eq!(labelled.len(), asked.len());
    for (label, goal) in labelled.iter().zip(once.goals()) {
        assert_eq!(label.goal, goal);
        let of_goal = whole.episodes().iter().filter(|e| e.goal == goal);
        let ends: Vec<End> = of_goal.map(|e| e.end).collect();
        let reached = ends.iter().filter(|end| **end == End::Reached).count();
        let rate = reached as f64 / ends.len() as f64;
        assert!((label.success_rate - rate).abs() < 1e-12);
        assert_eq!(label.difficulty, Difficulty::Intermediate, "{label:?}");
    }
}

/// A goal in a wall is hard, one that is given twice is one, and of those hardly tried nothing is said.
#[test]
fn labels_come_from_enough_attempts() {
    let each = EachGoal::new(goals(), 3).unwrap();
    let all: Vec<u64> = (0..each.episodes() as u64).collect();
    let mut tallies = Tallies::of_goals(&goals());
    tallies.count(&attempts(&each, &all));
    let bounds = Bounds { min: 0.1, max: 0.9 };
    let known = tallies.labelled(bounds, 3);
    assert_eq!(known.len(), 6);
    assert_eq!(known[5].goal, [2.0, 1.0]);
    assert_eq!(known[5].difficulty, Difficulty::Hard);
    // The one given twice was tried 6 times.
    let often = tallies.labelled(bounds, 4);
    assert_eq!(often.len(), 1);
    assert_eq!(often[0].goal, goals()[1]);
    assert!(Tallies::of_goals(&goals()).labelled(bounds, 0).is_empty());
}

#[test]
fn a_list_gives_every_goal_equally_often() {
    let list = GoalList::new((0..10).map(|k| vec![k as f32, 1.0]).collect()).unwrap();
    let (mut counts, mut rng, trials) = ([0_u32; 10], stream(5), 40_000);
    for episode in 0..trials {
        counts[list.goal(episode.into(), &mut rng)[0] as usize] += 1;
    }
    // 5 standard deviations of a binomial are 300.
    assert!(
        counts.iter().all(|count| count.abs_diff(trials / 10) < 300),
        "{counts:?}"
    );
    let each = EachGoal::new(list.goals().to_vec(), 3).unwrap();
    let asked = (0..each.episodes() as u64).map(|e| each.goal(e, &mut rng)[0]);
    let expected = (0..10).flat_map(|k| [k as f32; 3]);
    assert!(asked.eq(expected));
}

#[test]
fn bad_lists_and_settings_are_refused() {
    let told = |goals| GoalList::new(goals).unwrap_err().to_string();
    assert_eq!(told(vec![]), "there are no goals");
    assert_eq!(
        told(vec![vec![0.0; 2], vec![0.0; 3]]),
        "goal 1 has 3 numbers where 2 were expected"
    );
    assert_eq!(
        told(vec![vec![0.0, f32::NAN]]),
        "number 1 of goal 0 is not finite"
    );
    let none = EachGoal::new(vec![vec![0.0]], 0).unwrap_err().to_string();
    assert_eq!(
        none,
        "the number of rollouts per goal is 0; it must be at least 1"
    );
    for (min, max) in [
        (0.5, 0.5),
        (0.9, 0.1),
        (-0.1, 0.5),
        (0.1, 1.1),
        (f64::NAN, 1.0),
    ] {
        assert!(Bounds { min, max }.check().is_err(), "{min}, {max}");
    }
    let spec = ActionNoiseSpec::paper(20);
    spec.check().unwrap();
    for bad in [
        ActionNoiseSpec { size: 0, ..spec },
        ActionNoiseSpec { size: 29, ..spec },
        ActionNoiseSpec {
            tail_steps: 0,
            ..spec
        },
        ActionNoiseSpec {
            tolerance: f64::NAN,
            ..spec
        },
    ] {
        assert!(bad.check().is_err(), "{bad:?}");
    }
    // A queue or an archive of another space is not taken.
    let mut archive = Archive::new(0.3, 2);
    assert!(archive.restore(&[Archive::new(0.3, 3).save()]).is_err());
    assert!(archive.restore(&[]).is_err());
    let mut long = GoalQueue::new(spec, 1);
    let many: Vec<Vec<f32>> = (0..40).map(|k| vec![k as f32]).collect();
    assert_eq!(long.offer(&many, &mut stream(1)), 40);
    let short = ActionNoiseSpec { size: 30, ..spec };
    assert!(GoalQueue::new(short, 1).restore(&[long.save()]).is_err());
}

/// Goes one to the right per step.
#[derive(Clone)]
struct Runner(f32);

impl Environment for Runner {
    fn observation_spec(&self) -> ObservationSpec {
        ObservationSpec::vector(1)
    }

    fn action_spec(&self) -> ActionSpec {
        ActionSpec::symmetric(1, 1.0)
    }

    fn reset(&mut self, _rng: &mut Rng) -> isochrone::env::Observation {
        self.0 = 0.0;
        isochrone::env::Observation::F32(vec![0.0])
    }

    fn step(
        &mut self,
        _action: &[f32],
    ) -> Result<isochrone::env::Successor<isochrone::env::Observation>, isochrone::env::StepError>
    {
        self.0 += 1.0;
        let seen = isochrone::env::Observation::F32(vec![self.0]);
        Ok(isochrone::env::Successor::Continue(seen))
    }
}

/// A runner reaches what lies ahead and within the horizon: coverage and steps are known.
#[test]
fn coverage_of_a_runner_is_known() {
    let space = GoalSpace::full_state(&ObservationSpec::vector(1)).unwrap();
    let goals: Vec<Vec<f32>> = [3.0, -1.0, 10.0, 11.0, 1.0].map(|g| vec![g]).to_vec();
    let plan = CoveragePlan {
        goals: &goals,
        task: Task {
            space: &space,
            distance: &Euclidean,
            radius: 0.5,
        },
        horizon_steps: 10,
        long_horizon_steps: 11,
        rollouts: 4,
        seed: Seed(1),
        iteration: 0,
        waypoints: None,
    };
    let actor = Uniform(ActionSpec::symmetric(1, 1.0));
    let shards = Shards::new(64, 1).unwrap();
    let mut source = Threads::new(2, || Runner(0.0));
    let found = coverage(&mut source, &actor, &plan, &Single, shards).unwrap();
    assert_eq!(found.of_goal, [1.0, 0.0, 1.0, 0.0, 1.0]);
    assert!((found.mean - 0.6).abs() < 1e-12);
    // The goal at 11 is reached within the long horizon only.
    assert!((found.long_mean - 0.8).abs() < 1e-12);
    assert_eq!(found.steps, 4 * (3 + 11 + 10 + 11 + 1));
    let nothing = CoveragePlan { goals: &[], ..plan };
    let told = coverage(&mut source, &actor, &nothing, &Single, shards).unwrap_err();
    assert_eq!(told.to_string(), "there are no goals");
}

/// Ranks share the attempts, and all get what one alone gets; where one fails, all do.
#[test]
fn coverage_is_the_same_on_any_number_of_ranks() {
    let goals = goals();
    let cover = |comm: &dyn Comm, horizon_steps| -> Result<Coverage, String> {
        let actor = Uniform(room().action_spec());
        with_task(|task| {
            let plan = CoveragePlan {
                goals: &goals,
                task,
                horizon_steps,
                long_horizon_steps: 0,
                rollouts: 5,
                seed: Seed(2),
                iteration: 7,
                waypoints: None,
            };
            let shards = Shards::new(8, comm.size()).unwrap();
            let mut source = Threads::new(1, room);
            let found = coverage(&mut source, &actor, &plan, comm, shards);
            found.map_err(|error| error.to_string())
        })
    };
    let alone = cover(&Single, 12).unwrap();
    assert!(alone.mean > 0.1 && alone.mean < 0.9, "{alone:?}");
    for size in [2, 4, 8] {
        let ranks = ThreadComm::group(size);
        let found: Vec<_> = std::thread::scope(|scope| {
            let workers: Vec<_> = ranks
                .iter()
                .map(|comm| scope.spawn(|| cover(comm, 12)))
                .collect();
            workers.into_iter().map(|w| w.join().unwrap()).collect()
        });
        assert!(found.iter().all(|found| found.as_ref() == Ok(&alone)));
    }
    let ranks = ThreadComm::group(2);
    let told: Vec<_> = std::thread::scope(|scope| {
        let horizons = [0, 12];
        let workers: Vec<_> = ranks
            .iter()
            .zip(horizons)
            .map(|(comm, horizon)| scope.spawn(move || cover(comm, horizon).unwrap_err()))
            .collect();
        workers.into_iter().map(|w| w.join().unwrap()).collect()
    });
    assert_eq!(told[0], "the horizon is 0 steps");
    assert_eq!(told[1], "rank 0 aborted the run: the horizon is 0 steps");
}
