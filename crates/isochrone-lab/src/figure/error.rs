//! What can be wrong with a figure, said as facts about its data.

use thiserror::Error;

/// Why a figure could not be drawn.
///
/// Panels are counted from 1 in reading order; columns and rows of cells from 0.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum FigureError {
    /// There is nothing to lay out.
    #[error("the figure has no panels")]
    NoPanels,
    /// Panels cannot be laid out in rows of zero.
    #[error("the figure lays its panels out in rows of 0")]
    NoFigureColumns,
    /// A grid without cells has no shape.
    #[error(
        "panel {panel} has {values} values in {columns} columns: a grid needs at least one cell"
    )]
    NoCells {
        /// The panel, from 1.
        panel: usize,
        /// How many values it was given.
        values: usize,
        /// How many columns it was given.
        columns: usize,
    },
    /// The values do not fill whole rows.
    #[error("panel {panel} has {values} values, not a multiple of its {columns} columns")]
    RaggedGrid {
        /// The panel, from 1.
        panel: usize,
        /// How many values it was given.
        values: usize,
        /// How many columns it was given.
        columns: usize,
    },
    /// A cell holds a value that has no colour.
    #[error(
        "panel {panel} has the value {value} at column {column}, row {row}, which has no colour"
    )]
    CellNotDrawable {
        /// The panel, from 1.
        panel: usize,
        /// The cell's column.
        column: usize,
        /// The cell's row.
        row: usize,
        /// The value found there.
        value: f64,
    },
    /// The ends of a colour scale are not an interval.
    #[error("panel {panel} has a colour scale from {low} to {high}, which is not an interval")]
    ColourScale {
        /// The panel, from 1.
        panel: usize,
        /// The low end given.
        low: f64,
        /// The high end given.
        high: f64,
    },
    /// A contour level is not a number.
    #[error("panel {panel} has a contour at {level}, which no cell can reach")]
    ContourLevel {
        /// The panel, from 1.
        panel: usize,
        /// The level given.
        level: f64,
    },
    /// The reference state lies outside the grid.
    #[error("panel {panel} marks column {column}, row {row}, outside its {columns} x {rows} cells")]
    MarkerOutside {
        /// The panel, from 1.
        panel: usize,
        /// The marker's column.
        column: usize,
        /// The marker's row.
        row: usize,
        /// The grid's columns.
        columns: usize,
        /// The grid's rows.
        rows: usize,
    },
    /// A curve holds NaN, an infinity, or a magnitude no axis can carry.
    #[error("series \"{series}\" has a non-finite value at x = {x}")]
    PointNotDrawable {
        /// The series' name.
        series: String,
        /// The x of the point.
        x: f64,
    },
    /// A curve on a logarithmic axis is not positive.
    #[error("series \"{series}\" has {y} at x = {x}, which a logarithmic axis cannot show")]
    NotPositive {
        /// The series' name.
        series: String,
        /// The x of the point.
        x: f64,
        /// The value found there.
        y: f64,
    },
    /// The interval band does not match the points it belongs to.
    #[error("series \"{series}\" has {points} points but a band of {band} intervals")]
    BandLength {
        /// The series' name.
        series: String,
        /// How many points it has.
        points: usize,
        /// How many intervals it has.
        band: usize,
    },
    /// An interval is upside down.
    #[error("series \"{series}\" has an interval from {low} to {high} at x = {x}")]
    BandReversed {
        /// The series' name.
        series: String,
        /// The x of the point.
        x: f64,
        /// The interval's low end.
        low: f64,
        /// The interval's high end.
        high: f64,
    },
    /// A called-out point cannot be placed.
    #[error("the mark \"{label}\" is at ({x}, {y}), which the axes cannot show")]
    MarkNotDrawable {
        /// The mark's text.
        label: String,
        /// Its x.
        x: f64,
        /// Its y.
        y: f64,
    },
    /// The picture would not fit in memory, or would have no pixels.
    #[error(
        "a picture of {width_units:.0} x {height_units:.0} units cannot be drawn at {pixels_per_unit} pixels per unit"
    )]
    PixelCount {
        /// The width of the figure in units.
        width_units: f64,
        /// The height of the figure in units.
        height_units: f64,
        /// The scale asked for.
        pixels_per_unit: f64,
    },
    /// The PNG encoder refused the picture.
    #[error("the picture could not be encoded as PNG: {reason}")]
    Encoding {
        /// What the encoder said.
        reason: String,
    },
}
