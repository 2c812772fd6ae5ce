//! What can be wrong with a figure, said as facts about its data.

use thiserror::Error;

/// Why a figure could not be drawn.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum FigureError {
    /// There is nothing to lay out.
    #[error("the figure has no panels")]
    NoPanels,
    /// Panels cannot be laid out in rows of zero.
    #[error("the figure lays its panels out in rows of 0")]
    NoFigureColumns,
    /// A grid has no shape, or something in it has no place or colour.
    #[error("panel {panel} has {problem}")]
    Grid {
        /// The panel, from 1 in reading order.
        panel: usize,
        /// What it has; columns and rows of cells count from 0.
        problem: String,
    },
    /// A curve holds what the axes cannot show.
    #[error("series \"{series}\" has {problem}")]
    Series {
        /// The series' name.
        series: String,
        /// What it has.
        problem: String,
    },
    /// A called-out point cannot be placed.
    #[error("the mark \"{label}\" is at ({x}, {y}), which the axes cannot show")]
    Mark {
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
