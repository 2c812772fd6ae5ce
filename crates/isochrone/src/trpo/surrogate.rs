//! The surrogate objective, the divergence, and their derivatives, over all shards.
//!
//! With `δ = (a − μ) ÷ σ` and one row's advantage Â, at the old parameters:
//!
//! ```text
//! log π = −½ Σ (δ² + log 2πσ²)      ∂L/∂μ = Â δ ÷ σ      ∂L/∂log σ = Â (δ² − 1)
//! KL(old ‖ new) = Σ [ log σ_n − log σ_o + (σ_o² + (μ_o − μ_n)²) ÷ 2σ_n² − ½ ]
//! F v = mean Jᵀ σ⁻² J v   for the mean's parameters,        2 v   for log σ
//! ```
//!
//! The last line is the Hessian of the line above it where both policies are equal; mixed derivatives vanish there.

use super::TrpoError;
use crate::batch::{Batch, Chunk, on_shards};
use crate::comm::{Comm, CommError};
use crate::layers::{Layers, Pass, Scratch};
use crate::policy::{GaussianPolicy, Std};

/// A moved policy beside the old one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Compared {
    /// L.
    pub(super) value: f64,
    /// Mean KL(old ‖ moved).
    pub(super) kl: f64,
}

/// A batch as one policy sees it.
pub(super) struct Surrogate<'b> {
    layers: Layers,
    mean: Vec<f32>,
    log_std: Vec<f32>,
    std: Std,
    shards: Vec<Work<'b>>,
    total_rows: f64,
    threads: usize,
}

/// One shard, and what is kept for it from call to call.
struct Work<'b> {
    chunks: &'b [Chunk],
    advantages: &'b [f32],
    /// Of the old policy, chunk by chunk.
    passes: Vec<Pass>,
    /// Of a moved one.
    moved: Pass,
    scratch: Scratch,
    results: Vec<f32>,
    gradient: Vec<f32>,
}

impl<'b> Work<'b> {
    /// Chunks with their advantages and passes.
    fn each<'w>(
        chunks: &'b [Chunk],
        advantages: &'b [f32],
        passes: &'w mut [Pass],
    ) -> impl Iterator<Item = (&'b Chunk, &'b [f32], &'w mut Pass)> {
        let mut rest = advantages;
        chunks.iter().zip(passes).map(move |(chunk, pass)| {
            let (now, later) = rest.split_at(chunk.rows());
            rest = later;
            (chunk, now, pass)
        })
    }
}

impl<'b> Surrogate<'b> {
    pub(super) fn new(
        policy: &GaussianPolicy,
        batch: &'b Batch,
        advantages: &'b [Vec<f32>],
        threads: usize,
    ) -> Self {
        let shards = batch.shards.iter().zip(advantages);
        let shards = shards.map(|(shard, advantages)| Work {
            chunks: &shard.chunks,
            advantages,
            passes: vec![Pass::default(); shard.chunks.len()],
            moved: Pass::default(),
            scratch: Scratch::default(),
            results: Vec::new(),
            gradient: vec![0.0; policy.layers().n_parameters()],
        });
        Self {
            layers: policy.layers().clone(),
            mean: policy.mean_parameters().to_vec(),
            log_std: policy.log_std(),
            std: policy.std(),
            shards: shards.collect(),
            total_rows: batch.total_rows as f64,
            threads,
        }
    }

    /// Adds up shards, and divides by the rows of all ranks.
    fn mean_of(
        &mut self,
        comm: &dyn Comm,
        work: impl Fn(&Context<'_>, &mut Work<'b>) -> Vec<f64> + Sync,
    ) -> Result<Vec<f64>, CommError> {
        let context = Context {
            layers: &self.layers,
            mean: &self.mean,
            log_std: &self.log_std,
        };
        let partials = on_shards(&mut self.shards, self.threads, |shard| {
            work(&context, shard)
        });
        let sums = comm.sum_shards_f64(&partials)?;
        Ok(sums.into_iter().map(|sum| sum / self.total_rows).collect())
    }

    /// L and ∇L at the old parameters. Comes first: the other calls use its passes.
    pub(super) fn gradient(&mut self, comm: &dyn Comm) -> Result<(f64, Vec<f64>), TrpoError> {
        let mut sums = self.mean_of(comm, |context, work| context.gradient(work))?;
        let value = sums.pop().unwrap_or(f64::NAN);
        self.keep_parameters(&mut sums);
        Ok((value, sums))
    }

    /// F v.
    pub(super) fn fisher_product(
        &mut self,
        v: &[f64],
        comm: &dyn Comm,
    ) -> Result<Vec<f64>, TrpoError> {
        let direction: Vec<f32> = v.iter().map(|x| *x as f32).collect();
        let mut product = self.mean_of(comm, |context, work| context.fisher(work, &direction))?;
        let of_std = &v[product.len().min(v.len())..];
        product.extend(of_std.iter().map(|x| 2.0 * x));
        Ok(product)
    }

    /// A moved policy on the same rows.
    pub(super) fn compare(
        &mut self,
        moved: &GaussianPolicy,
        comm: &dyn Comm,
    ) -> Result<Compared, TrpoError> {
        let (parameters, log_std) = (moved.mean_parameters().to_vec(), moved.log_std());
        let sums = self.mean_of(comm, |context, work| {
            context.compare(work, &parameters, &log_std)
        })?;
        Ok(Compared {
            value: sums[0],
            kl: sums[1],
        })
    }

    /// Fixed standard deviations are no parameters.
    fn keep_parameters(&self, sums: &mut Vec<f64>) {
        if self.std == Std::Fixed {
            sums.truncate(self.mean.len());
        }
    }
}

/// What all shards share.
struct Context<'a> {
    layers: &'a Layers,
    mean: &'a [f32],
    log_std: &'a [f32],
}

impl Context<'_> {
    /// Sums of ∇L for the mean, for log σ, and of L.
    fn gradient(&self, work: &mut Work<'_>) -> Vec<f64> {
        let (n, actions) = (self.mean.len(), self.log_std.len());
        let stds: Vec<f32> = self.log_std.iter().map(|x| x.exp()).collect();
        let mut sums = vec![0.0; n + actions + 1];
        let Work {
            chunks,
            advantages,
            passes,
            scratch,
            results,
            gradient,
            ..
        } = work;
        for (chunk, advantages, pass) in Work::each(chunks, advantages, passes) {
            self.layers.forward(self.mean, &chunk.inputs, pass);
            results.clear();
            let rows = chunk
                .actions
                .chunks_exact(actions)
                .zip(pass.output.chunks_exact(actions));
            for ((action, mean), advantage) in rows.zip(advantages) {
                for (k, std) in stds.iter().enumerate() {
                    let off = (action[k] - mean[k]) / std;
                    results.push(advantage * off / std);
                    sums[n + k] += f64::from(advantage * (off * off - 1.0));
                }
                sums[n + actions] += f64::from(*advantage);
            }
            self.layers
                .pull_back(self.mean, &chunk.inputs, pass, results, scratch, gradient);
            add(&mut sums, gradient);
        }
        sums
    }

    /// Sums of Jᵀ σ⁻² J v.
    fn fisher(&self, work: &mut Work<'_>, direction: &[f32]) -> Vec<f64> {
        let mut sums = vec![0.0; self.mean.len()];
        let precisions: Vec<f32> = self.log_std.iter().map(|x| (-2.0 * x).exp()).collect();
        let Work {
            chunks,
            advantages,
            passes,
            scratch,
            results,
            gradient,
            ..
        } = work;
        for (chunk, _, pass) in Work::each(chunks, advantages, passes) {
            let rows = &chunk.inputs;
            self.layers
                .push_forward(self.mean, direction, rows, pass, scratch, results);
            for row in results.chunks_exact_mut(precisions.len()) {
                row.iter_mut().zip(&precisions).for_each(|(x, p)| *x *= p);
            }
            self.layers
                .pull_back(self.mean, rows, pass, results, scratch, gradient);
            add(&mut sums, gradient);
        }
        sums
    }

    /// Sums of ratio × advantage and of the divergence.
    fn compare(&self, work: &mut Work<'_>, parameters: &[f32], log_std: &[f32]) -> Vec<f64> {
        let actions = log_std.len();
        let of =
            |log_std: &[f32]| -> Vec<f64> { log_std.iter().map(|x| f64::from(*x).exp()).collect() };
        let (old_std, new_std) = (of(self.log_std), of(log_std));
        let of_std: f64 = (0..actions)
            .map(|k| f64::from(log_std[k]) - f64::from(self.log_std[k]))
            .sum();
        let mut sums = vec![0.0; 2];
        let Work {
            chunks,
            advantages,
            passes,
            moved,
            ..
        } = work;
        for (chunk, advantages, pass) in Work::each(chunks, advantages, passes) {
            self.layers.forward(parameters, &chunk.inputs, moved);
            let means = pass
                .output
                .chunks_exact(actions)
                .zip(moved.output.chunks_exact(actions));
            let rows = chunk.actions.chunks_exact(actions).zip(means);
            for ((action, (old, new)), advantage) in rows.zip(advantages) {
                let (mut log_ratio, mut kl) = (-of_std, of_std);
                for k in 0..actions {
                    let [a, old, new] = [action[k], old[k], new[k]].map(f64::from);
                    let before = (a - old) / old_std[k];
                    let now = (a - new) / new_std[k];
                    log_ratio += 0.5 * (before * before - now * now);
                    let spread = old_std[k].powi(2) + (old - new).powi(2);
                    kl += spread / (2.0 * new_std[k].powi(2)) - 0.5;
                }
                sums[0] += log_ratio.exp() * f64::from(*advantage);
                sums[1] += kl;
            }
        }
        sums
    }
}

fn add(sums: &mut [f64], chunk: &[f32]) {
    let each = sums.iter_mut().zip(chunk);
    each.for_each(|(sum, x)| *sum += f64::from(*x));
}
