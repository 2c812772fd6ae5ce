//! `isochrone render`: a world as a picture, or random actions in it as a film.

use crate::cli::{RenderOptions, ViewArgument};
use crate::output::{print, write};
use crate::picture::{Film, PictureFormat};
use crate::progress::Waiting;
use anyhow::Result;
use isochrone::env::{Environment, StepError, Successor};
use isochrone::policy::{Actor, Uniform};
use isochrone::rng::{Purpose, Seed};
use isochrone_mujoco::World;
use isochrone_mujoco::render::{Goal, Renderer, View};

/// Steps between two pictures of a film: 25 pictures a second at 0.02 s a step, which is the world's own time.
const STEPS_PER_FRAME: u32 = 2;
const FRAME_CS: u16 = 4;
/// Sides unless asked otherwise. A film is a hundred pictures: smaller, or nobody would wait.
const PICTURE_PX: u16 = 480;
const FILM_PX: u16 = 320;
/// Length of a film unless asked otherwise.
const FILM_STEPS: u32 = 250;

/// Runs the command.
pub fn run(options: &RenderOptions) -> Result<()> {
    let format = PictureFormat::of(&options.output)?;
    let steps = options.steps.unwrap_or(match format {
        PictureFormat::Png => 0,
        PictureFormat::Gif => FILM_STEPS,
    });
    let waiting = Waiting::new("drawing");
    let film = shoot(options, format, steps)?;
    let bytes = match format {
        PictureFormat::Png => film.to_png()?,
        PictureFormat::Gif => film.to_gif()?,
    };
    write(&options.output, &bytes)?;
    drop(waiting);
    let (what, place) = (options.world, options.output.display());
    print(&match format {
        PictureFormat::Png => format!("{place}: {what} after {steps} random steps\n"),
        PictureFormat::Gif => format!("{place}: {steps} random steps of {what}, in its own time\n"),
    })
}

/// Lives through random actions, a new episode after each end, and draws.
fn shoot(options: &RenderOptions, format: PictureFormat, steps: u32) -> Result<Film> {
    let mut world = options.world.build()?;
    let view = match options.view {
        ViewArgument::Top => View::TopDown,
        ViewArgument::Bird => View::Bird,
    };
    let side = options.size.unwrap_or(match format {
        PictureFormat::Png => PICTURE_PX,
        PictureFormat::Gif => FILM_PX,
    });
    let mut renderer = Renderer::new(&world, view, side.into(), side.into())?;
    let goal = options.goal.map(|goal| Goal {
        place_m: goal.0,
        radius_m: options.radius,
    });
    let mut life = Life::new(&mut world, Seed(options.seed));
    let mut film = Film {
        width_px: side,
        height_px: side,
        frames: Vec::new(),
        frame_cs: FRAME_CS,
    };
    for step in 0..=steps {
        let is_shown = match format {
            PictureFormat::Png => step == steps,
            PictureFormat::Gif => step % STEPS_PER_FRAME == 0,
        };
        if is_shown {
            film.frames.push(renderer.draw(life.world, goal)?);
        }
        life.step()?;
    }
    Ok(film)
}

/// A world under random actions.
struct Life<'w> {
    world: &'w mut World,
    actor: Uniform,
    action: Vec<f32>,
    seed: Seed,
    episode: u64,
    rng: isochrone::rng::Rng,
}

impl<'w> Life<'w> {
    fn new(world: &'w mut World, seed: Seed) -> Self {
        let actions = world.action_spec();
        world.reset(&mut seed.stream(Purpose::Reset, 0, 0));
        Self {
            world,
            action: vec![0.0; actions.len()],
            actor: Uniform(actions),
            seed,
            episode: 0,
            rng: seed.stream(Purpose::Act, 0, 0),
        }
    }

    fn step(&mut self) -> Result<(), StepError> {
        let nothing = isochrone::env::Observation::F32(Vec::new());
        self.actor.act(
            &nothing,
            &[],
            &mut self.rng,
            &mut Vec::new(),
            &mut self.action,
        );
        match self.world.step(&self.action) {
            Ok(Successor::Continue(_)) => Ok(()),
            Ok(Successor::Terminal(_) | Successor::Truncated(_))
            | Err(StepError::Unstable { .. }) => {
                self.episode += 1;
                let mut rng = self.seed.stream(Purpose::Reset, 0, self.episode);
                self.world.reset(&mut rng);
                Ok(())
            }
            Err(error) => Err(error),
        }
    }
}
