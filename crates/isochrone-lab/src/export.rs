//! `isochrone export`: the distance for programs that know nothing of us.

mod graph;
mod onnx;

use crate::cli::ExportOptions;
use crate::model::DistanceModel;
use crate::output::{print, refuse_other_ending, refuse_same_file, write};
use crate::recognise;
use anyhow::Result;
use std::path::Path;

/// Writes a distance as an ONNX file, whole or not at all.
pub fn write_onnx(model: &DistanceModel, file: &Path) -> Result<()> {
    refuse_other_ending(file, "onnx")?;
    write(file, &onnx::bytes(model)?)
}

/// Runs the command.
pub fn run(options: &ExportOptions) -> Result<()> {
    refuse_same_file(&[Some(&options.model), Some(&options.onnx)])?;
    let model = recognise::model(&options.model)?;
    write_onnx(&model, &options.onnx)?;
    let inputs = model.distance.inputs();
    print(&format!(
        "wrote {}: inputs `state` and `goal` (N × {inputs}, f32), outputs `steps` (N) and `point` (N × {}), the point of \
         `state`\n",
        options.onnx.display(),
        model.about.spec.encoder.outputs()
    ))
}
