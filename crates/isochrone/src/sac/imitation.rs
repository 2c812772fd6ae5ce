//! Self-imitation: towards a far goal the policy learns to do what it does for the waypoint on the way there.
//!
//! Where goals are far, values say little about a single action, and the policy for them is poor; for the next waypoint it is
//! good. So the update adds a term over rows (s, g) that have a waypoint w (Kim et al. 2023, *Imitating Graph-Based Planning
//! with Goal-Conditioned Policies*; theirs is a squared difference):
//!
//! ```text
//! λ · mean Σ_j H(p_j(s, w), p_j(s, g)),   p = (1 + tanh μ) ÷ 2,   H(p, q) = −p log q − (1 − p) log(1 − q)
//! ```
//!
//! The cross-entropy of action shares, because its derivative by μ(s, g) is tanh μ(s, g) − tanh μ(s, w): bounded, and not 0
//! where tanh is saturated on the wrong side. The waypoint's action is a constant of the loss, and σ is left to the
//! temperature.

use super::squashed::{Sample, SquashedGaussian};

/// Rows of a [`Minibatch`](super::Minibatch), each with a waypoint whose action is imitated.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Imitation {
    /// λ.
    pub weight: f32,
    /// The rows.
    pub rows: Vec<usize>,
    /// What the policy sees of each with its waypoint as the goal, row by row.
    pub inputs: Vec<f32>,
}

impl Imitation {
    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.inputs.clear();
    }

    /// Adds the derivatives by μ to those of the policy's loss.
    pub(super) fn add_slopes(
        &self,
        policy: &SquashedGaussian,
        sample: &Sample,
        slopes: &mut [f32],
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
            for ((slope, mean), wanted) in slopes[entries].iter_mut().zip(means).zip(of_waypoint) {
                *slope += scale * (mean.tanh() - wanted.tanh());
            }
        }
    }
}
