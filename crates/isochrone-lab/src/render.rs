//! `isochrone render`: a world as a picture, or random actions in it as a film.

use crate::cli::{RenderOptions, ViewArgument};
use crate::output::{print, write};
use crate::picture::{Film, PictureFormat, to_png};
use crate::progress::Waiting;
use anyhow::{Result, bail};
use isochrone::env::{Environment, StepError, Successor};
use isochrone::markov::Progress;
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
    let (what, place) = (options.world, options.output.display());
    print(&match format {
        PictureFormat::Png => format!("{place}: {what} after {steps} random steps\n"),
        PictureFormat::Gif => format!("{place}: {steps} random steps of {what}, in its own time\n"),
    })
}

/// The world after random actions.
fn picture(options: &RenderOptions, side: u16, steps: u32) -> Result<Vec<u8>> {
    let mut world = options.world.build()?;
    let mut camera = Camera::new(options, &world, side)?;
    let mut life = Life::new(&mut world, Seed(options.seed));
    for _ in 0..steps {
        life.step()?;
    }
    to_png(side, side, &camera.draw(life.world)?)
}

/// Random actions, a new episode after each end, picture by picture.
fn film(options: &RenderOptions, side: u16, steps: u32, waiting: &Waiting) -> Result<Vec<u8>> {
    check_length(side, steps)?;
    let mut world = options.world.build()?;
    let mut camera = Camera::new(options, &world, side)?;
    let mut life = Life::new(&mut world, Seed(options.seed));
    let mut film = Film::new(side, side, FRAME_CS)?;
    let total = frames(steps) as usize;
    for done in 1..=total {
        film.push(&camera.draw(life.world)?)?;
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

/// Refuses films that nobody could wait for or open, and says what could be asked instead.
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

/// Where pictures are taken from, and what is added to them.
struct Camera {
    renderer: Renderer,
    goal: Option<Goal>,
}

impl Camera {
    fn new(options: &RenderOptions, world: &World, side: u16) -> Result<Self> {
        let view = match options.view {
            ViewArgument::Top => View::TopDown,
            ViewArgument::Bird => View::Bird,
        };
        let goal = options.goal.map(|goal| Goal {
            place_m: goal.0,
            radius_m: options.radius,
        });
        let renderer = Renderer::new(world, view, side.into(), side.into())?;
        Ok(Self { renderer, goal })
    }

    fn draw(&mut self, world: &World) -> Result<Vec<u8>> {
        Ok(self.renderer.draw(world, self.goal)?)
    }
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
