//! `isochrone export`: distances and cloned policies as ONNX.

use crate::cli::ExportOptions;
use anyhow::Result;
use isochrone_files::model::{DistanceModel, Kind, ModelError};
use isochrone_files::policy::PolicyModel;
use isochrone_files::{onnx, path_kind};
use isochrone_runs::output::{print, refuse_same_file};

/// Runs the command.
pub fn run(options: &ExportOptions) -> Result<()> {
    refuse_same_file(&[Some(&options.model), Some(&options.onnx)])?;
    let outputs = match DistanceModel::read(&options.model) {
        Err(ModelError::Kind {
            found: Kind::Policy,
            ..
        }) => policy(options)?,
        _ => distance(options)?,
    };
    print(&format!("wrote {}: {outputs}\n", options.onnx.display()))
}

fn distance(options: &ExportOptions) -> Result<String> {
    let model = path_kind::model(&options.model)?;
    onnx::write(&model, &options.onnx)?;
    Ok(format!(
        "inputs `state` and `goal` (N × {}, f32), outputs `steps` (N) and `point` (N × {}), the point of `state`",
        model.distance.inputs(),
        model.about.spec.encoder.outputs()
    ))
}

fn policy(options: &ExportOptions) -> Result<String> {
    let model = PolicyModel::read(&options.model)?;
    onnx::write_policy(&model, &options.onnx)?;
    Ok(format!(
        "inputs `state` and `goal` (N × {}, f32), output `action` (N × {})",
        model.policy.inputs(),
        model.policy.actions()
    ))
}
