//! Adam, with its moments where we can see them.
//!
//! The rule is one loop over plain numbers. As tensor operations it is a dozen of them per parameter, each with memory
//! of its own: at small batches that was half of a training step.

/// The usual constants. Burn's default ε is 1e-5, which damps small gradients.
const BETA_1: f32 = 0.9;
const BETA_2: f32 = 0.999;
const EPSILON: f32 = 1e-8;

/// Running means of the gradients and of their squares.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Moments {
    /// Steps so far.
    pub(crate) time: u64,
    pub(crate) first: Vec<f32>,
    pub(crate) second: Vec<f32>,
}

impl Moments {
    pub(crate) fn zero(length: usize) -> Self {
        Self {
            time: 0,
            first: vec![0.0; length],
            second: vec![0.0; length],
        }
    }
}

/// m ← β₁m + (1−β₁)g,  v ← β₂v + (1−β₂)g²,  θ ← θ − η·m̂ ÷ (√v̂ + ε), with m̂ and v̂ corrected for their start.
#[derive(Clone, Debug)]
pub(crate) struct Adam {
    beta_1: f32,
    beta_2: f32,
    epsilon: f32,
}

impl Adam {
    pub(crate) const fn new() -> Self {
        Self {
            beta_1: BETA_1,
            beta_2: BETA_2,
            epsilon: EPSILON,
        }
    }

    /// One step down the gradient of some numbers.
    pub(crate) fn descend(
        &self,
        moments: &mut Moments,
        values: &mut [f32],
        gradients: &[f32],
        learning_rate: f64,
    ) {
        let Self {
            beta_1,
            beta_2,
            epsilon,
        } = *self;
        moments.time += 1;
        let start = |beta: f32| 1.0 - f64::from(beta).powf(moments.time as f64);
        // The corrections are the same for all numbers: m̂'s goes into the step size, v̂'s into the root.
        let size = (learning_rate / start(beta_1)) as f32;
        let root = (1.0 / start(beta_2).sqrt()) as f32;
        let moments = moments.first.iter_mut().zip(&mut moments.second);
        for ((value, gradient), (first, second)) in values.iter_mut().zip(gradients).zip(moments) {
            *first = beta_1 * *first + (1.0 - beta_1) * gradient;
            *second = beta_2 * *second + (1.0 - beta_2) * gradient * gradient;
            *value -= size * *first / (root * second.sqrt() + epsilon);
        }
    }
}
