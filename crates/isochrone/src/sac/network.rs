//! A network with its optimiser.

use crate::kernel::Activation;
use crate::layers::{Layers, Pass, Scratch};
use crate::nn::{NamedArray, NamedArrayError, find_u64};
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
        let mut arrays = self.layers.save(name, &self.values);
        arrays.extend(self.layers.save(&format!("{name}.adam.1"), first));
        arrays.extend(self.layers.save(&format!("{name}.adam.2"), second));
        arrays.push(NamedArray::u64(format!("{name}.adam.time"), [*time]));
        arrays
    }

    pub(super) fn restore(
        &mut self,
        name: &str,
        arrays: &[NamedArray],
    ) -> Result<(), NamedArrayError> {
        let Moments {
            time,
            first,
            second,
        } = &mut self.moments;
        self.layers.restore(name, arrays, &mut self.values)?;
        self.layers
            .restore(&format!("{name}.adam.1"), arrays, first)?;
        self.layers
            .restore(&format!("{name}.adam.2"), arrays, second)?;
        [*time] = find_u64(arrays, &format!("{name}.adam.time"))?;
        Ok(())
    }
}
