//! A value network.

use super::BaselineError;
use crate::batch::{Batch, Shard, on_shards};
use crate::comm::{Comm, CommError};
use crate::kernel::Activation;
use crate::layers::{Layers, Pass, Scratch};
use crate::nn::{NamedArray, NamedArrayError, find};
use crate::optim::lbfgs::{self, Stop};
use crate::rng::{Seed, Stream};

/// The reference's widths.
const HIDDEN: [usize; 2] = [32, 32];
/// Steps of the minimiser per fit, the reference's number.
const ITERATIONS: usize = 20;
/// Inputs with a smaller standard deviation are not scaled.
const LEAST_STD: f64 = 1e-6;

/// `V = m_R + s_R · f((x − m)/s)`: 32-32 ReLU, with means and standard deviations taken anew from each batch, fitted by a few full
/// steps of L-BFGS from the weights before.
///
/// ```text
/// minimise  ½ mean ( f((x − m)/s) − (R − m_R)/s_R )²
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MlpBaseline {
    layers: Layers,
    parameters: Vec<f32>,
    mean: Vec<f32>,
    std: Vec<f32>,
    /// Mean and std of the returns. 0 and 0 before the first fit: V is 0.
    of_returns: [f32; 2],
}

impl MlpBaseline {
    /// 0 everywhere until it is fitted.
    pub fn untrained(input_length: usize, seed: Seed) -> Self {
        let layers = Layers::new(input_length, &HIDDEN, 1, Activation::Relu);
        Self {
            parameters: layers.untrained(&mut seed.of(Stream::ValueWeights)),
            layers,
            mean: vec![0.0; input_length],
            std: vec![1.0; input_length],
            of_returns: [0.0; 2],
        }
    }

    fn scaled(&self, inputs: &[f32]) -> Vec<f32> {
        let scales = self.mean.iter().zip(&self.std).cycle();
        let each = inputs.iter().zip(scales);
        each.map(|(x, (mean, std))| (x - mean) / std).collect()
    }

    pub(super) fn values(&self, inputs: &[f32]) -> Vec<f64> {
        let mut pass = Pass::default();
        self.layers
            .forward(&self.parameters, &self.scaled(inputs), &mut pass);
        let [mean, std] = self.of_returns.map(f64::from);
        pass.output
            .iter()
            .map(|y| mean + std * f64::from(*y))
            .collect()
    }

    pub(super) fn fit(
        &mut self,
        batch: &Batch,
        returns: &[Vec<f32>],
        comm: &dyn Comm,
        threads: usize,
    ) -> Result<(), BaselineError> {
        self.rescale(batch, returns, comm)?;
        let mut rows = self.prepare(batch, returns);
        let mut x: Vec<f64> = self.parameters.iter().map(|p| f64::from(*p)).collect();
        let mut broken = None;
        let stop = Stop {
            max_iterations: ITERATIONS,
            gradient: 1e-8,
        };
        let loss = lbfgs::minimise(
            &mut x,
            |x, gradient| match self.loss(x, gradient, &mut rows, batch.total_rows, comm, threads) {
                Ok(loss) => loss,
                Err(error) => {
                    broken = Some(error);
                    f64::NAN
                }
            },
            stop,
        );
        if let Some(error) = broken {
            return Err(error.into());
        }
        if !loss.is_finite() || x.iter().any(|p| !(*p as f32).is_finite()) {
            return Err(BaselineError::NonFinite { loss });
        }
        self.parameters = x.iter().map(|p| *p as f32).collect();
        Ok(())
    }

    /// Means and standard deviations of this batch.
    fn rescale(
        &mut self,
        batch: &Batch,
        returns: &[Vec<f32>],
        comm: &dyn Comm,
    ) -> Result<(), CommError> {
        let width = self.mean.len() + 1;
        let sums = |centre: &[f64], power: i32| {
            let shards = batch.shards.iter().zip(returns);
            let partials = shards.map(|(shard, returns)| sums(shard, returns, centre, power));
            comm.sum_shards_f64(&partials.collect::<Vec<_>>())
        };
        let rows = batch.total_rows.max(1) as f64;
        let mean: Vec<f64> = sums(&vec![0.0; width], 1)?
            .iter()
            .map(|x| x / rows)
            .collect();
        let std = sums(&mean, 2)?;
        let std = std.iter().map(|x| match (x / rows).sqrt() {
            std if std < LEAST_STD => 1.0,
            std => std as f32,
        });
        let mean: Vec<f32> = mean.iter().map(|x| *x as f32).collect();
        let std: Vec<f32> = std.collect();
        self.of_returns = [mean[width - 1], std[width - 1]];
        self.mean.copy_from_slice(&mean[..width - 1]);
        self.std.copy_from_slice(&std[..width - 1]);
        Ok(())
    }

    /// Scaled inputs and targets, chunk by chunk.
    fn prepare(&self, batch: &Batch, returns: &[Vec<f32>]) -> Vec<Vec<Prepared>> {
        let [mean, std] = self.of_returns;
        let shard = |(shard, returns): (&Shard, &Vec<f32>)| {
            let mut returns = returns.iter().map(|r| (r - mean) / std);
            let chunks = shard.chunks.iter().map(|chunk| Prepared {
                inputs: self.scaled(&chunk.inputs),
                targets: returns.by_ref().take(chunk.rows()).collect(),
                pass: Pass::default(),
            });
            chunks.collect()
        };
        batch.shards.iter().zip(returns).map(shard).collect()
    }

    /// Half the mean squared error and its gradient.
    fn loss(
        &self,
        x: &[f64],
        gradient: &mut [f64],
        rows: &mut [Vec<Prepared>],
        total_rows: usize,
        comm: &dyn Comm,
        threads: usize,
    ) -> Result<f64, CommError> {
        let parameters: Vec<f32> = x.iter().map(|p| *p as f32).collect();
        let n = parameters.len();
        let partials = on_shards(rows, threads, |chunks| {
            let (mut sums, mut of_chunk) = (vec![0.0; n + 1], vec![0.0_f32; n]);
            let mut scratch = Scratch::default();
            for Prepared {
                inputs,
                targets,
                pass,
            } in chunks
            {
                self.layers.forward(&parameters, inputs, pass);
                let errors = pass.output.iter().zip(&*targets);
                let errors: Vec<f32> = errors.map(|(y, target)| y - target).collect();
                self.layers.pull_back(
                    &parameters,
                    inputs,
                    pass,
                    &errors,
                    &mut scratch,
                    &mut of_chunk,
                );
                sums.iter_mut()
                    .zip(&of_chunk)
                    .for_each(|(sum, x)| *sum += f64::from(*x));
                sums[n] += errors.iter().map(|e| f64::from(*e).powi(2)).sum::<f64>();
            }
            sums
        });
        let sums = comm.sum_shards_f64(&partials)?;
        let rows = total_rows.max(1) as f64;
        gradient
            .iter_mut()
            .zip(&sums)
            .for_each(|(to, sum)| *to = sum / rows);
        Ok(0.5 * sums[n] / rows)
    }

    pub(super) fn save(&self) -> Vec<NamedArray> {
        let row = |name: &str, values: &[f32]| {
            NamedArray::f32(format!("baseline.{name}"), [1, values.len()], values)
        };
        vec![
            row("parameters", &self.parameters),
            row("mean", &self.mean),
            row("spread", &self.std),
            row("of_returns", &self.of_returns),
        ]
    }

    pub(super) fn restore(&mut self, arrays: &[NamedArray]) -> Result<(), NamedArrayError> {
        let read = |name: &str, to: &mut [f32]| {
            let array = find(arrays, &format!("baseline.{name}"), [1, to.len()])?;
            to.copy_from_slice(array);
            Ok(())
        };
        read("parameters", &mut self.parameters)?;
        read("mean", &mut self.mean)?;
        read("spread", &mut self.std)?;
        read("of_returns", &mut self.of_returns)
    }
}

/// A chunk as the network sees it.
struct Prepared {
    inputs: Vec<f32>,
    targets: Vec<f32>,
    pass: Pass,
}

/// Σ (x − centre)^power of every input and of the returns, which come last.
fn sums(shard: &Shard, returns: &[f32], centre: &[f64], power: i32) -> Vec<f64> {
    let mut sums = vec![0.0; centre.len()];
    let last = centre.len() - 1;
    for chunk in &shard.chunks {
        for row in chunk.inputs.chunks_exact(last.max(1)) {
            for ((sum, x), centre) in sums.iter_mut().zip(row).zip(centre) {
                *sum += (f64::from(*x) - centre).powi(power);
            }
        }
    }
    let returns = returns
        .iter()
        .map(|r| (f64::from(*r) - centre[last]).powi(power));
    sums[last] = returns.sum();
    sums
}
