//! The paper's claims about q.

use super::{EPSILON_STEPS, OTHER_STEPS, POWERS, REACH, area_name, case};
use crate::reproduce::Effort;
use crate::reproduce::predictor_config::{Amount, Rates};
use crate::reproduce::report::{Finding, Report, Verdict};
use crate::reproduce::results::Results;

/// The error of the worst q may exceed that of the best by this, and q is still free to choose.
const FREE_CHOICE: f64 = 0.1;

pub(super) fn report(effort: &Effort, results: &Results) -> Report {
    let findings = vec![
        radius(results, Rates::Settled, "trained to the end"),
        radius(
            results,
            Rates::Printed,
            "trained as printed for the initialisation: 1e-5, 50 epochs",
        ),
        other_thresholds(results),
        granularity(results),
        easy_to_tune(results),
    ];
    let differences = include_str!("../effect_of_q.md");
    let mut report = Report::learned("Figure 10: the effect of q", findings, differences);
    let reach_m = results.mean(&case(Rates::Settled, 1.0), REACH);
    report.differences.push(format!(
        "**Extrapolation.** 99 % of the states learned from lie within {reach_m:.1} m of the start (mean over seeds); \
         farther out little was seen."
    ));
    report.differences.extend(Amount::caveat(effort.size));
    report
}

/// A measure for each q, in order: its mean and its range over seeds.
struct Trend {
    means: Vec<f64>,
    ranges: Vec<(f64, f64)>,
}

impl Trend {
    fn of(results: &Results, rates: Rates, measure: &str) -> Self {
        let cases = POWERS.map(|q| case(rates, q));
        let range = |case: &String| range(&results.values(case, measure));
        Self {
            means: cases.iter().map(|c| results.mean(c, measure)).collect(),
            ranges: cases.iter().map(range).collect(),
        }
    }

    /// Up from each q to the next, and no seed of the first as high as any of the last.
    fn grows(&self) -> bool {
        let last = self.ranges.len() - 1;
        self.means.is_sorted_by(|a, b| a < b) && self.ranges[0].1 < self.ranges[last].0
    }

    /// Down from the q with this index on, and the seeds of that and the last apart.
    fn falls_from(&self, first: usize) -> bool {
        let last = self.ranges.len() - 1;
        self.means[first..].is_sorted_by(|a, b| a > b) && self.ranges[first].0 > self.ranges[last].1
    }

    fn words(&self, decimals: usize) -> String {
        let each = POWERS.iter().zip(&self.means).zip(&self.ranges);
        let words = each.map(|((q, mean), (low, high))| {
            format!("{mean:.decimals$} ({low:.decimals$}–{high:.decimals$}) at q = {q}")
        });
        words.collect::<Vec<_>>().join(", ")
    }
}

fn radius(results: &Results, rates: Rates, how: &str) -> Finding {
    let trend = Trend::of(results, rates, &area_name(EPSILON_STEPS));
    Finding {
        claim: format!("increasing q increases the radius ({how})"),
        found: format!("m² within {EPSILON_STEPS} steps: {}", trend.words(2)),
        rule: "the mean area grows from each q to the next, and the seeds of q = 0.5 and q = 4 do not overlap",
        verdict: Verdict::from(trend.grows()),
    }
}

fn other_thresholds(results: &Results) -> Finding {
    let trends = OTHER_STEPS.map(|epsilon| {
        let trend = Trend::of(results, Rates::Settled, &area_name(epsilon));
        (epsilon, trend)
    });
    let n_grow = trends.iter().filter(|(_, trend)| trend.grows()).count();
    let words = trends.map(|(epsilon, trend)| {
        let means: Vec<String> = trend.means.iter().map(|m| format!("{m:.2}")).collect();
        format!("within {epsilon} steps {} m²", means.join(", "))
    });
    Finding {
        claim: "… whatever the threshold".to_owned(),
        found: format!("for q = 0.5, 1, 2, 4: {}", words.join("; ")),
        rule: "the same at 30, 120 and 240 steps; *depends* if at some of them",
        verdict: Verdict::in_some(n_grow, OTHER_STEPS.len()),
    }
}

/// Can the predictor still tell short lags from long ones?
fn granularity(results: &Results) -> Finding {
    let trend = Trend::of(results, Rates::Settled, "held_out_spearman");
    Finding {
        claim: "with larger q the granularity between near and far points is lost".to_owned(),
        found: format!(
            "rank correlation of predicted and observed lags, other trajectories: {}",
            trend.words(3)
        ),
        rule: "it falls from each q to the next, and the seeds of the first and the last do not overlap; *depends* if \
               so from q = 1 on only",
        verdict: match (trend.falls_from(0), trend.falls_from(1)) {
            (true, _) => Verdict::Holds,
            (false, true) => Verdict::Depends,
            (false, false) => Verdict::Fails,
        },
    }
}

fn easy_to_tune(results: &Results) -> Finding {
    let trend = Trend::of(results, Rates::Settled, "held_out_rmse_steps");
    let constant = results.mean(&case(Rates::Settled, 1.0), "best_constant_rmse_steps");
    let (best, worst) = range(&trend.means);
    Finding {
        claim: "q is easy to tune: a straightforward mechanism to scale distances".to_owned(),
        found: format!(
            "RMSE on other trajectories in steps (best constant {constant:.1}): {}",
            trend.words(1)
        ),
        rule: "the fit does not pay for it: the worst error is within a tenth of the best",
        verdict: Verdict::from(worst < best * (1.0 + FREE_CHOICE)),
    }
}

/// The least and the greatest.
pub(super) fn range(values: &[f64]) -> (f64, f64) {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (low, high)
}
