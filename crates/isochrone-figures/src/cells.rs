//! A grid of values as plots: cells, isochrones, the reference state, and the bar of its colours.

use std::sync::Arc;

use kuva::plot::annotations::ReferenceLine;
use kuva::plot::colormap::ColorMap;
use kuva::plot::{Heatmap, LinePlot};
use kuva::render::layout::{Layout, TickFormat};
use kuva::render::plots::Plot;
use kuva::render::render_utils::compute_tick_step;

use crate::Medium;
use crate::colour::{INK, PAPER, contrast, shade, share};
use crate::contour;
use crate::curves::scattered;
use crate::drawing::Drawing;
use crate::error::FigureError;
use crate::heat::{ColourScale, Heat};
use crate::image;
use crate::text;

/// The most cells drawn as single shapes in an SVG; larger grids become an image.
const MOST_SHAPES: usize = 10_000;
/// The most cells kept along one side; beyond it, every n-th is kept.
const MOST_SIDE: usize = 1000;
/// How much larger than single cells an image may be, for its detail.
const IMAGE_ENLARGED: f64 = 1.4;
const CONTOUR_WIDTH: f64 = 1.2;
/// The steps of a bar of colours.
const BAR_STEPS: usize = 100;
/// Thickness and least length of a bar, in units.
const BAR: (f64, f64) = (12.0, 130.0);

/// The grid with its axes, its longer side about `side` units.
///
/// `image_id` is the name of its image, should it need one.
pub(crate) fn drawing(
    heat: &Heat,
    side: f64,
    medium: Medium,
    image_id: &str,
) -> Result<Drawing, FigureError> {
    let stride = heat.columns.max(heat.rows()).div_ceil(MOST_SIDE).max(1);
    let heat = &heat.thinned(stride);
    let grid = Grid {
        heat,
        stride: stride as f64,
    };
    let (cells, image) = if medium == Medium::Svg && heat.values.len() > MOST_SHAPES {
        let image = image::pattern(
            image_id,
            heat.columns,
            &grid.shares().map(shade).collect::<Vec<_>>(),
        )?;
        (grid.filled_by(image_id), Some(image))
    } else {
        (grid.cells(), None)
    };
    let mut plots = vec![cells];
    plots.extend(grid.isochrones());
    plots.push(frame(grid.x(), grid.y()));
    plots.extend(grid.marker());
    let cell = cell_side(heat, side);
    let size = (cell * heat.columns as f64, cell * heat.rows() as f64);
    let mut drawing = Drawing::new(plots, grid.layout(), size);
    drawing.image = image;
    Ok(drawing.titled(&heat.title, &heat.x_label, &heat.y_label))
}

/// The bar of a colour scale, with a line across it at each isochrone.
///
/// The plotting crate's own bar spans the values of one plot; a scale has ends
/// of its own and may be shared by several panels. So the bar is a grid of one row.
pub(crate) fn bar(scale: &ColourScale, contours: &[f64], width: f64) -> Drawing {
    let (low, high) = if scale.high > scale.low {
        (scale.low, scale.high)
    } else {
        (scale.low - 0.5, scale.low + 0.5)
    };
    let step = (high - low) / BAR_STEPS as f64;
    let values = (0..BAR_STEPS).map(|index| low + (index as f64 + 0.5) * step);
    let shares: Vec<f64> = values
        .map(|value| share(value, scale.low, scale.high))
        .collect();
    let plot = heatmap(vec![shares])
        .with_x_range(low, high)
        .with_y_range(0.0, 1.0);
    let mut layout = exactly((low, high), (0.0, 1.0)).with_x_tick_format(text::ticks(high - low));
    layout.suppress_y_ticks = true;
    let mut label = text::printable(&scale.label);
    if scale.high > scale.low {
        let numbers = if width > 240.0 { 6 } else { 3 };
        layout = layout.with_x_tick_step(compute_tick_step(low, high, numbers));
    } else {
        layout.suppress_x_ticks = true;
        label = format!(
            "{label}: {} everywhere",
            text::number(scale.low, scale.low.abs())
        );
    }
    let inside = contours
        .iter()
        .filter(|level| (low..=high).contains(*level));
    for level in inside {
        let line = ReferenceLine::vertical(*level)
            .with_color(contrast(share(*level, scale.low, scale.high)))
            .with_dasharray("none");
        layout = layout.with_reference_line(line);
    }
    Drawing::new(
        vec![Plot::Heatmap(plot), frame((low, high), (0.0, 1.0))],
        layout,
        (width.max(BAR.1), BAR.0),
    )
    .titled("", &label, "")
}

/// The side of a cell: whole units when it can be. Those of large grids are one n-th of
/// a unit, so that n pixels per unit show each of them as one whole pixel.
fn cell_side(heat: &Heat, side: f64) -> f64 {
    let longer = heat.columns.max(heat.rows()) as f64;
    if heat.values.len() > MOST_SHAPES {
        return 1.0 / (longer / (side * IMAGE_ENLARGED)).ceil();
    }
    let cell = (side / longer).min(side / 4.0);
    if cell > 2.0 { cell.floor() } else { cell }
}

/// Shares of a colour scale as cells; NaN is a wall.
///
/// The plotting crate stretches its colours over the values present; the colours
/// here undo that.
fn heatmap(shares: Vec<Vec<f64>>) -> Heatmap {
    let low = shares
        .iter()
        .flatten()
        .copied()
        .fold(f64::INFINITY, f64::min);
    let high = shares
        .iter()
        .flatten()
        .copied()
        .fold(f64::NEG_INFINITY, f64::max);
    let span = high - low + f64::EPSILON;
    let colour = move |stretched: f64| shade(low + stretched * span);
    Heatmap::new()
        .with_data(shares)
        .with_color_map(ColorMap::Custom(Arc::new(colour)))
        .with_cell_size(1.0)
}

/// A frame over the edges of the cells, which cover the axes.
fn frame((left, right): (f64, f64), (low, high): (f64, f64)) -> Plot {
    let corners = [
        (left, low),
        (right, low),
        (right, high),
        (left, high),
        (left, low),
    ];
    Plot::Line(
        LinePlot::new()
            .with_data(corners)
            .with_color(INK)
            .with_stroke_width(1.0),
    )
}

/// Axes over exactly these values.
fn exactly(x: (f64, f64), y: (f64, f64)) -> Layout {
    Layout::new(x, y)
        .with_x_axis_min(x.0)
        .with_x_axis_max(x.1)
        .with_y_axis_min(y.0)
        .with_y_axis_max(y.1)
        .with_show_grid(false)
}

/// A grid, perhaps thinned, over axes on which column c is at x = c and row r at y = −r.
struct Grid<'a> {
    heat: &'a Heat,
    /// How many columns and rows of the whole grid one cell stands for.
    stride: f64,
}

impl Grid<'_> {
    fn x(&self) -> (f64, f64) {
        (-0.5, self.heat.columns as f64 * self.stride - 0.5)
    }

    fn y(&self) -> (f64, f64) {
        (0.5 - self.heat.rows() as f64 * self.stride, 0.5)
    }

    fn shares(&self) -> impl Iterator<Item = f64> + '_ {
        let ColourScale { low, high, .. } = self.heat.colour;
        let values = self.heat.values.iter();
        values.map(move |value| value.map_or(f64::NAN, |value| share(value, low, high)))
    }

    fn cells(&self) -> Plot {
        let shares: Vec<f64> = self.shares().collect();
        // The plotting crate draws from the lowest row upwards.
        let rows = shares.chunks(self.heat.columns).rev().map(<[f64]>::to_vec);
        self.over_all(heatmap(rows.collect()))
    }

    /// One cell over the whole grid, filled by the image of this name.
    fn filled_by(&self, image_id: &str) -> Plot {
        let fill = format!("url(#{image_id})");
        let plot = Heatmap::new()
            .with_data(vec![vec![0.0]])
            .with_color_map(ColorMap::Custom(Arc::new(move |_| fill.clone())))
            .with_cell_size(0.9999);
        self.over_all(plot)
    }

    fn over_all(&self, plot: Heatmap) -> Plot {
        let ((left, right), (low, high)) = (self.x(), self.y());
        Plot::Heatmap(plot.with_x_range(left, right).with_y_range(low, high))
    }

    /// Each isochrone, dark or bright as its colour on the scale demands.
    fn isochrones(&self) -> impl Iterator<Item = Plot> + '_ {
        let ColourScale { low, high, .. } = self.heat.colour;
        let place = |(x, y): (f64, f64)| (x * self.stride - 0.5, 0.5 - y * self.stride);
        self.heat.contours.iter().flat_map(move |level| {
            let colour = contrast(share(*level, low, high));
            let lines = contour::lines(self.heat, *level).into_iter();
            lines.map(move |line| {
                let line = LinePlot::new().with_data(line.into_iter().map(place));
                Plot::Line(line.with_color(colour).with_stroke_width(CONTOUR_WIDTH))
            })
        })
    }

    /// A white dot rimmed dark.
    fn marker(&self) -> Vec<Plot> {
        let Some((column, row)) = self.heat.marker else {
            return vec![];
        };
        let dot = |colour, radius| scattered([(column as f64, -(row as f64))], colour, radius);
        vec![dot(INK, 6.5), dot(PAPER, 5.0)]
    }

    fn layout(&self) -> Layout {
        let (x, y) = (self.x(), self.y());
        let step = |(low, high)| compute_tick_step(low, high, 4).round().max(1.0);
        let mut layout = exactly(x, y)
            .with_x_tick_step(step(x))
            .with_y_tick_step(step(y))
            .with_x_tick_format(TickFormat::Integer)
            .with_y_tick_format(TickFormat::Custom(Arc::new(|row| {
                format!("{:.0}", row.abs())
            })));
        layout.suppress_x_ticks = self.heat.x_label.is_empty();
        layout.suppress_y_ticks = self.heat.y_label.is_empty();
        layout
    }
}
