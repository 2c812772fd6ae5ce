//! `isochrone render`: a world as a picture, or random actions or a trained policy in it as a film.

mod life;

use crate::cli::{RenderOptions, ViewArgument};
use crate::picture::{Film, PictureFormat, to_png};
use anyhow::{Context, Result, bail};
use isochrone::markov::Progress;
use isochrone::rng::Seed;
use isochrone_mujoco::World;
use isochrone_mujoco::render::{Goal, Renderer, View};
use isochrone_runs::output::{print, write};
use isochrone_runs::progress::Waiting;
use isochrone_runs::train::TrainingRun;
use life::Life;

/// Steps between two pictures of a film: 25 pictures a second at 0.02 s a step, which is the world's own time.
const STEPS_PER_FRAME: u32 = 2;
const FRAME_CS: u16 = 4;
/// Default sizes. A film has hundreds of pictures, so it is smaller.
const PICTURE_PX: u16 = 480;
const FILM_PX: u16 = 320;
/// Length of a film unless asked otherwise.
const FILM_STEPS: u32 = 250;

/// Most pixels of a film, all its pictures together. Some minutes of drawing, and a file that programs still open:
/// three minutes of film in the usual size.
const MAX_FILM_PX: u64 = 500_000_000;

/// Runs the command.
pub fn run(options: &RenderOptions) -> Result<()> {
    let format = PictureFormat::of(&options.output)?;
    let (side, steps) = match format {
        PictureFormat::Png => (PICTURE_PX, 0),
        PictureFormat::Gif => (FILM_PX, FILM_STEPS),
    };
    let side = options.size.unwrap_or(side);
    let steps = options.steps.unwrap_or(steps);
    let waiting = Waiting::new("drawing");
    let bytes = match format {
        PictureFormat::Png => picture(options, side, steps)?,
        PictureFormat::Gif => film(options, side, steps, &waiting)?,
    };
    write(&options.output, &bytes)?;
    drop(waiting);
    let place = options.output.display();
    let what = match (&options.run, options.world) {
        (Some(run), _) => format!("the policy of {}", run.display()),
        (None, Some(world)) => format!("random actions in {world}"),
        (None, None) => String::new(),
    };
    print(&match format {
        PictureFormat::Png => format!("{place}: {what}, after {steps} steps\n"),
        PictureFormat::Gif => format!("{place}: {what}, {steps} steps in their own time\n"),
    })
}

/// The world after some steps.
fn picture(options: &RenderOptions, side: u16, steps: u32) -> Result<Vec<u8>> {
    let mut life = life(options)?;
    let mut camera = camera(options, &life.world, side)?;
    for _ in 0..steps {
        life.step()?;
    }
    to_png(side, side, &camera.draw(&life.world, life.goal())?)
}

/// Step by step, picture by picture.
fn film(options: &RenderOptions, side: u16, steps: u32, waiting: &Waiting) -> Result<Vec<u8>> {
    check_length(side, steps)?;
    let mut life = life(options)?;
    let mut camera = camera(options, &life.world, side)?;
    let mut film = Film::new(side, side, FRAME_CS)?;
    let total = frames(steps) as usize;
    for done in 1..=total {
        film.push(&camera.draw(&life.world, life.goal())?)?;
        waiting.advance(Progress { done, total });
        if done < total {
            for _ in 0..STEPS_PER_FRAME {
                life.step()?;
            }
        }
    }
    film.finish()
}

/// Pictures of a film: the first step's, and one after every second.
fn frames(steps: u32) -> u64 {
    u64::from(steps / STEPS_PER_FRAME) + 1
}

/// Returns an error for films that are too large, with the largest possible size.
fn check_length(side: u16, steps: u32) -> Result<()> {
    let (frames, pixels) = (frames(steps), u64::from(side).pow(2));
    if frames * pixels <= MAX_FILM_PX {
        return Ok(());
    }
    let most_steps = (MAX_FILM_PX / pixels - 1) * u64::from(STEPS_PER_FRAME);
    let largest_side = (MAX_FILM_PX / frames).isqrt();
    bail!(
        "a film of {frames} pictures of {side}×{side} pixels is too much; \
         take --steps {most_steps} or fewer, or --size {largest_side} or less"
    )
}

/// Opens what pictures are taken with.
fn camera(options: &RenderOptions, world: &World, side: u16) -> Result<Renderer> {
    let view = match options.view {
        ViewArgument::Top => View::TopDown,
        ViewArgument::Bird => View::Bird,
    };
    Ok(Renderer::new(world, view, side.into(), side.into())?)
}

/// Who acts, and where.
fn life(options: &RenderOptions) -> Result<Life> {
    let seed = Seed(options.seed);
    if let Some(run) = &options.run {
        return Life::of_policy(TrainingRun::of_run(run, None, 1)?, seed);
    }
    let goal = options.goal.map(|goal| Goal {
        place_m: goal.0,
        radius_m: options.radius,
    });
    let world = options.world.context("name a world, or a run with --run")?;
    Ok(Life::at_random(world.build()?, seed, goal))
}
