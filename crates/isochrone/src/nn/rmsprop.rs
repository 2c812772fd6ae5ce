//! RMSProp as TensorFlow 1 has it, which is not as others do.

use super::adam::Parameter;
use super::{Named, NamedError, find, matrix, numbers};
use burn::tensor::Gradients;

const DECAY: f32 = 0.9;
const EPSILON: f32 = 1e-10;

/// v ← 0.9·v + 0.1·g²,  θ ← θ − η·g ÷ √(v + ε), with ε = 1e-10.
///
/// ε stands inside the root, and v begins at **one**, not at zero: a gradient of 0.01 moves a parameter by 0.01·η at
/// first and by η only after a hundred steps, when v has forgotten its beginning. With v from zero, as elsewhere, the
/// first step is about 3·η whatever the gradient.
#[derive(Clone)]
pub(super) struct RmsProp {
    /// v of each parameter.
    mean_squares: Vec<Vec<f32>>,
}

impl RmsProp {
    pub(super) fn new(parameters: &[Parameter]) -> Self {
        let ones = |parameter: &Parameter| vec![1.0; parameter.shape[0] * parameter.shape[1]];
        Self {
            mean_squares: parameters.iter().map(ones).collect(),
        }
    }

    /// One step along the gradients of a loss, for the parameters it was made for.
    pub(super) fn step(
        &mut self,
        parameters: &mut [Parameter],
        gradients: &Gradients,
        learning_rate: f64,
    ) {
        for (parameter, mean_squares) in parameters.iter_mut().zip(&mut self.mean_squares) {
            let Some(gradient) = parameter.value.grad(gradients) else {
                continue;
            };
            let mut values = parameter.values();
            descend(mean_squares, &mut values, &numbers(gradient), learning_rate);
            parameter.value = matrix(values, parameter.shape[1]).require_grad();
        }
    }

    /// v of each parameter under its name, behind a prefix.
    pub(super) fn save<'s>(
        &'s self,
        prefix: &'s str,
        parameters: &'s [Parameter],
    ) -> impl Iterator<Item = Named> + 's {
        let each = parameters.iter().zip(&self.mean_squares);
        each.map(move |(parameter, mean_squares)| Named {
            name: format!("{prefix}{}", parameter.name),
            shape: parameter.shape,
            values: mean_squares.clone(),
        })
    }

    /// The opposite.
    pub(super) fn restore(
        &mut self,
        prefix: &str,
        parameters: &[Parameter],
        arrays: &[Named],
    ) -> Result<(), NamedError> {
        for (parameter, mean_squares) in parameters.iter().zip(&mut self.mean_squares) {
            let name = format!("{prefix}{}", parameter.name);
            mean_squares.clone_from(&find(arrays, &name, parameter.shape)?.values);
        }
        Ok(())
    }
}

fn descend(mean_squares: &mut [f32], values: &mut [f32], slopes: &[f32], learning_rate: f64) {
    let rate = learning_rate as f32;
    for ((value, slope), square) in values.iter_mut().zip(slopes).zip(mean_squares) {
        *square = DECAY * *square + (1.0 - DECAY) * slope * slope;
        *value -= rate * slope / (*square + EPSILON).sqrt();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A slope of 1 moves by the learning rate from the first step on, for v is 1 already; a slope of 0.01 moves by a
    /// hundredth of it at first and by all of it in the end; a slope of 0 does not move.
    #[test]
    fn steps_grow_from_the_slope_to_the_learning_rate() {
        let slopes = [1.0, 0.01, 0.0];
        let (mut values, mut squares) = ([0.0; 3], [1.0; 3]);
        let mut moved = Vec::new();
        for _ in 0..200 {
            let before = values;
            descend(&mut squares, &mut values, &slopes, 1e-3);
            moved.push(std::array::from_fn::<f32, 3, _>(|k| before[k] - values[k]));
        }
        let near = |found: f32, expected: f32| (found - expected).abs() < 1e-2 * expected + 1e-12;
        for step in &moved {
            assert!(near(step[0], 1e-3) && step[2].abs() < 1e-12, "{step:?}");
        }
        // √0.9 is nearly all that the first step is divided by.
        assert!(near(moved[0][1], 1e-5 / 0.9_f32.sqrt()), "{:?}", moved[0]);
        assert!(near(moved[199][1], 1e-3), "{:?}", moved[199]);
        assert!(moved.windows(2).all(|pair| pair[1][1] >= 0.99 * pair[0][1]));
    }
}
