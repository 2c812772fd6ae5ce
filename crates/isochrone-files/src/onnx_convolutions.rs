//! The convolutions of an ONNX model: bytes as numbers in, features out, batch normalisation by running means and variances.
//!
//! ONNX wants channels first, this engine has them last: an image is turned before the convolutions and back behind them.

use crate::onnx_graph::{Attribute, Graph};
use anyhow::{Context, Result};
use isochrone::embedding::ImageSpec;
use isochrone::nn::NamedArray;

/// What names of their arrays begin with.
pub(crate) const CONVOLUTION: &str = "conv.";

/// Side of a convolution.
const SIDE: usize = 3;
/// The largest value of a byte.
const WHITE: f32 = 255.0;

/// Convolutions whose constants are in a graph.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Convolutions<'a>(&'a ImageSpec);

impl<'a> Convolutions<'a> {
    /// Adds the constants.
    pub(crate) fn add(
        images: &'a ImageSpec,
        arrays: &[NamedArray],
        graph: &mut Graph,
    ) -> Result<Self> {
        let values = |name: &str| {
            let array = arrays.iter().find(|array| array.name == name);
            let values = array.and_then(NamedArray::as_f32);
            values.with_context(|| format!("the model has no array `{name}` of f32"))
        };
        let [height, width, channels] = images.shape;
        graph.floats("white", &[1], &[WHITE]);
        graph.integers("image", &[ROWS, height, width, channels]);
        graph.integers("features", &[ROWS, images.features()]);
        let mut inputs = channels;
        for (layer, &outputs) in images.channels.iter().enumerate() {
            let name = |what: &str| format!("{CONVOLUTION}{layer}.{what}");
            let weight = channels_first(values(&name("weight"))?, inputs, outputs);
            graph.floats(&name("weight"), &[outputs, inputs, SIDE, SIDE], &weight);
            for what in ["scale", "shift", "mean", "variance"] {
                graph.floats(&name(what), &[outputs], values(&name(what))?);
            }
            inputs = outputs;
        }
        Ok(Self(images))
    }

    /// The features of images; returns their name.
    pub(crate) fn features(self, from: &str, graph: &mut Graph) -> String {
        let name = |what: &str| format!("{from}.{what}");
        let mut x = graph.node("Reshape", &[from, "image"], &name("image"));
        let first = [("perm", Attribute::Integers(&[0, 3, 1, 2]))];
        x = graph.node_with("Transpose", &[&x], &name("channels_first"), &first);
        x = graph.node("Div", &[&x, "white"], &name("bright"));
        for (layer, stride) in self.0.strides.iter().enumerate() {
            let array = |what: &str| format!("{CONVOLUTION}{layer}.{what}");
            let name = |what: &str| format!("{from}.{CONVOLUTION}{layer}.{what}");
            let strides = [*stride; 2];
            let attributes = [
                ("kernel_shape", Attribute::Integers(&[SIDE; 2])),
                ("pads", Attribute::Integers(&[1; 4])),
                ("strides", Attribute::Integers(&strides)),
            ];
            let of = [x.as_str(), &array("weight")];
            x = graph.node_with("Conv", &of, &name("product"), &attributes);
            let of = ["scale", "shift", "mean", "variance"].map(array);
            let of: Vec<&str> = [x.as_str()]
                .into_iter()
                .chain(of.iter().map(String::as_str))
                .collect();
            // Its ε is 10⁻⁵ unless another is given.
            x = graph.node("BatchNormalization", &of, &name("normalised"));
            x = graph.node("Relu", &[&x], &name("relu"));
        }
        let last = [("perm", Attribute::Integers(&[0, 2, 3, 1]))];
        x = graph.node_with("Transpose", &[&x], &name("channels_last"), &last);
        graph.node("Reshape", &[&x, "features"], &name("features"))
    }
}

/// In the shape of a reshaped array: as many as there are.
const ROWS: usize = 0;

/// A weight of rows (pixel, input) and columns (output) in the order output, input, pixel.
fn channels_first(weight: &[f32], inputs: usize, outputs: usize) -> Vec<f32> {
    let pixels = SIDE * SIDE;
    let mut turned = Vec::with_capacity(weight.len());
    for output in 0..outputs {
        for input in 0..inputs {
            turned.extend(
                (0..pixels).map(|pixel| weight[(pixel * inputs + input) * outputs + output]),
            );
        }
    }
    turned
}
