//! A distance against the exact one, pair by pair.
//!
//! No single number measures a distance. In some mazes the Euclidean distance through walls has a higher rank correlation than
//! exact commute times, and still leads into dead ends ([`descent`](super::descent) detects that). Rank correlation **per
//! goal** measures whether states are ordered correctly for one goal, the global one whether one scale serves all goals,
//! ratios whether a number of steps means the same everywhere. Report each against both exact quantities, the commute time
//! and the shortest path: a distance may follow either, and they differ.

use super::error::AssessError;
use super::quantile::{ascending, bands, mean, median};
use super::rank::{Misranked, misranked, pearson, spearman};
use serde::Serialize;

/// Bins of the report: deciles of the exact distance.
const BANDS: usize = 10;
/// The share of each goal's states that count as nearest.
const NEAREST_PART: usize = 10;

/// One state and one goal, with both distances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JudgedPair {
    /// The goal's number; pairs of a goal need not stand together.
    pub goal: usize,
    /// The distance under evaluation.
    pub predicted: f64,
    /// The exact distance.
    pub exact: f64,
}

/// How a distance compares with the truth. With `r = predicted ÷ exact`:
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AgainstTruth {
    /// Pairs evaluated: those with a positive exact distance.
    pub n_pairs: usize,
    /// Pairs left out because the state is the goal: their distance is zero by construction.
    pub n_at_goal: usize,
    /// Rank correlation goal by goal; `None` if no goal can be ranked.
    pub per_goal: Option<PerGoal>,
    /// Spearman's ρ over all pairs; `None` if either side is constant.
    pub spearman: Option<f64>,
    /// Pearson's r over all pairs; `None` if either side is constant.
    pub pearson: Option<f64>,
    /// Median of |r − 1|.
    pub median_relative_error: f64,
    /// Mean of |r − 1|.
    pub mean_relative_error: f64,
    /// Median of r: the scale between the two.
    pub median_ratio: f64,
    /// Median of |r ÷ median r − 1|: the error up to a constant factor; `None` if the median is zero.
    pub median_scaled_error: Option<f64>,
    /// Coefficient of variation of r (standard deviation ÷ mean); `None` if the mean is zero.
    pub ratio_cv: Option<f64>,
    /// The same by deciles of the exact distance, nearest first; equal distances share a band.
    pub bands: Vec<Band>,
    /// Among the nearest tenth of each goal's states (and at least two exact distances): pairs put the wrong way
    /// round, over all goals.
    pub nearest: Misranked,
}

/// Spearman's ρ of the states of one goal, over goals.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PerGoal {
    /// Goals with at least two states and neither side constant.
    pub n_goals: usize,
    /// Goals without: they have no ρ and are in no mean.
    pub n_unranked: usize,
    /// Mean over goals.
    pub mean: f64,
    /// The worst goal's.
    pub min: f64,
    /// Which goal that is.
    pub worst_goal: usize,
}

/// Pairs of similar exact distance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Band {
    /// Least exact distance in it.
    pub exact_from: f64,
    /// Greatest exact distance in it.
    pub exact_to: f64,
    /// Pairs in it.
    pub n_pairs: usize,
    /// Median of |r − 1|.
    pub median_relative_error: f64,
    /// Median of r.
    pub median_ratio: f64,
    /// Standard deviation ÷ mean of r; `None` of a single pair, or if the mean is zero.
    pub ratio_cv: Option<f64>,
}

/// Compares predicted distances with exact ones. Needs two pairs with a positive exact distance; NaN, infinity and negative
/// exact distances are errors.
pub fn against_truth(pairs: &[JudgedPair]) -> Result<AgainstTruth, AssessError> {
    let (all_predicted, all_exact) = columns(pairs);
    AssessError::all_finite(&all_predicted, "predicted distance")?;
    AssessError::all_finite(&all_exact, "exact distance")?;
    if let Some(at) = all_exact.iter().position(|&exact| exact < 0.0) {
        return Err(AssessError::Negative {
            what: "exact distance",
            at,
            value: all_exact[at],
        });
    }
    let mut apart: Vec<JudgedPair> = pairs.iter().copied().filter(|p| p.exact > 0.0).collect();
    AssessError::at_least(2, apart.len(), "pairs at a distance")?;
    apart.sort_by_key(|pair| pair.goal);
    let (predicted, exact) = columns(&apart);
    let ratios: Vec<f64> = predicted.iter().zip(&exact).map(|(p, e)| p / e).collect();
    // An exact distance near the smallest number makes any ratio infinite.
    AssessError::all_finite(&ratios, "predicted ÷ exact distance")?;
    let errors = errors(&ratios, 1.0);
    let median_ratio = median(&ratios).unwrap_or(f64::NAN);
    Ok(AgainstTruth {
        n_pairs: apart.len(),
        n_at_goal: pairs.len() - apart.len(),
        per_goal: per_goal(&apart)?,
        spearman: spearman(&predicted, &exact)?,
        pearson: pearson(&predicted, &exact)?,
        median_relative_error: median(&errors).unwrap_or(f64::NAN),
        mean_relative_error: mean(&errors).unwrap_or(f64::NAN),
        median_ratio,
        median_scaled_error: (median_ratio.abs() > 0.0)
            .then(|| median(&self::errors(&ratios, median_ratio)))
            .flatten(),
        ratio_cv: variation(&ratios),
        bands: bands(&exact, BANDS)
            .iter()
            .map(|places| band(places, &exact, &ratios))
            .collect(),
        nearest: nearest(&apart),
    })
}

fn columns(pairs: &[JudgedPair]) -> (Vec<f64>, Vec<f64>) {
    pairs
        .iter()
        .map(|pair| (pair.predicted, pair.exact))
        .unzip()
}

fn errors(ratios: &[f64], scale: f64) -> Vec<f64> {
    ratios.iter().map(|r| (r / scale - 1.0).abs()).collect()
}

/// Coefficient of variation, with the population's standard deviation.
fn variation(ratios: &[f64]) -> Option<f64> {
    let centre = mean(ratios).filter(|m| m.abs() > 0.0 && ratios.len() > 1)?;
    let relative: Vec<f64> = ratios.iter().map(|r| (r / centre - 1.0).powi(2)).collect();
    mean(&relative).map(f64::sqrt)
}

fn band(places: &[usize], exact: &[f64], ratios: &[f64]) -> Band {
    let inside: Vec<f64> = places.iter().map(|&at| ratios[at]).collect();
    let distances = places.iter().map(|&at| exact[at]);
    Band {
        exact_from: distances.clone().fold(f64::INFINITY, f64::min),
        exact_to: distances.fold(0.0, f64::max),
        n_pairs: places.len(),
        median_relative_error: median(&errors(&inside, 1.0)).unwrap_or(f64::NAN),
        median_ratio: median(&inside).unwrap_or(f64::NAN),
        ratio_cv: variation(&inside),
    }
}

/// `sorted` stands goal by goal.
fn per_goal(sorted: &[JudgedPair]) -> Result<Option<PerGoal>, AssessError> {
    let (mut ranked, mut n_unranked) = (Vec::new(), 0);
    for pairs in sorted.chunk_by(|a, b| a.goal == b.goal) {
        let (predicted, exact) = columns(pairs);
        let rho = match pairs.len() {
            1 => None,
            _ => spearman(&predicted, &exact)?,
        };
        match rho {
            Some(rho) => ranked.push((pairs[0].goal, rho)),
            None => n_unranked += 1,
        }
    }
    let worst = ranked.iter().min_by(|a, b| a.1.total_cmp(&b.1));
    Ok(worst.map(|&(worst_goal, min)| PerGoal {
        n_goals: ranked.len(),
        n_unranked,
        mean: ranked.iter().map(|(_, rho)| rho).sum::<f64>() / ranked.len() as f64,
        min,
        worst_goal,
    }))
}

/// Nearness is what decides "reached", and far pairs outnumber near ones: so the near ones once more by themselves.
fn nearest(sorted: &[JudgedPair]) -> Misranked {
    let mut sum = Misranked::default();
    for pairs in sorted.chunk_by(|a, b| a.goal == b.goal) {
        let (_, exact) = columns(pairs);
        let exact = ascending(&exact);
        let tenth = exact[(exact.len() - 1) / NEAREST_PART];
        let second = exact.iter().find(|&&value| value > exact[0]);
        let reach = second.map_or(tenth, |second| second.max(tenth));
        let near: Vec<JudgedPair> = pairs.iter().copied().filter(|p| p.exact <= reach).collect();
        let (predicted, exact) = columns(&near);
        let found = misranked(&predicted, &exact);
        sum.n_pairs += found.n_pairs;
        sum.wrong += found.wrong;
    }
    sum
}
