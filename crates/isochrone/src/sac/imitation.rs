//! Self-imitation: towards a far goal the policy learns to do what it does for the waypoint on the way there.
//!
//! Where goals are far, values say little about a single action, and the policy for them is poor; for the next waypoint it is
//! good. So the update adds a term over rows (s, g) that have a waypoint w (Kim et al. 2023, *Imitating Graph-Based Planning
//! with Goal-Conditioned Policies*; theirs is a squared difference):
//!
//! ```text
//! λ mean Σ_j H(p_j(s, w), p_j(s, g)),   p = (1 + tanh μ) ÷ 2,   H(p, q) = −p log q − (1 − p) log(1 − q)
//! ```
//!
//! The cross-entropy of action shares, because its derivative by μ(s, g) is tanh μ(s, g) − tanh μ(s, w): bounded, and not 0
//! where tanh is saturated on the wrong side. The waypoint's action is a constant of the loss, and σ is left to the
//! temperature. The mean is over rows with a waypoint: early, where few goals have one, each counts for more.

use super::squashed::{Sample, SquashedGaussian};

/// Rows of a [`Minibatch`](super::Minibatch), each with a waypoint whose action is imitated.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Imitation {
    /// λ.
    pub weight: f32,
    /// The rows.
    pub rows: Vec<usize>,
    /// What the policy sees of each with its waypoint as the goal, row by row: as many rows as above.
    pub inputs: Vec<f32>,
}

impl Imitation {
    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.inputs.clear();
    }

    /// Adds the derivatives by μ to those of the policy's loss.
    pub(super) fn add_gradients(
        &self,
        policy: &SquashedGaussian,
        sample: &Sample,
        gradients: &mut [f32],
    ) {
        if self.rows.is_empty() {
            return;
        }
        let (actions, width) = (policy.actions(), 2 * policy.actions());
        let scale = self.weight / self.rows.len() as f32;
        let of_waypoints = policy.outputs(&self.inputs);
        for (row, of_waypoint) in self.rows.iter().zip(of_waypoints.chunks_exact(width)) {
            let entries = row * width..row * width + actions;
            let means = sample.pass.output[entries.clone()].iter();
            for ((gradient, mean), wanted) in
                gradients[entries].iter_mut().zip(means).zip(of_waypoint)
            {
                *gradient += scale * (mean.tanh() - wanted.tanh());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Seed};
    use rand::RngExt;

    /// By differences of the loss in f64, for two actions and rows out of order.
    #[test]
    fn the_gradients_are_those_of_the_cross_entropy() {
        let mut rng = Seed(5).stream(Purpose::Act, 0, 0);
        let mut draw =
            |n: usize| -> Vec<f32> { (0..n).map(|_| 4.0 * rng.random::<f32>() - 2.0).collect() };
        let (inputs, of_waypoints) = (draw(8 * 3), draw(3 * 3));
        let policy = SquashedGaussian::untrained(3, &[16], 2, Seed(4));
        let imitation = Imitation {
            weight: 0.7,
            rows: vec![5, 0, 6],
            inputs: of_waypoints,
        };
        let sample = policy.sample(&inputs, &mut Seed(5).stream(Purpose::Act, 0, 1));
        let wanted = policy.outputs(&imitation.inputs);
        let share = |mean: f32| f64::midpoint(1.0, f64::from(mean).tanh());
        let loss = |output: &[f32]| {
            let mut sum = 0.0;
            for (k, row) in imitation.rows.iter().enumerate() {
                for j in 0..2 {
                    let (p, q) = (share(wanted[4 * k + j]), share(output[4 * row + j]));
                    sum -= p * q.ln() + (1.0 - p) * (1.0 - q).ln();
                }
            }
            0.7 / 3.0 * sum
        };
        let output = &sample.pass.output;
        let mut found = vec![0.0; output.len()];
        imitation.add_gradients(&policy, &sample, &mut found);
        for (at, found) in found.iter().enumerate() {
            let moved = |by: f32| {
                let mut output = output.clone();
                output[at] += by;
                loss(&output)
            };
            let differences = (moved(1e-2) - moved(-1e-2)) / 2e-2;
            let found = f64::from(*found);
            assert!(
                (found - differences).abs() < 1e-4,
                "{at}: {found} {differences}"
            );
        }
    }
}
