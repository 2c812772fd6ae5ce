//! `isochrone embed`: the point of every state, where plain norms count steps.

use crate::cli::EmbedOptions;
use crate::{labels, shard};
use anyhow::{Result, anyhow};
use isochrone::embedding::{BatchEncoder, Head};
use isochrone::env::ObservationSpec;
use isochrone_files::data::{Entries, EpisodeWriter};
use isochrone_files::model::DistanceModel;
use isochrone_files::path_kind;
use isochrone_runs::arguments::DeviceName;
use isochrone_runs::output::{print, refuse_other_ending, refuse_same_file};
use isochrone_runs::progress::Waiting;
use std::num::NonZeroUsize;
use std::thread;

/// The column of the points.
const COLUMN: &str = "observation.embedding";
/// Rows read at a time.
const PIECE_ROWS: NonZeroUsize = NonZeroUsize::new(10_000).expect("not zero");

/// Rows that a GPU is given at a time.
const BATCH_ROWS: usize = 1_024;

/// Runs the command.
pub fn run(options: &EmbedOptions) -> Result<()> {
    options.device.choose()?;
    let model = path_kind::model(&options.model)?;
    refuse_other_ending(&options.output, "parquet")?;
    let (source, output) = shard::open(&options.files, options.shard, &model, &options.output)?;
    for input in source.files().iter().chain([&options.model]) {
        refuse_same_file(&[Some(input), Some(&output)])?;
    }
    let encoder = match options.device.device {
        DeviceName::Cpu => None,
        DeviceName::Gpu => Some(BatchEncoder::of_arrays(&model.about.spec, &model.arrays)?),
    };
    let waiting = Waiting::new("embedding");
    let outputs = model.about.spec.encoder.outputs();
    let spec = ObservationSpec::vector(outputs);
    let mut writer = EpisodeWriter::create_labelled(&output, COLUMN, &spec)?;
    let mut rows = 0;
    for piece in source.pieces(PIECE_ROWS) {
        let piece = piece?;
        let Some(labels) = &piece.labels else {
            continue;
        };
        let states = piece.states.numbers();
        let points = embed(&model, encoder.as_ref(), &states)?;
        let file = labels::file_name(source.files(), piece.file);
        writer.push_labelled(Entries::F32(&points), labels, &file)?;
        rows += labels.indices.len();
    }
    writer.finish()?;
    drop(waiting);
    let (p, q) = (model.about.spec.p, model.about.spec.q);
    let dims = model.about.spec.encoder.dims;
    let potential = match model.about.spec.encoder.head {
        Head::Symmetric => String::new(),
        Head::Potential => format!(
            "\nThe norm is over the first {dims} numbers; the last is the potential u. One way: max(0, norm + u(b) − u(a))."
        ),
        Head::Quasimetric => {
            "\nThe last number is the potential u. One way: norm + u(b) − u(a).".to_owned()
        }
    };
    print(&format!(
        "wrote {}: {rows} points in column {COLUMN}; steps = ‖a − b‖^{q} with p = {p}{potential}\n{}",
        output.display(),
        labels::counted(&source)?
    ))
}

/// The points of states in units of steps, row by row.
fn embed(
    model: &DistanceModel,
    encoder: Option<&BatchEncoder>,
    states: &[f32],
) -> Result<Vec<f32>> {
    let width = model.about.spec.encoder.inputs;
    let Some(encoder) = encoder else {
        return embed_on_cpu(model, states);
    };
    let outputs = model.about.spec.encoder.outputs();
    let mut points = Vec::new();
    for batch in states.chunks(BATCH_ROWS * width) {
        let batch = encoder.embed(batch)?;
        let batch = batch.chunks_exact(outputs);
        points.extend(batch.flat_map(|point| model.distance.in_steps(point)));
    }
    Ok(points)
}

/// The same by all cores. Each state is embedded alone, so their number changes nothing.
fn embed_on_cpu(model: &DistanceModel, states: &[f32]) -> Result<Vec<f32>> {
    let width = model.about.spec.encoder.inputs;
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let rows_of_core = (states.len() / width).div_ceil(cores).max(1);
    let embed_part = |part: &[f32]| -> Result<Vec<f32>> {
        let states = part.chunks_exact(width);
        let points = states.map(|state| model.distance.embed_in_steps(state));
        Ok(points.collect::<Result<Vec<_>, _>>()?.concat())
    };
    let parts: Result<Vec<Vec<f32>>> = thread::scope(|scope| {
        let parts = states.chunks(rows_of_core * width);
        let parts: Vec<_> = parts.map(|part| scope.spawn(|| embed_part(part))).collect();
        let joined = parts.into_iter().map(thread::ScopedJoinHandle::join);
        joined
            .map(|done| done.unwrap_or_else(|_| Err(anyhow!("a thread of embedding panicked"))))
            .collect()
    });
    Ok(parts?.concat())
}
