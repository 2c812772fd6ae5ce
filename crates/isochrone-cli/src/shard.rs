//! One shard of an array job: its files, and where its rows go.

use anyhow::{Result, bail};
use isochrone_files::data::DataSource;
use isochrone_files::model::DistanceModel;
use isochrone_runs::arguments::Shard;
use std::path::{Path, PathBuf};

/// Opens the files of a shard, or all; with the file to write.
pub(crate) fn open(
    files: &[String],
    shard: Option<Shard>,
    model: &DistanceModel,
    output: &Path,
) -> Result<(DataSource, PathBuf)> {
    let all = DataSource::open(files, model.about.states.columns().labelled())?;
    let (source, output) = match shard {
        Some(shard) => share(&all, shard, model, output)?,
        None => (all, output.to_owned()),
    };
    model.check_width(&source)?;
    Ok((source, output))
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
