//! Goals as places: how often each is reached, and how hard those of the working set are. +x is to the right, +y up.

use super::groups::Group;
use anyhow::Result;
use isochrone_figures::{ColourBar, ColourScale, Heat, Lines, Panel};
use isochrone_runs::difficulties::{difficulties, dots, place, places_of};
use isochrone_runs::train::coverage_places;

/// The maps of a group: none where goals are no places in a plane.
pub(super) fn of(group: &Group) -> Result<Vec<Panel>> {
    let Some(first) = group.runs.first() else {
        return Ok(Vec::new());
    };
    let goals = coverage_places(&first.spec)?;
    let places: Option<Vec<[f64; 2]>> = goals.iter().map(|goal| place(goal)).collect();
    let Some(places) = places else {
        return Ok(Vec::new());
    };
    let mut panels = Vec::new();
    if let Some((iteration, success)) = group.success() {
        let planner = if group.is_planned() {
            ", with planner"
        } else {
            ""
        };
        let name = format!("{}{planner}", group.name);
        panels.push(match Grid::of(&places) {
            Some(grid) => grid.map(name, iteration, &success),
            None => {
                let title = format!("{name}, iteration {iteration}");
                scattered(title, &places, &success)
            }
        });
    }
    if let Some(set) = first.last_goals()? {
        let (name, seed) = (&group.name, first.spec.agent.seed.0);
        panels.push(Panel::Lines(Lines {
            x_label: format!("x (m), iteration {}", set.iteration),
            ..difficulties(
                format!("{name}, seed {seed}"),
                &set,
                first.spec.agent.labels.bounds(),
            )
        }));
    }
    Ok(panels)
}

/// Places on the crossings of equally spaced lines.
struct Grid {
    low: [f64; 2],
    step: f64,
    columns: usize,
    rows: usize,
    cells: Vec<usize>,
}

impl Grid {
    /// The coarsest grid that these places lie on, if most of its crossings or a good part of them are among them.
    fn of(places: &[[f64; 2]]) -> Option<Self> {
        let sorted = |k: usize| {
            let mut values: Vec<f64> = places.iter().map(|place| place[k]).collect();
            values.sort_by(f64::total_cmp);
            values.dedup_by(|a, b| (*a - *b).abs() < 1e-6);
            values
        };
        let axes = [sorted(0), sorted(1)];
        let gaps = axes
            .iter()
            .flat_map(|axis| axis.windows(2).map(|pair| pair[1] - pair[0]));
        let step = gaps.reduce(f64::min)?;
        let low = [*axes[0].first()?, *axes[1].first()?];
        let index = |x: f64, k: usize| (x - low[k]) / step;
        let is_on = |place: &[f64; 2]| {
            (0..2).all(|k| (index(place[k], k) - index(place[k], k).round()).abs() < 1e-3)
        };
        let count = |k: usize| {
            axes[k]
                .last()
                .map_or(1, |x| index(*x, k).round() as usize + 1)
        };
        let (columns, rows) = (count(0), count(1));
        if !places.iter().all(is_on) || columns * rows > 10 * places.len() {
            return None;
        }
        // The first row of a picture is its highest.
        let cell = |place: &[f64; 2]| {
            let [column, row] = [0, 1].map(|k| index(place[k], k).round() as usize);
            (rows - 1 - row) * columns + column
        };
        Some(Self {
            low,
            step,
            columns,
            rows,
            cells: places.iter().map(cell).collect(),
        })
    }

    /// Names of groups are long: the iteration stands below.
    fn map(&self, title: String, iteration: u64, success: &[f64]) -> Panel {
        let mut values = vec![None; self.columns * self.rows];
        for (cell, success) in self.cells.iter().zip(success) {
            values[*cell] = Some(*success);
        }
        Panel::Heat(Heat {
            title,
            x_label: String::new(),
            y_label: String::new(),
            columns: self.columns,
            values,
            colour: ColourScale {
                label: format!(
                    "share that reach it, iteration {iteration}; goals {} m apart, +y up",
                    self.step
                ),
                low: 0.0,
                high: 1.0,
                bar: ColourBar::Below,
            },
            contours: Vec::new(),
            marker: self.start(),
        })
    }

    /// The cell that holds the origin, where bodies start.
    fn start(&self) -> Option<(usize, usize)> {
        let [column, row] = [0, 1].map(|k| (-self.low[k] / self.step).round());
        let is_inside =
            (0.0..self.columns as f64).contains(&column) && (0.0..self.rows as f64).contains(&row);
        is_inside.then(|| (column as usize, self.rows - 1 - row as usize))
    }
}

/// Places anywhere, in three classes.
fn scattered(title: String, places: &[[f64; 2]], success: &[f64]) -> Panel {
    let class = |name: &str, wanted: &dyn Fn(f64) -> bool| {
        let found = places.iter().zip(success).filter(|(_, s)| wanted(**s));
        dots(name, found.map(|([x, y], _)| (*x, *y)).collect())
    };
    let classes = vec![
        class("always reached", &|s| s >= 1.0),
        class("never", &|s| s <= 0.0),
        class("sometimes", &|s| s > 0.0 && s < 1.0),
    ];
    Panel::Lines(places_of(title, classes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use isochrone_files::run_spec::RunSpec;

    #[test]
    fn goals_of_an_arena_are_a_grid_and_random_ones_are_not() {
        let spec = RunSpec::preset("maze-ant").unwrap();
        let goals = coverage_places(&spec).unwrap();
        let places: Vec<[f64; 2]> = goals.iter().filter_map(|g| place(g)).collect();
        let grid = Grid::of(&places).unwrap();
        assert_eq!((grid.columns, grid.rows, places.len()), (12, 12, 112));
        assert!((grid.step - 0.5).abs() < 1e-6);
        // The far end of the U is at the top left, the start at the bottom left.
        let far = places.iter().position(|p| p[0] < -0.7 && p[1] > 4.7);
        assert_eq!(grid.cells[far.unwrap()], 0);
        assert!(grid.start().unwrap().1 > 8);
        let spec = RunSpec::preset("point-2d").unwrap();
        let goals = coverage_places(&spec).unwrap();
        let places: Vec<[f64; 2]> = goals.iter().filter_map(|g| place(g)).collect();
        assert_eq!(places.len(), 200);
        assert!(Grid::of(&places).is_none());
    }
}
