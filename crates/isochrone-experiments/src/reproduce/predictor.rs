//! The paper's predictor, trained on random rollouts and evaluated on others.

use super::asked::{Asked, HORIZON_STEPS};
use super::wander::Data;
use anyhow::Result;
use isochrone::comm::Single;
use isochrone::distance::{Distance, Learned};
use isochrone::embedding::{DistanceSpec, DistanceTrainer, Part};
use isochrone::evaluate::spearman;
use isochrone::pairs::{Episodes, PairSource, Sampler, Target};
use isochrone::rng::{Purpose, Seed};

/// A learned distance and what it is worth on trajectories that it has not seen.
pub(super) struct Predictor {
    /// Everything it depends on but its seed.
    pub(super) spec: (Asked, DistanceSpec),
    pub(super) distance: Learned,
    pub(super) worth: Worth,
}

/// Predicted against observed lags of held-out pairs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Worth {
    pub(super) rmse_steps: f64,
    /// Of the best constant.
    pub(super) constant_rmse_steps: f64,
    pub(super) spearman: f64,
}

impl Predictor {
    /// The paper's network on whole episodes.
    pub(super) fn learn(asked: &Asked, data: &Data, seed: u64) -> Result<Self> {
        let episodes = data.learn.episodes()?;
        let spec = asked.spec(data.space.dims());
        let mut trainer = DistanceTrainer::new(spec.clone(), Seed(seed))?;
        for epoch in 0..asked.amount.epochs {
            trainer.epoch(&Part::whole(&episodes), epoch, &Single)?;
        }
        let distance = trainer.distance()?;
        let worth = Worth::of(&distance, &data.held_out.episodes()?, seed)?;
        Ok(Self {
            spec: (asked.clone(), spec),
            distance,
            worth,
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

impl Worth {
    fn of(distance: &Learned, held_out: &Episodes<'_>, seed: u64) -> Result<Self> {
        let window = Target::Window {
            steps: HORIZON_STEPS,
        };
        let source = PairSource::new(held_out, window, Sampler::UniformStartThenEnd);
        let pairs = source.epoch(&mut Seed(seed).stream(Purpose::Assess, 0, 0));
        let both = pairs.iter().map(|pair| {
            let (from, to) = (held_out.state(pair.from), held_out.state(pair.to));
            Ok((distance.between(from, to)?, f64::from(pair.lag_steps)))
        });
        let both = both.collect::<Result<Vec<_>>>()?;
        let (predicted, lags): (Vec<f64>, Vec<f64>) = both.into_iter().unzip();
        let mean = lags.iter().sum::<f64>() / lags.len() as f64;
        Ok(Self {
            rmse_steps: rms(predicted.iter().zip(&lags).map(|(p, lag)| p - lag)),
            constant_rmse_steps: rms(lags.iter().map(|lag| lag - mean)),
            spearman: spearman(&predicted, &lags)?.unwrap_or(0.0),
        })
    }
}

fn rms(errors: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = errors.len() as f64;
    (errors.map(|e| e * e).sum::<f64>() / n).sqrt()
}
