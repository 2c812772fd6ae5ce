//! The convolutions of an encoder of images.

use serde::{Deserialize, Serialize};

/// Images, and 3×3 convolutions with a border of zeros.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageSpec {
    /// Height, width and channels of an image.
    pub shape: [usize; 3],
    /// Channels that each convolution puts out; the paper has four of 64.
    pub channels: Vec<usize>,
    /// Pixels between two places of each convolution; the paper has 1, 2, 1, 2.
    pub strides: Vec<usize>,
}

impl ImageSpec {
    /// The paper's convolutions.
    pub fn paper(shape: [usize; 3]) -> Self {
        Self {
            shape,
            channels: vec![64; 4],
            strides: vec![1, 2, 1, 2],
        }
    }

    /// Numbers in an image; the largest integer if that overflows.
    pub fn inputs(&self) -> usize {
        let [height, width, channels] = self.shape;
        height.saturating_mul(width).saturating_mul(channels)
    }

    /// Numbers that the layers behind the convolutions are given; the largest integer if that overflows.
    pub fn features(&self) -> usize {
        let strides = self.strides.iter().map(|stride| (*stride).max(1));
        let shrunk = |side: usize| strides.clone().fold(side, usize::div_ceil);
        let last = self.channels.last().unwrap_or(&self.shape[2]);
        let pixels = shrunk(self.shape[0]).saturating_mul(shrunk(self.shape[1]));
        pixels.saturating_mul(*last)
    }

    pub(super) fn n_parameters(&self) -> usize {
        let inputs = [self.shape[2]].into_iter().chain(self.channels.clone());
        let each = inputs.zip(&self.channels);
        // A weight for each of nine pixels, a scale and a shift.
        let rows = |inputs: usize| inputs.saturating_mul(9).saturating_add(2);
        each.map(|(inputs, outputs)| rows(inputs).saturating_mul(*outputs))
            .fold(0, usize::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shapes come from files and arguments: none overflows.
    #[test]
    fn sizes_are_bounded() {
        let huge = ImageSpec {
            shape: [usize::MAX; 3],
            channels: vec![usize::MAX, 0],
            strides: vec![0, 1],
        };
        assert_eq!(huge.inputs(), usize::MAX);
        assert_eq!((huge.features(), huge.n_parameters()), (0, usize::MAX));
        let paper = ImageSpec::paper([32, 32, 3]);
        assert_eq!((paper.inputs(), paper.features()), (3_072, 4_096));
        let weights = 9 * 3 * 64 + 3 * 9 * 64 * 64;
        assert_eq!(paper.n_parameters(), weights + 4 * 2 * 64);
    }
}
