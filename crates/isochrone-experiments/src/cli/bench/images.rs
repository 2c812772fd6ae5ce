//! Arguments of the benchmarks on images.

use clap::Args;

/// `isochrone-experiments bench images`.
///
/// Random images through the paper's four convolutions and two layers of 128 to 32 dimensions, forward and backward, and a step
/// of Adam: on pairs of images, and on all pairs of clips with as many images.
#[derive(Args, Debug)]
pub(crate) struct BenchImagesOptions {
    /// Pixels of an image's side
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub side: u16,

    /// Pairs per step; twice as many images
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(2..=1024))]
    pub batch: u16,

    /// Images of a clip
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u16).range(2..=128))]
    pub clip_frames: u16,

    /// Steps of each round
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub steps: u16,

    /// Rounds; prints medians
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    pub rounds: u16,

    /// Print a JSON object of {side, batch, clip_frames, rounds, steps, pairs_us, clips_us, wall} instead of a table; each time has
    /// its median, min and max
    #[arg(long)]
    pub json: bool,
}

/// `isochrone-experiments bench clips`.
///
/// The paper's network learns from images of Maze Ant, 64 pairs or 8 clips of 16 images per update, with the same constant
/// learning rate; the error is that of predicted steps on held-out episodes.
#[derive(Args, Debug)]
pub(crate) struct BenchClipsOptions {
    /// Updates of each
    #[arg(long, value_name = "N", default_value_t = 600, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub updates: u64,

    /// Seed of data and network
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,

    /// Print a JSON object of {seed, rmse_steps, trainings, ratio} instead of a table
    #[arg(long)]
    pub json: bool,
}
