//! Pictures of a distance: a heat map with isochrones, and predicted against seen steps.

use super::on_maze::distances_to;
use crate::cli::AssessOptions;
use crate::state_argument::StateText;
use crate::world::World;
use anyhow::{Context, Result, bail};
use isochrone::evaluate::Calibration;
use isochrone::markov::{passage_times, steps_to};
use isochrone::maze::Cell;
use isochrone_figures::{ColourBar, ColourScale, Figure, Heat, Lines, Panel, Series, Stroke};
use isochrone_files::model::DistanceModel;
use isochrone_runs::calibration::ObservedEpisodes;
use isochrone_runs::isochrones::{Isochrones, heat_map, round_levels};

/// Cells of a map along its longer side.
const CELLS: usize = 60;

/// Predicted against seen, with the line on which they are equal.
pub(super) fn calibration(found: &Calibration) -> Figure {
    let hits = found.bins.iter().filter_map(|bin| {
        let hits = bin.hits?;
        Some((hits.mean_predicted, hits.mean_steps))
    });
    let hits: Vec<(f64, f64)> = hits.collect();
    let observed: Vec<(f64, f64)> = (found.bins.iter())
        .map(|bin| (bin.mean_predicted, bin.restricted.mean_steps))
        .collect();
    let top = hits
        .iter()
        .chain(&observed)
        .map(|p| p.0.max(p.1))
        .fold(1.0, f64::max);
    let mut series = vec![
        Series {
            name: "equal".to_owned(),
            points: vec![(0.0, 0.0), (top, top)],
            style: Stroke::Dashed,
            ..Series::default()
        },
        Series {
            name: "seen, of pairs that met".to_owned(),
            points: hits,
            ..Series::default()
        },
    ];
    if found.n_censored > 0 {
        series.push(Series {
            name: "at least, with pairs that did not".to_owned(),
            points: observed,
            ..Series::default()
        });
    }
    Figure {
        title: "Predicted against seen steps".to_owned(),
        columns: 1,
        panels: vec![Panel::Lines(Lines {
            x_label: "predicted (steps)".to_owned(),
            y_label: "seen (steps)".to_owned(),
            series,
            ..Lines::default()
        })],
    }
}

/// The learned distance to a cell beside both exact ones.
pub(super) fn maze_map(
    model: &DistanceModel,
    world: &World,
    from: Option<&StateText>,
) -> Result<Figure> {
    let maze = world.maze.as_ref().context("an edge list has no map")?;
    let goal = match from {
        None => maze.n_states() / 2,
        Some(StateText::Entries(entries)) if is_cell(entries) => maze.state(Cell {
            column: entries[0] as usize,
            row: entries[1] as usize,
        })?,
        Some(_) => bail!("--from: a cell of a maze is COLUMN,ROW"),
    };
    let passage = passage_times(&world.chain);
    let half = (0..maze.n_states()).map(|s| f64::midpoint(passage[(s, goal)], passage[(goal, s)]));
    let half: Vec<f64> = half.collect();
    let shortest: Vec<f64> = steps_to(&world.chain, goal)
        .into_iter()
        .map(f64::from)
        .collect();
    let learned = distances_to(model, maze, goal)?;
    let maps = [
        (
            "learned",
            "steps to the mark, learned",
            &learned,
            Isochrones::Round,
        ),
        (
            "half the commute time",
            "steps, exact",
            &half,
            Isochrones::Round,
        ),
        (
            "shortest path",
            "steps, fewest",
            &shortest,
            Isochrones::Never,
        ),
    ];
    let mut panels = Vec::new();
    for (title, label, values, lines) in maps {
        let one = heat_map("", label, maze, values, goal, lines).panels;
        panels.extend(one.into_iter().map(|panel| match panel {
            Panel::Heat(heat) => Panel::Heat(Heat {
                title: title.to_owned(),
                ..heat
            }),
            other @ Panel::Lines(_) => other,
        }));
    }
    Ok(Figure {
        title: format!("Distances to {}", maze.cell(goal)),
        columns: 3,
        panels,
    })
}

/// Two whole numbers that are not negative.
fn is_cell(entries: &[f32]) -> bool {
    entries.len() == 2 && entries.iter().all(|x| *x >= 0.0 && x.fract() == 0.0)
}

/// The learned distance over two entries of the states, where there were data; `None` for states of one entry. Each
/// cell shows the mean over the states that were seen there, so that other entries are such as occur.
pub(super) fn data_map(
    model: &DistanceModel,
    episodes: &ObservedEpisodes,
    options: &AssessOptions,
) -> Result<Option<Figure>> {
    let width = episodes.width();
    let [x, y] = match options.axes[..] {
        [] if width < 2 => return Ok(None),
        [] => [0, 1],
        [x, y] if x < width && y < width => [x, y],
        _ => bail!(
            "--axes must be two entries of the state, from 0 to {}",
            width - 1
        ),
    };
    let reference = match &options.from {
        None => episodes.state(0).to_vec(),
        Some(from) => from
            .state(width, &model.about.states.columns())
            .context("--from")?,
    };
    let goal = model.distance.embed(&reference)?;
    let map = Map::round(episodes, [x, y]);
    let mut sums = vec![(0.0, 0_u32); map.columns * map.rows];
    for row in 0..episodes.n_states() {
        let state = episodes.state(row);
        if let Some(cell) = map.cell(state[x], state[y]) {
            let point = model.distance.embed(state)?;
            sums[cell].0 += model.distance.metric().one_way(&point, &goal).max(0.0);
            sums[cell].1 += 1;
        }
    }
    let mean = |&(sum, count): &(f64, u32)| (count > 0).then(|| sum / f64::from(count));
    let values: Vec<Option<f64>> = sums.iter().map(mean).collect();
    let marker = map.cell(reference[x], reference[y]);
    let scale = ColourScale::over("steps to the mark, learned", &values, ColourBar::Below);
    let high = scale.high;
    let side = |entry: usize, axis: usize, count: usize| {
        let low = map.low[axis];
        format!(
            "entry {entry} from {low:.2} to {:.2}",
            low + count as f32 * map.cell_size
        )
    };
    let (across, up) = (side(x, 0, map.columns), side(y, 1, map.rows));
    Ok(Some(Figure {
        title: "Learned distance where there were data".to_owned(),
        columns: 1,
        panels: vec![Panel::Heat(Heat {
            title: format!("{across} (right), {up} (up)"),
            x_label: String::new(),
            y_label: String::new(),
            columns: map.columns,
            values,
            colour: ColourScale { low: 0.0, ..scale },
            contours: round_levels(high),
            marker: marker.map(|cell| (cell % map.columns, cell / map.columns)),
        })],
    }))
}

/// Cells over two entries of the states.
struct Map {
    low: [f32; 2],
    cell_size: f32,
    columns: usize,
    rows: usize,
}

impl Map {
    fn round(episodes: &ObservedEpisodes, axes: [usize; 2]) -> Self {
        let of = |axis: usize| (0..episodes.n_states()).map(move |row| episodes.state(row)[axis]);
        let low = axes.map(|axis| of(axis).fold(f32::INFINITY, f32::min));
        let high = axes.map(|axis| of(axis).fold(f32::NEG_INFINITY, f32::max));
        let sides = [high[0] - low[0], high[1] - low[1]];
        let longer = sides[0].max(sides[1]);
        let cell_size = if longer > 0.0 {
            longer / CELLS as f32
        } else {
            1.0
        };
        let count = |side: f32| (side / cell_size) as usize + 1;
        Self {
            low,
            cell_size,
            columns: count(sides[0]),
            rows: count(sides[1]),
        }
    }

    /// Row 0 is at the top: y grows upwards.
    fn cell(&self, x: f32, y: f32) -> Option<usize> {
        let at = |value: f32, low: f32, count: usize| {
            let cell = ((value - low) / self.cell_size).floor();
            (cell >= 0.0 && (cell as usize) < count).then_some(cell as usize)
        };
        let column = at(x, self.low[0], self.columns)?;
        let row = self.rows - 1 - at(y, self.low[1], self.rows)?;
        Some(row * self.columns + column)
    }
}
