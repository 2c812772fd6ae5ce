//! A learned distance, frozen: plain arrays, no tensor library.

use super::Distance;
use crate::embedding::{DistanceSpec, Head};
use crate::kernel::{Activation, FrozenMlp, Linear};

/// How states become points.
#[derive(Clone, Debug, PartialEq)]
enum Points {
    Layers(FrozenMlp),
    /// One row per state; a state is its index.
    Table(Vec<f32>),
    /// Layers that do not follow one another: no state has a point.
    Nothing,
}

/// `‖e(s) − e(g)‖_p^q` in steps, and with a potential the time of each way.
#[derive(Clone, Debug, PartialEq)]
pub struct Learned {
    points: Points,
    dims: usize,
    head: Head,
    p: f64,
    q: f64,
    /// Steps per unit of the network.
    scale: f64,
}

impl Learned {
    pub(crate) fn of_layers(spec: &DistanceSpec, layers: &[Linear], scale: f64) -> Self {
        let mlp = FrozenMlp::new(spec.encoder.inputs, layers, Activation::Relu);
        Self::new(spec, mlp.map_or(Points::Nothing, Points::Layers), scale)
    }

    pub(crate) fn of_table(spec: &DistanceSpec, table: Vec<f32>, scale: f64) -> Self {
        Self::new(spec, Points::Table(table), scale)
    }

    fn new(spec: &DistanceSpec, points: Points, scale: f64) -> Self {
        Self {
            points,
            dims: spec.encoder.dims,
            head: spec.encoder.head,
            p: f64::from(spec.p),
            q: f64::from(spec.q),
            scale,
        }
    }

    /// Numbers of a point, the potential included.
    pub const fn outputs(&self) -> usize {
        match self.head {
            Head::Symmetric => self.dims,
            Head::Potential => self.dims + 1,
        }
    }

    /// The point of a state: its place in the space where distances are norms, and its potential if there is one.
    pub fn embed(&self, state: &[f32]) -> Vec<f32> {
        match &self.points {
            Points::Layers(mlp) => mlp.apply([state, &[]], &mut Vec::new()).to_vec(),
            Points::Table(rows) => {
                let width = self.outputs();
                let last = (rows.len() / width.max(1)).saturating_sub(1);
                let row = state.first().map_or(0, |s| *s as usize).min(last);
                rows[row * width..(row + 1) * width].to_vec()
            }
            Points::Nothing => vec![f32::NAN; self.outputs()],
        }
    }

    /// The symmetric part in steps, `‖x_s − x_g‖_p^q`: half of there and back.
    pub fn symmetric_between_points(&self, s: &[f32], g: &[f32]) -> f64 {
        let apart = s.iter().zip(g).take(self.dims);
        let apart = apart.map(|(a, b)| (f64::from(*a) - f64::from(*b)).abs());
        let is = |value: f64, wanted: f64| (value - wanted).abs() < 1e-9;
        let sum: f64 = if is(self.p, 1.0) {
            apart.sum()
        } else if is(self.p, 2.0) {
            apart.map(|x| x * x).sum()
        } else {
            apart.map(|x| x.powf(self.p)).sum()
        };
        self.scale * sum.powf(self.q / self.p)
    }

    /// The time from s to g in steps: the symmetric part, and with a potential `+ u(g) − u(s)`.
    pub fn one_way_between_points(&self, s: &[f32], g: &[f32]) -> f64 {
        let symmetric = self.symmetric_between_points(s, g);
        match self.head {
            Head::Symmetric => symmetric,
            Head::Potential => {
                symmetric + self.scale * (f64::from(g[self.dims]) - f64::from(s[self.dims]))
            }
        }
    }

    /// The symmetric part between two states.
    pub fn symmetric(&self, state: &[f32], goal: &[f32]) -> f64 {
        self.symmetric_between_points(&self.embed(state), &self.embed(goal))
    }
}

impl Distance for Learned {
    /// The time from the state to the goal.
    fn between(&self, state: &[f32], goal: &[f32]) -> f64 {
        self.one_way_between_points(&self.embed(state), &self.embed(goal))
    }
}
