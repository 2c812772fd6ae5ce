//! Pictures: where things are in them, that drawing changes nothing, and worlds seen through them.

use isochrone::env::conformance::{check, check_snapshot};
use isochrone::env::{Dtype, Environment, Observation, Successor};
use isochrone::rng::{Purpose, Seed};
use isochrone_mujoco::render::{Goal, MAX_SIDE_PX, RenderError, Renderer, View, Visible};
use isochrone_mujoco::{Ant, Arena, Extent, Integrator, Pixels, PointMass, StateRenderer, World};
use std::process::Command;
use std::sync::Arc;

fn arena(text: &str) -> Arena {
    text.parse().unwrap()
}

fn point(text: &str) -> PointMass {
    PointMass::new(arena(text)).unwrap()
}

fn maze_ant() -> Ant {
    Ant::in_arena(arena(Arena::U), Integrator::Rk4).unwrap()
}

/// A world's body, put anywhere.
struct Posed {
    xml: Arc<str>,
    extent: Extent,
    pose: Vec<f64>,
}

impl Posed {
    fn of(world: &impl Visible, pose: &[f64]) -> Self {
        Self {
            xml: world.model_xml(),
            extent: world.extent(),
            pose: pose.to_vec(),
        }
    }
}

impl Visible for Posed {
    fn model_xml(&self) -> Arc<str> {
        Arc::clone(&self.xml)
    }

    fn extent(&self) -> Extent {
        self.extent
    }

    fn pose(&self) -> &[f64] {
        &self.pose
    }
}

/// The centre of the pixels that are far more of one colour (0 red, 1 green, 2 blue) than of the next one, in pixels
/// from the top left corner, weighted by how much.
fn centre_of(picture: &[u8], width_px: usize, colour: usize) -> Option<[f64; 2]> {
    let mut sums = [0.0; 3];
    for (pixel, rgb) in picture.chunks_exact(3).enumerate() {
        let excess = f64::from(rgb[colour]) - f64::from(rgb[(colour + 1) % 3]);
        let others = f64::from(rgb[colour]) - f64::from(rgb[(colour + 2) % 3]);
        let weight = (excess.min(others) - 10.0).max(0.0);
        sums[0] += weight;
        sums[1] += weight * ((pixel % width_px) as f64 + 0.5);
        sums[2] += weight * ((pixel / width_px) as f64 + 0.5);
    }
    (sums[0] > 0.0).then(|| [sums[1] / sums[0], sums[2] / sums[0]])
}

/// Straight from above +x is to the right and +y is up, and the arena fills the picture.
#[test]
fn the_sphere_is_where_its_pose_says() {
    let world = point(Arena::ROOM);
    for side_px in [32, 96] {
        let mut renderer = Renderer::new(&world, View::TopDown, side_px, side_px).unwrap();
        for place in [[0.0, 0.0], [3.0, 0.0], [0.0, 3.0], [-4.0, 2.5]] {
            let picture = renderer.draw(&Posed::of(&world, &place), None).unwrap();
            let pixels_per_m = f64::from(side_px) / 14.0;
            let expected = [
                (7.0 + place[0]) * pixels_per_m,
                (7.0 - place[1]) * pixels_per_m,
            ];
            let found = centre_of(&picture, side_px as usize, 0).unwrap();
            for (found, expected) in found.iter().zip(expected) {
                // A sample is a third of a pixel.
                assert!((found - expected).abs() < 0.34, "{found} {expected}");
            }
        }
    }
}

/// Every cell of every arena has one colour for floor and another for wall, at the size that agents see.
#[test]
fn walls_are_distinct_from_floor() {
    for text in [Arena::FIGURE_EIGHT, Arena::SPIRAL, Arena::U, Arena::ROOM] {
        let world = point(text);
        let rows: Vec<&[u8]> = text.lines().map(str::as_bytes).collect();
        let mut renderer = Renderer::new(&world, View::TopDown, 32, 32).unwrap();
        let picture = renderer.draw(&world, None).unwrap();
        let pixel = |at: usize| ((at as f64 + 0.5) * 32.0 / rows.len() as f64) as usize;
        for (row, cells) in rows.iter().enumerate() {
            for (column, cell) in cells.iter().enumerate().filter(|(_, cell)| **cell != b'r') {
                // The text has its first row at the smallest y, which is the lowest in the picture.
                let at = 3 * (32 * pixel(rows.len() - 1 - row) + pixel(column));
                let brightness: u32 = picture[at..at + 3].iter().map(|x| u32::from(*x)).sum();
                let is_wall = *cell == b'#';
                assert_eq!(
                    brightness < 3 * 128,
                    is_wall,
                    "{text}{row} {column}: {brightness}"
                );
            }
        }
    }
}

#[test]
fn other_shapes_show_the_whole_arena() {
    let world = point(Arena::ROOM);
    for (width_px, height_px) in [(120, 60), (60, 120)] {
        let mut renderer = Renderer::new(&world, View::TopDown, width_px, height_px).unwrap();
        assert_eq!(renderer.size_px(), (width_px, height_px));
        let picture = renderer
            .draw(&Posed::of(&world, &[3.5, 3.5]), None)
            .unwrap();
        assert_eq!(picture.len(), 3 * (width_px * height_px) as usize);
        let found = centre_of(&picture, width_px as usize, 0).unwrap();
        // The shorter side holds 14 m.
        let expected = [
            f64::from(width_px) / 2.0 + 15.0,
            f64::from(height_px) / 2.0 - 15.0,
        ];
        assert!(
            (found[0] - expected[0]).hypot(found[1] - expected[1]) < 0.5,
            "{found:?}"
        );
    }
}

#[test]
fn goals_are_drawn_where_they_are() {
    let world = Ant::free(Integrator::Rk4).unwrap();
    let standing = Posed::of(&world, &Ant::START_QPOS);
    let mut renderer = Renderer::new(&world, View::TopDown, 120, 120).unwrap();
    let bare = renderer.draw(&standing, None).unwrap();
    assert_eq!(centre_of(&bare, 120, 1), None, "green without a goal");
    for place_m in [[4.0, 3.0], [-5.0, 1.0]] {
        let goal = Goal {
            place_m,
            radius_m: 0.5,
        };
        let picture = renderer.draw(&standing, Some(goal)).unwrap();
        let found = centre_of(&picture, 120, 1).unwrap();
        let expected = [60.0 + 10.0 * place_m[0], 60.0 - 10.0 * place_m[1]];
        assert!(
            (found[0] - expected[0]).hypot(found[1] - expected[1]) < 0.5,
            "{found:?}"
        );
    }
    assert_eq!(
        renderer.draw(&standing, None).unwrap(),
        bare,
        "a goal leaves no trace"
    );
    let mut bird = Renderer::new(&world, View::Bird, 160, 120).unwrap();
    let goal = Goal {
        place_m: [2.0, 2.0],
        radius_m: 1.0,
    };
    let picture = bird.draw(&standing, Some(goal)).unwrap();
    assert!(centre_of(&picture, 160, 0).is_some() && centre_of(&picture, 160, 1).is_some());
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    let world = point(Arena::ROOM);
    for (width_px, height_px) in [(0, 32), (32, 0), (MAX_SIDE_PX + 1, 1), (1, u32::MAX)] {
        let refused = Renderer::new(&world, View::TopDown, width_px, height_px).unwrap_err();
        assert_eq!(
            refused,
            RenderError::Size {
                width_px,
                height_px
            }
        );
    }
    let mut renderer = Renderer::new(&world, View::TopDown, 8, 8).unwrap();
    let other = renderer.draw(&point(Arena::U), None);
    assert_eq!(other, Err(RenderError::OtherWorld));
    let nowhere = renderer.draw(&Posed::of(&world, &[0.0, f64::INFINITY]), None);
    let value = f64::INFINITY;
    assert_eq!(nowhere, Err(RenderError::Pose { entry: 1, value }));
    let headless = renderer.draw(&Posed::of(&world, &[0.0]), None);
    assert_eq!(headless, Err(RenderError::OtherWorld));
    for (place_m, radius_m) in [
        ([0.0, 0.0], 0.0),
        ([f64::NAN, 0.0], 1.0),
        ([0.0, 0.0], f64::NAN),
    ] {
        let answer = renderer.draw(&world, Some(Goal { place_m, radius_m }));
        assert!(
            matches!(answer, Err(RenderError::Goal { .. })),
            "{answer:?}"
        );
    }
    assert!(
        renderer.draw(&world, None).is_ok(),
        "refusals leave no trace"
    );
}

#[test]
fn worlds_of_pixels_conform() {
    let seed = Seed(5);
    let points = Pixels::new(point(Arena::FIGURE_EIGHT)).unwrap();
    let spec = points.observation_spec();
    assert_eq!((spec.shape, spec.dtype), (vec![32, 32, 3], Dtype::U8));
    check(|| points.clone(), seed).unwrap();
    check_snapshot(|| points.clone(), seed).unwrap();
    let free = Pixels::new(Ant::free(Integrator::ImplicitFast).unwrap()).unwrap();
    check(|| free.clone(), seed).unwrap();
    let ants = Pixels::new(maze_ant()).unwrap();
    check(|| ants.clone(), seed).unwrap();
    check_snapshot(|| ants.clone(), seed).unwrap();
}

/// A recorded state has the picture that its world showed: positions come first in it, and pictures show nothing else.
#[test]
fn recorded_states_have_the_pictures_of_their_worlds() {
    for world in [
        World::from(point(Arena::FIGURE_EIGHT)),
        World::from(maze_ant()),
    ] {
        let mut shown = Pixels::new(world.clone()).unwrap();
        let mut drawn = StateRenderer::new(&world, 32).unwrap();
        assert_eq!(drawn.spec(), shown.observation_spec());
        let pictures = episode(&mut shown, 0.1, 20);
        let states = episode(&mut world.clone(), 0.1, 20);
        for (state, picture) in states.iter().zip(&pictures) {
            let state = state.as_f32().unwrap();
            let Observation::U8(picture) = picture else {
                panic!("{picture:?}");
            };
            let found = drawn.draw(state).unwrap();
            // States are in f32, poses in f64: a colour may differ by a shade.
            let differs = found
                .iter()
                .zip(picture)
                .filter(|(a, b)| a.abs_diff(**b) > 2);
            assert!(differs.count() * 1000 < picture.len());
        }
        assert_ne!(pictures[0], pictures[20]);
    }
}

/// Pictures of an episode of constant, gentle actions.
fn episode(world: &mut impl Environment, action: f32, steps: usize) -> Vec<Observation> {
    let action = vec![action; world.action_spec().len()];
    let mut seen = vec![world.reset(&mut Seed(0).stream(Purpose::Reset, 0, 0))];
    for _ in 0..steps {
        match world.step(&action).unwrap() {
            Successor::Continue(picture) => seen.push(picture),
            other => panic!("{other:?}"),
        }
    }
    seen
}

#[test]
fn drawing_changes_no_trajectory() {
    let (mut bare, mut seen) = (maze_ant(), Pixels::new(maze_ant()).unwrap());
    episode(&mut bare, 0.02, 50);
    episode(&mut seen, 0.02, 50);
    let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(bare.qpos()), bits(seen.world().qpos()));
    assert_eq!(bits(bare.qvel()), bits(seen.world().qvel()));
}

/// A tenth of a pixel is enough to be noticed within a few steps.
#[test]
fn slow_motion_is_seen() {
    let mut world = Pixels::new(point(Arena::ROOM)).unwrap();
    let seen = episode(&mut world, 0.2, 40);
    let changes = seen.windows(2).filter(|pair| pair[0] != pair[1]).count();
    assert!(changes >= 10, "{changes} of 40 steps changed the picture");
}

/// Worlds on several threads at once, and one that moves between threads, show what one alone shows.
#[test]
fn threads_do_not_disturb_each_other() {
    fn is_send_and_sync<T: Send + Sync>(_: &T) {}
    let ants = Pixels::new(maze_ant()).unwrap();
    let points = Pixels::new(point(Arena::SPIRAL)).unwrap();
    is_send_and_sync(&ants);
    let alone = (
        episode(&mut ants.clone(), 0.02, 40),
        episode(&mut points.clone(), 0.3, 40),
    );
    for _ in 0..3 {
        let (mut a, mut b, mut c) = (ants.clone(), ants.clone(), points.clone());
        // Opened here, then used on other threads.
        episode(&mut a, 0.01, 2);
        let (a, b, c) = std::thread::scope(|scope| {
            let a = scope.spawn(move || (episode(&mut a, 0.02, 40), a));
            let b = scope.spawn(move || episode(&mut b, 0.02, 40));
            let c = scope.spawn(move || episode(&mut c, 0.3, 40));
            (a.join().unwrap(), b.join().unwrap(), c.join().unwrap())
        });
        assert!(a.0 == alone.0 && b == alone.0 && c == alone.1);
        let mut back = a.1;
        assert!(episode(&mut back, 0.02, 40) == alone.0);
    }
}

/// Memory of this process that is in use.
fn resident_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS"))
        .unwrap();
    let kb: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kb / 1024
}

/// Buffers are 768·3 pixels wide and high with eight bytes each, 42 MB; twice that may be in the allocator's hands.
#[test]
fn closed_renderers_leave_no_memory() {
    let world = point(Arena::U);
    let draw = || {
        let mut renderer = Renderer::new(&world, View::TopDown, 768, 768).unwrap();
        renderer.draw(&world, None).unwrap();
    };
    draw();
    let before = resident_mb();
    (0..6).for_each(|_| draw());
    let after = resident_mb();
    assert!(after < before + 84, "{before} MB, then {after} MB");
}

/// One picture, as the child processes below draw it: OpenGL is bound once for each process.
#[test]
#[expect(clippy::print_stdout, reason = "what the parent process reads")]
fn child_draws() {
    let world = point(Arena::U);
    let drawn = Renderer::new(&world, View::TopDown, 32, 32)
        .and_then(|mut renderer| renderer.draw(&Posed::of(&world, &[0.5, 0.25]), None));
    match drawn {
        Ok(picture) => {
            let sum = picture.iter().zip(1_u64..).map(|(x, k)| u64::from(*x) * k);
            println!("\nchild: {}", sum.sum::<u64>());
        }
        Err(error) => println!("\nchild: {error}"),
    }
}

/// What `child_draws` says in an environment.
fn child(environment: &[(&str, &str)]) -> String {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "render::child_draws", "--nocapture"])
        .env_remove("MUJOCO_GL")
        .envs(environment.iter().copied())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().find_map(|line| line.strip_prefix("child: "));
    line.unwrap_or_else(|| panic!("{output:?}")).to_owned()
}

/// EGL where it has a device, OSMesa where it has none, and a sentence where there is neither.
#[test]
fn both_ways_to_draw() {
    let no_device = ("__EGL_VENDOR_LIBRARY_DIRS", "/nowhere");
    let is_picture = |answer: &str| answer.parse::<u64>().is_ok();
    let egl = child(&[("MUJOCO_GL", "egl")]);
    assert!(is_picture(&egl), "{egl}");
    let osmesa = child(&[("MUJOCO_GL", "osmesa")]);
    assert!(
        is_picture(&osmesa),
        "this test draws through OSMesa too, which is not here or does not work (libosmesa6): {osmesa}"
    );
    assert_eq!(child(&[]), egl, "EGL comes first");
    assert_eq!(
        child(&[no_device]),
        osmesa,
        "OSMesa where EGL has no device"
    );
    let neither = child(&[no_device, ("MUJOCO_GL", "egl")]);
    assert!(
        neither.starts_with("no way to draw (EGL: ") && neither.contains("libegl1"),
        "{neither}"
    );
}
