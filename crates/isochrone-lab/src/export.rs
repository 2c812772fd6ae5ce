//! `isochrone export`: the distance for programs that know nothing of us.

mod graph;
mod onnx;

pub use onnx::bytes as onnx_bytes;

use crate::cli::ExportOptions;
use crate::model::DistanceModel;
use crate::output::{print, refuse_same_file, write};
use anyhow::Result;

/// Runs the command.
pub fn run(options: &ExportOptions) -> Result<()> {
    refuse_same_file(&[Some(&options.model), Some(&options.onnx)])?;
    let model = DistanceModel::read(&options.model)?;
    write(&options.onnx, &onnx::bytes(&model)?)?;
    let inputs = model.distance.inputs();
    print(&format!(
        "wrote {}: inputs `state` and `goal` (N × {inputs}, f32), outputs `steps` (N) and `point` (N × {}), the point of \
         `state`\n",
        options.onnx.display(),
        model.about.spec.encoder.outputs()
    ))
}
