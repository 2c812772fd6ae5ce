//! 3×3 convolutions as products of matrices, one image at a time.
//!
//! An image is rows of pixels, a pixel is its channels end to end. The nine pixels round each output pixel, side by side, are a row
//! of *patches*, and a convolution is one product:
//!
//! ```text
//! output (pixels × outputs) = patches (pixels × 9·channels) · weight (9·channels × outputs)
//! ```
//!
//! The patches of one image fit into a core's cache. Those of a whole batch do not, and allocating them anew in every step
//! costs more than multiplying them.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

/// Pixels of a patch.
const PATCH: usize = 9;
/// Its side.
const SIDE: usize = 3;

/// A convolution with a border of zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Convolution {
    pub(crate) height: usize,
    pub(crate) width: usize,
    pub(crate) channels: usize,
    /// Channels of the output.
    pub(crate) outputs: usize,
    /// Pixels between patches: 2 halves height and width.
    pub(crate) stride: usize,
}

impl Convolution {
    pub(crate) const fn output_height(&self) -> usize {
        self.height.div_ceil(self.stride)
    }

    pub(crate) const fn output_width(&self) -> usize {
        self.width.div_ceil(self.stride)
    }

    /// Numbers in an image.
    pub(crate) const fn input_len(&self) -> usize {
        self.height * self.width * self.channels
    }

    /// Numbers in its output.
    pub(crate) const fn output_len(&self) -> usize {
        self.n_patches() * self.outputs
    }

    /// Numbers in a patch: the rows of the weight.
    pub(crate) const fn patch_len(&self) -> usize {
        PATCH * self.channels
    }

    const fn n_patches(&self) -> usize {
        self.output_height() * self.output_width()
    }

    /// The outputs of images, end to end.
    pub(crate) fn apply(&self, weight: &[f32], images: &[f32]) -> Vec<f32> {
        let mut outputs = vec![0.0; images.len() / self.input_len() * self.output_len()];
        let mut patches = self.no_patches();
        let each = outputs.chunks_exact_mut(self.output_len());
        for (output, image) in each.zip(images.chunks_exact(self.input_len())) {
            self.gather(image, &mut patches);
            let output = MatMut::from_row_major_slice_mut(output, self.n_patches(), self.outputs);
            let (patches, weight) = (self.patches(&patches), self.weight(weight));
            matmul(output, Accum::Replace, patches, weight, 1.0, Par::Seq);
        }
        outputs
    }

    /// The gradient of the weight, from the images and the gradient of their outputs: the sum over images, in their order.
    pub(crate) fn weight_gradient(&self, images: &[f32], output_gradients: &[f32]) -> Vec<f32> {
        let mut gradient = vec![0.0; self.patch_len() * self.outputs];
        let mut patches = self.no_patches();
        let each = images.chunks_exact(self.input_len());
        for (image, output_gradients) in each.zip(output_gradients.chunks_exact(self.output_len()))
        {
            self.gather(image, &mut patches);
            let sum =
                MatMut::from_row_major_slice_mut(&mut gradient, self.patch_len(), self.outputs);
            let patches = self.patches(&patches).transpose();
            matmul(
                sum,
                Accum::Add,
                patches,
                self.output_gradients(output_gradients),
                1.0,
                Par::Seq,
            );
        }
        gradient
    }

    /// The gradient of the images, from the gradient of their outputs.
    pub(crate) fn input_gradient(&self, weight: &[f32], output_gradients: &[f32]) -> Vec<f32> {
        let mut gradient = vec![0.0; output_gradients.len() / self.output_len() * self.input_len()];
        let mut patches = self.no_patches();
        let each = gradient.chunks_exact_mut(self.input_len());
        for (image, output_gradients) in each.zip(output_gradients.chunks_exact(self.output_len()))
        {
            let (rows, columns) = (self.n_patches(), self.patch_len());
            let product = MatMut::from_row_major_slice_mut(&mut patches, rows, columns);
            let weight = self.weight(weight).transpose();
            matmul(
                product,
                Accum::Replace,
                self.output_gradients(output_gradients),
                weight,
                1.0,
                Par::Seq,
            );
            self.scatter(&patches, image);
        }
        gradient
    }

    fn no_patches(&self) -> Vec<f32> {
        vec![0.0; self.n_patches() * self.patch_len()]
    }

    fn patches<'a>(&self, patches: &'a [f32]) -> MatRef<'a, f32> {
        MatRef::from_row_major_slice(patches, self.n_patches(), self.patch_len())
    }

    fn weight<'a>(&self, weight: &'a [f32]) -> MatRef<'a, f32> {
        MatRef::from_row_major_slice(weight, self.patch_len(), self.outputs)
    }

    fn output_gradients<'a>(&self, output_gradients: &'a [f32]) -> MatRef<'a, f32> {
        MatRef::from_row_major_slice(output_gradients, self.n_patches(), self.outputs)
    }

    /// Copies the patches of an image. What is outside of it stays zero.
    fn gather(&self, image: &[f32], patches: &mut [f32]) {
        self.each_run(|at, from, length| {
            patches[at..at + length].copy_from_slice(&image[from..from + length]);
        });
    }

    /// Adds patches to the pixels they are of: the transpose of [`Convolution::gather`].
    fn scatter(&self, patches: &[f32], image: &mut [f32]) {
        self.each_run(|at, from, length| {
            let run = image[from..from + length].iter_mut();
            run.zip(&patches[at..at + length])
                .for_each(|(sum, x)| *sum += x);
        });
    }

    /// Each run of up to three pixels that a patch shares with the image: where it begins in the patches, where in the image,
    /// and its length.
    fn each_run(&self, mut run: impl FnMut(usize, usize, usize)) {
        let (channels, patch_len) = (self.channels, self.patch_len());
        for row in 0..self.output_height() {
            for column in 0..self.output_width() {
                let patch = (row * self.output_width() + column) * patch_len;
                let left = column * self.stride;
                // The patch begins one pixel to the left of its middle.
                let (skipped, first) = (usize::from(left == 0), left.saturating_sub(1));
                let last = (left + SIDE - 1).min(self.width);
                for line in 0..SIDE {
                    let Some(y) = (row * self.stride + line).checked_sub(1) else {
                        continue;
                    };
                    if y < self.height {
                        run(
                            patch + (line * SIDE + skipped) * channels,
                            (y * self.width + first) * channels,
                            (last - first) * channels,
                        );
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn numbers(count: usize, seed: usize) -> Vec<f32> {
        let number = |at: usize| ((at * 37 + seed * 101) % 23) as f32 / 11.0 - 1.0;
        (0..count).map(number).collect()
    }

    fn dot(a: &[f32], b: &[f32]) -> f64 {
        a.iter()
            .zip(b)
            .map(|(a, b)| f64::from(*a) * f64::from(*b))
            .sum()
    }

    /// The definition, in plain loops.
    fn plain(of: &Convolution, weight: &[f32], image: &[f32]) -> Vec<f64> {
        let mut outputs = Vec::new();
        for row in 0..of.output_height() {
            for column in 0..of.output_width() {
                for output in 0..of.outputs {
                    let mut sum = 0.0;
                    for (line, across) in (0..SIDE).flat_map(|l| (0..SIDE).map(move |a| (l, a))) {
                        let y = (row * of.stride + line).wrapping_sub(1);
                        let x = (column * of.stride + across).wrapping_sub(1);
                        if y >= of.height || x >= of.width {
                            continue;
                        }
                        for channel in 0..of.channels {
                            let pixel = image[(y * of.width + x) * of.channels + channel];
                            let at = ((line * SIDE + across) * of.channels + channel) * of.outputs;
                            sum += f64::from(pixel) * f64::from(weight[at + output]);
                        }
                    }
                    outputs.push(sum);
                }
            }
        }
        outputs
    }

    proptest! {
        /// Outputs are those of the definition, and both gradients are the transposes of the same product:
        /// `⟨output_gradients, conv(w, x)⟩ = ⟨∇x, x⟩ = ⟨∇w, w⟩`.
        #[test]
        fn convolutions_are_what_they_are_defined_to_be(
            height in 1..7_usize, width in 1..7_usize, channels in 1..4_usize, outputs in 1..4_usize, stride in 1..3_usize
        ) {
            let of = Convolution { height, width, channels, outputs, stride };
            let weight = numbers(of.patch_len() * outputs, 1);
            let images = numbers(2 * of.input_len(), 2);
            let found = of.apply(&weight, &images);
            let (first, second) = images.split_at(of.input_len());
            let expected = [plain(&of, &weight, first), plain(&of, &weight, second)].concat();
            prop_assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(&expected) {
                prop_assert!((f64::from(*found) - expected).abs() < 1e-4, "{} {}", found, expected);
            }
            let output_gradients = numbers(found.len(), 3);
            let whole = dot(&output_gradients, &found);
            let by_input = dot(&of.input_gradient(&weight, &output_gradients), &images);
            let by_weight = dot(&of.weight_gradient(&images, &output_gradients), &weight);
            prop_assert!((whole - by_input).abs() < 1e-3, "{} {}", whole, by_input);
            prop_assert!((whole - by_weight).abs() < 1e-3, "{} {}", whole, by_weight);
        }
    }
}
