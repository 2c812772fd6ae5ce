//! A learned distance, frozen: plain arrays, no tensor library.

use super::Distance;
use crate::embedding::{DistanceSpec, Head};
use crate::kernel::{Activation, FrozenMlp, LayerError, Linear};

/// How points become steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Metric {
    dims: usize,
    head: Head,
    p: f64,
    q: f64,
    /// Steps per unit of the network.
    scale: f64,
}

impl Metric {
    pub(crate) fn new(spec: &DistanceSpec, scale: f64) -> Self {
        Self {
            dims: spec.encoder.dims,
            head: spec.encoder.head,
            p: f64::from(spec.p),
            q: f64::from(spec.q),
            scale,
        }
    }

    /// Numbers of a point, the potential included.
    pub const fn outputs(&self) -> usize {
        self.head.outputs(self.dims)
    }

    /// The symmetric part in steps, `‖x_s − x_g‖_p^q`: half of there and back.
    pub fn symmetric(&self, s: &[f32], g: &[f32]) -> f64 {
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
    pub fn one_way(&self, s: &[f32], g: &[f32]) -> f64 {
        let symmetric = self.symmetric(s, g);
        match self.head {
            Head::Symmetric => symmetric,
            Head::Potential => {
                symmetric + self.scale * (f64::from(g[self.dims]) - f64::from(s[self.dims]))
            }
        }
    }
}

/// How states become points.
#[derive(Clone, Debug, PartialEq)]
enum Points {
    Layers(FrozenMlp),
    /// One row per state; a state is its index.
    Table(Vec<f32>),
}

/// `‖e(s) − e(g)‖_p^q` in steps, and with a potential the time of each way.
#[derive(Clone, Debug, PartialEq)]
pub struct Learned {
    points: Points,
    metric: Metric,
}

impl Learned {
    pub(crate) fn of_layers(
        spec: &DistanceSpec,
        layers: &[Linear],
        scale: f64,
    ) -> Result<Self, LayerError> {
        let mlp = FrozenMlp::new(spec.encoder.inputs, layers, Activation::Relu)?;
        Ok(Self {
            points: Points::Layers(mlp),
            metric: Metric::new(spec, scale),
        })
    }

    pub(crate) fn of_table(spec: &DistanceSpec, table: Vec<f32>, scale: f64) -> Self {
        Self {
            points: Points::Table(table),
            metric: Metric::new(spec, scale),
        }
    }

    /// How points become steps.
    pub const fn metric(&self) -> &Metric {
        &self.metric
    }

    /// The point of a state: its place in the space where distances are norms, and its potential if there is one.
    pub fn embed(&self, state: &[f32]) -> Vec<f32> {
        match &self.points {
            Points::Layers(mlp) => mlp.apply([state, &[]], &mut Vec::new()).to_vec(),
            Points::Table(rows) => {
                let width = self.metric.outputs();
                let last = (rows.len() / width.max(1)).saturating_sub(1);
                let row = state.first().map_or(0, |s| *s as usize).min(last);
                rows[row * width..(row + 1) * width].to_vec()
            }
        }
    }

    /// The symmetric part between two states.
    pub fn symmetric(&self, state: &[f32], goal: &[f32]) -> f64 {
        self.metric.symmetric(&self.embed(state), &self.embed(goal))
    }
}

impl Distance for Learned {
    /// The time from the state to the goal.
    fn between(&self, state: &[f32], goal: &[f32]) -> f64 {
        self.metric.one_way(&self.embed(state), &self.embed(goal))
    }
}
