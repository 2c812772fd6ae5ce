//! The trunk as a graph of the tensor library: slower than ours on a CPU, and what runs on a GPU.

use super::batch_norm::VARIANCE_FLOOR;
use super::convolution::Convolution;
use super::trunk::{FrozenTrunk, MAX_BYTE, PARAMETERS};
use super::{matrix, numbers};
use burn::tensor::Tensor;
use burn::tensor::activation::relu;
use burn::tensor::module::conv2d;
use burn::tensor::ops::ConvOptions;

/// Side of a convolution.
const SIDE: usize = 3;

/// The features of a batch, normalised by its own means and variances, and those, end to end.
pub(super) fn features(
    convolutions: &[Convolution],
    parameters: &[Tensor<2>],
    images: Vec<f32>,
) -> (Tensor<2>, Vec<f32>) {
    let mut x = channels_first(convolutions, images);
    let mut statistics = Vec::new();
    for (of, arrays) in convolutions.iter().zip(parameters.chunks_exact(PARAMETERS)) {
        x = convolve(of, x, arrays[0].clone());
        let [images, channels, height, width] = x.dims();
        let rows = x.clone().swap_dims(0, 1);
        let rows = rows.reshape([channels, images * height * width]);
        let mean = rows.clone().mean_dim(1);
        let variance = (rows - mean.clone()).square().mean_dim(1);
        statistics.extend(numbers(mean.clone()));
        statistics.extend(numbers(variance.clone()));
        let std = variance.add_scalar(VARIANCE_FLOOR).sqrt();
        let units = (x - by_channel(mean)) / by_channel(std);
        let [scale, shift] = [&arrays[1], &arrays[2]].map(|array| by_channel(array.clone()));
        x = relu(units * scale + shift);
    }
    (channels_last(x), statistics)
}

/// The features of a trained trunk.
pub(super) fn frozen_features(trunk: &FrozenTrunk, images: Vec<f32>) -> Tensor<2> {
    let convolutions: Vec<Convolution> = trunk.layers().map(|(of, ..)| *of).collect();
    let mut x = channels_first(&convolutions, images);
    for (of, weight, bias) in trunk.layers() {
        x = convolve(of, x, matrix(weight.to_vec(), of.outputs));
        x = relu(x + by_channel(matrix(bias.to_vec(), of.outputs)));
    }
    channels_last(x)
}

/// Images from 0 to 1, in the library's order.
fn channels_first(convolutions: &[Convolution], images: Vec<f32>) -> Tensor<4> {
    let Some(first) = convolutions.first() else {
        return matrix(images, 1).reshape([1, 1, 1, -1]);
    };
    let count = images.len() / first.input_len();
    let images = matrix(images, first.input_len()).div_scalar(MAX_BYTE);
    let images = images.reshape([count, first.height, first.width, first.channels]);
    images.permute([0, 3, 1, 2])
}

fn channels_last(x: Tensor<4>) -> Tensor<2> {
    let [images, channels, height, width] = x.dims();
    let x = x.permute([0, 2, 3, 1]);
    x.reshape([images, height * width * channels])
}

/// One number for each channel, spread over images and pixels.
fn by_channel(values: Tensor<2>) -> Tensor<4> {
    let [rows, columns] = values.dims();
    values.reshape([1, rows * columns, 1, 1])
}

fn convolve(of: &Convolution, x: Tensor<4>, weight: Tensor<2>) -> Tensor<4> {
    let weight = weight.reshape([SIDE, SIDE, of.channels, of.outputs]);
    let options = ConvOptions::new([of.stride; 2], [1, 1], [1, 1], 1);
    conv2d(x, weight.permute([3, 2, 0, 1]), None, options)
}
