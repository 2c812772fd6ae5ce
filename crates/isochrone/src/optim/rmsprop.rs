//! RMSProp as TensorFlow 1 has it, which is not as others do.

const DECAY: f32 = 0.9;
const EPSILON: f32 = 1e-10;

/// v ← 0.9·v + 0.1·g²,  θ ← θ − η·g ÷ √(v + ε), with ε = 1e-10.
///
/// ε stands inside the root, and v begins at **one**, not at zero: a gradient of 0.01 moves a parameter by 0.01·η at
/// first and by η only after a hundred steps, when v has forgotten its beginning. With v from zero, as elsewhere, the
/// first step is about 3·η whatever the gradient.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RmsProp {
    /// v.
    pub(crate) mean_squares: Vec<f32>,
}

impl RmsProp {
    /// For this many parameters.
    pub(crate) fn new(parameters: usize) -> Self {
        Self {
            mean_squares: vec![1.0; parameters],
        }
    }

    /// One step along a gradient.
    pub(crate) fn step(&mut self, parameters: &mut [f32], gradient: &[f32], learning_rate: f64) {
        let rate = learning_rate as f32;
        let gradients = gradient.iter().zip(&mut self.mean_squares);
        for (value, (gradient, square)) in parameters.iter_mut().zip(gradients) {
            *square = DECAY * *square + (1.0 - DECAY) * gradient * gradient;
            *value -= rate * gradient / (*square + EPSILON).sqrt();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A gradient of 1 moves by the learning rate from the first step on, for v is 1 already; a gradient of 0.01 moves by a
    /// hundredth of it at first and by all of it in the end; a gradient of 0 does not move.
    #[test]
    fn steps_grow_from_the_gradient_to_the_learning_rate() {
        let (mut values, mut rms) = ([0.0; 3], RmsProp::new(3));
        let mut moved = Vec::new();
        for _ in 0..200 {
            let before = values;
            rms.step(&mut values, &[1.0, 0.01, 0.0], 1e-3);
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
