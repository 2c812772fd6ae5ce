//! `isochrone collect`: trajectories of random actions or of a trained policy, as a Parquet file to learn from.

mod images;

use crate::cli::{CollectOptions, Starts};
use anyhow::{Context, Result, bail};
use images::Images;
use isochrone::curriculum::GoalList;
use isochrone::distance::PlaceDistance;
use isochrone::env::ObservationSpec;
use isochrone::env::grid::{Grid, Start};
use isochrone::maze::{Maze, Moves, WallRule};
use isochrone::policy::{Actor, Uniform};
use isochrone::rng::Seed;
use isochrone::rollout::{EpisodeSource, GoalSource, NoGoal, Phase, Plan, Streams, Tail, Threads};
use isochrone::task::Task;
use isochrone::trajectory::Trajectories;
use isochrone_files::data::{Entries, EpisodeWriter};
#[cfg(feature = "worlds")]
use isochrone_mujoco::{Anywhere, WorldName};
use isochrone_runs::output::{print, refuse_other_ending, refuse_same_file};
use isochrone_runs::progress::Waiting;
use isochrone_runs::train::{TrainingRun, WorldChoice, world_of};
use std::path::{Path, PathBuf};

/// Episodes in memory at a time.
const WAVE: u64 = 64;

/// Who acts, and what for.
struct Walker<'a> {
    actor: &'a dyn Actor,
    goals: &'a dyn GoalSource,
    task: Option<Task<'a>>,
}

/// Runs the command.
pub fn run(options: &CollectOptions) -> Result<()> {
    let input = options.world.as_ref().map(PathBuf::from);
    refuse_same_file(&[input.as_ref(), Some(&options.output)])?;
    refuse_other_ending(&options.output, "parquet")?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let rows = match (&options.policy, &options.world) {
        (Some(run), _) => with_policy(options, run, threads)?,
        (None, Some(world)) => at_random(options, world, threads)?,
        (None, None) => bail!("name a world or a maze, or a training with --policy"),
    };
    print(&format!(
        "wrote {}: {} episodes, {rows} states\n",
        options.output.display(),
        options.episodes
    ))
}

/// Random actions in a world or a maze.
fn at_random(options: &CollectOptions, world: &str, threads: usize) -> Result<usize> {
    let mut source: Box<dyn EpisodeSource> = match in_world(options, world, threads)? {
        Some(source) => source,
        None => {
            let grid = grid(options, world)?;
            Box::new(Threads::new(threads, || grid.clone()))
        }
    };
    let walker = Walker {
        actor: &Uniform(source.action_spec()),
        goals: &NoGoal,
        task: None,
    };
    let images = Images::new(world, options.image, threads)?;
    write(options, source.as_mut(), &walker, images)
}

/// A MuJoCo world; `None` if the name is not one of theirs.
#[cfg(feature = "worlds")]
fn in_world(
    options: &CollectOptions,
    world: &str,
    threads: usize,
) -> Result<Option<Box<dyn EpisodeSource>>> {
    let Ok(name) = world.parse::<WorldName>() else {
        return Ok(None);
    };
    if options.moves.is_some() || options.walls.is_some() {
        bail!("{name} is not a maze; --moves and --walls are for mazes");
    }
    Ok(Some(match options.starts {
        Some(Starts::Anywhere) => anywhere(name, threads)?,
        Some(Starts::Fixed) | None => {
            let world = name.build()?;
            Box::new(Threads::new(threads, || world.clone()))
        }
    }))
}

/// A world with starts everywhere.
#[cfg(feature = "worlds")]
fn anywhere(name: WorldName, threads: usize) -> Result<Box<dyn EpisodeSource>> {
    let world = Anywhere::new(name.build()?)?;
    Ok(Box::new(Threads::new(threads, || world.clone())))
}

#[cfg(not(feature = "worlds"))]
fn in_world(
    _options: &CollectOptions,
    _world: &str,
    _threads: usize,
) -> Result<Option<Box<dyn EpisodeSource>>> {
    Ok(None)
}

/// The policy of a training in its world, towards its coverage goals.
fn with_policy(options: &CollectOptions, run: &Path, threads: usize) -> Result<usize> {
    let mut agent = TrainingRun::of_run(run, None, threads)?;
    let world = world_of(&agent.spec)?;
    let actor = agent.training.learner().actor()?;
    if options.starts == Some(Starts::Anywhere) {
        agent.built.source = policy_anywhere(world, threads)?;
    }
    let (setup, source) = (&agent.built.setup, &mut agent.built.source);
    let walker = Walker {
        actor: actor.as_ref(),
        goals: &GoalList::new(setup.coverage_goals.clone())?,
        task: Some(Task {
            space: &setup.space,
            distance: &PlaceDistance::new(setup.place.clone()),
            radius: agent.spec.agent.evaluation.radius_m,
        }),
    };
    let images = Images::new(&world.to_string(), options.image, threads)?;
    write(options, source.as_mut(), &walker, images)
}

/// A training's world with starts everywhere; only those of MuJoCo have them.
fn policy_anywhere(world: WorldChoice, threads: usize) -> Result<Box<dyn EpisodeSource>> {
    #[cfg(feature = "worlds")]
    if let Some(name) = world.mujoco() {
        return anywhere(name, threads);
    }
    let _ = threads;
    bail!("--starts anywhere needs a MuJoCo world; the world of the policy is {world}")
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
fn grid(options: &CollectOptions, world: &str) -> Result<Grid> {
    let path = Path::new(world);
    if !path.exists() {
        bail!("{world:?} is neither a file nor a world; {}", world_names());
    }
    if options.starts == Some(Starts::Fixed) {
        bail!("a maze has no start of its own; its episodes start anywhere");
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
    walker: &Walker<'_>,
    mut images: Option<Images>,
) -> Result<usize> {
    let Walker { actor, goals, task } = *walker;
    let plan = Plan {
        streams: Streams {
            seed: Seed(options.seed),
            iteration: 0,
            phase: Phase::Train,
        },
        actor,
        goals,
        task,
        horizon_steps: options.steps as usize,
        tail: Tail::Off,
        waypoints: None,
    };
    let _waiting = Waiting::new("walking");
    let spec = source.observation_spec();
    let action_width = source.action_spec().len();
    let mut writer = writer(&options.output, &spec, action_width, images.as_ref())?;
    let mut rows = 0;
    for first in (0..options.episodes).step_by(WAVE as usize) {
        let wave: Vec<u64> = (first..options.episodes.min(first + WAVE)).collect();
        let seen = source.run(&wave, &plan)?;
        rows += push(&mut writer, &seen, action_width, images.as_mut())?;
    }
    writer.finish()?;
    Ok(rows)
}

fn writer(
    output: &Path,
    spec: &ObservationSpec,
    action_width: usize,
    images: Option<&Images>,
) -> Result<EpisodeWriter> {
    Ok(match images {
        Some(images) => {
            EpisodeWriter::create_with_images(output, spec.len(), &images.spec(), action_width)?
        }
        None => EpisodeWriter::create(output, spec, action_width)?,
    })
}

fn push(
    writer: &mut EpisodeWriter,
    seen: &Trajectories,
    action_width: usize,
    images: Option<&mut Images>,
) -> Result<usize> {
    let states = seen.observations();
    let width = states.width();
    let values = states.as_f32().context("the world shows images")?;
    let drawn = images.map(|images| images.draw(values, width));
    let drawn = drawn.transpose()?;
    for episode in seen.episodes() {
        let (rows, acts) = (episode.rows(), episode.action_rows());
        let actions = &seen.actions()[acts.start * action_width..acts.end * action_width];
        let numbers = &values[rows.start * width..rows.end * width];
        let entries = match &drawn {
            Some(drawn) => {
                let bytes = drawn.len() / states.len().max(1);
                Entries::Both(numbers, &drawn[rows.start * bytes..rows.end * bytes])
            }
            None => Entries::F32(numbers),
        };
        writer.push(entries, actions)?;
    }
    Ok(states.len())
}
