//! A floor seen from above: places on a grid, and maps of values over them.

use isochrone_figures::{ColourScale, Heat, Panel};
use isochrone_mujoco::{Arena, Extent, World};

/// Side of a floor without walls: wider than the goals of Free Ant, and the start is the middle of a cell.
const FREE_SIDE_M: f64 = 12.4;

/// The middles of square cells, row by row; rows go down with growing y, as in an arena's text.
#[derive(Clone, Debug)]
pub struct Floor {
    /// Cells in a row.
    pub columns: usize,
    /// Their middles, in metres.
    pub places_m: Vec<[f64; 2]>,
    /// Where a body's centre can be.
    is_free: Vec<bool>,
    start: (usize, usize),
}

impl Floor {
    /// The floor of a world, in cells of `cell_m`: an odd part of an arena's cell, or the start is on an edge.
    pub fn of(world: &World, cell_m: f64) -> Self {
        let free = Extent::square(FREE_SIDE_M);
        let extent = world.arena().map_or(free, Arena::extent);
        let (low, size) = (extent.low_m, extent.size_m());
        let [columns, rows] = size.map(|length| (length / cell_m).round() as usize);
        let middle =
            |k: usize, at: usize| low[k] + (at as f64 + 0.5) * size[k] / count(k, columns, rows);
        let places_m: Vec<[f64; 2]> = (0..columns * rows)
            .map(|at| [middle(0, at % columns), middle(1, at / columns)])
            .collect();
        let index = |k: usize| (-low[k] / cell_m).floor() as usize;
        Self {
            columns,
            is_free: places_m.iter().map(|&p| world.is_feasible(p)).collect(),
            places_m,
            start: (index(0), index(1)),
        }
    }

    /// The same seen with +y up.
    #[must_use]
    pub fn with_y_up(mut self) -> Self {
        let rows = self.places_m.len() / self.columns;
        self.places_m = upside_down(&self.places_m, self.columns);
        self.is_free = upside_down(&self.is_free, self.columns);
        self.start.1 = rows - 1 - self.start.1;
        self
    }

    /// A value for every place where a body can be.
    pub fn map(&self, value: impl Fn([f64; 2]) -> f64) -> Vec<Option<f64>> {
        let each = self.places_m.iter().zip(&self.is_free);
        each.map(|(&place, &is_free)| is_free.then(|| value(place)))
            .collect()
    }

    /// A picture of such values, the start marked.
    pub fn panel(
        &self,
        title: String,
        values: Vec<Option<f64>>,
        colour: ColourScale,
        contours: Vec<f64>,
    ) -> Panel {
        Panel::Heat(Heat {
            title,
            x_label: String::new(),
            y_label: String::new(),
            columns: self.columns,
            values,
            colour,
            contours,
            marker: Some(self.start),
        })
    }
}

/// Rows of `columns` values in the opposite order.
fn upside_down<T: Copy>(values: &[T], columns: usize) -> Vec<T> {
    let rows = values.chunks(columns).rev();
    rows.flatten().copied().collect()
}

fn count(k: usize, columns: usize, rows: usize) -> f64 {
    [columns, rows][k] as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use isochrone_mujoco::WorldName;

    #[test]
    fn the_start_is_the_middle_of_its_cell() {
        for name in WorldName::ALL {
            for is_up in [false, true] {
                let floor = Floor::of(&name.build().expect("a world"), 0.4);
                let floor = if is_up { floor.with_y_up() } else { floor };
                let (column, row) = floor.start;
                let [x, y] = floor.places_m[row * floor.columns + column];
                assert!(x.abs() < 1e-9 && y.abs() < 1e-9, "{name}: {x}, {y}");
                let last = floor.places_m.len() - 1;
                assert_eq!(floor.places_m[0][1] > floor.places_m[last][1], is_up);
            }
        }
    }
}
