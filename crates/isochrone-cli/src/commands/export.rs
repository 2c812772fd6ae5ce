//! `isochrone export`: the distance for programs that know nothing of us.

use crate::cli::ExportOptions;
use anyhow::Result;
use isochrone_files::onnx;
use isochrone_files::path_kind;
use isochrone_runs::output::{print, refuse_same_file};

/// Runs the command.
pub fn run(options: &ExportOptions) -> Result<()> {
    refuse_same_file(&[Some(&options.model), Some(&options.onnx)])?;
    let model = path_kind::model(&options.model)?;
    onnx::write(&model, &options.onnx)?;
    let inputs = model.distance.inputs();
    print(&format!(
        "wrote {}: inputs `state` and `goal` (N × {inputs}, f32), outputs `steps` (N) and `point` (N × {}), the point of \
         `state`\n",
        options.onnx.display(),
        model.about.spec.encoder.outputs()
    ))
}
