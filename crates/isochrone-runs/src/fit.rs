//! `isochrone fit`: logged trajectories → a distance in a file.
//!
//! ```text
//! survey   one pass: size of the data, means and standard deviations, goals, held-out episodes
//! target   chosen by held-out error, unless it is named
//! learn    passes over shuffled chunks, with checkpoints
//! assess   predicted against observed steps on the held-out episodes
//! ```

mod checkpoint;
mod chunks;
mod entries;
mod folder;
mod geodesic;
mod leaks;
mod learn;
mod options;
mod ranks;
mod records;
mod settled;
mod spec;
mod survey;
mod target;
mod target_name;
mod window;

pub use options::FitOptions;
pub use ranks::follow;
pub use spec::{DataFacts, FitSpec, Inputs};
pub use target_name::TargetName;

use crate::cluster::Ranks;
use crate::data_run;
use crate::output::{refuse_other_ending, refuse_same_file, refuse_unwritable};
use crate::progress::Observer;
use anyhow::{Result, bail};
use folder::{FIT, Manifest};
use isochrone_files::data::{DataSource, Memory};
use isochrone_files::model::{self, DistanceModel, FileFacts, StateColumns};
use isochrone_files::run_folder::RunFolder;
use isochrone_files::settings;
use learn::{Fitted, Origin, Work};
use std::path::PathBuf;
use std::sync::Arc;
use toml::Table;

/// Runs a fit as rank 0: reads the data, writes the run folder and the model; returns the path of the model.
pub fn fit_among(
    options: &FitOptions,
    ranks: &Ranks,
    observer: &dyn Observer,
) -> Result<(DistanceModel, PathBuf)> {
    let (folder, manifest, spec) = match &options.resume {
        Some(folder) => folder::open(folder)?,
        None => begin(options, ranks)?,
    };
    ranks::check(&spec, ranks)?;
    let manifest = folder::record_ranks(&folder, &manifest, ranks)?;
    ranks::lead(ranks, &folder, &manifest, &spec)?;
    let mut model = fit(&folder, &manifest, &spec, ranks, observer)?;
    // A finished fit that is resumed writes the same distance again; its success test was set afterwards. What else may be
    // there in its place, a damaged file perhaps, is replaced as by any fit.
    if options.resume.is_some()
        && let Ok(before) = DistanceModel::read(&manifest.output)
    {
        model = model.with_reached_of(&before)?;
    }
    model.write(&manifest.output)?;
    data_run::finish(&folder)?;
    Ok((
        model,
        options.data.output.clone().unwrap_or(manifest.output),
    ))
}

/// A new run folder with its spec.
fn begin(options: &FitOptions, ranks: &Ranks) -> Result<(RunFolder, Manifest, FitSpec)> {
    let Some(output) = options.data.output.clone() else {
        bail!("where to? name the file to write with -o, for example -o distance.isochrone");
    };
    let mut spec: FitSpec = settings::read(options.spec.as_deref(), &options.set)?;
    spec.target = options.target.or(spec.target);
    spec.window_steps = options.window.or(spec.window_steps);
    spec.radius = options.radius.or(spec.radius);
    spec.passes = options.passes.or(spec.passes);
    spec.seed = options.run.seed.unwrap_or(spec.seed);
    spec.check()?;
    // An existing folder is emptied for a new fit, but only if the fit can begin.
    ranks::check(&spec, ranks)?;
    let path = options.run.folder(&output);
    if path == output {
        bail!("{} is named twice", path.display());
    }
    let manifest = Manifest::new(&options.data.files, options.data.columns(), &output)?;
    for input in manifest.files.paths().chain(options.spec.as_ref()) {
        refuse_same_file(&[Some(input), Some(&manifest.output)])?;
    }
    refuse_other_ending(&output, model::ENDING)?;
    refuse_unwritable(&manifest.output)?;
    let folder = folder::create(&path, &manifest, &spec)?;
    Ok((folder, manifest, spec))
}

/// Learns, from the beginning or from a checkpoint.
fn fit(
    folder: &RunFolder,
    manifest: &Manifest,
    spec: &FitSpec,
    ranks: &Ranks,
    observer: &dyn Observer,
) -> Result<DistanceModel> {
    let source = &manifest.open()?;
    let work = Work {
        folder: Some(folder),
        source,
        origin: &manifest.origin(),
        ranks,
        observer,
    };
    let fitted = match checkpoint::read(folder)? {
        Some(checkpoint) => {
            FIT.refuse_changed_spec(folder.path(), spec, &checkpoint.spec)?;
            learn::go_on(work, checkpoint, geodesic::read(folder, spec)?)?
        }
        None => learn_anew(work, spec)?,
    };
    fitted.finish(source, manifest.origin())
}

/// Learns from the beginning.
fn learn_anew(work: Work<'_>, spec: &FitSpec) -> Result<Fitted> {
    let mut survey = survey::survey(work.source, spec, work.observer)?;
    survey.warn_of_copies(work.observer);
    entries::check(&survey, spec, work.source, work.observer)?;
    leaks::warn(
        &survey.clock_test,
        work.source,
        &work.origin.columns,
        work.observer,
    )?;
    // All that it was for.
    survey.sample = Vec::new();
    let asked = target::choose(work, spec, &survey)?;
    let spec = asked.settle(survey.facts())?;
    window::warn_of_small_steps(&spec, &survey, work.observer);
    window::explain(&asked, &spec, &survey, work.observer);
    window::tell_of_pieces(&spec, &survey, work.observer);
    if let Some(folder) = work.folder {
        folder.write_spec(&spec)?;
    }
    let map = geodesic::build(work, &spec, &survey)?;
    learn::begin(work, spec, survey, map)
}

/// The data of a fit.
#[derive(Clone, Debug)]
pub enum Given {
    /// Files or patterns, and the columns of the states.
    Files(Vec<String>, StateColumns),
    /// Arrays in memory.
    Memory(Arc<Memory>),
}

impl Given {
    /// Opens the data.
    pub fn open(&self) -> Result<DataSource> {
        Ok(match self {
            Self::Files(patterns, columns) => DataSource::open(patterns, columns.columns())?,
            Self::Memory(memory) => DataSource::of_memory(Arc::clone(memory)),
        })
    }

    /// Opens the data with the source's own numbers of their rows.
    pub fn open_labelled(&self) -> Result<DataSource> {
        Ok(match self {
            Self::Files(patterns, columns) => {
                DataSource::open(patterns, columns.columns().labelled())?
            }
            Self::Memory(_) => self.open()?,
        })
    }

    /// The files of a source that was opened from this, with the number of each one's first episode.
    pub(crate) fn files(
        &self,
        source: &DataSource,
        first_episodes: &[u64],
    ) -> Result<Vec<FileFacts>> {
        let files = self.origin(source)?.files.into_iter().zip(first_episodes);
        Ok(files
            .map(|((name, fingerprint), first_episode)| FileFacts {
                name,
                fingerprint,
                first_episode: *first_episode,
            })
            .collect())
    }

    fn origin(&self, source: &DataSource) -> Result<Origin> {
        Ok(match self {
            Self::Files(_, columns) => Origin::of_files(source.files(), columns.clone())?,
            Self::Memory(memory) => Origin {
                files: vec![("memory".to_owned(), memory.fingerprint())],
                columns: StateColumns::default(),
            },
        })
    }
}

/// Fits in memory, without a run folder: a stopped fit cannot be resumed. `changes` are to the default [`FitSpec`].
pub fn fit_given(given: &Given, changes: Table, observer: &dyn Observer) -> Result<DistanceModel> {
    let spec: FitSpec = settings::of_changes(changes)?;
    spec.check()?;
    let source = &given.open()?;
    let origin = given.origin(source)?;
    let work = Work {
        folder: None,
        source,
        origin: &origin,
        ranks: &Ranks::Single,
        observer,
    };
    learn_anew(work, &spec)?.finish(source, origin.clone())
}
