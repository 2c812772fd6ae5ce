//! A network with its optimiser.

use crate::kernel::Activation;
use crate::layers::{Layers, Pass, Scratch};
use crate::nn::{NamedArray, NamedArrayError, find, find_u64};
use crate::optim::{Adam, Moments};
use crate::rng::Rng;

/// ReLU layers with a linear end, and Adam's moments.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Network {
    pub(super) layers: Layers,
    pub(super) values: Vec<f32>,
    moments: Moments,
}

impl Network {
    pub(super) fn untrained(
        inputs: usize,
        hidden: &[usize],
        outputs: usize,
        rng: &mut Rng,
    ) -> Self {
        let layers = Layers::new(inputs, hidden, outputs, Activation::Relu);
        Self {
            values: layers.untrained(rng),
            moments: Moments::zero(layers.n_parameters()),
            layers,
        }
    }

    pub(super) fn forward(&self, rows: &[f32]) -> Pass {
        let mut pass = Pass::default();
        self.layers.forward(&self.values, rows, &mut pass);
        pass
    }

    /// The gradient of ⟨slopes, results⟩.
    pub(super) fn gradient(&self, rows: &[f32], pass: &Pass, slopes: &[f32]) -> Vec<f32> {
        let mut gradient = vec![0.0; self.values.len()];
        let scratch = &mut Scratch::default();
        self.layers
            .pull_back(&self.values, rows, pass, slopes, scratch, &mut gradient);
        gradient
    }

    /// One step of Adam down that gradient.
    pub(super) fn descend(&mut self, rows: &[f32], pass: &Pass, slopes: &[f32], rate: f64) {
        let gradient = self.gradient(rows, pass, slopes);
        Adam::new().descend(&mut self.moments, &mut self.values, &gradient, rate);
    }

    pub(super) fn save(&self, name: &str) -> Vec<NamedArray> {
        let Moments {
            time,
            first,
            second,
        } = &self.moments;
        let mut arrays = vec![NamedArray::u64(format!("{name}.adam.time"), [*time])];
        let parts = [("", &self.values), (".adam.1", first), (".adam.2", second)];
        for (part, values) in parts {
            for (at, (shape, place)) in self.layers.shapes().into_iter().enumerate() {
                let name = array_name(name, part, at);
                arrays.push(NamedArray::f32(name, shape, &values[place]));
            }
        }
        arrays
    }

    pub(super) fn restore(
        &mut self,
        name: &str,
        arrays: &[NamedArray],
    ) -> Result<(), NamedArrayError> {
        let [time] = find_u64(arrays, &format!("{name}.adam.time"))?;
        let Moments { first, second, .. } = &mut self.moments;
        let parts = [
            ("", &mut self.values),
            (".adam.1", first),
            (".adam.2", second),
        ];
        for (part, values) in parts {
            for (at, (shape, place)) in self.layers.shapes().into_iter().enumerate() {
                let array = find(arrays, &array_name(name, part, at), shape)?;
                values[place].copy_from_slice(array);
            }
        }
        self.moments.time = time;
        Ok(())
    }
}

/// Weights and biases alternate.
pub(super) fn array_name(network: &str, part: &str, array: usize) -> String {
    let what = if array.is_multiple_of(2) {
        "weight"
    } else {
        "bias"
    };
    format!("{network}{part}.layer.{}.{what}", array / 2)
}
