//! `isochrone worlds`: what there is to live in.

use crate::cli::WorldsOptions;
use anyhow::Result;
use isochrone::env::Environment;
use isochrone_mujoco::{Arena, World, WorldName};
use isochrone_runs::output::{print, table};
use std::fmt::Write as _;

/// Runs the command.
pub fn run(options: &WorldsOptions) -> Result<()> {
    match options.world {
        Some(name) if options.xml => print(&name.build()?.mjcf()),
        Some(name) => print(&details(name, &name.build()?)?),
        None => print(&list()?),
    }
}

fn list() -> Result<String> {
    let mut rows = Vec::new();
    for name in WorldName::ALL {
        let world = name.build()?;
        rows.push(vec![
            name.to_string(),
            world.observation_spec().len().to_string(),
            world.action_spec().len().to_string(),
            world.coverage_goals_m().len().to_string(),
            name.about().to_owned(),
        ]);
    }
    let mut text = table(&["world", "sees", "does", "goals", "what it is"], &rows);
    text += "\nsees: numbers in an observation; does: numbers in an action; goals: places that coverage is \
             measured on\n";
    text += "isochrone worlds maze-ant               says more about one\n";
    text += "isochrone render maze-ant -o ant.png    draws it; -o ant.gif films it\n";
    Ok(text)
}

/// Everything there is to say about one world.
fn details(name: WorldName, world: &World) -> Result<String> {
    let (seen, range) = (world.observation_spec(), world.goal_range()?);
    let sides = |k: usize| {
        let (middle, half) = (range.centre()[k], range.half_width()[k]);
        format!("{}…{}", middle - half, middle + half)
    };
    let mut text = format!("{name}: {}\n\n", name.about());
    writeln!(
        text,
        "sees   {} numbers: {}",
        seen.len(),
        what_is_seen(world)
    )?;
    writeln!(text, "does   {}", what_is_done(world))?;
    writeln!(text, "ends   {}", when_it_ends(world))?;
    writeln!(text, "goals  x in {} m, y in {} m", sides(0), sides(1))?;
    writeln!(
        text,
        "       {} of them for coverage",
        world.coverage_goals_m().len()
    )?;
    match world.arena() {
        Some(arena) => write!(
            text,
            "{}; `r` is the start, (0, 0); rows go down with growing y:\n\n{}",
            walls_and_floor(arena),
            arena.plan()
        )?,
        None => writeln!(text, "walls  none")?,
    }
    writeln!(
        text,
        "\nisochrone worlds {name} --xml          prints the MuJoCo model"
    )?;
    writeln!(
        text,
        "isochrone render {name} -o world.png   draws it; -o world.gif films it"
    )?;
    Ok(text)
}

fn walls_and_floor(arena: &Arena) -> String {
    let walls = match arena.wall_thickness_m() {
        Some(thickness_m) => {
            format!("`-` and `|`, {thickness_m} m thick and 1 m high, between cells of 2 m")
        }
        None => "`#`, 2 m wide and 1 m high".to_owned(),
    };
    let arrows = "`<`, `>`, `^` and `v`";
    let push = arena.push_n().map_or(String::new(), |push_n| {
        format!("\nfloor  pushes with {push_n} N where {arrows} show it, as qfrc_applied: it is not in the model")
    });
    format!("walls  {walls}{push}")
}

const fn what_is_seen(world: &World) -> &'static str {
    match world {
        World::PointMass(_) => "x, y, and their velocities",
        _ => "positions 15, velocities 14, rotation of the torso 9, centre of mass 3",
    }
}

const fn what_is_done(world: &World) -> &'static str {
    match world {
        World::PointMass(_) => "2 numbers in −1…1: forces along x and y of up to 2 N",
        _ => "8 numbers in −1…1: torques at hips and ankles of up to 150 N·m",
    }
}

const fn when_it_ends(world: &World) -> &'static str {
    match world {
        World::PointMass(_) => "never by itself",
        _ => "when the torso is lower than 0.3 m or higher than 1 m",
    }
}
