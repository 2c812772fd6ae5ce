//! Judges of distances, held against SciPy, exact chains and closed forms.

use crate::worlds::{any_chain, paper_maze, rho};
use isochrone::evaluate::*;
use isochrone::markov::*;
use isochrone::maze::{Maze, Moves, WallRule};
use isochrone::rng::Seed;
use proptest::collection::vec;
use proptest::prelude::*;

/// The classic four rooms: 104 states.
const FOUR_ROOMS: &str = "\
#############\n\
#.....#.....#\n\
#.....#.....#\n\
#...........#\n\
#.....#.....#\n\
#.....#.....#\n\
##.####.....#\n\
#.....###.###\n\
#.....#.....#\n\
#.....#.....#\n\
#...........#\n\
#.....#.....#\n\
#############";

/// scipy.stats.spearmanr and pearsonr 1.17.
#[test]
fn correlations_are_scipys_ties_included() {
    let cases: [(&[f64], &[f64], f64, f64); 3] = [
        (
            &[1.0, 2.0, 2.0, 3.0, 5.0, 5.0, 5.0, 9.0],
            &[2.0, 1.0, 4.0, 4.0, 3.0, 9.0, 7.0, 7.0],
            0.714_409_749_738_737_8,
            0.682_977_441_955_526_7,
        ),
        (
            &[0.5, -1.25, 3.0, 3.0, 7.5, 0.5, 2.0, 2.0, 2.0, 11.0],
            &[1.0, 0.0, 0.0, 5.0, 5.0, 5.0, -2.0, 4.0, 4.0, 3.0],
            0.248_427_672_955_974_84,
            0.299_640_829_377_577_7,
        ),
        (
            &[3.0, 3.0, 3.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0, 4.0, 4.0, 8.0],
            &[1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0],
            0.106_501_608_403_782_28,
            0.283_372_168_476_788_9,
        ),
    ];
    for (a, b, by_rank, by_value) in cases {
        assert!((spearman(a, b).unwrap().unwrap() - by_rank).abs() < 1e-14);
        assert!((pearson(a, b).unwrap().unwrap() - by_value).abs() < 1e-14);
    }
    assert_eq!(
        average_ranks(cases[1].0),
        [2.5, 1.0, 7.5, 7.5, 9.0, 2.5, 5.0, 5.0, 5.0, 10.0]
    );
}

#[test]
fn correlations_refuse_and_abstain() {
    // 0.1 + 0.1 + 0.1 over three is not 0.1: constants are recognised all the same.
    assert_eq!(pearson(&[0.1; 3], &[1.0, 2.0, 3.0]), Ok(None));
    assert_eq!(spearman(&[1.0, 2.0], &[7.0, 7.0]), Ok(None));
    let huge = pearson(&[1e300, -1e300, 5e299], &[1e-300, -1e-300, 5e-301]);
    assert!((huge.unwrap().unwrap() - 1.0).abs() < 1e-14);
    let told = |refused: Result<Option<f64>, AssessError>| refused.unwrap_err().to_string();
    assert_eq!(
        told(spearman(&[1.0], &[1.0])),
        "values to correlate: 1 given, at least 2 needed"
    );
    assert_eq!(
        told(pearson(&[1.0, 2.0], &[1.0])),
        "values to correlate: 1 given, 2 expected"
    );
    assert_eq!(
        told(spearman(&[1.0, f64::NAN], &[1.0, 2.0])),
        "value number 1 is NaN, which is not finite"
    );
}

fn matrix_pairs(predicted: &Mat<f64>, exact: &Mat<f64>) -> Vec<JudgedPair> {
    let n = exact.nrows();
    let pair = |at: usize| JudgedPair {
        goal: at / n,
        predicted: predicted[(at % n, at / n)],
        exact: exact[(at % n, at / n)],
    };
    (0..n * n).map(pair).collect()
}

fn shortest_paths(chain: &Chain) -> Mat<f64> {
    let n = chain.n_states();
    let mut steps = Mat::zeros(n, n);
    for goal in 0..n {
        for (state, fewest) in steps_to(chain, goal).into_iter().enumerate() {
            steps[(state, goal)] = f64::from(fewest);
        }
    }
    steps
}

fn straight_lines(maze: &Maze) -> Mat<f64> {
    let place = |state| {
        let cell = maze.cell(state);
        (cell.column as f64, cell.row as f64)
    };
    Mat::from_fn(maze.n_states(), maze.n_states(), |i, j| {
        let ((x, y), (u, v)) = (place(i), place(j));
        (x - u).hypot(y - v)
    })
}

fn descend(chain: &Chain, d: &Mat<f64>) -> Descent {
    let column = |goal| (0..d.nrows()).map(|state| d[(state, goal)]).collect();
    descent(chain, Goals::All, column).unwrap()
}

/// The same quantities measured by other code (NumPy and SciPy): global Spearman against shortest paths and the success
/// of a walker who stops where no neighbour is nearer, to the digits that were written down.
#[test]
fn mazes_score_as_they_did_elsewhere() {
    let five = Maze::open(5, 5).unwrap();
    let rooms: Maze = FOUR_ROOMS.parse().unwrap();
    // Straight lines, commute times, passage times: (Spearman, success).
    let known = [
        (&five, [(0.973, 1.00), (0.909, 1.00), (0.763, 1.00)]),
        (&rooms, [(0.917, 0.60), (0.941, 0.85), (0.881, 1.00)]),
    ];
    for (maze, expected) in known {
        let chain = maze.chain(Moves::UNIFORM, WallRule::Stay).unwrap();
        let passage = passage_times(&chain);
        let truth = shortest_paths(&chain);
        let judged = [straight_lines(maze), commute_times(&passage), passage];
        for (d, (rank, success)) in judged.iter().zip(expected) {
            let found = against_truth(&matrix_pairs(d, &truth)).unwrap();
            assert!((found.spearman.unwrap() - rank).abs() < 6e-4, "{found:?}");
            assert!((descend(&chain, d).downhill - success).abs() < 6e-3);
        }
    }
}

/// Field note (a): passage times rank states well for one goal and badly across goals.
#[test]
fn per_goal_ranks_are_not_the_global_one() {
    let chain = paper_maze(Moves::UNIFORM, WallRule::Stay);
    // Equal by symmetry, and but for rounding.
    let passage = passage_times(&chain);
    let passage = Mat::from_fn(25, 25, |i, j| (1e9 * passage[(i, j)]).round());
    let found = against_truth(&matrix_pairs(&passage, &shortest_paths(&chain))).unwrap();
    let goals = found.per_goal.unwrap();
    assert_eq!((found.n_pairs, found.n_at_goal), (600, 25));
    assert_eq!((goals.n_goals, goals.n_unranked), (25, 0));
    let of_all = found.spearman.unwrap();
    assert!((goals.mean - 0.946).abs() < 6e-4, "{}", goals.mean);
    assert!((of_all - 0.763).abs() < 6e-4, "{of_all}");
    assert!(goals.min <= goals.mean);
}

#[test]
fn a_rescaled_truth_is_wrong_in_scale_only() {
    let chain = paper_maze(Moves::NORTH_EAST, WallRule::Stay);
    let truth = commute_times(&passage_times(&chain));
    let n = chain.n_states();
    let half = Mat::from_fn(n, n, |i, j| truth[(i, j)] / 2.0);
    let found = against_truth(&matrix_pairs(&half, &truth)).unwrap();
    for r in [found.spearman, found.pearson] {
        assert!((r.unwrap() - 1.0).abs() < 1e-12);
    }
    assert!((found.per_goal.unwrap().min - 1.0).abs() < 1e-12);
    assert!((found.median_ratio - 0.5).abs() < 1e-15);
    assert!((found.median_relative_error - 0.5).abs() < 1e-15);
    assert!((found.mean_relative_error - 0.5).abs() < 1e-12);
    assert!(found.median_scaled_error.unwrap() < 1e-15 && found.ratio_cv.unwrap() < 1e-12);
    assert_eq!(found.nearest.share(), Some(0.0));
    assert_eq!(found.bands.iter().map(|b| b.n_pairs).sum::<usize>(), 600);
    for pair in found.bands.windows(2) {
        assert!(pair[0].exact_to < pair[1].exact_from);
    }
    // Turned upside down, every pair that can be ranked is ranked wrong.
    let inverse = Mat::from_fn(n, n, |i, j| -truth[(i, j)]);
    let found = against_truth(&matrix_pairs(&inverse, &truth)).unwrap();
    assert_eq!(found.nearest.share(), Some(1.0));
    assert!((found.spearman.unwrap() + 1.0).abs() < 1e-12);
}

#[test]
fn truth_is_refused_or_left_open_by_place() {
    let pair = |goal, predicted, exact| JudgedPair {
        goal,
        predicted,
        exact,
    };
    let found = against_truth(&[pair(0, 1.0, 1.0), pair(0, 1.0, 2.0), pair(1, 1.0, 3.0)]).unwrap();
    assert_eq!((found.spearman, found.per_goal), (None, None));
    assert_eq!(found.nearest.share(), Some(0.5), "a tie is half wrong");
    let told = |pairs: &[JudgedPair]| against_truth(pairs).unwrap_err().to_string();
    assert_eq!(
        told(&[pair(0, 1.0, 1.0), pair(0, 0.0, 0.0)]),
        "pairs at a distance: 1 given, at least 2 needed"
    );
    assert_eq!(
        told(&[pair(0, 1.0, 1.0), pair(0, 1.0, -2.0)]),
        "exact distance number 1 is -2: it must not be negative"
    );
    assert_eq!(
        told(&[pair(0, 1.0, f64::INFINITY)]),
        "exact distance number 0 is inf, which is not finite"
    );
}

/// Exact commute times lead everywhere in the uniform maze. With drift they do not: they are dominated by how rarely
/// a place is visited, and the hardest goal is the rarest state, the corner the drift leads away from.
#[test]
fn descent_on_exact_commute_times() {
    let uniform = paper_maze(Moves::UNIFORM, WallRule::Stay);
    let found = descend(&uniform, &commute_times(&passage_times(&uniform)));
    assert_eq!(
        (found.n_pairs, found.n_reached, found.n_downhill),
        (600, 600, 600)
    );
    assert_eq!(
        found.stretch,
        Some(Stretch {
            mean: 1.0,
            max: 1.0
        })
    );

    let drift = paper_maze(Moves::NORTH_EAST, WallRule::Stay);
    let rho = rho(&drift);
    let found = descend(&drift, &commute_times(&passage_times(&drift)));
    assert_eq!((found.n_pairs, found.n_reached), (600, 545));
    let rarest = (0..25).min_by(|&a, &b| rho[a].total_cmp(&rho[b])).unwrap();
    assert_eq!((found.worst_goal, rarest), (20, 20));
    assert!((found.worst_success - 7.0 / 24.0).abs() < 1e-15);
    assert!(found.stretch.unwrap().mean > 1.0);
}

#[test]
fn descent_breaks_ties_by_number_and_gives_up_in_circles() {
    // Three states in a row and a distance that knows nothing: always to the lower neighbour.
    let row = Maze::open(3, 1).unwrap();
    let chain = row.chain(Moves::UNIFORM, WallRule::Stay).unwrap();
    let found = descent(&chain, Goals::All, |_| vec![1.0; 3]).unwrap();
    // To 0 from both, to 1 from both, to 2 from none.
    assert_eq!(
        (found.n_reached, found.n_pairs, found.n_downhill),
        (4, 6, 0)
    );
    assert_eq!((found.worst_goal, found.worst_success), (2, 0.0));

    let told = |d: Vec<f64>| descent(&chain, Goals::All, |_| d.clone()).unwrap_err();
    assert_eq!(
        told(vec![0.0; 2]).to_string(),
        "distances to a goal: 2 given, 3 expected"
    );
    assert_eq!(
        told(vec![0.0, f64::NAN, 1.0]).to_string(),
        "distance to a goal number 1 is NaN, which is not finite"
    );
    let none = Goals::Sample {
        n_goals: 0,
        seed: Seed(0),
    };
    assert!(descent(&chain, none, |_| vec![0.0; 3]).is_err());
}

#[test]
fn sampled_goals_are_a_part_of_all_goals() {
    let rooms: Maze = FOUR_ROOMS.parse().unwrap();
    let chain = rooms.chain(Moves::UNIFORM, WallRule::Stay).unwrap();
    let lines = straight_lines(&rooms);
    let sampled = |n_goals, seed| {
        let mut asked = Vec::new();
        let goals = Goals::Sample { n_goals, seed };
        let found = descent(&chain, goals, |goal| {
            asked.push(goal);
            (0..104).map(|state| lines[(state, goal)]).collect()
        });
        asked.sort_unstable();
        asked.dedup();
        (asked, found.unwrap())
    };
    let (asked, found) = sampled(20, Seed(1));
    assert_eq!((asked.len(), found.n_goals, found.n_pairs), (20, 20, 2060));
    assert_eq!(sampled(20, Seed(1)), (asked.clone(), found.clone()));
    assert_ne!(sampled(20, Seed(2)).0, asked);
    let all = descend(&chain, &lines);
    assert_eq!(sampled(1_000, Seed(1)).1.n_reached, all.n_reached);
    // Twenty goals whose shares spread by some 0.3.
    assert!((found.success - all.success).abs() < 3.0 * 0.3 / 20_f64.sqrt());
}

/// 12.1 % of triples, the worst by 15 %: found by other code for the same matrix.
#[test]
fn the_rho_weighted_target_breaks_triangles() {
    let chain = paper_maze(Moves::NORTH_EAST, WallRule::Stay);
    let rho = rho(&chain);
    let d = rho_weighted_target(&passage_times(&chain), &rho);
    let all = triangle(25, Triples::All, |i, j| d[(i, j)]).unwrap();
    assert_eq!(all.n_triples, 25 * 24 * 23);
    assert!((all.share - 0.121).abs() < 6e-4, "{all:?}");
    let worst = all.worst.unwrap();
    assert!((worst.size - 0.15).abs() < 6e-3);
    let [i, j, k] = worst.states;
    assert!((d[(i, j)] + d[(j, k)] - (1.0 - worst.size) * d[(i, k)]).abs() < 1e-9);
    let sample = Triples::Sample {
        n_triples: 20_000,
        seed: Seed(4),
    };
    let some = triangle(25, sample, |i, j| {
        assert_ne!(i, j);
        d[(i, j)]
    });
    let some = some.unwrap();
    // Three standard deviations of a share of 20,000.
    assert!((some.share - all.share).abs() < 3.0 * (0.121 * 0.879 / 2e4_f64).sqrt());
    assert!(some.worst.unwrap().size <= worst.size);

    let told = triangle(3, Triples::All, |_, _| f64::INFINITY).unwrap_err();
    assert_eq!(
        told.to_string(),
        "side of a triangle number 0 is inf, which is not finite"
    );
    assert!(triangle(2, Triples::All, |_, _| 1.0).is_err());
    let zeros = triangle(3, Triples::All, |_, _| 0.0).unwrap();
    assert_eq!(zeros.n_violations, 0);
}

#[test]
fn epsilon_keeps_its_share_or_says_why_not() {
    let between: Vec<f64> = (1..=1_000).map(f64::from).collect();
    let rule = EpsilonRule::USUAL;
    let near = suggest_epsilon(&between, &[1.0, 2.0, 3.0], rule).unwrap();
    assert_eq!((near.epsilon, near.limit), (51.0, EpsilonLimit::Share));
    assert_eq!((near.share_between, near.share_one_step), (0.05, 1.0));
    assert_eq!((near.floor, near.ceiling), (6.0, 101.0));
    let coarse = suggest_epsilon(&between, &[30.0], rule).unwrap();
    assert_eq!((coarse.epsilon, coarse.limit), (90.0, EpsilonLimit::Floor));
    assert!((coarse.share_between - 0.089).abs() < 1e-12);
    let hopeless = suggest_epsilon(&between, &[400.0], rule).unwrap();
    assert_eq!(hopeless.limit, EpsilonLimit::FloorTooWide);
    assert!(hopeless.share_between > rule.greatest_share);

    let told = |between: &[f64], rule| {
        let refused = suggest_epsilon(between, &[1.0], rule);
        refused.unwrap_err().to_string()
    };
    assert_eq!(
        told(&[], rule),
        "distances between episodes: 0 given, at least 1 needed"
    );
    let wanted_share = 0.2;
    assert_eq!(
        told(
            &[1.0],
            EpsilonRule {
                wanted_share,
                ..rule
            }
        ),
        "wanted share is 0.2: it must be from 0 to the greatest share"
    );
}

#[test]
fn pairs_between_episodes_are_between_episodes() {
    let episode_of = [7, 7, 7, 7, 7, 7, 2, 7, 2, 5];
    let pairs = pairs_between_episodes(&episode_of, 30_000, Seed(3)).unwrap();
    let mut counts = [[0_u32; 10]; 10];
    for &(a, b) in &pairs {
        assert_ne!(episode_of[a], episode_of[b]);
        counts[a][b] += 1;
    }
    // 30,000 ÷ 10 first states, each with three (of episode 7) or eight or nine partners.
    for (first, partner, expected) in [(0, 6, 1_000.0), (6, 0, 375.0), (9, 8, 3_000.0 / 9.0)] {
        let found = f64::from(counts[first][partner]);
        assert!(
            (found - expected).abs() < 5.0 * expected.sqrt(),
            "{found} {expected}"
        );
    }
    assert_eq!(
        pairs_between_episodes(&[4, 4], 1, Seed(0))
            .unwrap_err()
            .to_string(),
        "episodes: 1 given, at least 2 needed"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Ranks see order only. Whole numbers, so that the map is exact and ties stay ties.
    #[test]
    fn spearman_is_blind_to_monotone_maps(pairs in vec((-20..20_i32, -20..20_i32), 2..60)) {
        let (a, b): (Vec<f64>, Vec<f64>) = pairs.iter().map(|&(a, b)| (f64::from(a), f64::from(b))).unzip();
        let rho = spearman(&a, &b).unwrap();
        let cubed: Vec<f64> = a.iter().map(|x| x.powi(3) + 2.0 * x).collect();
        let down: Vec<f64> = b.iter().map(|x| -3.0 * x).collect();
        prop_assert_eq!(spearman(&cubed, &b).unwrap(), rho);
        prop_assert_eq!(spearman(&b, &a).unwrap().is_some(), rho.is_some());
        if let Some(rho) = rho {
            prop_assert!((-1.0..=1.0).contains(&rho));
            prop_assert!((spearman(&a, &down).unwrap().unwrap() + rho).abs() < 1e-12);
            prop_assert!((spearman(&b, &a).unwrap().unwrap() - rho).abs() < 1e-12);
        }
    }

    /// The fewest steps lead along a shortest path. So do passage times arrive, coming nearer all the way:
    /// m(g|s) = 1 + Σ P(k|s) m(g|k) is above its least neighbour.
    #[test]
    fn descent_on_shortest_paths_and_passage_times_always_arrives(chain in any_chain()) {
        let found = descend(&chain, &shortest_paths(&chain));
        prop_assert_eq!(found.n_downhill, found.n_pairs);
        prop_assert_eq!(found.stretch, Some(Stretch { mean: 1.0, max: 1.0 }));
        let found = descend(&chain, &passage_times(&chain));
        prop_assert_eq!(found.n_downhill, found.n_pairs);
        prop_assert!(found.stretch.is_some_and(|stretch| stretch.mean >= 1.0));
    }

    /// Commute times are a metric; passage times, one-way, obey the triangle too: by way of j takes longer.
    #[test]
    fn metrics_have_no_violations(chain in any_chain()) {
        prop_assume!(chain.n_states() > 2);
        let passage = passage_times(&chain);
        for d in [commute_times(&passage), shortest_paths(&chain), passage] {
            let found = triangle(chain.n_states(), Triples::All, |i, j| d[(i, j)]).unwrap();
            prop_assert_eq!(found.n_violations, 0);
        }
    }

    /// The share is kept whatever the distances, ties included, and ε goes with the unit.
    #[test]
    fn epsilon_keeps_the_share_in_any_unit(between in vec(0..50_u32, 1..200), unit in 0.01..100.0_f64) {
        let scaled = |unit: f64| -> Vec<f64> { between.iter().map(|d| unit * f64::from(*d)).collect() };
        let rule = EpsilonRule { floor_factor: 0.0, ..EpsilonRule::USUAL };
        let one = suggest_epsilon(&scaled(1.0), &[1.0], rule).unwrap();
        let other = suggest_epsilon(&scaled(unit), &[unit], rule).unwrap();
        prop_assert!(one.share_between <= rule.wanted_share);
        prop_assert!(share_within(&scaled(1.0), one.ceiling) <= rule.greatest_share);
        prop_assert!((one.share_between - other.share_between).abs() < 1e-12);
        prop_assert!((other.epsilon - unit * one.epsilon).abs() <= 1e-9 * unit);
    }
}
