//! What is drawn over the cells of a grid: isochrones, values, the reference state.

use super::canvas::{Canvas, Rect};
use super::colour::{INK, PAPER, contrast, shade};
use super::contour::{self, as_units};
use super::heat::{CellText, Heat};
use super::number::fixed;
use super::text::{self, Align, SMALL, Tone};

/// The width of an isochrone in units.
const CONTOUR_WIDTH: f64 = 1.2;

/// Each isochrone, dark or bright as its colour on the scale demands.
pub(super) fn draw_contours(canvas: &mut Canvas, heat: &Heat, plot: Rect, cell: f64) {
    for level in &heat.contours {
        let place = |(x, y): (f64, f64)| (plot.x + x * cell, plot.y + y * cell);
        let pieces: Vec<_> = contour::pieces(heat, *level)
            .into_iter()
            .map(|ends| ends.map(place))
            .collect();
        let colour = contrast(shade(*level, heat.colour.low, heat.colour.high));
        canvas.strokes(&pieces, colour, CONTOUR_WIDTH);
    }
}

/// The values, in letters that fit the longest of them into a cell.
pub(super) fn draw_values(canvas: &mut Canvas, heat: &Heat, plot: Rect, cell: f64) {
    let CellText::Value { decimals } = heat.write_values else {
        return;
    };
    let decimals = decimals.min(12);
    let written = |value: &Option<f64>| value.map(|value| fixed(value, decimals));
    let widest = heat
        .values
        .iter()
        .filter_map(written)
        .map(|number| text::width(&number, SMALL))
        .fold(1.0, f64::max);
    let wanted = (f64::from(SMALL.size) * (cell - 3.0) / widest)
        .min(cell * 0.5)
        .min(14.0);
    if wanted < 6.0 {
        return;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 6 and 14"
    )]
    let size = wanted as u32;
    for (index, value) in heat.values.iter().enumerate() {
        let Some(value) = *value else { continue };
        let (column, row) = (
            as_units(index % heat.columns),
            as_units(index / heat.columns),
        );
        let centre = (
            plot.x + (column + 0.5) * cell,
            plot.y + (row + 0.5) * cell + 0.36 * f64::from(size),
        );
        let colour = contrast(shade(value, heat.colour.low, heat.colour.high));
        canvas.text(
            centre,
            &fixed(value, decimals),
            Tone {
                size,
                colour,
                ..SMALL
            },
            Align::Middle,
        );
    }
}

/// A white dot rimmed dark; around a written value, only a ring.
pub(super) fn draw_marker(canvas: &mut Canvas, heat: &Heat, plot: Rect, cell: f64) {
    let Some((column, row)) = heat.marker else {
        return;
    };
    let centre = (
        plot.x + (as_units(column) + 0.5) * cell,
        plot.y + (as_units(row) + 0.5) * cell,
    );
    match heat.write_values {
        CellText::Never => canvas.dot(centre, (cell * 0.28).clamp(5.0, 8.0), Some(PAPER), INK, 1.6),
        CellText::Value { .. } => {
            canvas.dot(centre, (cell * 0.46).max(4.0), None, INK, 2.6);
            canvas.dot(centre, (cell * 0.46).max(4.0), None, PAPER, 1.2);
        }
    }
}
