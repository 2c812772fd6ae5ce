//! Trainable networks. The only module that names the tensor library (Burn, on its CPU backend; with the feature `gpu` also on a GPU).
//!
//! Initial weights come from our own random streams, every parameter has a name, and Adam's moments are stored beside their
//! parameter, so a checkpoint is a list of named arrays ([`NamedArray`]). The library's own random numbers, records and
//! threads are not used.

#[cfg(test)]
mod against_layers;
mod batch_norm;
mod convolution;
mod device;
mod encoder;
mod loss;
mod norm;
mod parameter;
#[cfg(any(test, feature = "gpu"))]
mod tensor_trunk;
mod trunk;

pub use crate::named_array::{ArrayValues, NamedArray, NamedArrayError, find};
pub(crate) use crate::named_array::{find_rows, find_u64, find_u64s};
pub use device::{GpuError, use_gpu};
pub(crate) use encoder::Network;
pub(crate) use loss::{Loss, action_loss, clip_loss, drawing_loss, lag_loss};
pub(crate) use trunk::FrozenTrunk;

use device::device;
use norm::power_norm;

use burn::tensor::{Int, Tensor, TensorData};

/// Bytes that the system's allocator should keep: just below glibc's upper limit.
const KEPT_BYTES: usize = 31 << 20;

/// Asks the allocator to keep the memory of one step for the next, instead of returning it to the system, which at large
/// batches costs a third of a step. glibc keeps blocks up to the size of the largest that was freed; this one is never
/// touched, so it costs nothing. No effect with other allocators.
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

/// The value of a loss; NaN if it is empty, which stops the run like any other NaN.
fn scalar(tensor: Tensor<1>) -> f32 {
    tensor.try_into_scalar::<f32>().unwrap_or(f32::NAN)
}
