//! Learned distances: against exact targets, against the kernel, and against their own past.

use crate::thread_comm::ThreadComm;
use crate::worlds::{paper_maze, rho, walk};
use isochrone::comm::{Comm, Shards, Single};
use isochrone::distance::Distance;
use isochrone::embedding::{
    Architecture, Diagonal, DistanceSpec, DistanceTrainer, EncoderSpec, Head, LearningRate,
    Objective, Part, Scaling,
};
use isochrone::markov::{Chain, Values, passage_times, window_target};
use isochrone::maze::{Moves, WallRule};
use isochrone::pairs::{Episodes, PairSource, Reservoir, Sampler, Target};
use isochrone::rng::{Purpose, Seed};
use proptest::prelude::*;
use rand::RngExt;

/// Trajectories of a chain as one column of state numbers.
fn column(chain: &Chain, windows: usize, steps: usize, seed: u64) -> Vec<f32> {
    let mut rng = Seed(seed).stream(Purpose::Act, 0, 0);
    let mut states = Vec::new();
    for _ in 0..windows {
        // ρ of the uniform maze is even.
        let start = rng.random_range(0..chain.n_states());
        states.extend(
            walk(chain, start, steps, &mut rng)
                .iter()
                .map(|s| *s as f32),
        );
    }
    states
}

fn whole(states: &[f32], length: usize) -> Episodes<'_> {
    let ranges = (0..states.len() / length).map(|k| k * length..(k + 1) * length);
    Episodes::new(states, 1, ranges.collect()).unwrap()
}

fn lookup(states: usize, dims: usize, head: Head) -> EncoderSpec {
    EncoderSpec {
        inputs: 1,
        architecture: Architecture::Table { states },
        dims,
        head,
    }
}

/// The pairs that samplers draw have the mean lag that the exact formula says.
#[test]
fn samplers_converge_to_the_exact_targets() {
    let chain = paper_maze(Moves::UNIFORM, WallRule::Stay);
    let steps = 10;
    let states = column(&chain, 40_000, steps, 1);
    let episodes = whole(&states, steps + 1);
    for sampler in Sampler::ALL {
        let source = PairSource::new(&episodes, Target::Window { steps }, sampler);
        let pairs = source.epoch(&mut Seed(2).stream(Purpose::Pairs, 0, 0));
        assert!(pairs.len() > 300_000, "{}", pairs.len());
        let (mut sums, mut counts) = (vec![0.0; 25 * 25], vec![0.0; 25 * 25]);
        for pair in &pairs {
            let (i, j) = (states[pair.from] as usize, states[pair.to] as usize);
            // The target is the same both ways.
            let at = i.min(j) * 25 + i.max(j);
            sums[at] += f64::from(pair.lag_steps);
            counts[at] += 1.0;
        }
        let exact = window_target(&chain, &rho(&chain), steps, sampler);
        let mut errors = Vec::new();
        for j in (0..25).filter(|&j| j != 12) {
            let at = j.min(12) * 25 + j.max(12);
            errors.push((sums[at] / counts[at] / exact[(12, j)] - 1.0).abs());
        }
        errors.sort_by(f64::total_cmp);
        // A pair was drawn some hundred times, with a spread of a third of its mean.
        assert!(errors[12] < 0.02, "{sampler:?}: {errors:?}");
    }
}

/// A table fitted to a window's lags gets the window's target: from single pairs, and from all pairs of clips.
#[test]
fn a_table_learns_the_window_target() {
    let target = Target::Window { steps: 10 };
    let sampler = Sampler::UniformStartThenEnd;
    learns_the_window_target(Objective::Regression { target, sampler });
    learns_the_window_target(Objective::Clips { target, frames: 4 });
}

fn learns_the_window_target(objective: Objective) {
    let chain = paper_maze(Moves::UNIFORM, WallRule::Stay);
    let steps = 10;
    let states = column(&chain, 20_000, steps, 3);
    let episodes = whole(&states, steps + 1);
    let spec = DistanceSpec {
        encoder: lookup(25, 20, Head::Symmetric),
        batch: 512,
        learning_rate: LearningRate::Decay {
            from: 0.05,
            to: 0.001,
            steps: 1_500,
        },
        objective,
        ..DistanceSpec::paper(1, steps)
    };
    let mut trainer = DistanceTrainer::new(spec, Seed(0)).unwrap();
    for epoch in 0..4 {
        trainer
            .epoch(&Part::whole(&episodes), epoch, &Single)
            .unwrap();
    }
    let sampler = objective.sampler().unwrap();
    let exact = window_target(&chain, &rho(&chain), steps, sampler);
    let learned = trainer.distance().unwrap();
    let mut errors: Vec<f64> = (0..25)
        .filter(|&j| j != 12)
        .map(|j| (learned.between(&[12.0], &[j as f32]).unwrap() / exact[(12, j)] - 1.0).abs())
        .collect();
    errors.sort_by(f64::total_cmp);
    assert!(errors[12] < 0.03, "{errors:?}");
}

/// A small world of continuous states to learn from.
fn drifting(seed: u64) -> Vec<f32> {
    let mut rng = Seed(seed).stream(Purpose::Act, 1, 0);
    let (mut x, mut y) = (0.0_f32, 0.0_f32);
    let mut states = Vec::new();
    for _ in 0..600 {
        states.extend([x, y, x * y]);
        x = (x + 0.3 * (rng.random::<f32>() - 0.5)).clamp(-1.0, 1.0);
        y = (y + 0.3 * (rng.random::<f32>() - 0.5)).clamp(-1.0, 1.0);
    }
    states
}

fn specs() -> Vec<DistanceSpec> {
    let paper = DistanceSpec {
        learning_rate: LearningRate::Constant(1e-3),
        ..DistanceSpec::paper(3, 50)
    };
    let potential = EncoderSpec {
        head: Head::Potential,
        ..paper.encoder.clone()
    };
    let objective = |target| Objective::Regression {
        target,
        sampler: Sampler::UniformPairs,
    };
    let drawing = Objective::GraphDrawing {
        beta: 2.0,
        lambda: 0.9,
        diagonal: Diagonal::OverDims,
    };
    vec![
        DistanceSpec {
            objective: objective(Target::FirstPassage { radius: 0.2 }),
            p: 2.0,
            q: 2.0,
            ..paper.clone()
        },
        DistanceSpec {
            encoder: potential,
            objective: objective(Target::Bootstrapped {
                radius: 0.2,
                steps: 50,
            }),
            p: 2.0,
            q: 2.0,
            scaling: Scaling::Running,
            ..paper.clone()
        },
        DistanceSpec {
            objective: Objective::Clips {
                target: Target::Window { steps: 50 },
                frames: 8,
            },
            ..paper.clone()
        },
        DistanceSpec {
            objective: objective(Target::SeparatedWindow {
                steps: 50,
                far_share: 0.5,
            }),
            ..paper.clone()
        },
        DistanceSpec {
            objective: drawing,
            p: 2.0,
            ..paper.clone()
        },
        paper,
    ]
}

#[test]
fn stop_and_resume_is_the_unbroken_run_to_the_byte() {
    let states = drifting(1);
    let episodes = Episodes::new(&states, 3, vec![0..250, 250..600]).unwrap();
    for spec in specs() {
        let mut unbroken = DistanceTrainer::new(spec.clone(), Seed(4)).unwrap();
        let mut first = DistanceTrainer::new(spec.clone(), Seed(4)).unwrap();
        for epoch in 0..6 {
            unbroken
                .epoch(&Part::whole(&episodes), epoch, &Single)
                .unwrap();
        }
        for epoch in 0..3 {
            first
                .epoch(&Part::whole(&episodes), epoch, &Single)
                .unwrap();
        }
        let saved = first.save();
        let mut second = DistanceTrainer::new(spec.clone(), Seed(4)).unwrap();
        second.restore(&saved).unwrap();
        if let Some(goals) = first.goals() {
            second.set_goals(goals.clone());
        }
        for epoch in 3..6 {
            second
                .epoch(&Part::whole(&episodes), epoch, &Single)
                .unwrap();
        }
        let bits = |t: &DistanceTrainer| -> Vec<(String, Vec<u8>)> {
            let saved = t.save().into_iter();
            saved.map(|a| (a.name, a.values.to_le_bytes())).collect()
        };
        assert!(bits(&unbroken) == bits(&second), "{:?}", spec.objective);
    }
}

#[test]
fn what_is_learned_gets_smaller_losses() {
    let states = drifting(2);
    let episodes = Episodes::new(&states, 3, vec![0..250, 250..600]).unwrap();
    for spec in specs() {
        let is_bootstrapped = spec.scaling == Scaling::Running;
        let mut trainer = DistanceTrainer::new(spec, Seed(5)).unwrap();
        let first = trainer.epoch(&Part::whole(&episodes), 0, &Single).unwrap();
        let mut last = first;
        for epoch in 1..30 {
            last = trainer
                .epoch(&Part::whole(&episodes), epoch, &Single)
                .unwrap();
        }
        assert!(first.pairs > 0 && last.loss.is_finite());
        // A bootstrapped target moves as it is learned: its loss need not fall.
        assert!(
            is_bootstrapped || last.loss < 0.9 * first.loss,
            "{first:?} {last:?}"
        );
        let learned = trainer.distance().unwrap();
        let (a, b) = (&states[..3], &states[300..303]);
        assert!(learned.symmetric(a, b).unwrap() > 0.0);
        assert!(learned.symmetric(a, a).unwrap() < 1e-3 * learned.symmetric(a, b).unwrap());
    }
}

/// Rescaling the unit moves no prediction.
#[test]
fn running_units_do_not_move_predictions() {
    let states = drifting(3);
    let episodes = Episodes::new(&states, 3, vec![0..300, 300..600]).unwrap();
    // Bootstrapped targets, and lower bounds.
    for number in [1, 3] {
        let spec = DistanceSpec {
            scaling: Scaling::Running,
            learning_rate: LearningRate::Constant(1e-12),
            ..specs().swap_remove(number)
        };
        let mut trainer = DistanceTrainer::new(spec, Seed(6)).unwrap();
        let before = trainer.distance().unwrap();
        trainer.epoch(&Part::whole(&episodes), 0, &Single).unwrap();
        let after = trainer.distance().unwrap();
        for row in (3..600).step_by(50) {
            let goal = &states[3 * row..3 * row + 3];
            let (a, b) = (
                before.between(&states[..3], goal).unwrap(),
                after.between(&states[..3], goal).unwrap(),
            );
            assert!((a - b).abs() < 1e-3 * (1.0 + a.abs()), "{a} {b}");
        }
    }
}

#[test]
fn bad_specs_are_refused_by_field() {
    let paper = DistanceSpec::paper(3, 50);
    let told = |spec: DistanceSpec| DistanceTrainer::new(spec, Seed(0)).unwrap_err().to_string();
    let p = DistanceSpec {
        p: 0.5,
        ..paper.clone()
    };
    assert_eq!(told(p), "p is 0.5; it must be at least 1 and at most 100");
    let q = DistanceSpec {
        q: f32::NAN,
        ..paper.clone()
    };
    assert_eq!(told(q), "q is NaN; it must be above 0 and at most 100");
    let separated = |far_share| Target::SeparatedWindow {
        steps: 50,
        far_share,
    };
    for far_share in [-0.1, 1.5, f32::NAN] {
        let objective = Objective::Regression {
            target: separated(far_share),
            sampler: Sampler::UniformPairs,
        };
        let spec = DistanceSpec {
            objective,
            ..paper.clone()
        };
        let told = told(spec);
        assert!(
            told.starts_with("far_share is ") && told.ends_with("; it must be in 0…1"),
            "{told}"
        );
    }
    let clips = DistanceSpec {
        objective: Objective::Clips {
            target: separated(0.25),
            frames: 8,
        },
        ..paper.clone()
    };
    assert_eq!(
        told(clips),
        "far_share is 0.25; it must be left out: a separated window is not for images or clips"
    );
    let batch = DistanceSpec { batch: 0, ..paper };
    assert_eq!(
        told(batch),
        "batch is 0; it must be at least 1 and at most a million"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    /// Pairs stay within their trajectory, run forward, and are labelled by the first time their end is met.
    #[test]
    fn pairs_keep_their_promises(
        lengths in prop::collection::vec(1_usize..30, 1..8),
        values in 2_u32..6,
        window in 1_usize..12,
        seed in any::<u64>(),
    ) {
        let mut rng = Seed(seed).stream(Purpose::Act, 0, 0);
        let total: usize = lengths.iter().sum();
        let numbers: Vec<u32> = (0..total).map(|_| rng.random_range(0..values)).collect();
        let states: Vec<f32> = numbers.iter().map(|n| *n as f32).collect();
        let mut ranges = Vec::new();
        for length in &lengths {
            let start = ranges.last().map_or(0, |r: &std::ops::Range<usize>| r.end);
            ranges.push(start..start + length);
        }
        let episodes = Episodes::new(&states, 1, ranges.clone()).unwrap();
        for sampler in Sampler::ALL {
            let source = PairSource::new(&episodes, Target::Window { steps: window }, sampler);
            for pair in source.epoch(&mut rng) {
                let (from, to, lag) = (pair.from, pair.to, pair.lag_steps as usize);
                prop_assert!(ranges.iter().any(|r| r.contains(&from) && r.contains(&to)));
                prop_assert!(from < to && to - from <= window && lag >= 1 && from + lag <= to);
                prop_assert!(numbers[from] != numbers[to]);
                prop_assert!(numbers[from + lag] == numbers[to]);
                prop_assert!((from + 1..from + lag).all(|u| numbers[u] != numbers[to]));
                prop_assert!(sampler != Sampler::EachFirstHit || from + lag == to);
            }
        }
    }
}

/// A table of so many states with a potential, for windows of twelve steps.
fn bootstrapped_table(states: usize) -> DistanceSpec {
    DistanceSpec {
        encoder: lookup(states, 8, Head::Potential),
        p: 2.0,
        q: 2.0,
        objective: Objective::Regression {
            target: Target::Bootstrapped {
                radius: 0.1,
                steps: 12,
            },
            sampler: Sampler::UniformStartThenEnd,
        },
        scaling: Scaling::Running,
        ..DistanceSpec::paper(1, 12)
    }
}

/// Times there and back, of a walk that drifts: a table with a potential learns both from windows far shorter than
/// they are, in the right direction.
#[test]
fn bootstrapped_times_have_their_direction() {
    let n = 6;
    let chain = Chain::build(n, Values::Probabilities, |state, row| {
        let (left, right) = (state.saturating_sub(1), (state + 1).min(n - 1));
        row.push((left, 0.3));
        row.push((right, 0.7));
    })
    .unwrap();
    let exact = passage_times(&chain);
    let spec = DistanceSpec {
        batch: 256,
        learning_rate: LearningRate::Decay {
            from: 0.02,
            to: 1e-4,
            steps: 6_000,
        },
        ..bootstrapped_table(n)
    };
    let mut trainer = DistanceTrainer::new(spec, Seed(1)).unwrap();
    let states = column(&chain, 2_000, 12, 1);
    let episodes = whole(&states, 13);
    for epoch in 0.. {
        trainer
            .epoch(&Part::whole(&episodes), epoch, &Single)
            .unwrap();
        if trainer.step() >= 6_000 {
            break;
        }
    }
    let learned = trainer.distance().unwrap();
    for from in 0..n {
        for to in (0..n).filter(|&to| to != from) {
            let found = learned.between(&[from as f32], &[to as f32]).unwrap();
            let ratio = found / exact[(from, to)];
            // One scale serves all times: the shortest ones drown in the error of the longest.
            if exact[(from, to)] < 20.0 {
                assert!(found < 20.0, "{from} → {to}: {found}");
                continue;
            }
            assert!(
                (0.7..1.4).contains(&ratio),
                "{from} → {to}: {found} instead of {}",
                exact[(from, to)]
            );
        }
    }
}

/// Two pairs of states with no way between the pairs: times across grow for as long as they are learned, unless they are
/// told how long is long enough.
#[test]
fn bootstrapped_times_without_end_are_cut() {
    let spec = DistanceSpec {
        batch: 64,
        learning_rate: LearningRate::Constant(0.02),
        ..bootstrapped_table(4)
    };
    let walk = |episode: u8| (0..13_u8).map(move |step| f32::from(2 * (episode % 2) + step % 2));
    let states: Vec<f32> = (0..100).flat_map(walk).collect();
    let episodes = whole(&states, 13);
    let across = |longest_steps: Option<f32>| {
        let mut trainer = DistanceTrainer::new(spec.clone(), Seed(1)).unwrap();
        if let Some(steps) = longest_steps {
            trainer.set_longest(steps);
        }
        let mut targets = Vec::new();
        for epoch in 0..60 {
            targets.push(
                trainer
                    .epoch(&Part::whole(&episodes), epoch, &Single)
                    .unwrap()
                    .mean_target_steps,
            );
        }
        let steps = trainer.distance().unwrap().between(&[0.0], &[2.0]).unwrap();
        (targets, steps)
    };
    let (targets, steps) = across(Some(40.0));
    assert!(targets.iter().all(|mean| *mean <= 40.0), "{targets:?}");
    assert!((30.0..45.0).contains(&steps), "{steps}");
    let (_, steps) = across(None);
    assert!(steps > 80.0, "{steps}");
}

/// Trajectories in eight parts, learned from by one process and by ranks that have some of the parts each.
#[test]
fn slices_give_the_same_bytes_on_any_number_of_ranks() {
    let states: Vec<Vec<f32>> = (0..8).map(|part| drifting(100 + part)).collect();
    let objective = |target| Objective::Regression {
        target,
        sampler: Sampler::UniformStartThenEnd,
    };
    for target in [
        Target::Window { steps: 20 },
        Target::SeparatedWindow {
            steps: 20,
            far_share: 0.5,
        },
        Target::Bootstrapped {
            radius: 0.5,
            steps: 20,
        },
    ] {
        let spec = DistanceSpec {
            objective: objective(target),
            batch: 1_024,
            learning_rate: LearningRate::Constant(1e-3),
            ..DistanceSpec::paper(3, 20)
        };
        let learned = |comm: &dyn Comm| {
            let mut trainer = DistanceTrainer::new(spec.clone(), Seed(5)).unwrap();
            trainer.set_goals(Reservoir::full(states[0].clone(), 3).unwrap());
            let mine = Shards::new(8, comm.size()).unwrap().share_of(comm).unwrap();
            let part = |number: usize| Part {
                number: number as u64,
                episodes: Episodes::new(&states[number], 3, vec![0..300, 300..600]).unwrap(),
            };
            let parts: Vec<Part<'_>> = mine.map(part).collect();
            for epoch in 0..3 {
                trainer.epoch(&parts, epoch, comm).unwrap();
            }
            assert!(trainer.step() > 3);
            trainer.save()
        };
        let alone = learned(&Single);
        for ranks in [2, 4] {
            std::thread::scope(|scope| {
                let (learned, alone) = (&learned, &alone);
                for comm in ThreadComm::group(ranks) {
                    scope.spawn(move || assert!(learned(&comm) == *alone, "{ranks} ranks"));
                }
            });
        }
    }
}
