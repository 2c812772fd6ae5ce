//! Arguments of `isochrone-experiments bench`.

mod images;

pub(crate) use images::{BenchClipsOptions, BenchImagesOptions};

use clap::{Args, Subcommand, ValueEnum};
use isochrone_mujoco::WorldName;
use isochrone_runs::arguments::ClusterOptions;
use isochrone_runs::fit::TargetName;
use std::path::PathBuf;

/// `isochrone-experiments bench`.
#[derive(Args, Debug)]
pub(crate) struct BenchOptions {
    /// What to measure.
    #[command(subcommand)]
    pub what: Benchmark,
}

/// What can be measured.
#[derive(Debug, Subcommand)]
pub(crate) enum Benchmark {
    /// Exact commute times and eigenpairs of a grid of rooms, one thread
    Exact(BenchExactOptions),
    /// Rollouts against bare MuJoCo, interleaved: steps per second of each, and their ratio
    Rollout(BenchRolloutOptions),
    /// Training against bare MuJoCo, interleaved: steps per second of each, and shares of the time
    Train(BenchTrainOptions),
    /// Training with a planner against training without, interleaved: steps per second of each
    Waypoints(BenchWaypointsOptions),
    /// A training step of the paper's distance against the tensor library's own loop, interleaved, one thread
    Distance(BenchDistanceOptions),
    /// A training step of the paper's distance between images, one thread
    Images(BenchImagesOptions),
    /// How long single pairs of images, and all pairs of clips, take to the same held-out error, one thread
    Clips(BenchClipsOptions),
    /// A trust-region update of the policy on a batch of the ant's size
    Update(BenchUpdateOptions),
    /// An update of soft actor-critic beside its matrix products, one thread
    Sac(BenchSacOptions),
    /// Replay buffers of growing size: memory, and the time of an update that draws from them
    Replay(BenchReplayOptions),
    /// Whole fits of growing size: time per sample and peak memory
    Fit(BenchFitOptions),
    /// Roadmaps of many states and landmarks: time, memory, and milliseconds of a route
    Roadmap(BenchRoadmapOptions),
    /// Sums over ranks against the bare MPI call on as many bytes, interleaved; under mpirun
    Comm(BenchCommOptions),
    /// A long run of random actions: counts instabilities and measures memory
    Endurance(BenchEnduranceOptions),
}

/// `isochrone-experiments bench comm`.
#[derive(Args, Debug)]
pub(crate) struct BenchCommOptions {
    /// Lengths of the vectors to sum
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_values_t = [1, 1_500, 6_000, 25_000, 100_000], value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    pub numbers: Vec<u32>,

    /// Rounds of each, interleaved
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub rounds: u32,

    /// Print JSON
    #[arg(long)]
    pub json: bool,

    /// MPI options
    #[command(flatten)]
    pub cluster: ClusterOptions,
}

/// The largest world that `bench` builds.
const MAX_BENCH_STATES: i64 = 100_000_000;

/// `isochrone-experiments bench exact`.
#[derive(Args, Debug)]
pub(crate) struct BenchExactOptions {
    /// Sizes of the world; the nearest whole grid of rooms is used
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_values_t = [10_000, 100_000, 1_000_000], value_parser = clap::value_parser!(u32).range(1..=MAX_BENCH_STATES))]
    pub states: Vec<u32>,

    /// Operations to time
    #[arg(long, value_enum, value_name = "OP,…", value_delimiter = ',', default_values_t = Operation::value_variants().to_vec())]
    pub operations: Vec<Operation>,

    /// Print a JSON list of {states, operation, cpu_s, peak_mb} instead of a table
    #[arg(long)]
    pub json: bool,

    /// Also write commute.csv (all states to the middle one) and eigenvalues.csv to this folder
    #[arg(long, value_name = "DIR")]
    pub values: Option<PathBuf>,
}

/// A timed operation. Building the graph is never included; ordering always is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Operation {
    /// Order and factor
    Factor,
    /// One solve with the factor in hand
    Query,
    /// The exact diagonal of the inverse, with the factor in hand
    Diagonal,
    /// Order, factor, one solve
    #[value(name = "factor+query")]
    FactorQuery,
    /// Order, factor, diagonal, one solve: every commute time to one goal
    #[value(name = "factor+diagonal+query")]
    FactorDiagonalQuery,
    /// Order, factor, 32 eigenpairs
    Spectral,
    /// 32 eigenpairs with the factor in hand
    #[value(name = "spectral-no-factor")]
    SpectralNoFactor,
}

/// Worlds, each on several numbers of threads.
#[derive(Args, Debug)]
pub(crate) struct WorldCases {
    /// Worlds to step
    #[arg(long, value_name = "WORLD,…", value_delimiter = ',', default_values_t = [WorldName::PointMass, WorldName::MazeAnt])]
    pub worlds: Vec<WorldName>,

    /// Numbers of threads
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_values_t = [1, 2], value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Vec<u16>,
}

/// `isochrone-experiments bench rollout`.
///
/// *Bare* replays the rollout's own controls and resets through `mj_step` alone. *Rollout* is everything:
/// observation, a 2×64 tanh policy with Gaussian noise, the distance-to-goal test, storage.
#[derive(Args, Debug)]
pub(crate) struct BenchRolloutOptions {
    /// What is measured.
    #[command(flatten)]
    pub cases: WorldCases,

    /// Steps of each rollout, at least
    #[arg(long, value_name = "N", default_value_t = 50_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub steps: u32,

    /// Rollouts of each world and number of threads; prints medians
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    pub rounds: u16,

    /// Print a JSON list of {world, threads, bare_steps_per_s, rollout_steps_per_s, ratio, …} instead of a table, with
    /// steps per CPU second beside
    #[arg(long)]
    pub json: bool,
}

/// `isochrone-experiments bench waypoints`.
///
/// Whole iterations of a world's preset, and of the same with `planner=off`. All environment steps count, over the time of
/// all of it; evaluation is left out.
#[derive(Args, Debug)]
pub(crate) struct BenchWaypointsOptions {
    /// What is measured.
    #[command(flatten)]
    pub cases: WorldCases,

    /// Iterations of each, after one to warm up; prints medians
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    pub rounds: u16,

    /// Change a setting of the presets, for example --set distance=off_policy
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,

    /// Print a JSON list of {world, distance, threads, rounds, planned_steps_per_s, plain_steps_per_s, ratio} instead of a
    /// table
    #[arg(long)]
    pub json: bool,
}

/// `isochrone-experiments bench train`.
///
/// *Training* is whole iterations of the paper's preset of a world: rollouts, updates, labels, goals; evaluation is left out. All
/// environment steps count, also those of labels, tails and gathered states, over the time of all of it. *Bare* replays
/// what the policy does then through `mj_step` alone.
#[derive(Args, Debug)]
pub(crate) struct BenchTrainOptions {
    /// What is measured.
    #[command(flatten)]
    pub cases: WorldCases,

    /// Steps of the bare engine in each round, at least
    #[arg(long, value_name = "N", default_value_t = 50_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub steps: u32,

    /// Iterations of each world and number of threads, after one to warm up; prints medians
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    pub rounds: u16,

    /// Change a setting of the presets, for example --set distance=off_policy --set distance.tail_steps=100
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,

    /// Print a JSON list of {world, distance, threads, rounds, bare_steps_per_s, train_steps_per_s, ratio, shares}
    /// instead of a table; shares are of the training's time: physics, policy, update, distance, goals, evaluation
    #[arg(long)]
    pub json: bool,
}

/// `isochrone-experiments bench distance`.
///
/// The paper's predictor, 41 → 64 ReLU → 20 with the 1-norm and Adam, on windows of 500 steps. *Ours* is a full epoch:
/// sampling pairs, gathering states, loss, gradients, Adam, checks. *Burn* is the same step as the library's users write
/// it, on tensors prepared before; *on differences*, with the last layer applied once per pair, as in ours. *Products*
/// are the five matrix products of a plain step, by faer, without anything else.
#[derive(Args, Debug)]
pub(crate) struct BenchDistanceOptions {
    /// Pairs per step
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_values_t = [32, 1024, 8192], value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub batches: Vec<u32>,

    /// Pairs of each round, at least
    #[arg(long, value_name = "N", default_value_t = 65_536, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub pairs: u32,

    /// Rounds; prints medians
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u16).range(1..))]
    pub rounds: u16,

    /// Print a JSON list of {batch, rounds, steps, ours_us, step_us, burn_us, burn_differences_us, matmul_us,
    /// ratio_to_burn, ratio_to_burn_differences, pairs_per_s, wall} instead of a table; each time and ratio has its median, min and max
    #[arg(long)]
    pub json: bool,
}

/// `isochrone-experiments bench replay`.
///
/// Transitions of 45 numbers, goals in hindsight, two hidden layers of 64.
#[derive(Args, Debug)]
pub(crate) struct BenchReplayOptions {
    /// Transitions in the buffer
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_values_t = [100_000, 1_000_000, 10_000_000], value_parser = clap::value_parser!(u32).range(1_000..=100_000_000))]
    pub transitions: Vec<u32>,

    /// Transitions of an update
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u16).range(1..=8192))]
    pub batch: u16,

    /// Updates of each round, at least
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u16).range(1..))]
    pub updates: u16,

    /// Rounds; prints medians
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    pub rounds: u16,

    /// Print a JSON list of {transitions, numbers, batch, rounds, updates, update_us, resident_mb, data_mb} instead of a table
    #[arg(long)]
    pub json: bool,
}

/// `isochrone-experiments bench sac`.
///
/// Random transitions; policy and critics have two hidden layers.
#[derive(Args, Debug)]
pub(crate) struct BenchSacOptions {
    /// Entries of a state
    #[arg(long, value_name = "N", default_value_t = 17, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub inputs: u16,

    /// Entries of an action
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub actions: u16,

    /// Units of each hidden layer
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u16).range(1..=2048))]
    pub hidden: u16,

    /// Transitions of an update
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u16).range(1..=8192))]
    pub batch: u16,

    /// Updates of each round
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..))]
    pub updates: u16,

    /// Rounds; prints medians
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    pub rounds: u16,

    /// Print a JSON object of {inputs, actions, hidden, batch, rounds, updates, update_us, products_us, wall} instead of a table; each
    /// time has its median, min and max
    #[arg(long)]
    pub json: bool,
}

/// `isochrone-experiments bench update`.
///
/// A 45-64-64-8 tanh policy with learned standard deviations on random rows: the gradient, ten products with the Fisher
/// matrix, the line search.
#[derive(Args, Debug)]
pub(crate) struct BenchUpdateOptions {
    /// Rows of the batch
    #[arg(long, value_name = "N", default_value_t = 50_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub rows: u32,

    /// Numbers of threads
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_values_t = [1, 2], value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Vec<u16>,

    /// Updates; prints medians
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u16).range(1..))]
    pub rounds: u16,

    /// Print a JSON list of {rows, threads, rounds, fisher_products, tried, cpu_s, wall_s} instead of a table
    #[arg(long)]
    pub json: bool,
}

/// `isochrone-experiments bench endurance`.
#[derive(Args, Debug)]
pub(crate) struct BenchEnduranceOptions {
    /// Worlds to step; all of them if not given
    #[arg(long, value_name = "WORLD,…", value_delimiter = ',', default_values_t = WorldName::ALL)]
    pub worlds: Vec<WorldName>,

    /// Random steps in each world, at least
    #[arg(long, value_name = "N", default_value_t = 10_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub steps: u64,

    /// Number of threads
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: u16,

    /// Print a JSON list of {world, steps, episodes, falls, instabilities, memory_mb_early, memory_mb_late,
    /// steps_per_s} instead of a table
    #[arg(long)]
    pub json: bool,
}

/// `isochrone-experiments bench fit`.
///
/// Random walks in 29 dimensions in episodes of 1,000 steps, as Parquet: one pass of `isochrone fit` over them with its
/// defaults, including reading, shuffling, learning and calibration.
#[derive(Args, Debug)]
pub(crate) struct BenchFitOptions {
    /// Folder for the data (10 GB for 10⁸ transitions), which are generated once, and for the fitted models
    #[arg(long, value_name = "DIR")]
    pub folder: PathBuf,

    /// Numbers of transitions
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_values_t = [1_000_000, 10_000_000, 100_000_000], value_parser = clap::value_parser!(u64).range(1_000..))]
    pub transitions: Vec<u64>,

    /// Targets
    #[arg(long, value_enum, value_name = "TARGET,…", value_delimiter = ',', default_values_t = [TargetName::Window, TargetName::Bootstrapped])]
    pub targets: Vec<TargetName>,

    /// Print a JSON list of {transitions, target, file_mb, wall_s, cpu_s, cpu_us_per_sample, peak_mb} instead of a
    /// table
    #[arg(long)]
    pub json: bool,
}

/// `isochrone-experiments bench roadmap`.
///
/// Builds `isochrone map` of the files for every number of landmarks and threads. Equal fingerprints are equal bytes.
#[derive(Args, Debug)]
pub(crate) struct BenchRoadmapOptions {
    /// Data files
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<String>,

    /// The distance, an .isochrone file
    #[arg(long, value_name = "FILE")]
    pub model: PathBuf,

    /// Numbers of landmarks
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_values_t = [10_000, 100_000], value_parser = clap::value_parser!(u32).range(1..))]
    pub landmarks: Vec<u32>,

    /// Longest hop
    #[arg(long, value_name = "STEPS", default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..))]
    pub hop_steps: u32,

    /// Numbers of threads
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_values_t = [1, 2, 4], value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Vec<u16>,

    /// Routes to time
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub routes: u32,

    /// Print a JSON list instead of a table
    #[arg(long)]
    pub json: bool,
}
