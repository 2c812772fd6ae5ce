//! Drawing a grid of cells.

use super::axis::{Axis, Tick};
use super::bar::{self, BAR_HEIGHT};
use super::canvas::{Canvas, Medium, Rect};
use super::colour::{INK, Rgb};
use super::contour::as_units;
use super::error::FigureError;
use super::heat::{ColourBar, Heat};
use super::layout::{LINE_HEIGHT, Room, Sizes, TICK_LENGTH, draw_headings};
use super::overlay::{draw_contours, draw_marker, draw_values};
use super::raster::{Raster, is_image, portion};
use super::text::{self, Align, LABEL, SMALL};

/// How much larger than single cells an image may be, for its detail.
const IMAGE_ENLARGED: f64 = 1.4;
/// A bar is at least this wide, so that its numbers do not touch.
const NARROWEST_BAR: f64 = 130.0;

/// The room a grid takes: its cells are square and, when they can be, whole units.
pub(super) fn room(heat: &Heat, sizes: Sizes) -> Room {
    let cell = cell_side(heat, sizes);
    let (width, height) = (cell * as_units(heat.columns), cell * as_units(heat.rows()));
    let numbers = row_axis(heat)
        .whole_ticks(4)
        .into_iter()
        .map(|tick| text::width(&tick.label, SMALL));
    let below = match heat.colour.bar {
        ColourBar::Below => BAR_HEIGHT + 8.0,
        ColourBar::Shared | ColourBar::Hidden => 0.0,
    };
    Room {
        left: if heat.y_label.is_empty() {
            2.0
        } else {
            numbers.fold(0.0, f64::max) + TICK_LENGTH + 6.0
        },
        right: (bar_width(heat, width) - width).max(4.0),
        top: Room::heading(&heat.title, &heat.y_label),
        bottom: 2.0
            + below
            + if heat.x_label.is_empty() {
                0.0
            } else {
                TICK_LENGTH + 2.0 * LINE_HEIGHT + 2.0
            },
        width,
        height,
    }
}

/// The side of a cell. Those of an image are one n-th of a unit, so that n
/// pixels per unit show each of them as one whole pixel.
fn cell_side(heat: &Heat, sizes: Sizes) -> f64 {
    let longer = as_units(heat.columns.max(heat.rows()).max(1));
    if is_image(heat) {
        return 1.0 / (longer / (sizes.heat * IMAGE_ENLARGED)).ceil();
    }
    let cell = (sizes.heat / longer).min(sizes.heat / 4.0);
    if cell > 2.0 { cell.floor() } else { cell }
}

/// Draws the grid with its axes into `plot`, whose margins are `room`'s.
pub(super) fn draw(
    canvas: &mut Canvas,
    heat: &Heat,
    plot: Rect,
    room: Room,
) -> Result<(), FigureError> {
    draw_headings(canvas, &heat.title, &heat.y_label, plot, room);
    draw_cells(canvas, heat, plot)?;
    let cell = plot.width / as_units(heat.columns.max(1));
    if !is_image(heat) {
        draw_contours(canvas, heat, plot, cell);
        draw_values(canvas, heat, plot, cell);
    }
    canvas.frame(plot, INK, 1.0);
    draw_axes(canvas, heat, plot);
    draw_marker(canvas, heat, plot, cell);
    if heat.colour.bar == ColourBar::Below {
        let top = plot.bottom() + room.bottom - BAR_HEIGHT;
        let width = bar_width(heat, plot.width);
        bar::draw(
            canvas,
            &heat.colour,
            &heat.contours,
            Rect {
                y: top,
                width,
                ..plot
            },
        );
    }
    Ok(())
}

fn bar_width(heat: &Heat, width: f64) -> f64 {
    if heat.colour.bar == ColourBar::Below {
        width.max(NARROWEST_BAR)
    } else {
        width
    }
}

fn draw_cells(canvas: &mut Canvas, heat: &Heat, plot: Rect) -> Result<(), FigureError> {
    let raster = Raster::of(heat);
    match canvas.medium() {
        Medium::Svg if is_image(heat) => canvas.image(raster.svg_image(plot)?),
        Medium::Svg => canvas.fill_crisp(single_cells(&raster, plot)),
        Medium::Png { pixels_per_unit } => {
            canvas.fill_crisp(pixel_runs(&raster, plot, pixels_per_unit));
        }
    }
    Ok(())
}

fn single_cells(raster: &Raster, plot: Rect) -> impl Iterator<Item = (Rect, Rgb)> {
    let cell = plot.width / as_units(raster.columns);
    let places =
        (0..raster.rows).flat_map(|row| (0..raster.columns).map(move |column| (column, row)));
    places.map(move |(column, row)| {
        let (x, y) = (
            plot.x + as_units(column) * cell,
            plot.y + as_units(row) * cell,
        );
        (
            Rect {
                x,
                y,
                width: cell,
                height: cell,
            },
            raster.colour(column, row),
        )
    })
}

/// Equal neighbours in a row as one rectangle, its edges on whole pixels.
fn pixel_runs(raster: &Raster, plot: Rect, pixels_per_unit: f64) -> Vec<(Rect, Rgb)> {
    let snap = |place: f64| (place * pixels_per_unit).round() / pixels_per_unit;
    let x_of = |column| snap(plot.x + portion(plot.width, column, raster.columns));
    let y_of = |row| snap(plot.y + portion(plot.height, row, raster.rows));
    let mut areas = Vec::new();
    for row in 0..raster.rows {
        let (y, height) = (y_of(row), y_of(row + 1) - y_of(row));
        if height <= 0.0 {
            continue;
        }
        for (first, after, colour) in raster.runs(row) {
            let (x, width) = (x_of(first), x_of(after) - x_of(first));
            if width > 0.0 {
                areas.push((
                    Rect {
                        x,
                        y,
                        width,
                        height,
                    },
                    colour,
                ));
            }
        }
    }
    areas
}

fn row_axis(heat: &Heat) -> Axis {
    Axis::exactly(-0.5, as_units(heat.rows().max(1)) - 0.5)
}

/// Numbers at the middles of cells, rows growing downwards.
fn draw_axes(canvas: &mut Canvas, heat: &Heat, plot: Rect) {
    let wanted = |length: f64| if length > 250.0 { 8 } else { 4 };
    if !heat.x_label.is_empty() {
        let axis = Axis::exactly(-0.5, as_units(heat.columns.max(1)) - 0.5);
        for Tick { value, label } in axis.whole_ticks(wanted(plot.width)) {
            let x = plot.x + axis.share(value) * plot.width;
            canvas.segment(
                (x, plot.bottom()),
                (x, plot.bottom() + TICK_LENGTH),
                INK,
                1.0,
            );
            canvas.text(
                (x, plot.bottom() + TICK_LENGTH + 12.0),
                &label,
                SMALL,
                Align::Middle,
            );
        }
        let base = plot.bottom() + TICK_LENGTH + LINE_HEIGHT + 12.0;
        canvas.text(
            (plot.x + plot.width / 2.0, base),
            &heat.x_label,
            LABEL,
            Align::Middle,
        );
    }
    if !heat.y_label.is_empty() {
        let axis = row_axis(heat);
        for Tick { value, label } in axis.whole_ticks(wanted(plot.height)) {
            let y = plot.y + axis.share(value) * plot.height;
            canvas.segment((plot.x - TICK_LENGTH, y), (plot.x, y), INK, 1.0);
            canvas.text(
                (plot.x - TICK_LENGTH - 3.0, y + 4.0),
                &label,
                SMALL,
                Align::End,
            );
        }
    }
}
