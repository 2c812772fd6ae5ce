//! The matrix products of a training step, written plainly, and nothing else.
//!
//! With X the 2·batch rows of a step, W₁ and W₂ the layers, H the hidden rows and primes for gradients:
//!
//! ```text
//! X·W₁    H·W₂        forward
//! Hᵀ·Y′   Y′·W₂ᵀ   Xᵀ·H′        backward; nothing asks for X′
//! ```
//!
//! They are faer's, on one thread, because Burn's own cannot be called alone. faer's use wider registers where the
//! processor has them.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};

/// Matrices of the right sizes.
#[derive(Clone, Debug)]
pub(super) struct Products {
    states: Mat<f32>,
    first: Mat<f32>,
    second: Mat<f32>,
    hidden: Mat<f32>,
    points: Mat<f32>,
    hidden_gradients: Mat<f32>,
    first_gradients: Mat<f32>,
    second_gradients: Mat<f32>,
}

impl Products {
    /// For a network with one hidden layer.
    pub(super) fn new(batch: usize, inputs: usize, hidden: usize, outputs: usize) -> Self {
        let rows = 2 * batch;
        // Small enough that no product overflows, however often it is taken.
        let filled =
            |rows, columns| Mat::from_fn(rows, columns, |i, j| ((i + j) % 7) as f32 * 1e-3);
        Self {
            states: filled(rows, inputs),
            first: filled(inputs, hidden),
            second: filled(hidden, outputs),
            hidden: filled(rows, hidden),
            points: filled(rows, outputs),
            hidden_gradients: filled(rows, hidden),
            first_gradients: filled(inputs, hidden),
            second_gradients: filled(hidden, outputs),
        }
    }

    /// All five; one number of the last, so that they cannot be left out.
    pub(super) fn step(&mut self) -> f32 {
        let product = |to: &mut Mat<f32>, a: faer::MatRef<'_, f32>, b: faer::MatRef<'_, f32>| {
            matmul(to, Accum::Replace, a, b, 1.0, Par::Seq);
        };
        product(&mut self.hidden, self.states.as_ref(), self.first.as_ref());
        product(&mut self.points, self.hidden.as_ref(), self.second.as_ref());
        // The points stand for their gradients, which have their shape.
        product(
            &mut self.second_gradients,
            self.hidden.transpose(),
            self.points.as_ref(),
        );
        product(
            &mut self.hidden_gradients,
            self.points.as_ref(),
            self.second.transpose(),
        );
        product(
            &mut self.first_gradients,
            self.states.transpose(),
            self.hidden_gradients.as_ref(),
        );
        self.first_gradients[(0, 0)] + self.second_gradients[(0, 0)]
    }
}
