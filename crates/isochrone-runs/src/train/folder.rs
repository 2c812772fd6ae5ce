//! The run folder of a training.
//!
//! ```text
//! spec.toml         everything that was asked for
//! manifest.json     program, revision, preset, digits of the spec
//! metrics.jsonl     a line per iteration     eval.jsonl   a line per evaluation     goals.jsonl   the working sets
//! distance.jsonl    a line per iteration, where the distance is learned
//! timing.jsonl      the same by the clock
//! events.out.…      the same for TensorBoard
//! checkpoint.isochrone
//! ```
//!
//! No clock, host or thread count is in the lines of the third and fourth row: they repeat to the byte.

use crate::cluster::Ranks;
use anyhow::{Context, Result, bail};
use isochrone_files::fingerprint;
use isochrone_files::path_kind;
use isochrone_files::run_folder::{
    CHECKPOINT, LOCK, RunFolder, SPEC, append_distinct, holds_only, read_manifest,
};
use isochrone_files::run_spec::RunSpec;
use isochrone_files::settings;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// As the lock calls it.
const WHAT: &str = "training";

/// What a run is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Name and version of the program.
    pub written_by: String,
    /// Of the program; of a run that others resumed, all of them with `+` between.
    pub revision: String,
    /// Preset or file that the spec was made from.
    pub made_from: String,
    /// The first digits of the SHA-256 of spec.toml.
    pub spec_hash: String,
    /// In what order ranks' numbers were added, if the run's bytes depend on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sums: Option<String>,
}

impl Manifest {
    /// Of a run of this spec.
    pub(super) fn new(spec: &RunSpec, made_from: &str, revision: Option<&str>) -> Result<Self> {
        let version = concat!("version ", env!("CARGO_PKG_VERSION"));
        Ok(Self {
            written_by: concat!("isochrone ", env!("CARGO_PKG_VERSION")).to_owned(),
            revision: revision.unwrap_or(version).to_owned(),
            made_from: made_from.to_owned(),
            spec_hash: spec_hash(spec)?,
            sums: None,
        })
    }

    /// Of a run whose sums are formed by these.
    pub(super) fn among(mut self, ranks: &Ranks) -> Self {
        self.sums = append_distinct(self.sums, ranks.order_of_sums().as_deref());
        self
    }
}

fn spec_hash(spec: &RunSpec) -> Result<String> {
    Ok(fingerprint::of_text(&settings::write(spec)?))
}

/// A folder for a new run. Nothing that is there is ever replaced.
pub(super) fn create(path: &Path, manifest: &Manifest, spec: &RunSpec) -> Result<RunFolder> {
    refuse_begun(path, spec)?;
    let folder = RunFolder::lock(path, WHAT)?;
    // Another run may have begun, and ended, before the lock was ours.
    begin(&folder, manifest, spec)?;
    Ok(folder)
}

/// Takes a folder, begun or not.
pub(super) fn take(path: &Path) -> Result<RunFolder> {
    RunFolder::lock(path, WHAT)
}

/// Writes down what a new run is about, in a folder with nothing else in it.
pub(super) fn begin(folder: &RunFolder, manifest: &Manifest, spec: &RunSpec) -> Result<()> {
    refuse_begun(folder.path(), spec)?;
    refuse_other_spec(folder, spec)?;
    folder.write_spec(spec)?;
    // Last: what has a manifest can be gone on with.
    folder.write_manifest(manifest)
}

/// Refuses a folder with anything in it.
fn refuse_begun(path: &Path, spec: &RunSpec) -> Result<()> {
    let name = path.display();
    // A run that was killed before it began leaves no more.
    if !path.exists() || holds_only(path, &[LOCK, SPEC]) {
        return Ok(());
    }
    if read_manifest::<Manifest>(path).is_ok() {
        let ours = settings::write(spec)?;
        if std::fs::read(path.join(SPEC)).is_ok_and(|theirs| theirs != ours.as_bytes()) {
            bail!(
                "{name} holds a training with other settings ({SPEC} in it); name another folder"
            );
        }
        bail!(
            "{name} holds a training already. Resume it:\n  isochrone resume {name}\nor name another \
             folder"
        );
    }
    bail!("{name} exists and is not a training; name another folder");
}

/// Refuses a spec.toml that this run did not leave: it may be the only copy that its writer has.
fn refuse_other_spec(folder: &RunFolder, spec: &RunSpec) -> Result<()> {
    let file = folder.file(SPEC);
    let ours = settings::write(spec)?;
    let is_ours = || std::fs::read(&file).is_ok_and(|bytes| bytes == ours.as_bytes());
    if file.exists() && !is_ours() {
        let name = file.display();
        bail!("{name} exists and would be overwritten; name another folder");
    }
    Ok(())
}

/// Opens a run to resume.
pub(super) fn open(path: &Path) -> Result<RunFolder> {
    path_kind::refuse_other_than_training(path)?;
    let folder = RunFolder::open(path, WHAT)?;
    read_manifest::<Manifest>(path).with_context(|| {
        format!(
            "{} is not a training; `isochrone fit --resume` resumes fits",
            path.display()
        )
    })?;
    Ok(folder)
}

/// Records the spec and the program's revision of a resumed run, the revision after the earlier ones. Done at every resume, so that a stop between the two files cannot leave them apart for long.
pub(super) fn record_resume(
    folder: &RunFolder,
    spec: &RunSpec,
    revision: Option<&str>,
    ranks: &Ranks,
) -> Result<()> {
    let mut manifest = read_manifest::<Manifest>(folder.path())?.among(ranks);
    manifest.spec_hash = spec_hash(spec)?;
    if let Some(all) = append_distinct(Some(manifest.revision.clone()), revision) {
        manifest.revision = all;
    }
    folder.write_spec(spec)?;
    folder.write_manifest(&manifest)
}

/// What was asked for in a folder, as its checkpoint and spec.toml agree. How long the run is to go on and how often
/// it is looked at may have changed since.
pub(super) fn agreed_spec(path: &Path, at_checkpoint: Option<&RunSpec>) -> Result<RunSpec> {
    let spec: RunSpec = RunSpec::read(&path.join(SPEC))?;
    if let Some(then) = at_checkpoint {
        let now = RunSpec {
            iterations: then.iterations,
            evaluate_every: then.evaluate_every,
            ..spec.clone()
        };
        if now != *then {
            bail!(
                "spec.toml in {} differs from the spec of {CHECKPOINT}: only iterations and evaluate_every \
                 may change in the middle of a run",
                path.display()
            );
        }
    }
    spec.check()?;
    Ok(spec)
}
