//! `isochrone collect`: random walks through a world or a maze, as a Parquet file to learn from.

use crate::cli::CollectOptions;
use anyhow::{Context, Result, bail};
use isochrone::env::Environment;
use isochrone::env::grid::{Grid, Start};
use isochrone::maze::{Maze, Moves, WallRule};
use isochrone::policy::Uniform;
use isochrone::rng::Seed;
use isochrone::rollout::{EpisodeSource, NoGoal, Phase, Plan, Streams, Tail, Threads};
use isochrone::trajectory::Trajectories;
use isochrone_files::data::{Entries, EpisodeWriter};
#[cfg(feature = "worlds")]
use isochrone_mujoco::WorldName;
use isochrone_runs::output::{print, refuse_other_ending, refuse_same_file};
use isochrone_runs::progress::Waiting;
use std::path::Path;

/// Episodes in memory at a time.
const WAVE: u64 = 64;

/// Runs the command.
pub fn run(options: &CollectOptions) -> Result<()> {
    refuse_same_file(&[Some(&options.world.clone().into()), Some(&options.output)])?;
    refuse_other_ending(&options.output, "parquet")?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let rows = match in_world(options, threads)? {
        Some(rows) => rows,
        None => {
            let grid = grid(options)?;
            let mut source = Threads::new(threads, || grid.clone());
            write(options, &mut source, &Uniform(grid.action_spec()))?
        }
    };
    print(&format!(
        "wrote {}: {} episodes, {rows} states\n",
        options.output.display(),
        options.episodes
    ))
}

/// Walks in a MuJoCo world; `None` if the name is not one of theirs.
#[cfg(feature = "worlds")]
fn in_world(options: &CollectOptions, threads: usize) -> Result<Option<usize>> {
    let Ok(name) = options.world.parse::<WorldName>() else {
        return Ok(None);
    };
    if options.moves.is_some() || options.walls.is_some() {
        bail!("{name} is no maze; --moves and --walls are for mazes");
    }
    let world = name.build()?;
    let mut source = Threads::new(threads, || world.clone());
    write(options, &mut source, &Uniform(world.action_spec())).map(Some)
}

#[cfg(not(feature = "worlds"))]
const fn in_world(_options: &CollectOptions, _threads: usize) -> Result<Option<usize>> {
    Ok(None)
}

#[cfg(feature = "worlds")]
fn world_names() -> String {
    let worlds: Vec<&str> = WorldName::ALL.iter().map(|name| name.as_str()).collect();
    format!("the worlds are {}", worlds.join(", "))
}

#[cfg(not(feature = "worlds"))]
fn world_names() -> String {
    "this build has no worlds, which need MuJoCo".to_owned()
}

/// A maze to walk in, from a file.
fn grid(options: &CollectOptions) -> Result<Grid> {
    let path = Path::new(&options.world);
    if !path.exists() {
        bail!(
            "{:?} is neither a file nor a world; {}",
            options.world,
            world_names()
        );
    }
    let text = std::fs::read_to_string(path);
    let text = text.with_context(|| format!("cannot read {}", path.display()))?;
    let maze: Maze = text.parse().with_context(|| path.display().to_string())?;
    let moves = options.moves.map_or(Moves::UNIFORM, |moves| moves.0);
    let walls = options.walls.map_or(WallRule::Stay, WallRule::from);
    Grid::new(maze, moves, walls, Start::Uniform).with_context(|| path.display().to_string())
}

/// Runs and writes episodes wave by wave; how many states that is.
fn write(
    options: &CollectOptions,
    source: &mut dyn EpisodeSource,
    actor: &Uniform,
) -> Result<usize> {
    let plan = Plan {
        streams: Streams {
            seed: Seed(options.seed),
            iteration: 0,
            phase: Phase::Train,
        },
        actor,
        goals: &NoGoal,
        task: None,
        horizon_steps: options.steps as usize,
        tail: Tail::Off,
    };
    let _waiting = Waiting::new("walking");
    let spec = source.observation_spec();
    let action_width = source.action_spec().len();
    let mut writer = EpisodeWriter::create(&options.output, &spec, action_width)?;
    let mut rows = 0;
    for first in (0..options.episodes).step_by(WAVE as usize) {
        let wave: Vec<u64> = (first..options.episodes.min(first + WAVE)).collect();
        let seen = source.run(&wave, &plan)?;
        rows += push(&mut writer, &seen, action_width)?;
    }
    writer.finish()?;
    Ok(rows)
}

fn push(writer: &mut EpisodeWriter, seen: &Trajectories, action_width: usize) -> Result<usize> {
    let states = seen.observations();
    let width = states.width();
    let values = states.as_f32().context("the world shows images")?;
    for episode in seen.episodes() {
        let (rows, acts) = (episode.rows(), episode.action_rows());
        let actions = &seen.actions()[acts.start * action_width..acts.end * action_width];
        writer.push(
            Entries::F32(&values[rows.start * width..rows.end * width]),
            actions,
        )?;
    }
    Ok(states.len())
}
