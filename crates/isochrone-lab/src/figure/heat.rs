//! A grid of values seen from above: what it is and what makes it drawable.

use super::axis::drawable;
use super::error::FigureError;

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
    /// Column and row of the reference state, shown as a ring or dot.
    pub marker: Option<(usize, usize)>,
    /// Whether the values are also written out.
    pub write_values: CellText,
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

/// Whether cell values are written out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CellText {
    /// Colour alone shows the value.
    #[default]
    Never,
    /// As a number with this many decimals, in grids whose cells have room for it.
    Value {
        /// Digits after the point.
        decimals: usize,
    },
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
    pub(super) fn rows(&self) -> usize {
        self.values.len().checked_div(self.columns).unwrap_or(0)
    }

    /// The value of a cell; `None` for walls and beyond the grid.
    pub(super) fn value(&self, column: usize, row: usize) -> Option<f64> {
        if column >= self.columns {
            return None;
        }
        self.values
            .get(row * self.columns + column)
            .copied()
            .flatten()
    }

    /// Refuses grids without shape and values without colour.
    pub(super) fn check(&self, panel: usize) -> Result<(), FigureError> {
        let (values, columns) = (self.values.len(), self.columns);
        if values == 0 || columns == 0 {
            return Err(FigureError::NoCells {
                panel,
                values,
                columns,
            });
        }
        if values % columns != 0 {
            return Err(FigureError::RaggedGrid {
                panel,
                values,
                columns,
            });
        }
        for (index, value) in self.values.iter().enumerate() {
            if let Some(value) = value.filter(|value| !drawable(*value)) {
                let (column, row) = (index % columns, index / columns);
                return Err(FigureError::CellNotDrawable {
                    panel,
                    column,
                    row,
                    value,
                });
            }
        }
        self.check_scale(panel)?;
        self.check_marker(panel)
    }

    fn check_scale(&self, panel: usize) -> Result<(), FigureError> {
        let ColourScale { low, high, .. } = self.colour;
        if !drawable(low) || !drawable(high) || low > high {
            return Err(FigureError::ColourScale { panel, low, high });
        }
        match self.contours.iter().find(|level| !drawable(**level)) {
            Some(level) => Err(FigureError::ContourLevel {
                panel,
                level: *level,
            }),
            None => Ok(()),
        }
    }

    fn check_marker(&self, panel: usize) -> Result<(), FigureError> {
        let (columns, rows) = (self.columns, self.rows());
        match self.marker {
            Some((column, row)) if column >= columns || row >= rows => {
                Err(FigureError::MarkerOutside {
                    panel,
                    column,
                    row,
                    columns,
                    rows,
                })
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
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
            write_values: CellText::Never,
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
        assert!(matches!(
            grid(5, vec![]).check(1),
            Err(FigureError::NoCells { .. })
        ));
        assert!(matches!(
            grid(0, vec![None]).check(1),
            Err(FigureError::NoCells { .. })
        ));
        let nan = grid(1, vec![Some(f64::NAN)]);
        assert!(matches!(
            nan.check(1),
            Err(FigureError::CellNotDrawable { .. })
        ));
        let mut outside = grid(1, vec![Some(1.0)]);
        outside.marker = Some((0, 1));
        assert!(matches!(
            outside.check(1),
            Err(FigureError::MarkerOutside { .. })
        ));
    }

    #[test]
    fn equal_values_and_walls_alone_are_accepted() {
        assert_eq!(grid(2, vec![Some(3.0); 4]).check(1), Ok(()));
        assert_eq!(grid(2, vec![None; 4]).check(1), Ok(()));
    }
}
