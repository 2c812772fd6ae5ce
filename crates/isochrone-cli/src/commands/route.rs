//! `isochrone route`: the landmarks on the way from one state to another.

use crate::cli::RouteOptions;
use crate::goals_argument::warn_of_far;
use anyhow::{Context, Result, bail};
use isochrone::roadmap::{Roadmap, Route};
use isochrone_figures::{Figure, Lines, Panel, Series, Stroke};
use isochrone_files::roadmap::RoadmapFile;
use isochrone_runs::output::{FigureFormat, draw, human, print, table};
use serde::Serialize;

/// Entries of a state that fit in a line.
const ENTRIES_SHOWN: usize = 8;

#[derive(Serialize)]
struct Report {
    total_steps: f64,
    largest_leg_steps: f64,
    rarest_hop_seen: Option<u32>,
    legs: Vec<LegReport>,
}

#[derive(Serialize)]
struct LegReport {
    /// Absent for the goal.
    landmark: Option<usize>,
    state: Vec<f32>,
    steps: f64,
    /// Absent where the leg is no hop between landmarks.
    seen: Option<u32>,
}

/// Runs the command.
pub fn run(options: &RouteOptions) -> Result<()> {
    if let Some(figure) = &options.figure {
        FigureFormat::of(figure)?;
    }
    let file = RoadmapFile::read(&options.map)?;
    let (map, model) = (&file.map, &file.model);
    let (width, columns) = (model.distance.inputs(), model.about.states.columns());
    let from = options.from.state(width, &columns).context("--from")?;
    let to = options.to.state(width, &columns).context("--to")?;
    warn_of_far(model, &from, "states");
    warn_of_far(model, &to, "goals");
    let route = map.route(&from, &to)?;
    let report = report(map, &route, &to);
    if let Some(path) = &options.figure {
        draw(path, &picture(map, &report, &from, &options.axes)?)?;
    }
    if options.json {
        return print(&(serde_json::to_string_pretty(&report)? + "\n"));
    }
    let drawn = options.figure.as_ref();
    let drawn = drawn.map_or(String::new(), |path| format!("wrote {}\n", path.display()));
    print(&(words(&report) + &drawn))
}

fn report(map: &Roadmap, route: &Route, goal: &[f32]) -> Report {
    let leg = |leg: &isochrone::roadmap::Leg| LegReport {
        landmark: leg.landmark,
        state: leg
            .landmark
            .map_or(goal, |landmark| map.landmark(landmark))
            .to_vec(),
        steps: leg.steps,
        seen: leg.seen,
    };
    Report {
        total_steps: route.total_steps,
        largest_leg_steps: route.largest_leg_steps(),
        rarest_hop_seen: route.rarest_hop(),
        legs: route.legs.iter().map(leg).collect(),
    }
}

fn words(report: &Report) -> String {
    let rows = report.legs.iter().map(|leg| {
        let mut state: Vec<String> = leg
            .state
            .iter()
            .take(ENTRIES_SHOWN)
            .map(|x| human(f64::from(*x)))
            .collect();
        if leg.state.len() > ENTRIES_SHOWN {
            state.push("…".to_owned());
        }
        vec![
            leg.landmark.map_or("goal".to_owned(), |l| l.to_string()),
            human(leg.steps),
            leg.seen.map_or("–".to_owned(), |seen| seen.to_string()),
            state.join(" "),
        ]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let rarest = report.rarest_hop_seen.map_or(String::new(), |seen| {
        format!("; the rarest hop was made {seen} times")
    });
    format!(
        "{}\n{} steps in {} legs, the longest {} steps{rarest}\n",
        table(&["to", "steps", "seen", "state"], &rows),
        human(report.total_steps),
        report.legs.len(),
        human(report.largest_leg_steps),
    )
}

/// Landmarks as dots, the route over them.
fn picture(map: &Roadmap, report: &Report, from: &[f32], axes: &[usize]) -> Result<Figure> {
    let width = map.distance().inputs();
    let [x, y] = match axes {
        [] if width >= 2 => [0, 1],
        [] => bail!("a state has one entry; a figure needs two"),
        [x, y] if *x < width && *y < width && x != y => [*x, *y],
        _ => bail!("--axes: two different entries of a state are numbers below {width}"),
    };
    let place = |state: &[f32]| (f64::from(state[x]), f64::from(state[y]));
    let landmarks = map.states().chunks_exact(width).map(place);
    let route = [from]
        .into_iter()
        .chain(report.legs.iter().map(|leg| leg.state.as_slice()));
    Ok(Figure {
        title: format!("{} steps", human(report.total_steps)),
        columns: 1,
        panels: vec![Panel::Lines(Lines {
            x_label: format!("entry {x}"),
            y_label: format!("entry {y}"),
            series: vec![
                Series {
                    name: "landmarks".to_owned(),
                    points: landmarks.collect(),
                    style: Stroke::PointsOnly,
                    ..Series::default()
                },
                Series {
                    name: "route".to_owned(),
                    points: route.map(place).collect(),
                    ..Series::default()
                },
            ],
            ..Lines::default()
        })],
    })
}
