//! `isochrone embed`: the point of every state, where plain norms count steps.

use crate::cli::EmbedOptions;
use crate::labels;
use anyhow::{Result, bail};
use isochrone::embedding::Head;
use isochrone::env::ObservationSpec;
use isochrone_files::data::{DataSource, Entries, EpisodeWriter};
use isochrone_files::model::DistanceModel;
use isochrone_files::path_kind;
use isochrone_runs::arguments::Shard;
use isochrone_runs::output::{print, refuse_other_ending, refuse_same_file};
use isochrone_runs::progress::Waiting;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// The column of the points.
const COLUMN: &str = "observation.embedding";
/// Rows read at a time.
const PIECE_ROWS: NonZeroUsize = NonZeroUsize::new(10_000).expect("not zero");

/// Runs the command.
pub fn run(options: &EmbedOptions) -> Result<()> {
    let model = path_kind::model(&options.model)?;
    refuse_other_ending(&options.output, "parquet")?;
    let columns = model.about.states.columns().labelled();
    let source = DataSource::open(&options.files, columns)?;
    let (source, output) = match options.shard {
        Some(shard) => share(&source, shard, &model, &options.output)?,
        None => (source, options.output.clone()),
    };
    model.check_width(&source)?;
    for input in source.files().iter().chain([&options.model]) {
        refuse_same_file(&[Some(input), Some(&output)])?;
    }
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
        let states = piece.states.as_f32().unwrap_or_default();
        let states = states.chunks_exact(piece.states.width());
        let points = states.map(|state| model.distance.embed_in_steps(state));
        let points = points.collect::<Result<Vec<_>, _>>()?.concat();
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

/// A shard's files, and where its points go. Nothing is seen of them until all are there.
fn share(
    all: &DataSource,
    shard: Shard,
    model: &DistanceModel,
    output: &Path,
) -> Result<(DataSource, PathBuf)> {
    let (files, Shard { number, of }) = (all.files(), shard);
    if files.len() < of as usize {
        bail!(
            "there are {} files for {of} shards; files are not divided",
            files.len()
        );
    }
    if files.iter().any(|file| file.parent() == output.parent()) {
        bail!(
            "{} would stand among the files it is made from, and the next shard would take it for one; name another folder",
            output.display()
        );
    }
    let own = files.iter().enumerate().filter(|(at, _)| shard.has(*at));
    let names: Vec<String> = own.map(|(_, path)| path.display().to_string()).collect();
    let source = DataSource::open(&names, model.about.states.columns().labelled())?;
    let stem = output.file_stem().unwrap_or_default().to_string_lossy();
    let name = format!("{stem}-{number:05}-of-{of:05}.parquet");
    Ok((source, output.with_file_name(name)))
}
