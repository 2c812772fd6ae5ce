//! Networks that learn. The only folder that names the tensor library (Burn, on its CPU backend).
//!
//! Weights are drawn on the host from our own streams, every parameter has a name, and Adam's moments are kept
//! beside the parameter they belong to: what a run needs to go on is a list of named arrays ([`Named`]). The
//! library's own random numbers, records and threads are not used.

mod adam;
#[cfg(test)]
mod against_layers;
mod encoder;
mod loss;
mod norm;
// What ours is measured against.
#[doc(hidden)]
pub mod bare;
#[doc(hidden)]
pub mod products;

pub(crate) use adam::Adam;
pub(crate) use encoder::Network;
pub(crate) use loss::{drawing_loss, lag_loss};

use norm::power_norm;

use burn::tensor::{Device, Int, Tensor, TensorData};

/// An array with a name: how parameters and moments leave and come back.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// `layer.0.weight`, `adam.1.layer.0.weight`, …
    pub name: String,
    /// Rows and columns.
    pub shape: [usize; 2],
    /// Row by row.
    pub values: Vec<f32>,
}

/// Named arrays that are not those of this network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NamedError {
    /// Not there.
    #[error("there is no array `{name}`")]
    Missing {
        /// Its name.
        name: String,
    },
    /// Of another shape.
    #[error("`{name}` is {}×{}, this network's is {}×{}", .got[0], .got[1], .expected[0], .expected[1])]
    Shape {
        /// Its name.
        name: String,
        /// Its shape.
        got: [usize; 2],
        /// The network's.
        expected: [usize; 2],
    },
    /// With another number of values than its shape says.
    #[error("`{name}` has {got} values, its shape says {expected}")]
    Length {
        /// Its name.
        name: String,
        /// Values given.
        got: usize,
        /// Values wanted.
        expected: usize,
    },
    /// A spread that nothing can be divided by.
    #[error("a value of `{name}` is not above zero")]
    NotAbove {
        /// Its name.
        name: String,
    },
    /// Layers that do not follow each other.
    #[error("the layers are no network: {reason}")]
    Layers {
        /// Why.
        reason: String,
    },
    /// Not finite.
    #[error("value {at} of `{name}` is not finite")]
    NonFinite {
        /// Its name.
        name: String,
        /// Which value.
        at: usize,
    },
}

/// The array with this name, checked.
pub fn find<'n>(
    arrays: &'n [Named],
    name: &str,
    expected: [usize; 2],
) -> Result<&'n Named, NamedError> {
    let owned = || name.to_owned();
    let missing = || NamedError::Missing { name: owned() };
    let array = arrays.iter().find(|a| a.name == name).ok_or_else(missing)?;
    let got = array.shape;
    if got != expected {
        let name = owned();
        return Err(NamedError::Shape {
            name,
            got,
            expected,
        });
    }
    let (got, expected) = (array.values.len(), expected[0] * expected[1]);
    if got != expected {
        let name = owned();
        return Err(NamedError::Length {
            name,
            got,
            expected,
        });
    }
    match array.values.iter().position(|value| !value.is_finite()) {
        Some(at) => Err(NamedError::NonFinite { name: owned(), at }),
        None => Ok(array),
    }
}

/// The array with this name and width, checked, however many rows it has.
pub(crate) fn find_rows<'n>(
    arrays: &'n [Named],
    name: &str,
    columns: usize,
) -> Result<&'n Named, NamedError> {
    let array = arrays.iter().find(|array| array.name == name);
    let rows = array.map_or(0, |array| array.shape[0]);
    find(arrays, name, [rows, columns])
}

/// A whole number as four words of 16 bits, which f32 holds exactly.
pub(crate) fn words(value: u64) -> impl Iterator<Item = f32> {
    (0..4).map(move |k| (value >> (16 * k) & 0xFFFF) as f32)
}

/// The opposite of [`words`].
pub(crate) fn from_words(words: &[f32]) -> u64 {
    let each = words.iter().enumerate();
    each.map(|(k, word)| (*word as u64) << (16 * k)).sum()
}

/// Where everything is computed: the CPU, with gradients.
fn device() -> Device {
    Device::flex().autodiff()
}

/// Bytes that the system's allocator is to keep: just below the most that glibc lets itself be told so.
const KEPT_BYTES: usize = 31 << 20;

/// Asks the allocator not to give the memory of one step back to the system before the next asks for it again, which at
/// large batches is a third of a step. glibc keeps blocks of the size of the largest it has seen freed; this one is
/// never touched, so it costs nothing. Other allocators do not mind.
pub fn keep_memory() {
    drop(std::hint::black_box(Vec::<u8>::with_capacity(KEPT_BYTES)));
}

/// Rows of `columns` numbers as a tensor, which keeps them without a copy.
fn matrix(values: Vec<f32>, columns: usize) -> Tensor<2> {
    let rows = values.len().checked_div(columns).unwrap_or(0);
    Tensor::from_data(TensorData::new(values, [rows, columns]), &device())
}

/// Indices as a tensor.
fn indices(values: Vec<i64>) -> Tensor<1, Int> {
    let length = values.len();
    Tensor::from_data(TensorData::new(values, [length]), &device())
}

/// The numbers of a tensor, row by row. A CPU tensor of floats always has them.
fn numbers(tensor: Tensor<2>) -> Vec<f32> {
    tensor.try_into_vec_as::<f32>().unwrap_or_default()
}

/// The one number of a loss; NaN if it has none, which stops the run as any other NaN does.
fn scalar(tensor: Tensor<1>) -> f32 {
    tensor.try_into_scalar::<f32>().unwrap_or(f32::NAN)
}
