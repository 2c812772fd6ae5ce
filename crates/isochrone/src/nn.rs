//! Networks that learn. The only folder that names the tensor library (Burn, on its CPU backend).
//!
//! Weights are drawn on the host from our own streams, every parameter has a name, and Adam's moments are kept
//! beside the parameter they belong to: what a run needs to go on is a list of named arrays ([`NamedArray`]). The
//! library's own random numbers, records and threads are not used.

#[cfg(test)]
mod against_layers;
mod array;
mod encoder;
mod loss;
mod norm;
mod parameter;

pub use array::{ArrayValues, NamedArray, NamedArrayError, find};
pub(crate) use array::{find_rows, find_u64};
pub(crate) use encoder::Network;
pub(crate) use loss::{Loss, drawing_loss, lag_loss};

use norm::power_norm;

use burn::tensor::{Device, Int, Tensor, TensorData};

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
