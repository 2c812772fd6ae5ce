//! A learned distance, frozen: plain arrays, no tensor library.

use super::{Distance, DistanceError, Norm, check_length, is_row};
use crate::distance_spec::{Architecture, DistanceSpec, Head};
use crate::fourier::FourierFeatures;
use crate::kernel::{Activation, FrozenMlp, Linear};
use crate::layers::FrozenLayers;
use crate::nn::{FrozenTrunk, NamedArray, NamedArrayError, find};
use crate::normaliser::Normaliser;

/// Maps two embedded points to steps.
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

    /// Entries of a point, including the potential.
    pub const fn outputs(&self) -> usize {
        self.head.outputs(self.dims)
    }

    /// The norm that orders points by their symmetric part.
    pub fn norm(&self) -> Norm {
        Norm::new(self.head.norm_dims(self.dims), self.p)
    }

    /// The norm between points whose symmetric part is so many steps, or a little more.
    pub fn norm_of_steps(&self, steps: f64) -> f32 {
        let norm = (steps.max(0.0) / self.scale).powf(1.0 / self.q);
        (norm * (1.0 + 1e-5)) as f32
    }

    /// Whether both directions have the same distance.
    pub(crate) const fn is_symmetric(&self) -> bool {
        self.head.is_symmetric()
    }

    /// Whether no way round is shorter than the distance, whatever the points: norms have the triangle inequality, and
    /// powers of them up to 1.
    pub(crate) fn has_triangle_inequality(&self) -> bool {
        self.p >= 1.0 && self.q <= 1.0
    }

    /// The symmetric part in steps, `‖x_s − x_g‖_p^q`: the mean of both directions. Points come from [`Learned::embed`];
    /// points of another length give NaN.
    pub fn symmetric(&self, s: &[f32], g: &[f32]) -> f64 {
        let outputs = self.outputs();
        if s.len() != outputs || g.len() != outputs {
            return f64::NAN;
        }
        let apart = s.iter().zip(g).take(self.head.norm_dims(self.dims));
        let apart = apart.map(|(a, b)| (f64::from(*a) - f64::from(*b)).abs());
        let is = |value: f64, wanted: f64| (value - wanted).abs() < 1e-9;
        let sum: f64 = if is(self.p, 1.0) {
            apart.sum()
        } else if is(self.p, 2.0) {
            apart.map(|x| x * x).sum()
        } else {
            // Other powers would overflow, so they are taken in units of the largest entry, as in training.
            let largest = apart.clone().fold(f64::MIN_POSITIVE, f64::max);
            let sum: f64 = apart.map(|x| (x / largest).powf(self.p)).sum();
            return self.scale * sum.powf(self.q / self.p) * largest.powf(self.q);
        };
        self.scale * sum.powf(self.q / self.p)
    }

    /// The time from s to g in steps: the symmetric part, and with a potential `+ u(g) − u(s)`. If that is negative (a
    /// potential that exceeds its norm), the time is zero. In a quasimetric it never is.
    pub fn one_way(&self, s: &[f32], g: &[f32]) -> f64 {
        let steps = self.as_learned(s, g);
        // `max` would turn NaN into zero, and zero means "reached".
        if steps < 0.0 { 0.0 } else { steps }
    }

    /// The raw network output, also if negative: for evaluation.
    pub fn as_learned(&self, s: &[f32], g: &[f32]) -> f64 {
        let symmetric = self.symmetric(s, g);
        match self.head {
            Head::Symmetric => symmetric,
            Head::Potential | Head::Quasimetric => {
                let [from, to] =
                    [s, g].map(|point| point.last().copied().map_or(f64::NAN, f64::from));
                symmetric + self.scale * (to - from)
            }
        }
    }
}

/// Maps states to points.
#[derive(Clone, Debug, PartialEq)]
enum Points {
    /// For one state, and for many.
    Layers(FrozenMlp, Box<FrozenLayers>),
    /// Convolutions, and the layers behind them.
    Images(FrozenTrunk, FrozenMlp),
    /// One row per state; a state is the row's index.
    Table(Vec<f32>),
}

/// `‖e(s) − e(g)‖_p^q` in steps, and with a potential the time of each direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Learned {
    normaliser: Option<Normaliser>,
    fourier: Option<FourierFeatures>,
    points: Points,
    metric: Metric,
}

impl Learned {
    /// A distance made of named arrays, as [`DistanceTrainer::weights`](crate::embedding::DistanceTrainer::weights)
    /// gives them: `layer.0.weight`, `layer.0.bias`, … or `table`, and `normaliser.mean`, `normaliser.spread` if it
    /// has one. `scale` is in steps per unit of the network.
    pub fn of_arrays(
        spec: &DistanceSpec,
        arrays: &[NamedArray],
        scale: f64,
    ) -> Result<Self, NamedArrayError> {
        let encoder = &spec.encoder;
        let normaliser = Normaliser::of_arrays(encoder.inputs, arrays)?;
        let fourier = match encoder.architecture {
            Architecture::Fourier { features, .. } => Some(FourierFeatures::of_arrays(
                encoder.inputs,
                features,
                arrays,
            )?),
            _ => None,
        };
        let points = match &encoder.architecture {
            Architecture::Table { states } => {
                let table = find(arrays, "table", [*states, encoder.outputs()])?;
                Points::Table(table.to_vec())
            }
            Architecture::Mlp { hidden } | Architecture::Fourier { hidden, .. } => {
                let inputs = fourier
                    .as_ref()
                    .map_or(encoder.inputs, FourierFeatures::len);
                let linear = linear_layers(spec, inputs, hidden, arrays)?;
                let many = FrozenLayers::new(inputs, &linear, Activation::Relu);
                Points::Layers(frozen(inputs, &linear)?, Box::new(many))
            }
            Architecture::Cnn { images, hidden } => Points::Images(
                FrozenTrunk::of_arrays(images, arrays)?,
                frozen(
                    images.features(),
                    &linear_layers(spec, images.features(), hidden, arrays)?,
                )?,
            ),
        };
        Ok(Self {
            normaliser,
            fourier,
            points,
            metric: Metric::new(spec, scale),
        })
    }

    /// The Euclidean distance `‖s − g‖₂` between states of `inputs` entries, standardised if a normaliser is given, in
    /// so many steps per unit: the rival of every learned distance, in the same form.
    pub fn euclidean(
        inputs: usize,
        normaliser: Option<&Normaliser>,
        steps_per_unit: f64,
    ) -> Result<Self, NamedArrayError> {
        let (spec, arrays) = euclidean_arrays(inputs, normaliser);
        Self::of_arrays(&spec, &arrays, steps_per_unit)
    }

    /// Entries of a state.
    pub fn inputs(&self) -> usize {
        match &self.points {
            Points::Layers(mlp, _) => match &self.fourier {
                Some(fourier) => fourier.inputs(),
                None => mlp.inputs(),
            },
            Points::Images(trunk, _) => trunk.inputs(),
            Points::Table(_) => 1,
        }
    }

    /// The metric on embedded points.
    pub const fn metric(&self) -> &Metric {
        &self.metric
    }

    /// The embedding of a state: a point in the space where distances are norms, followed by its potential if there is one.
    pub fn embed(&self, state: &[f32]) -> Result<Vec<f32>, DistanceError> {
        check_length("state", state.len(), self.inputs())?;
        Ok(match &self.points {
            Points::Layers(mlp, _) => {
                let mut seen = Vec::new();
                let state = match &self.normaliser {
                    Some(normaliser) => {
                        normaliser.push(state, &mut seen);
                        &seen
                    }
                    None => state,
                };
                match &self.fourier {
                    Some(fourier) => mlp
                        .apply([&fourier.of(state), &[]], &mut Vec::new())
                        .to_vec(),
                    None => mlp.apply([state, &[]], &mut Vec::new()).to_vec(),
                }
            }
            Points::Images(trunk, mlp) => {
                let features = trunk.features(state);
                mlp.apply([&features, &[]], &mut Vec::new()).to_vec()
            }
            Points::Table(rows) => {
                let width = self.metric.outputs();
                let (index, states) = (state[0], rows.len() / width.max(1));
                if !is_row(index, states) {
                    return Err(DistanceError::NoSuchState { index, states });
                }
                let row = index as usize;
                rows[row * width..(row + 1) * width].to_vec()
            }
        })
    }

    /// The embedding in units of steps, for use outside this crate: `‖x_s − x_g‖_p^q` is the symmetric part, and the
    /// difference of potentials is the rest.
    pub fn embed_in_steps(&self, state: &[f32]) -> Result<Vec<f32>, DistanceError> {
        Ok(self.in_steps(&self.embed(state)?))
    }

    /// The points of many states, end to end. Sums are in another order than those of [`Learned::embed`], so the last digits may differ.
    pub(crate) fn embed_rows(&self, states: &[&[f32]]) -> Result<Vec<f32>, DistanceError> {
        let Points::Layers(_, many) = &self.points else {
            let points = states.iter().map(|state| self.embed(state));
            return Ok(points.collect::<Result<Vec<_>, _>>()?.concat());
        };
        let mut rows = Vec::new();
        for state in states {
            check_length("state", state.len(), self.inputs())?;
            match &self.normaliser {
                Some(normaliser) => normaliser.push(state, &mut rows),
                None => rows.extend_from_slice(state),
            }
        }
        if let Some(fourier) = &self.fourier {
            rows = fourier.of(&rows);
        }
        Ok(many.rows(&rows))
    }

    /// An embedded point in units of steps.
    pub fn in_steps(&self, point: &[f32]) -> Vec<f32> {
        let Metric { dims, q, scale, .. } = self.metric;
        let unit = |at: usize| {
            if at < dims {
                scale.powf(1.0 / q)
            } else {
                scale
            }
        };
        let entries = point.iter().enumerate();
        let entries = entries.map(|(at, x)| (unit(at) * f64::from(*x)) as f32);
        entries.collect()
    }

    /// The symmetric part between two states.
    pub fn symmetric(&self, state: &[f32], goal: &[f32]) -> Result<f64, DistanceError> {
        let (state, goal) = (self.embed(state)?, self.embed(goal)?);
        Ok(self.metric.symmetric(&state, &goal))
    }
}

impl Distance for Learned {
    /// The time from the state to the goal.
    fn between(&self, state: &[f32], goal: &[f32]) -> Result<f64, DistanceError> {
        self.to_embedded_goal(state, &self.embed(goal)?)
    }

    fn between_pairs(&self, pairs: &[(&[f32], &[f32])]) -> Result<Vec<f64>, DistanceError> {
        let (states, goals): (Vec<&[f32]>, Vec<&[f32]>) = pairs.iter().copied().unzip();
        let (states, goals) = (self.embed_rows(&states)?, self.embed_rows(&goals)?);
        let width = self.metric.outputs().max(1);
        let points = states.chunks_exact(width).zip(goals.chunks_exact(width));
        let distances = points.map(|(state, goal)| self.metric.one_way(state, goal));
        Ok(distances.collect())
    }

    /// The goal's point.
    fn embed_goal(&self, goal: &[f32]) -> Result<Vec<f32>, DistanceError> {
        self.embed(goal)
    }

    fn to_embedded_goal(&self, state: &[f32], embedded: &[f32]) -> Result<f64, DistanceError> {
        check_length("embedded goal", embedded.len(), self.metric.outputs())?;
        Ok(self.metric.one_way(&self.embed(state)?, embedded))
    }
}

/// What [`Learned::euclidean`] is made of: one linear layer, the identity.
pub fn euclidean_arrays(
    inputs: usize,
    normaliser: Option<&Normaliser>,
) -> (DistanceSpec, Vec<NamedArray>) {
    let mut spec = DistanceSpec {
        p: 2.0,
        q: 1.0,
        ..DistanceSpec::paper(inputs, 1)
    };
    spec.encoder.dims = inputs;
    spec.encoder.architecture = Architecture::Mlp { hidden: Vec::new() };
    let identity = (0..inputs * inputs).map(|at| f32::from(u8::from(at / inputs == at % inputs)));
    let weights: Vec<f32> = identity.collect();
    let mut arrays = vec![
        NamedArray::f32("layer.0.weight", [inputs, inputs], weights),
        NamedArray::f32("layer.0.bias", [1, inputs], vec![0.0; inputs]),
    ];
    if let Some(normaliser) = normaliser {
        let row = |name: &str, values: &[f32]| NamedArray::f32(name, [1, inputs], values);
        arrays.push(row("normaliser.mean", normaliser.mean()));
        arrays.push(row("normaliser.spread", normaliser.std()));
    }
    (spec, arrays)
}

/// Layers from their arrays.
fn linear_layers(
    spec: &DistanceSpec,
    inputs: usize,
    hidden: &[usize],
    arrays: &[NamedArray],
) -> Result<Vec<Linear>, NamedArrayError> {
    let (mut rows, mut layers) = (inputs, Vec::new());
    for (layer, &columns) in hidden.iter().chain([&spec.encoder.outputs()]).enumerate() {
        let values = |what: &str, rows: usize| {
            let found = find(arrays, &format!("layer.{layer}.{what}"), [rows, columns]);
            found.map(<[f32]>::to_vec)
        };
        layers.push(Linear {
            weights: values("weight", rows)?,
            bias: values("bias", 1)?,
        });
        rows = columns;
    }
    Ok(layers)
}

fn frozen(inputs: usize, layers: &[Linear]) -> Result<FrozenMlp, NamedArrayError> {
    // Shapes and values are checked above, so this cannot fail.
    FrozenMlp::new(inputs, layers, Activation::Relu).map_err(|error| NamedArrayError::Layers {
        reason: error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DIMS: usize = 20;

    fn metric(p: f32, q: f32) -> Metric {
        let spec = DistanceSpec {
            p,
            q,
            ..DistanceSpec::paper(2, 10)
        };
        Metric::new(&spec, 1.0)
    }

    proptest! {
        /// A quasimetric: never negative, zero in both directions only between equal points, triangle inequality.
        #[test]
        fn a_quasimetric_keeps_its_laws(
            a in prop::array::uniform4(-10.0_f32..10.0),
            b in prop::array::uniform4(-10.0_f32..10.0),
            c in prop::array::uniform4(-10.0_f32..10.0),
            p in 1.0_f32..8.0,
        ) {
            let mut spec = DistanceSpec { p, ..DistanceSpec::paper(2, 10) };
            spec.encoder.dims = 3;
            spec.encoder.head = Head::Quasimetric;
            let metric = Metric::new(&spec, 2.5);
            let steps = |from: &[f32], to: &[f32]| metric.as_learned(from, to);
            prop_assert!(steps(&a, &b) > -1e-9);
            prop_assert!(steps(&a, &a).abs() < 1e-9);
            let is_one = a.map(f32::to_bits) == b.map(f32::to_bits);
            prop_assert!(is_one || steps(&a, &b) + steps(&b, &a) > 0.0);
            let detour = steps(&a, &b) + steps(&b, &c);
            prop_assert!(steps(&a, &c) <= detour + 1e-6 * detour.abs().max(1.0));
        }
    }

    #[test]
    fn what_is_no_number_is_not_reached() {
        let mut point = [0.0; DIMS];
        point[3] = f32::NAN;
        for p in [1.0, 2.0, 3.0] {
            assert!(metric(p, 1.0).one_way(&point, &[0.0; DIMS]).is_nan());
        }
    }

    /// 2,000 to the power of 100 overflows f64, but its hundredth root is 2,000.
    #[test]
    fn high_powers_stay_numbers() {
        for (apart, p) in [(2e3, 100.0), (1e-4, 100.0), (7.0, 1.5)] {
            for q in [0.5, 1.0, 2.0] {
                let steps = metric(p, q).symmetric(&[apart; DIMS], &[0.0; DIMS]);
                let norm = f64::from(apart) * (DIMS as f64).powf(1.0 / f64::from(p));
                let expected = norm.powf(f64::from(q));
                assert!((steps / expected - 1.0).abs() < 1e-6, "{steps}, {expected}");
            }
        }
        assert!(metric(3.0, 1.0).symmetric(&[0.0; DIMS], &[0.0; DIMS]) < 1e-100);
    }
}
