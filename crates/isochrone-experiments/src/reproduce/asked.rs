//! What is to be learned from random rollouts, and how long.

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

/// What the predictor sees of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) enum Seen {
    /// All of it: the paper's full goal space.
    FullState,
    /// The place alone: its (x, y) goal space.
    Place,
}

/// How far the regression is driven.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) enum Rates {
    /// Adam at 1e-5 on plain steps, as the paper prints it.
    Printed,
    /// Adam from 1e-3 down to 1e-5 on scaled steps: to where the rate ends.
    Settled,
}

/// How much is seen and learned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Amount {
    pub(super) steps: usize,
    pub(super) held_out_steps: usize,
    pub(super) epochs: u64,
}

impl Amount {
    /// In full the paper's 100,000 samples and 50 epochs.
    pub(super) const fn of(size: Size) -> Self {
        match size {
            Size::Full => Self {
                steps: 100_000,
                held_out_steps: 20_000,
                epochs: 50,
            },
            Size::Quick => Self {
                steps: 2_500,
                held_out_steps: 1_000,
                epochs: 5,
            },
        }
    }

    /// What a report must say about it.
    pub(super) fn caveat(size: Size) -> Option<String> {
        let words =
            "**Quick.** A fortieth of the data and a tenth of the epochs: numbers mean nothing.";
        (size == Size::Quick).then(|| words.to_owned())
    }
}

/// What is to be learned, and from what.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Asked {
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

impl Asked {
    /// 64 ReLU → 20, 1-norm to the power q, batch 32.
    pub(super) fn spec(&self, inputs: usize) -> DistanceSpec {
        let paper = DistanceSpec::paper(inputs, HORIZON_STEPS);
        let batches = self.amount.steps / paper.batch;
        let spec = match self.rates {
            Rates::Printed => paper,
            Rates::Settled => DistanceSpec {
                scaling: Scaling::Running,
                learning_rate: LearningRate::Decay {
                    from: 1e-3,
                    to: 1e-5,
                    steps: self.amount.epochs * batches as u64,
                },
                ..paper
            },
        };
        DistanceSpec { q: self.q, ..spec }
    }
}
