//! The paper's claims about q.

use super::panels::ends;
use super::{EPSILON_STEPS, OTHER_STEPS, POWERS, REACH, area_name, case};
use crate::reproduce::Effort;
use crate::reproduce::asked::{Amount, Rates};
use crate::reproduce::report::{Finding, Verdict};
use crate::reproduce::results::Results;

/// The error of the worst q may exceed that of the best by this, and q is still free to choose.
const FREE_CHOICE: f64 = 0.1;

pub(super) fn all(results: &Results) -> Vec<Finding> {
    vec![
        radius(results, Rates::Settled),
        radius(results, Rates::Printed),
        other_thresholds(results),
        granularity(results),
        easy_to_tune(results),
    ]
}

/// A measure for each q, in order.
struct Trend {
    means: Vec<f64>,
    ends: Vec<(f64, f64)>,
}

impl Trend {
    fn of(results: &Results, rates: Rates, measure: &str) -> Self {
        let cases = POWERS.map(|q| case(rates, q));
        Self {
            means: cases.iter().map(|c| results.mean(c, measure)).collect(),
            ends: (cases.iter())
                .map(|c| ends(&results.values(c, measure)))
                .collect(),
        }
    }

    /// Up from each q to the next, and no seed of the first as high as any of the last.
    fn grows(&self) -> bool {
        let last = self.ends.len() - 1;
        self.means.windows(2).all(|pair| pair[0] < pair[1]) && self.ends[0].1 < self.ends[last].0
    }

    /// Down from the q with this place on, and the seeds of that and the last apart.
    fn falls_from(&self, first: usize) -> bool {
        let last = self.ends.len() - 1;
        self.means[first..].windows(2).all(|pair| pair[0] > pair[1])
            && self.ends[first].0 > self.ends[last].1
    }

    fn words(&self, decimals: usize, unit: &str) -> String {
        let each = POWERS.iter().zip(&self.means).zip(&self.ends);
        let words = each.map(|((q, mean), (low, high))| {
            format!("{mean:.decimals$} ({low:.decimals$}–{high:.decimals$}) at q = {q}")
        });
        format!("{unit}{}", words.collect::<Vec<_>>().join(", "))
    }
}

fn radius(results: &Results, rates: Rates) -> Finding {
    let trend = Trend::of(results, rates, &area_name(EPSILON_STEPS));
    let how = match rates {
        Rates::Settled => "trained to the end",
        Rates::Printed => "trained as printed for the initialisation: 1e-5, 50 epochs",
    };
    Finding {
        claim: format!("increasing q increases the radius ({how})"),
        found: trend.words(2, &format!("m² within {EPSILON_STEPS} steps: ")),
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
    let words = trends.iter().map(|(epsilon, trend)| {
        let means: Vec<String> = trend.means.iter().map(|m| format!("{m:.2}")).collect();
        format!("within {epsilon} steps {} m²", means.join(", "))
    });
    Finding {
        claim: "… whatever the threshold".to_owned(),
        found: format!(
            "for q = 0.5, 1, 2, 4: {}",
            words.collect::<Vec<_>>().join("; ")
        ),
        rule: "the same at 30, 120 and 240 steps; *depends* if at some of them",
        verdict: Verdict::in_some(n_grow, OTHER_STEPS.len()),
    }
}

/// Can the predictor still tell short lags from long ones?
fn granularity(results: &Results) -> Finding {
    let trend = Trend::of(results, Rates::Settled, "held_out_spearman");
    Finding {
        claim: "with larger q the granularity between near and far points is lost".to_owned(),
        found: trend.words(
            3,
            "rank correlation of predicted and observed lags, other trajectories: ",
        ),
        rule: "it falls from each q to the next, and the seeds of the first and the last do not overlap; *depends* if \
               so from q = 1 on only",
        verdict: if trend.falls_from(0) {
            Verdict::Holds
        } else if trend.falls_from(1) {
            Verdict::Depends
        } else {
            Verdict::Fails
        },
    }
}

fn easy_to_tune(results: &Results) -> Finding {
    let trend = Trend::of(results, Rates::Settled, "held_out_rmse_steps");
    let constant = results.mean(&case(Rates::Settled, 1.0), "best_constant_rmse_steps");
    let (best, worst) = ends(&trend.means);
    Finding {
        claim: "q is easy to tune: a straightforward mechanism to scale distances".to_owned(),
        found: trend.words(
            1,
            &format!("RMSE on other trajectories in steps (best constant {constant:.1}): "),
        ),
        rule: "the fit does not pay for it: the worst error is within a tenth of the best",
        verdict: Verdict::from(worst < best * (1.0 + FREE_CHOICE)),
    }
}

pub(super) fn differences(effort: &Effort, results: &Results) -> Vec<String> {
    let reach_m = results.mean(&case(Rates::Settled, 1.0), REACH);
    let mut list: Vec<String> = [
        "**Data.** Random rollouts of Free Ant from its start, uniform actions, 500 steps or until it falls: how the \
         paper initialises its predictor, but for the distribution of actions, which it does not give. Its figure \
         may show a predictor trained on with a policy. All q learn from the same trajectories with the same number \
         of Adam steps.",
        "**Trained as printed.** Adam at 1e-5 on plain steps, batches of 32, 50 epochs: the network begins near zero \
         and has not arrived by then. Its areas say how far the training came for each q, not what q does.",
        "**Trained to the end.** Adam from 1e-3 down to 1e-5 on scaled steps, otherwise the same. The schedule is one \
         for all q; whether q = 4, which fits worst, would gain from a longer one was not tried.",
        "**What is measured.** d(s, s₀) with s the standing ant at each place of a floor of 12.4 m × 12.4 m, rows \
         downwards with growing y, and s₀ the start. Areas are counted in cells of 5 cm; 154 m² is all of it.",
        "**Why.** Near the start points move in proportion to the way, so d grows as the q-th power of it: flat at \
         first and steep later where q is large. That widens regions of few steps.",
        "**p** is 1, as in the paper's predictor.",
    ]
    .map(str::to_owned)
    .to_vec();
    list.push(format!(
        "**Extrapolation.** 99 % of the states learned from lie within {reach_m:.1} m of the start (mean over seeds); \
         farther out little was seen."
    ));
    list.extend(Amount::caveat(effort.size));
    list
}
