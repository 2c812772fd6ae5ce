//! The paper's predictor: learned from random rollouts, evaluated on held-out ones.

use super::predictor_config::{HORIZON_STEPS, PredictorConfig};
use super::rollouts::Data;
use anyhow::Result;
use isochrone::comm::Single;
use isochrone::distance::{Distance, Learned};
use isochrone::embedding::{DistanceSpec, DistanceTrainer, LearningRate, Objective, Part};
use isochrone::evaluate::spearman;
use isochrone::pairs::{Episodes, PairSource, Sampler, Target};
use isochrone::rng::{Purpose, Seed};

/// Measures by their names in results.csv.
type Measures = [(&'static str, f64); 3];

/// A learned distance and its error on held-out trajectories.
pub(super) struct Predictor {
    /// Everything it depends on but its seed.
    pub(super) spec: (PredictorConfig, DistanceSpec),
    pub(super) distance: Learned,
    pub(super) held_out: Measures,
}

impl Predictor {
    /// The paper's network on whole episodes.
    pub(super) fn learn(config: &PredictorConfig, data: &Data, seed: u64) -> Result<Self> {
        let episodes = data.learn.episodes()?;
        let spec = config.spec(data.space.dims());
        let mut trainer = DistanceTrainer::new(spec.clone(), Seed(seed))?;
        for epoch in 0..config.amount.epochs {
            trainer.epoch(&Part::whole(&episodes), epoch, &Single)?;
        }
        let distance = trainer.distance()?;
        let held_out = held_out(&distance, &data.held_out.episodes()?, seed)?;
        Ok(Self {
            spec: (config.clone(), spec),
            distance,
            held_out,
        })
    }

    /// Steps from the state at rest at a place to that at the reference.
    pub(super) fn steps_to<'a>(
        &'a self,
        data: &'a Data,
        reference_m: [f64; 2],
    ) -> impl Fn([f64; 2]) -> f64 + 'a {
        // A point of no entries is NaN steps away, and a figure shows it as missing.
        let embed = |place_m| {
            self.distance
                .embed(&data.at_rest(place_m))
                .unwrap_or_default()
        };
        let goal = embed(reference_m);
        move |place_m| self.distance.metric().one_way(&embed(place_m), &goal)
    }
}

/// Errors of predicted against observed lags of held-out pairs, beside that of the best constant.
fn held_out(distance: &Learned, episodes: &Episodes<'_>, seed: u64) -> Result<Measures> {
    let window = Target::Window {
        steps: HORIZON_STEPS,
    };
    let source = PairSource::new(episodes, window, Sampler::UniformStartThenEnd);
    let pairs = source.epoch(&mut Seed(seed).stream(Purpose::Assess, 0, 0));
    let both = pairs.iter().map(|pair| {
        let (from, to) = (episodes.state(pair.from), episodes.state(pair.to));
        Ok((distance.between(from, to)?, f64::from(pair.lag_steps)))
    });
    let both = both.collect::<Result<Vec<_>>>()?;
    let (predicted, lags): (Vec<f64>, Vec<f64>) = both.into_iter().unzip();
    let mean = lags.iter().sum::<f64>() / lags.len() as f64;
    let error = rms(predicted.iter().zip(&lags).map(|(p, lag)| p - lag));
    let constant = rms(lags.iter().map(|lag| lag - mean));
    Ok([
        ("held_out_rmse_steps", error),
        ("best_constant_rmse_steps", constant),
        (
            "held_out_spearman",
            spearman(&predicted, &lags)?.unwrap_or(0.0),
        ),
    ])
}

/// Fits a distance to a fixed dataset, epoch by epoch until the learning rate has decayed to its last value.
pub(super) fn fit(spec: &DistanceSpec, seed: Seed, episodes: &Episodes<'_>) -> Result<Learned> {
    let steps = match spec.learning_rate {
        LearningRate::Decay { steps, .. } => steps,
        LearningRate::Constant(_) => 1,
    };
    let mut trainer = DistanceTrainer::new(spec.clone(), seed)?;
    let mut epoch = 0;
    while trainer.step() < steps {
        trainer.epoch(&Part::whole(episodes), epoch, &Single)?;
        epoch += 1;
    }
    Ok(trainer.distance()?)
}

/// Regression on `target` with the second index drawn after the first.
pub(super) const fn regression(target: Target) -> Objective {
    Objective::Regression {
        target,
        sampler: Sampler::UniformStartThenEnd,
    }
}

fn rms(errors: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = errors.len() as f64;
    (errors.map(|e| e * e).sum::<f64>() / n).sqrt()
}
