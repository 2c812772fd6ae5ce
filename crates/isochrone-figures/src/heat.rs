//! A grid of values seen from above: what it is and what makes it drawable.

use crate::error::FigureError;
use crate::lines::drawable;

/// A grid of values: a maze seen from above, row 0 at the top, column 0 at the left.
#[derive(Debug, Clone, PartialEq)]
pub struct Heat {
    /// Written above the panel.
    pub title: String,
    /// What columns count; empty leaves the axis and its numbers out.
    pub x_label: String,
    /// What rows count; empty leaves the axis and its numbers out.
    pub y_label: String,
    /// How many columns each row of `values` has.
    pub columns: usize,
    /// The cells row by row; `None` is a wall, drawn dark grey.
    pub values: Vec<Option<f64>>,
    /// Which colours the values take.
    pub colour: ColourScale,
    /// Values at which an isochrone is drawn; it never enters a wall.
    pub contours: Vec<f64>,
    /// Column and row of the reference state, shown as a dot.
    pub marker: Option<(usize, usize)>,
}

/// Which colours values take: dark violet at `low` through to yellow at `high`.
#[derive(Debug, Clone, PartialEq)]
pub struct ColourScale {
    /// What the values measure, with the unit.
    pub label: String,
    /// The value of the darkest colour; lower values share it.
    pub low: f64,
    /// The value of the brightest colour; higher values share it.
    pub high: f64,
    /// Where the scale is explained.
    pub bar: ColourBar,
}

/// Where a colour scale is explained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColourBar {
    /// By a bar below the panel itself.
    #[default]
    Below,
    /// By one bar at the foot of the figure, together with every panel of the same scale.
    Shared,
    /// Nowhere.
    Hidden,
}

impl ColourScale {
    /// The scale over the finite values present; from 0 to 1 when there are none.
    #[must_use]
    pub fn over(label: &str, values: &[Option<f64>], bar: ColourBar) -> Self {
        let present = || {
            values
                .iter()
                .flatten()
                .copied()
                .filter(|value| value.is_finite())
        };
        let low = present().reduce(f64::min).unwrap_or(0.0);
        let high = present().reduce(f64::max).unwrap_or(1.0);
        Self {
            label: label.to_owned(),
            low,
            high,
            bar,
        }
    }
}

impl Heat {
    /// How many rows the values fill.
    pub(crate) fn rows(&self) -> usize {
        self.values.len().checked_div(self.columns).unwrap_or(0)
    }

    /// The value of a cell; `None` for walls and beyond the grid.
    pub(crate) fn value(&self, column: usize, row: usize) -> Option<f64> {
        if column >= self.columns {
            return None;
        }
        self.values
            .get(row * self.columns + column)
            .copied()
            .flatten()
    }

    /// Every `stride`-th column of every `stride`-th row; the marker stays where it is.
    pub(crate) fn thinned(&self, stride: usize) -> Self {
        let rows = self.values.chunks(self.columns).step_by(stride);
        Self {
            columns: self.columns.div_ceil(stride),
            values: rows
                .flat_map(|row| row.iter().copied().step_by(stride))
                .collect(),
            ..self.clone()
        }
    }

    /// Refuses grids without shape and values without colour.
    pub(crate) fn check(&self, panel: usize) -> Result<(), FigureError> {
        match self.problem() {
            Some(problem) => Err(FigureError::Grid { panel, problem }),
            None => Ok(()),
        }
    }

    fn problem(&self) -> Option<String> {
        let (values, columns, rows) = (self.values.len(), self.columns, self.rows());
        if rows == 0 {
            return Some(format!(
                "{values} values in {columns} columns: a grid needs at least one cell"
            ));
        }
        if values % columns != 0 {
            return Some(format!(
                "{values} values, not a multiple of its {columns} columns"
            ));
        }
        let mut cells = (0..values).filter_map(|index| Some((index, self.values[index]?)));
        if let Some((index, value)) = cells.find(|(_, value)| !drawable(*value)) {
            let (column, row) = (index % columns, index / columns);
            return Some(format!(
                "the value {value} at column {column}, row {row}, which has no colour"
            ));
        }
        let ColourScale { low, high, .. } = self.colour;
        if !drawable(low) || !drawable(high) || low > high {
            return Some(format!(
                "a colour scale from {low} to {high}, which is not an interval"
            ));
        }
        if let Some(level) = self.contours.iter().find(|level| !drawable(**level)) {
            return Some(format!("a contour at {level}, which no cell can reach"));
        }
        let (column, row) = self.marker?;
        let outside = column >= columns || row >= rows;
        outside.then(|| {
            format!("a mark at column {column}, row {row}, outside its {columns} x {rows} cells")
        })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A plain grid of these values.
    pub(crate) fn grid(columns: usize, values: Vec<Option<f64>>) -> Heat {
        Heat {
            title: String::new(),
            x_label: "column".into(),
            y_label: "row".into(),
            columns,
            colour: ColourScale::over("time (steps)", &values, ColourBar::Below),
            values,
            contours: vec![],
            marker: None,
        }
    }

    #[test]
    fn a_ragged_grid_is_refused_with_its_numbers() {
        let error = grid(5, vec![Some(1.0); 24]).check(3).expect_err("ragged");
        assert_eq!(
            error.to_string(),
            "panel 3 has 24 values, not a multiple of its 5 columns"
        );
    }

    #[test]
    fn empty_grids_and_bad_numbers_are_refused() {
        let mut outside = grid(1, vec![Some(1.0)]);
        outside.marker = Some((0, 1));
        let mut reversed = grid(1, vec![Some(1.0)]);
        reversed.colour.low = 2.0;
        let mut unreachable = grid(1, vec![Some(1.0)]);
        unreachable.contours = vec![f64::NAN];
        for (refused, reason) in [
            (grid(5, vec![]), "at least one cell"),
            (grid(0, vec![None]), "at least one cell"),
            (grid(5, vec![Some(1.0); 4]), "at least one cell"),
            (grid(1, vec![Some(f64::NAN)]), "which has no colour"),
            (outside, "outside its 1 x 1 cells"),
            (reversed, "from 2 to 1"),
            (unreachable, "a contour at NaN"),
        ] {
            let error = refused.check(1).expect_err(reason).to_string();
            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    fn equal_values_and_walls_alone_are_accepted() {
        assert_eq!(grid(2, vec![Some(3.0); 4]).check(1), Ok(()));
        assert_eq!(grid(2, vec![None; 4]).check(1), Ok(()));
    }
}
