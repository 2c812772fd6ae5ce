//! Configuration of a predictor that is learned from random rollouts.

use super::Size;
use isochrone::embedding::{DistanceSpec, LearningRate, Scaling};
use isochrone_mujoco::WorldName;
use serde::Serialize;

/// The reference code's horizon: the longest lag that is seen.
pub(super) const HORIZON_STEPS: usize = 500;

/// Where episodes begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) enum Starts {
    /// At the world's own start: how the paper initialises its predictor.
    Fixed,
    /// Wherever there is room: the paper's batch setting.
    Anywhere,
}

/// The input of the predictor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) enum Seen {
    /// All of it: the paper's full goal space.
    FullState,
    /// The place alone: its (x, y) goal space.
    Place,
}

/// Learning rate of the regression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) enum Rates {
    /// Adam at 1e-5 on plain steps, as the paper prints it.
    Printed,
    /// Adam from 1e-3 down to 1e-5 on scaled steps: trained to convergence.
    Settled,
}

/// Environment steps and epochs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Amount {
    pub(super) steps: usize,
    pub(super) held_out_steps: usize,
    pub(super) epochs: u64,
}

impl Amount {
    /// In full the paper's 100,000 samples and 50 epochs.
    pub(super) fn of(size: Size) -> Self {
        let (steps, held_out_steps, epochs) = size.pick((100_000, 20_000, 50), (2_500, 1_000, 5));
        Self {
            steps,
            held_out_steps,
            epochs,
        }
    }

    /// A paragraph on the size for the report.
    pub(super) fn caveat(size: Size) -> Option<String> {
        let text =
            "**Quick.** A fortieth of the data and a tenth of the epochs: numbers mean nothing.";
        (size == Size::Quick).then(|| text.to_owned())
    }
}

/// A predictor and its data; its serialized form is part of the spec hashes in results.csv.
#[derive(Clone, Debug, Serialize)]
pub(super) struct PredictorConfig {
    #[serde(serialize_with = "as_name")]
    pub(super) world: WorldName,
    pub(super) starts: Starts,
    pub(super) seen: Seen,
    pub(super) rates: Rates,
    pub(super) amount: Amount,
    pub(super) q: f32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn as_name<S: serde::Serializer>(world: &WorldName, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(world.as_str())
}

impl PredictorConfig {
    /// The paper's batch setting, trained to convergence with q = 1.
    pub(super) fn batch(world: WorldName, seen: Seen, size: Size) -> Self {
        Self {
            world,
            starts: Starts::Anywhere,
            seen,
            rates: Rates::Settled,
            amount: Amount::of(size),
            q: 1.0,
        }
    }

    /// 64 ReLU → 20, 1-norm to the power q, batch 32.
    pub(super) fn spec(&self, inputs: usize) -> DistanceSpec {
        let mut spec = DistanceSpec::paper(inputs, HORIZON_STEPS);
        if self.rates == Rates::Settled {
            let batches = self.amount.steps / spec.batch;
            spec.scaling = Scaling::Running;
            spec.learning_rate = LearningRate::Decay {
                from: 1e-3,
                to: 1e-5,
                steps: self.amount.epochs * batches as u64,
            };
        }
        DistanceSpec { q: self.q, ..spec }
    }
}
