//! `isochrone plot`: trainings as a figure and as a table.
//!
//! Runs that differ in their seed only are one method: a mean with the 95 % interval of Student's t over seeds. Beside
//! the curves, where goals are places: how often each goal is reached, and the last working set by its difficulty. Where
//! the distance is learned: how far the start is from everywhere.

mod groups;
#[cfg(feature = "worlds")]
mod learned;
mod maps;

use crate::cli::PlotOptions;
use anyhow::{Result, bail};
use groups::Group;
use isochrone_figures::{Figure, Lines, Panel, Series, Stroke};
use isochrone_runs::interval::Interval;
use isochrone_runs::output::{
    FigureFormat, draw, print, refuse_other_ending, refuse_same_file, write,
};
use isochrone_runs::train::{self, History, table};

/// Panels side by side.
const COLUMNS: usize = 3;

/// Runs the command.
pub fn run(options: &PlotOptions) -> Result<()> {
    let (figure, table) = (options.output.as_ref(), options.csv.as_ref());
    if figure.is_none() && table.is_none() {
        bail!("name a figure to draw with -o, or a table to write with --csv");
    }
    refuse_same_file(&[figure, table])?;
    if let Some(path) = figure {
        FigureFormat::of(path)?;
    }
    if let Some(path) = table {
        refuse_other_ending(path, "csv")?;
    }
    let runs = options.runs.iter().map(|path| History::read(path));
    let runs: Vec<History> = runs.collect::<Result<_>>()?;
    let mut lines = Vec::new();
    if let Some(path) = table {
        let rows: Vec<_> = runs.iter().map(table::rows).collect::<Result<_>>()?;
        write(path, table::to_csv(&rows.concat())?.as_bytes())?;
        lines.push(format!("wrote {}\n", path.display()));
    }
    let groups = groups::of(runs)?;
    if let Some(path) = figure {
        draw(path, &picture(&groups)?)?;
        lines.push(format!("wrote {}\n", path.display()));
    }
    lines.extend(groups.iter().map(line));
    print(&lines.concat())
}

fn picture(groups: &[Group]) -> Result<Figure> {
    let mut panels = vec![curves(groups)?];
    for group in groups {
        panels.extend(maps::of(group)?);
        #[cfg(feature = "worlds")]
        panels.extend(learned::map(group)?);
    }
    Ok(Figure {
        title: String::new(),
        columns: COLUMNS.min(panels.len()),
        panels,
    })
}

/// Coverage by iteration. A distance has the colour of the paper's figures where it is that of one curve. A broken line is
/// the policy with its planner; a level one is the straight-line controller's coverage.
fn curves(groups: &[Group]) -> Result<Panel> {
    let colour = |group: &Group| group.runs.first().map(|run| train::colour(&run.spec));
    let mut colours: Vec<_> = groups.iter().map(colour).collect();
    colours.sort_unstable();
    colours.dedup();
    let is_one_each = colours.len() == groups.len();
    let mut series = Vec::new();
    for group in groups {
        let colour = colour(group).filter(|_| is_one_each);
        let alone = curve(group.legend(), &group.coverage(), group, colour);
        series.push(alone);
        let planned = group.planned_coverage();
        if !planned.is_empty() {
            // First, because the ends of long names are cut off.
            let name = format!("with planner: {}", group.legend());
            series.push(Series {
                style: Stroke::Dashed,
                ..curve(name, &planned, group, colour)
            });
        }
    }
    series.extend(floors(groups)?);
    Ok(Panel::Lines(Lines {
        title: if groups.iter().any(|group| group.runs.len() > 1) {
            "Coverage: mean and 95 % interval over seeds".to_owned()
        } else {
            "Coverage".to_owned()
        },
        x_label: "iteration".to_owned(),
        y_label: "share of goals reached".to_owned(),
        series,
        ..Lines::default()
    }))
}

fn curve(name: String, points: &[(u64, Interval)], group: &Group, colour: Option<usize>) -> Series {
    let has_band = group.runs.len() > 1;
    let band = |at: &(u64, Interval)| (at.1.low, at.1.high);
    Series {
        name,
        colour,
        points: points.iter().map(|(i, c)| (*i as f64, c.mean)).collect(),
        band: has_band.then(|| points.iter().map(band).collect()),
        ..Series::default()
    }
}

/// The coverage of a controller that pushes straight at the goal, in every world where there is one.
#[cfg(feature = "worlds")]
fn floors(groups: &[Group]) -> Result<Vec<Series>> {
    let mut worlds: Vec<&str> = Vec::new();
    let mut floors = Vec::new();
    let iterations = groups.iter().flat_map(Group::coverage).map(|(at, _)| at);
    let last = iterations.max().unwrap_or(0).max(1);
    for run in groups.iter().filter_map(|group| group.runs.first()) {
        let world = run.spec.world.as_str();
        if worlds.contains(&world) {
            continue;
        }
        worlds.push(world);
        if let Some(floor) = train::straight_line_coverage(&run.spec, train::threads(None))? {
            floors.push(Series {
                name: format!("{world}: pushing straight at the goal"),
                points: vec![(0.0, floor.mean), (last as f64, floor.mean)],
                style: Stroke::Dashed,
                colour: Some(isochrone_figures::FLOOR_COLOUR),
                ..Series::default()
            });
        }
    }
    Ok(floors)
}

/// Without worlds there is no controller.
#[cfg(not(feature = "worlds"))]
fn floors(_groups: &[Group]) -> Result<Vec<Series>> {
    Ok(Vec::new())
}

/// The coverage of a group, for people.
fn line(group: &Group) -> String {
    let legend = group.legend();
    let Some((at, _)) = group.coverage().pop() else {
        return format!("{legend}: no iteration at which every seed was evaluated\n");
    };
    let interval_text = |of| {
        let interval = group.last(of)?;
        let Interval { mean, low, high } = interval;
        Some(if group.runs.len() == 1 {
            format!("{mean:.3}")
        } else {
            format!("{mean:.3} ({low:.3} … {high:.3})")
        })
    };
    let alone = interval_text(|e| Some(e.coverage)).unwrap_or_default();
    let planned = interval_text(groups::planned);
    let planned = planned.map_or(String::new(), |c| format!(", with planner {c}"));
    let averaged = match group.averaged() {
        1 => "one evaluation".to_owned(),
        several => format!("mean of the last {several} evaluations"),
    };
    format!("{legend}: coverage {alone}{planned} after {at} iterations ({averaged})\n")
}
