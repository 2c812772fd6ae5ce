//! `isochrone exact`: times between one state and all others, exactly.

mod times;

pub use times::{DENSE_LIMIT_STATES, Times};

use crate::cli::{ExactOptions, Quantity};
use crate::world::World;
use anyhow::{Context, Result};
use isochrone::markov::Direction;
use isochrone_figures::{Figure, Lines, Panel, Series, Stroke};
use isochrone_runs::isochrones::{Isochrones, heat_map};
use isochrone_runs::output::{
    FigureFormat, draw, human, print, refuse_other_ending, refuse_same_file, table, write,
};
use isochrone_runs::progress::Waiting;

impl Times {
    fn column(&self, quantity: Quantity) -> Vec<f64> {
        let sums = || {
            self.there
                .iter()
                .zip(&self.back)
                .map(|(there, back)| there + back)
        };
        match quantity {
            Quantity::Commute => sums().collect(),
            Quantity::Action => sums().map(|n| 0.5 * n).collect(),
            Quantity::There => self.there.clone(),
            Quantity::Back => self.back.clone(),
            Quantity::Shortest => self.shortest.iter().map(|&s| f64::from(s)).collect(),
        }
    }
}

impl Quantity {
    fn label(self) -> &'static str {
        match self {
            Self::Commute => "commute time (steps, there and back)",
            Self::Action => "action distance (steps, half the commute time)",
            Self::There => "mean first-passage time from the reference (steps)",
            Self::Back => "mean first-passage time to the reference (steps)",
            Self::Shortest => "shortest path from the reference (steps)",
        }
    }
}

/// Runs the command.
pub fn run(options: &ExactOptions) -> Result<()> {
    // Refused before anything is computed or written.
    if let Some(path) = &options.figure {
        FigureFormat::of(path)?;
    }
    let input = Some(&options.world.input);
    refuse_same_file(&[input, options.output.as_ref(), options.figure.as_ref()])?;
    if let Some(path) = &options.output {
        refuse_other_ending(path, "csv")?;
    }
    let waiting = Waiting::new("reading");
    let world = World::read(&options.world)?;
    let reference = world.state(options.from)?;
    let name = |state| world.name(state);
    let now = |what: &str| waiting.now(what);
    let times = Times::solve(&world.chain, &world.stationary, reference, &name, &now)?;
    waiting.now("writing");
    if let Some(path) = &options.output {
        write(path, csv(&world, &times)?.as_bytes())?;
    }
    if let Some(path) = &options.figure {
        draw(path, &figure(&world, &times, options.quantity))?;
    }
    drop(waiting);
    print(&summary(&world, &times, options.rows))?;
    let written = [&options.output, &options.figure];
    for path in written.into_iter().flatten() {
        print(&format!("wrote {}\n", path.display()))?;
    }
    Ok(())
}

fn summary(world: &World, times: &Times, rows: usize) -> String {
    let states = world.chain.n_states();
    let kind = match world.stationary.direction {
        Direction::Reversible => "reversible",
        Direction::OneWay => "not reversible",
    };
    let name = world.name(times.reference);
    let noun = if states == 1 { "state" } else { "states" };
    let mut text = format!("{states} {noun}, {kind}; times in steps from and to {name}\n\n");
    let headings = [
        "state", "visited", "there", "back", "commute", "action", "shortest",
    ];
    let (commute, action) = (
        times.column(Quantity::Commute),
        times.column(Quantity::Action),
    );
    let row = |state: usize| {
        vec![
            world.name(state),
            human(world.stationary.rho[state]),
            human(times.there[state]),
            human(times.back[state]),
            human(commute[state]),
            human(action[state]),
            times.shortest[state].to_string(),
        ]
    };
    let shown: Vec<Vec<String>> = (0..states.min(rows)).map(row).collect();
    text += &table(&headings, &shown);
    if rows < states {
        let rest = (states - rows).to_string();
        text += &["… ", &rest, " more states; -o FILE.csv writes all\n"].concat();
    }
    let far = (0..states).max_by(|&a, &b| commute[a].total_cmp(&commute[b]));
    if let Some(far) = far.filter(|_| states > 1) {
        let (name, steps) = (world.name(far), human(commute[far]));
        text += &[
            "\nfarthest: ",
            &name,
            ", ",
            &steps,
            " steps there and back\n",
        ]
        .concat();
    }
    text
}

fn csv(world: &World, times: &Times) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let place: &[&str] = if world.maze.is_some() {
        &["column", "row"]
    } else {
        &[]
    };
    let quantities = ["visited", "there", "back", "commute", "action", "shortest"];
    writer.write_record([&["state"], place, &quantities].concat())?;
    let (commute, action) = (
        times.column(Quantity::Commute),
        times.column(Quantity::Action),
    );
    for state in 0..world.chain.n_states() {
        let mut record = vec![state.to_string()];
        if let Some(maze) = &world.maze {
            let cell = maze.cell(state);
            record.extend([cell.column.to_string(), cell.row.to_string()]);
        }
        let values = [
            world.stationary.rho[state],
            times.there[state],
            times.back[state],
            commute[state],
            action[state],
        ];
        record.extend(values.map(|value| value.to_string()));
        record.push(times.shortest[state].to_string());
        writer.write_record(&record)?;
    }
    let bytes = writer.into_inner().context("cannot finish the table")?;
    Ok(String::from_utf8(bytes)?)
}

fn figure(world: &World, times: &Times, quantity: Quantity) -> Figure {
    let values = times.column(quantity);
    let name = world.name(times.reference);
    match &world.maze {
        Some(maze) => {
            let lines = match quantity {
                // Whole steps: a line between two cells would run through the middle of nothing.
                Quantity::Shortest => Isochrones::Never,
                _ => Isochrones::Round,
            };
            let title = format!("Seen from {name}");
            heat_map(
                &title,
                quantity.label(),
                maze,
                &values,
                times.reference,
                lines,
            )
        }
        None => against_shortest_path(&name, quantity, &values, &times.shortest),
    }
}

/// States of an edge list lie nowhere: their times are drawn against the shortest path.
fn against_shortest_path(
    name: &str,
    quantity: Quantity,
    values: &[f64],
    shortest: &[u32],
) -> Figure {
    let x = shortest.iter().map(|&s| f64::from(s));
    Figure {
        title: format!("Every state, seen from {name}"),
        columns: 1,
        panels: vec![Panel::Lines(Lines {
            x_label: "shortest path (steps)".to_owned(),
            y_label: quantity.label().to_owned(),
            series: vec![Series {
                name: String::new(),
                points: x.zip(values.iter().copied()).collect(),
                style: Stroke::PointsOnly,
                ..Series::default()
            }],
            ..Lines::default()
        })],
    }
}
