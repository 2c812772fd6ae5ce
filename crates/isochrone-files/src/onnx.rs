//! Exports a distance as an ONNX model: two states in, steps out, normaliser included.

use crate::model::{DistanceModel, RANGE_HIGH, RANGE_LOW};
use crate::onnx_convolutions::{CONVOLUTION, Convolutions};
use crate::onnx_graph::{Attribute, Graph};
use crate::output;
use crate::policy::PolicyModel;
use crate::protobuf::Message;
use anyhow::{Context, Result, bail};
use isochrone::embedding::{Architecture, Head};
use std::path::Path;

/// Understood since 2022; `ReduceSum` takes its axes as an input since 13.
const OPSET: u64 = 17;
const IR_VERSION: u64 = 8;

/// Writes a distance as an ONNX file, whole or not at all.
pub fn write(model: &DistanceModel, file: &Path) -> Result<()> {
    output::refuse_other_ending(file, "onnx")?;
    output::write(file, &bytes(model)?)
}

/// A distance as the bytes of an ONNX file.
pub fn bytes(model: &DistanceModel) -> Result<Vec<u8>> {
    let spec = &model.about.spec;
    let mut graph = Graph::default();
    let (hidden, convolutions) = match &spec.encoder.architecture {
        Architecture::Mlp { hidden } | Architecture::Fourier { hidden, .. } => (hidden, None),
        Architecture::Cnn { images, hidden } => {
            let convolutions = Convolutions::add(images, &model.arrays, &mut graph)?;
            (hidden, Some(convolutions))
        }
        Architecture::Table { .. } => bail!("a table has no network to export"),
    };
    let layers = hidden.len() + 1;
    let (inputs, outputs) = (spec.encoder.inputs, spec.encoder.outputs());
    graph.input("state", inputs);
    graph.input("goal", inputs);
    graph.output("steps", None);
    graph.output("point", Some(outputs));
    let is_layer =
        |name: &str| ![RANGE_LOW, RANGE_HIGH].contains(&name) && !name.starts_with(CONVOLUTION);
    for array in model.arrays.iter().filter(|array| is_layer(&array.name)) {
        // A bias and a mean are rows: ONNX spreads them over the batch.
        let values = array
            .as_f32()
            .context("the model has an array that is not f32")?;
        graph.floats(&array.name, &array.shape, values);
    }
    let has_normaliser = model.arrays.iter().any(|a| a.name == "normaliser.mean");
    let has_fourier = matches!(spec.encoder.architecture, Architecture::Fourier { .. });
    let mut embed = |from: &str, to: &str| {
        let mut x = from.to_owned();
        if has_normaliser {
            x = graph.node("Sub", &[&x, "normaliser.mean"], &format!("{from}.centred"));
            x = graph.node("Div", &[&x, "normaliser.spread"], &format!("{from}.seen"));
        }
        if let Some(convolutions) = &convolutions {
            x = convolutions.features(&x, &mut graph);
        }
        if has_fourier {
            let name = |what: &str| format!("{from}.fourier.{what}");
            x = graph.node("MatMul", &[&x, "fourier.weight"], &name("product"));
            x = graph.node("Add", &[&x, "fourier.phase"], &name("angle"));
            x = graph.node("Sin", &[&x], &name("sine"));
        }
        for layer in 0..layers {
            let name = |what: &str| format!("{from}.layer.{layer}.{what}");
            let weight = format!("layer.{layer}.weight");
            x = graph.node("MatMul", &[&x, &weight], &name("product"));
            let is_last = layer + 1 == layers;
            let sum = if is_last { to.to_owned() } else { name("sum") };
            x = graph.node("Add", &[&x, &format!("layer.{layer}.bias")], &sum);
            if !is_last {
                x = graph.node("Relu", &[&x], &name("relu"));
            }
        }
    };
    embed("state", "point");
    embed("goal", "goal.point");
    metric(model, &mut graph);
    let about = serde_json::to_string(&model.about).context("cannot describe the model")?;
    Ok(file(&graph, "distance in steps", "steps", &about))
}

/// Writes a policy as an ONNX file: state and goal in, action out.
pub fn write_policy(model: &PolicyModel, file: &Path) -> Result<()> {
    output::refuse_other_ending(file, "onnx")?;
    output::write(file, &policy_bytes(model)?)
}

/// A policy as the bytes of an ONNX file: `π(s, g)` of the standardised `(s, g − s)`, within the range of logged actions.
pub fn policy_bytes(model: &PolicyModel) -> Result<Vec<u8>> {
    let spec = &model.about.spec;
    let mut graph = Graph::default();
    graph.input("state", spec.inputs);
    graph.input("goal", spec.inputs);
    graph.output("action", Some(spec.actions));
    for array in &model.arrays {
        let values = array
            .as_f32()
            .context("the policy has an array that is not f32")?;
        graph.floats(&array.name, &array.shape, values);
    }
    graph.node("Sub", &["goal", "state"], "way");
    let mut x = graph.node_with(
        "Concat",
        &["state", "way"],
        "input",
        &[("axis", Attribute::Integer(1))],
    );
    x = graph.node("Sub", &[&x, "normaliser.mean"], "input.centred");
    x = graph.node("Div", &[&x, "normaliser.spread"], "input.seen");
    for layer in 0..=spec.hidden.len() {
        let name = |what: &str| format!("layer.{layer}.{what}");
        x = graph.node("MatMul", &[&x, &name("weight")], &name("product"));
        x = graph.node("Add", &[&x, &name("bias")], &name("sum"));
        if layer < spec.hidden.len() {
            x = graph.node("Relu", &[&x], &name("relu"));
        }
    }
    x = graph.node("Max", &[&x, "action.low"], "action.above");
    graph.node("Min", &[&x, "action.high"], "action");
    let about = serde_json::to_string(&model.about).context("cannot describe the policy")?;
    Ok(file(&graph, "cloned policy", "action", &about))
}

/// The whole file.
fn file(graph: &Graph, name: &str, units: &str, about: &str) -> Vec<u8> {
    let property = |key: &str, value: &str| {
        Message::new()
            .text(1, key.as_bytes())
            .text(2, value.as_bytes())
    };
    let file = Message::new()
        .number(1, IR_VERSION)
        .text(2, b"isochrone")
        .text(3, env!("CARGO_PKG_VERSION").as_bytes())
        .message(7, &graph.message(name))
        .message(8, &Message::new().text(1, b"").number(2, OPSET))
        .message(14, &property("units", units))
        .message(14, &property("isochrone", about));
    file.bytes().to_vec()
}

/// `scale · ‖x_s − x_g‖_p^q`, and with a potential `+ scale · (u_g − u_s)`, not below zero. In a quasimetric the norm is
/// over `(x, u)`.
fn metric(model: &DistanceModel, graph: &mut Graph) {
    let spec = &model.about.spec;
    graph.floats("scale", &[1], &[model.scale_steps as f32]);
    graph.integers("coordinates", &[1]);
    graph.integers("first", &[0]);
    graph.integers(
        "norm_dims",
        &[spec.encoder.head.norm_dims(spec.encoder.dims)],
    );
    let apart = graph.node("Sub", &["goal.point", "point"], "apart");
    let place = |graph: &mut Graph, from: &str, to: &str, name: &str| {
        graph.node("Slice", &[&apart, from, to, "coordinates"], name)
    };
    let coordinates = place(graph, "first", "norm_dims", "apart.coordinates");
    let sizes = graph.node("Abs", &[&coordinates], "apart.sizes");
    let norm = norm(graph, &sizes, spec.p, spec.q);
    let last = match spec.encoder.head {
        Head::Symmetric => norm,
        Head::Potential | Head::Quasimetric => {
            graph.integers("dims", &[spec.encoder.dims]);
            graph.integers("outputs", &[spec.encoder.outputs()]);
            let difference = place(graph, "dims", "outputs", "potential.column");
            let difference = graph.node("Squeeze", &[&difference, "coordinates"], "potential");
            graph.node("Add", &[&norm, &difference], "one_way")
        }
    };
    let steps = graph.node("Mul", &[&last, "scale"], "as_learned");
    graph.floats("zero", &[1], &[0.0]);
    graph.node("Max", &[&steps, "zero"], "steps");
}

/// `(Σ|x_k|^p)^{q/p}` of every row. Powers other than 1 and 2 could overflow f32, so they are taken in units of the largest
/// entry m of the row: `m^q (Σ(|x_k|/m)^p)^{q/p}`, as in training.
fn norm(graph: &mut Graph, sizes: &str, p: f32, q: f32) -> String {
    let is = |wanted: f32| (p - wanted).abs() < 1e-6;
    let sum = |graph: &mut Graph, powers: &str| {
        let over = [powers, "coordinates"];
        let flat = [("keepdims", Attribute::Integer(0))];
        graph.node_with("ReduceSum", &over, "sum", &flat)
    };
    if is(1.0) || is(2.0) {
        let powers = power(graph, sizes, p, "powers");
        let sum = sum(graph, &powers);
        return power(graph, &sum, q / p, "norm");
    }
    graph.floats("least", &[1], &[f32::MIN_POSITIVE]);
    let rows = [("axes", Attribute::Integers(&[1]))];
    let largest = graph.node_with("ReduceMax", &[sizes], "largest.or_zero", &rows);
    let largest = graph.node("Max", &[&largest, "least"], "largest");
    let parts = graph.node("Div", &[sizes, &largest], "parts");
    let powers = power(graph, &parts, p, "powers");
    let sum = sum(graph, &powers);
    let root = power(graph, &sum, q / p, "root");
    let largest = graph.node("Squeeze", &[&largest, "coordinates"], "largest.of_row");
    let unit = power(graph, &largest, q, "unit");
    graph.node("Mul", &[&root, &unit], "norm")
}

/// `of` to a power; roots and squares by what is exact.
fn power(graph: &mut Graph, of: &str, exponent: f32, name: &str) -> String {
    let is = |wanted: f32| (exponent - wanted).abs() < 1e-6;
    if is(1.0) {
        return of.to_owned();
    }
    if is(2.0) {
        return graph.node("Mul", &[of, of], name);
    }
    if is(0.5) {
        return graph.node("Sqrt", &[of], name);
    }
    let exponent_name = format!("{name}.exponent");
    graph.floats(&exponent_name, &[1], &[exponent]);
    graph.node("Pow", &[of, &exponent_name], name)
}
