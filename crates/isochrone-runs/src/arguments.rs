//! Arguments that several programs share: data files, run folders, shards of array jobs, MPI, revisions.

use anyhow::{Result, anyhow};
use clap::{Args, ValueEnum};
use isochrone::nn::{GpuError, use_gpu};
use isochrone_files::model::StateColumns;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Data files, their columns, and the file to write. Commands that use it have an option `resume`.
#[derive(Args, Clone, Debug, Default)]
pub struct DataOptions {
    /// Data files or patterns (.parquet, .npz, .csv), or the folder of a LeRobot data set
    #[arg(value_name = "FILES", required_unless_present = "resume")]
    pub files: Vec<String>,

    /// Write the distance to this file
    #[arg(short, long, value_name = "FILE", required_unless_present = "resume")]
    pub output: Option<PathBuf>,

    /// Columns or arrays of the states; several columns are concatenated, a prefix stands for its numbered columns.
    /// `observation.state` by default, in .npz `observations`
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub state: Vec<String>,

    /// Column of the episode index; `episode_index` by default, in .npz `terminals` and `timeouts`
    #[arg(long, value_name = "NAME")]
    pub episode: Option<String>,
}

impl DataOptions {
    /// Columns of the states.
    pub fn columns(&self) -> StateColumns {
        StateColumns {
            state: self.state.clone(),
            episode: self.episode.clone(),
        }
    }
}

/// Where to compute.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct DeviceOptions {
    /// Where to compute: the CPU, equal to the byte every time, or a GPU, which is not
    #[arg(long, value_enum, default_value_t)]
    pub device: DeviceName,
}

/// A device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum DeviceName {
    /// The CPU
    #[default]
    Cpu,
    /// A GPU, in builds with the feature `gpu`
    Gpu,
}

impl DeviceOptions {
    /// Computes there from now on.
    pub fn choose(self) -> Result<()> {
        match self.device {
            DeviceName::Cpu => Ok(()),
            DeviceName::Gpu => use_gpu().map_err(|error| match error {
                GpuError::NotBuilt => anyhow!(
                    "{error}; build it with `cargo build --release -p isochrone-cli --features gpu`, or leave out --device"
                ),
                _ => anyhow!("{error}; leave out --device to compute on the CPU"),
            }),
        }
    }
}

/// Seed and folder of a run.
#[derive(Args, Clone, Debug, Default)]
pub struct RunOptions {
    /// Seed of all random streams: the same seed and data give the same file, byte for byte
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// Run folder for records and checkpoints; by default the output's name with .run
    #[arg(long, value_name = "DIR")]
    pub run: Option<PathBuf>,
}

impl RunOptions {
    /// The run folder, beside the output if none was named.
    pub fn folder(&self, output: &Path) -> PathBuf {
        (self.run.clone()).unwrap_or_else(|| output.with_extension("run"))
    }
}

/// One of N equal parts of the work, for array jobs: `0/8` is the first of eight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// From 0.
    pub number: u32,
    /// Number of parts.
    pub of: u32,
}

impl Shard {
    /// Whether the piece of work with this number belongs to it.
    pub const fn has(self, piece: usize) -> bool {
        piece % self.of as usize == self.number as usize
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/');
        let parsed =
            parts.and_then(|(i, n)| Some((i.trim().parse().ok()?, n.trim().parse().ok()?)));
        match parsed {
            Some((number, of)) if number < of => Ok(Self { number, of }),
            Some((number, of)) => Err(format!(
                "shards of {of} are numbered from 0; there is no {number}"
            )),
            None => Err("a shard is I/N, for example 0/8 for the first of eight".to_owned()),
        }
    }
}

/// How sums over ranks are formed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Reduction {
    /// In shard order: the same bytes on any number of ranks, and without MPI
    #[default]
    Exact,
    /// In MPI's order: fewer bytes to send, but results depend on the number of ranks
    Fast,
}

/// `--mpi` and what belongs to it.
#[derive(Args, Clone, Debug, Default)]
pub struct ClusterOptions {
    /// Share the run among the processes that mpirun or srun started, for example mpirun -n 4 isochrone train … --mpi
    #[arg(long, help_heading = "Several processes")]
    pub mpi: bool,

    /// How sums over ranks are formed
    #[arg(
        long,
        value_enum,
        default_value_t,
        requires = "mpi",
        help_heading = "Several processes"
    )]
    pub reduce: Reduction,

    /// End the job when a rank has waited this many seconds for another
    #[arg(long, value_name = "SECONDS", default_value_t = 600, requires = "mpi", help_heading = "Several processes",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub patience_s: u32,

    /// The plugin to load; by default the one beside this command that matches the launcher
    #[arg(
        long,
        value_name = "FILE",
        requires = "mpi",
        help_heading = "Several processes"
    )]
    pub mpi_plugin: Option<PathBuf>,
}

/// A revision, as typed. It stands in tables, between commas, and in manifests, between pluses.
pub fn revision(text: &str) -> Result<String, String> {
    let is_plain = |c: char| !c.is_control() && !matches!(c, ',' | '+' | '"');
    if text.is_empty() || !text.chars().all(is_plain) {
        return Err(
            "a revision is a word or two without commas, pluses, quotes and line breaks".to_owned(),
        );
    }
    Ok(text.to_owned())
}
