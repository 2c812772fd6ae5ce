//! Do predicted steps come true? Censored lags against closed forms, predictions against exact chains.

use crate::worlds::{draw, paper_maze, rho, walk};
use isochrone::evaluate::*;
use isochrone::markov::*;
use isochrone::maze::{Moves, WallRule};
use isochrone::rng::{Purpose, Seed};
use rand::RngExt;

/// Remission of leukaemia under 6-MP (Freireich and others, 1963), the textbook case: the survival function of
/// scipy.stats.ecdf, and the area under it.
#[test]
fn kaplan_and_meier_on_the_textbook_case() {
    let hit = |lag_steps| Outcome::Hit { lag_steps };
    let censored = |observed_steps| Outcome::Censored { observed_steps };
    let hits = [6, 6, 6, 7, 10, 13, 16, 22, 23].map(hit);
    let others = [6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35].map(censored);
    let found = restricted_mean(&[others.as_slice(), hits.as_slice()].concat()).unwrap();
    assert_eq!(found.horizon_steps, 35);
    assert!((found.unhit - 0.448_179_271_708_683_46).abs() < 1e-14);
    assert!((found.mean_steps - 23.287_394_957_983_19).abs() < 1e-12);
    assert!(restricted_mean(&[]).is_err());
}

/// Geometric lags watched for a random time: E[min(lag, h)] = (1 − (1−p)^h) ÷ p, whatever the watching.
#[test]
fn restricted_means_survive_censoring() {
    let (p, longest) = (0.05_f64, 40);
    let mut rng = Seed(5).stream(Purpose::Assess, 9, 0);
    let lags: Vec<Outcome> = (0..200_000)
        .map(|_| {
            let watched = rng.random_range(1..=longest);
            first_hit(0..watched, |_| rng.random::<f64>() < p)
        })
        .collect();
    let found = restricted_mean(&lags).unwrap();
    let exact = (1.0 - (1.0 - p).powi(longest)) / p;
    assert_eq!(found.horizon_steps, longest.unsigned_abs());
    // min(lag, 40) spreads by 14, and half of the lags are watched to step 20: about 14 ÷ √100,000, four times.
    assert!((found.mean_steps - exact).abs() < 0.18);
    assert!((found.unhit - (1.0 - p).powi(longest)).abs() < 0.01);
    let hits_alone = lags.iter().filter_map(|o| match o {
        Outcome::Hit { lag_steps } => Some(f64::from(*lag_steps)),
        Outcome::Censored { .. } => None,
    });
    let hits_alone: Vec<f64> = hits_alone.collect();
    let naive = hits_alone.iter().sum::<f64>() / hits_alone.len() as f64;
    assert!(
        naive < 0.75 * exact,
        "dropping censored lags: {naive} of {exact}"
    );
}

/// Every first hit of a window, as sampler A meets them, with these predictions.
fn first_hits(chain: &Chain, window: usize, predicted: &Mat<f64>) -> Vec<Observation> {
    let rho = rho(chain);
    let mut seen = Vec::new();
    for episode in 0..400 {
        let mut rng = Seed(6).stream(Purpose::Assess, 7, episode);
        let start = draw(rho.iter().copied().enumerate(), &mut rng);
        let path = walk(chain, start, window, &mut rng);
        for (t, &from) in path.iter().enumerate() {
            for goal in (0..chain.n_states()).filter(|&goal| goal != from) {
                let outcome = first_hit(&path[t + 1..], |&state| state == goal);
                if let Outcome::Hit { .. } = outcome {
                    seen.push(Observation {
                        predicted: predicted[(from, goal)],
                        outcome,
                    });
                }
            }
        }
    }
    seen
}

/// A window target is right among hits, by definition; half the commute time is several times too long there, and says
/// so instead of passing.
#[test]
fn window_targets_are_calibrated_among_hits() {
    let chain = paper_maze(Moves::UNIFORM, WallRule::Stay);
    let rho = rho(&chain);
    let target = window_target(&chain, &rho, 50, Sampler::EachFirstHit);
    let found = calibrate(&first_hits(&chain, 50, &target), 10).unwrap();
    assert_eq!((found.bins.len(), found.n_censored), (10, 0));
    let line = found.among_hits.unwrap();
    assert!((line.slope.unwrap() - 1.0).abs() < 0.05, "{line:?}");
    assert!(line.relative_error.unwrap() < 0.02, "{line:?}");
    let commute = action_distances(&passage_times(&chain));
    let line = calibrate(&first_hits(&chain, 50, &commute), 10).unwrap();
    let line = line.among_hits.unwrap();
    assert!(
        line.slope.unwrap() < 0.3 && line.relative_error.unwrap() > 2.0,
        "{line:?}"
    );
}

/// Goals drawn without looking ahead, a prediction that is exactly m(g|s).
fn passages(chain: &Chain, steps: usize, episodes: u64) -> Calibration {
    let exact = passage_times(chain);
    let mut seen = Vec::new();
    for episode in 0..episodes {
        let mut rng = Seed(8).stream(Purpose::Assess, 8, episode);
        let start = rng.random_range(0..chain.n_states());
        let path = walk(chain, start, steps, &mut rng);
        for t in (0..steps).step_by(10) {
            let goal = rng.random_range(0..chain.n_states());
            if goal != path[t] {
                seen.push(Observation {
                    predicted: exact[(path[t], goal)],
                    outcome: first_hit(&path[t + 1..], |&state| state == goal),
                });
            }
        }
    }
    calibrate(&seen, 10).unwrap()
}

#[test]
fn passage_times_are_calibrated_with_censored_lags_counted() {
    let chain = paper_maze(Moves::UNIFORM, WallRule::Stay);
    let found = passages(&chain, 600, 1_000);
    let line = found.with_censored.unwrap();
    assert_eq!(line.n_bins, 10);
    assert!((line.slope.unwrap() - 1.0).abs() < 0.05, "{line:?}");
    assert!(line.relative_error.unwrap() < 0.02, "{line:?}");
    // Hits alone are nearer than predicted: what the censored lags are counted for.
    assert!(found.n_censored > 0 && found.among_hits.unwrap().slope.unwrap() < 0.97);

    // Watched too briefly, the far bins show a lower bound, and no line is drawn through them.
    let brief = passages(&chain, 60, 1_000);
    let far = brief.bins.last().unwrap();
    assert!(far.restricted.unhit > 0.3 && far.restricted.mean_steps < far.mean_predicted);
    assert!(brief.with_censored.is_none_or(|line| line.n_bins < 5));
    assert!(brief.among_hits.unwrap().relative_error.unwrap() > 0.5);
}

#[test]
fn calibration_refuses_and_abstains() {
    let seen = |predicted, lag_steps| Observation {
        predicted,
        outcome: Outcome::Hit { lag_steps },
    };
    let found = calibrate(&[seen(2.0, 3), seen(2.0, 5)], 10).unwrap();
    let line = found.among_hits.unwrap();
    assert_eq!((line.n_bins, line.slope, line.error_steps), (1, None, 2.0));
    // Hits are compared with their own predictions, not with those of the lags beside them in the bin.
    let missed = Observation {
        predicted: 9.0,
        outcome: Outcome::Censored { observed_steps: 4 },
    };
    let found = calibrate(&[seen(3.0, 3), missed], 1).unwrap();
    assert_eq!((found.bins[0].mean_predicted, found.n_censored), (6.0, 1));
    assert!(found.among_hits.unwrap().error_steps < 1e-15);
    assert!(calibrate(&[], 10).is_err() && calibrate(&[seen(1.0, 1)], 0).is_err());
    assert_eq!(
        calibrate(&[seen(f64::NAN, 1)], 3).unwrap_err().to_string(),
        "prediction number 0 is NaN, which is not finite"
    );
}
