//! Advantages: how much better an action was than the policy's usual one.
//!
//! Rewards are the paper's indicator: 1 on the step that reached the goal, which ends the episode, 0 before. With a value
//! estimate V, discount γ and λ (generalised advantage estimation):
//!
//! ```text
//! δ_t = r_t + γ V(s_{t+1}) − V(s_t)        Â_t = δ_t + γλ Â_{t+1}        R_t = r_t + γ R_{t+1}
//! ```
//!
//! The value after the last state is 0 if the episode terminated. At a time-out it is a choice
//! ([`TimeoutValue`]): the reference puts 0 there as well, which makes states near the horizon look worse than they are.

use crate::baseline::{Baseline, BaselineError};
use crate::batch::{Batch, Shard, Stretch};
use crate::comm::{Comm, CommError};
use crate::trajectory::End;
use serde::{Deserialize, Serialize};

/// Added to the standard deviation of advantages, against division by zero.
const LEAST_STD: f64 = 1e-8;

/// The value of the last state of a time-out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeoutValue {
    /// 0, as in the reference.
    Zero,
    /// The baseline's value.
    Bootstrap,
}

/// How advantages are estimated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdvantageSpec {
    /// γ.
    pub discount: f64,
    /// λ.
    pub lambda: f64,
    /// The value at a time-out.
    pub timeout_value: TimeoutValue,
}

/// Of every row of a batch, shard by shard.
#[derive(Clone, Debug, PartialEq)]
pub struct Advantages {
    /// Standardised over all ranks' rows: mean 0, standard deviation 1.
    pub standardised: Vec<Vec<f32>>,
    /// Discounted returns, which the baseline learns next.
    pub returns: Vec<Vec<f32>>,
}

/// The advantages of a batch, by the baseline as it is now.
pub fn advantages(
    batch: &Batch,
    baseline: &Baseline,
    spec: &AdvantageSpec,
    comm: &dyn Comm,
) -> Result<Advantages, BaselineError> {
    let shards = batch
        .shards
        .iter()
        .map(|shard| of_shard(shard, baseline, spec));
    let (raw, returns): (Vec<Vec<f64>>, Vec<Vec<f32>>) = shards.unzip();
    Ok(Advantages {
        standardised: standardised(&raw, comm)?,
        returns,
    })
}

fn of_shard(shard: &Shard, baseline: &Baseline, spec: &AdvantageSpec) -> (Vec<f64>, Vec<f32>) {
    let chunks = shard.chunks.iter();
    let values: Vec<f64> = chunks
        .flat_map(|chunk| baseline.values(&chunk.inputs, &chunk.times))
        .collect();
    let (mut advantages, mut returns, mut first) = (Vec::new(), Vec::new(), 0);
    for stretch in &shard.stretches {
        let rewards = rewards(stretch);
        let last = last_value(stretch, baseline, spec.timeout_value);
        let values = &values[first..first + stretch.steps];
        advantages.extend(estimates(
            &rewards,
            values,
            last,
            spec.discount,
            spec.lambda,
        ));
        returns.extend(discounted(&rewards, last, spec.discount).map(|x| x as f32));
        first += stretch.steps;
    }
    (advantages, returns)
}

/// 1 on the step that reached the goal.
fn rewards(stretch: &Stretch) -> Vec<f64> {
    let mut rewards = vec![0.0; stretch.steps];
    if let (End::Reached, Some(last)) = (stretch.end, rewards.last_mut()) {
        *last = 1.0;
    }
    rewards
}

/// The value after the last state.
fn last_value(stretch: &Stretch, baseline: &Baseline, timeout: TimeoutValue) -> f64 {
    match timeout {
        TimeoutValue::Bootstrap if !stretch.end.is_terminal() => {
            let value = baseline.values(&stretch.last_input, &[stretch.steps as u32]);
            value.first().copied().unwrap_or(0.0)
        }
        TimeoutValue::Bootstrap | TimeoutValue::Zero => 0.0,
    }
}

/// Â of one episode.
pub fn estimates(
    rewards: &[f64],
    values: &[f64],
    last_value: f64,
    discount: f64,
    lambda: f64,
) -> Vec<f64> {
    let mut estimates = vec![0.0; rewards.len()];
    let (mut next_value, mut next_estimate) = (last_value, 0.0);
    for t in (0..rewards.len()).rev() {
        let td_error = rewards[t] + discount * next_value - values[t];
        next_estimate = td_error + discount * lambda * next_estimate;
        (estimates[t], next_value) = (next_estimate, values[t]);
    }
    estimates
}

/// R of one episode, from its first step on.
pub fn discounted(
    rewards: &[f64],
    last_value: f64,
    discount: f64,
) -> impl Iterator<Item = f64> + use<> {
    let mut returns = vec![0.0; rewards.len()];
    let mut next = last_value;
    for t in (0..rewards.len()).rev() {
        next = rewards[t] + discount * next;
        returns[t] = next;
    }
    returns.into_iter()
}

/// (x − mean) ÷ std over the rows of all ranks.
fn standardised(raw: &[Vec<f64>], comm: &dyn Comm) -> Result<Vec<Vec<f32>>, CommError> {
    let sums = raw
        .iter()
        .map(|shard| vec![shard.len() as f64, shard.iter().sum()]);
    let sums = comm.sum_shards_f64(&sums.collect::<Vec<_>>())?;
    let rows = sums[0].max(1.0);
    let mean = sums[1] / rows;
    let squares = raw
        .iter()
        .map(|shard| vec![shard.iter().map(|x| (x - mean).powi(2)).sum()]);
    let squares = comm.sum_shards_f64(&squares.collect::<Vec<_>>())?;
    let std = (squares[0] / rows).sqrt() + LEAST_STD;
    let scale = |x: &f64| ((x - mean) / std) as f32;
    Ok(raw
        .iter()
        .map(|shard| shard.iter().map(scale).collect())
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With λ = 1 the estimate is the return less the value; with λ = 0 it is the TD error.
    #[test]
    fn both_ends_of_lambda_are_what_they_should_be() {
        let (rewards, values) = ([0.0, 0.0, 1.0], [0.3, 0.5, 0.9]);
        let full = estimates(&rewards, &values, 0.0, 0.9, 1.0);
        let returns = discounted(&rewards, 0.0, 0.9);
        for ((found, value), of) in full.iter().zip(values).zip(returns) {
            assert!((found - (of - value)).abs() < 1e-15);
        }
        let short = estimates(&rewards, &values, 0.0, 0.9, 0.0);
        assert!((short[0] - (0.9 * 0.5 - 0.3)).abs() < 1e-15 && (short[2] - 0.1).abs() < 1e-15);
    }
}
