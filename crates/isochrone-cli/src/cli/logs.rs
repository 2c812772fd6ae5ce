//! Arguments of commands on logged episodes.

use crate::goals_argument::GoalsText;
use clap::Args;
use isochrone_runs::arguments::Shard;
use std::path::PathBuf;

/// `isochrone progress`.
#[derive(Args, Debug)]
pub struct ProgressOptions {
    /// A file that `isochrone fit` wrote
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,

    /// Logs: data files, patterns or a LeRobot folder
    #[arg(value_name = "FILES", required = true)]
    pub files: Vec<String>,

    /// Write the progress of every frame to this .parquet file
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,

    /// The goal: numbers with commas between them, or FILE:ROW of a data file; or several: all states of a data FILE, the last
    /// states of its episodes (FILE:ends) or of those like most (FILE:good-ends), or --to repeated. By default the end of each
    /// episode
    #[arg(long, value_name = "STATE|FILE", allow_hyphen_values = true)]
    pub to: Vec<GoalsText>,

    /// Write a page to look at to this .html file
    #[arg(long, value_name = "FILE", conflicts_with = "shard")]
    pub report: Option<PathBuf>,

    /// Only every N-th file from the I-th on, for array jobs: OUTPUT.parquet becomes OUTPUT-I-of-N.parquet
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Shard>,
}

/// `isochrone episodes`.
#[derive(Args, Debug)]
pub struct EpisodesOptions {
    /// A file that `isochrone fit` wrote
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,

    /// Logs: data files, patterns or a LeRobot folder
    #[arg(value_name = "FILES", required = true)]
    pub files: Vec<String>,

    /// Write all episodes with their measures to this .csv file
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Where episodes should end: as --to of `isochrone progress`. By default where a quarter of the other episodes end
    #[arg(long, value_name = "STATE|FILE", allow_hyphen_values = true)]
    pub to: Vec<GoalsText>,

    /// Write a page to look at to this .html file: episodes, progress curves, a map of the states, calibration
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,

    /// Number of episodes to print
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub worst: usize,
}

/// `isochrone reached`.
#[derive(Args, Debug)]
pub struct ReachedOptions {
    /// A file that `isochrone fit` wrote; the test is saved into it
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,

    /// States at which the task is done: the last states of the episodes of a data file or folder (FILE:ends), or of those like
    /// most (FILE:good-ends), all states of a FILE, FILE:ROW, or numbers with commas between them; may be repeated
    #[arg(
        long,
        value_name = "STATE|FILE",
        required = true,
        allow_hyphen_values = true
    )]
    pub goals: Vec<GoalsText>,

    /// Logs that show what is not done yet: frames long before the end of their episode. By default the files of --goals. Of the
    /// training data, only held-out episodes are used
    #[arg(long, value_name = "FILES", num_args = 1..)]
    pub episodes: Vec<String>,

    /// Also use episodes that it was trained on
    #[arg(long)]
    pub all: bool,

    /// False-positive rate: the share of those frames that may count as reached
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, value_parser = share)]
    pub false_positives: f64,

    /// Frames more than this many steps before their episode's end must not count as reached; a tenth of the median episode by
    /// default
    #[arg(long, value_name = "STEPS")]
    pub before_end: Option<usize>,

    /// Write a page to look at to this .html file
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,

    /// Write the distance with its test to this file instead
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// A share of something.
pub(super) fn share(text: &str) -> Result<f64, String> {
    let share = text.parse::<f64>().ok();
    let share = share.filter(|share| (0.0..1.0).contains(share));
    share.ok_or_else(|| "a share lies between 0 and 1: 0.05 is 5 %".to_owned())
}
