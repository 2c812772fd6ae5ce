//! A panel of curves as plots.

use std::sync::Arc;

use kuva::plot::annotations::TextAnnotation;
use kuva::plot::legend::{LegendEntry, LegendShape};
use kuva::plot::{BandPlot, LinePlot, ScatterPlot};
use kuva::render::layout::{Layout, TickFormat};
use kuva::render::plots::Plot;
use kuva::render::render_utils::compute_tick_step;

use crate::colour::{INK, PAPER, line_colour};
use crate::drawing::Drawing;
use crate::lines::{Lines, Mark, Scale, Series, Stroke};
use crate::text;

const LINE_WIDTH: f64 = 2.0;
const BAND_OPACITY: f64 = 0.18;
const DOT_RADIUS: f64 = 3.2;
/// About this many numbers along an axis.
const TICKS: usize = 5;

/// The curves with their axes, on a plot of this size in units.
pub(crate) fn drawing(lines: &Lines, size: (f64, f64)) -> Drawing {
    let looks = looks(lines);
    let each = || lines.series.iter().zip(&looks);
    let mut plots: Vec<Plot> = each()
        .filter_map(|(series, look)| band(series, look))
        .collect();
    plots.extend(each().filter_map(|(series, look)| line(series, look)));
    plots.extend(each().flat_map(|(series, look)| dots(series, look)));
    if !lines.marks.is_empty() {
        let places = lines.marks.iter().map(|mark| (mark.x, mark.y));
        plots.push(scattered(places, INK, DOT_RADIUS));
    }
    let layout = layout(lines, &plots);
    if plots.is_empty() {
        // A panel needs a plot to be drawn at all.
        plots.push(Plot::Scatter(ScatterPlot::new()));
    }
    Drawing::new(plots, layout, size).titled(&lines.title, &lines.x_label, &lines.y_label)
}

/// The names of the series, each beside a sample of its line; unnamed ones are not listed.
pub(crate) fn legend(looks: &[Look]) -> Vec<LegendEntry> {
    let listed = looks.iter().filter(|look| !look.name.is_empty());
    let entry = |look: &Look| LegendEntry {
        label: look.name.clone(),
        color: look.colour.to_owned(),
        shape: match look.style {
            Stroke::PointsOnly => LegendShape::Circle,
            Stroke::Solid | Stroke::Dashed => LegendShape::Line,
        },
        dasharray: (look.style == Stroke::Dashed).then(|| "4 4".to_owned()),
    };
    listed.map(entry).collect()
}

/// Whether a curve's points are shown on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Points {
    /// Only the line is drawn.
    Unseen,
    /// Hollow dots: another series picks some of them out.
    Hollow,
    /// Solid dots.
    Solid,
}

/// How a series is drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Look {
    name: String,
    style: Stroke,
    colour: &'static str,
    points: Points,
}

/// The looks of a panel's series, in their order.
pub(crate) fn looks(lines: &Lines) -> Vec<Look> {
    let picked_from = lines.picked_from();
    let mut looks: Vec<Look> = Vec::with_capacity(lines.series.len());
    let mut next = 0..;
    for (index, series) in lines.series.iter().enumerate() {
        let picked = picked_from[index].map(|curve| looks[curve].colour);
        let colour = picked.or(series.colour.map(line_colour));
        let points = if picked_from.contains(&Some(index)) {
            Points::Hollow
        } else if series.style == Stroke::PointsOnly || series.points.len() == 1 {
            Points::Solid
        } else {
            Points::Unseen
        };
        looks.push(Look {
            name: text::printable(&series.name),
            style: series.style,
            colour: colour.unwrap_or_else(|| line_colour(next.next().unwrap_or(0))),
            points,
        });
    }
    looks
}

fn band(series: &Series, look: &Look) -> Option<Plot> {
    let band = series.band.as_ref().filter(|band| !band.is_empty())?;
    let x = series.points.iter().map(|(x, _)| *x);
    let (low, high): (Vec<f64>, Vec<f64>) = band.iter().copied().unzip();
    let plot = BandPlot::new(x, low, high).with_color(look.colour);
    Some(Plot::Band(plot.with_opacity(BAND_OPACITY)))
}

fn line(series: &Series, look: &Look) -> Option<Plot> {
    if series.points.is_empty() || series.style == Stroke::PointsOnly {
        return None;
    }
    let plot = LinePlot::new()
        .with_data(series.points.iter().copied())
        .with_color(look.colour)
        .with_stroke_width(LINE_WIDTH);
    Some(Plot::Line(match series.style {
        Stroke::Dashed => plot.with_dashed(),
        Stroke::Solid | Stroke::PointsOnly => plot,
    }))
}

fn dots(series: &Series, look: &Look) -> Vec<Plot> {
    let dots = |colour, radius| scattered(series.points.iter().copied(), colour, radius);
    match look.points {
        Points::Unseen => vec![],
        Points::Solid => vec![dots(look.colour, DOT_RADIUS)],
        Points::Hollow => vec![dots(look.colour, DOT_RADIUS), dots(PAPER, DOT_RADIUS - 1.4)],
    }
}

/// Round dots of one colour.
pub(crate) fn scattered(
    places: impl IntoIterator<Item = (f64, f64)>,
    colour: &str,
    radius: f64,
) -> Plot {
    let plot = ScatterPlot::new().with_data(places);
    Plot::Scatter(plot.with_color(colour).with_size(radius))
}

fn layout(lines: &Lines, plots: &[Plot]) -> Layout {
    let mut layout = Layout::auto_from_plots(plots).with_ticks(TICKS);
    let (Some((left, right)), Some((low, high)), false) =
        (layout.data_x_range, layout.data_y_range, plots.is_empty())
    else {
        let mut layout = Layout::new((0.0, 1.0), (0.0, 1.0)).with_show_grid(false);
        (layout.suppress_x_ticks, layout.suppress_y_ticks) = (true, true);
        return layout.with_annotation(TextAnnotation::new("no data", 0.5, 0.5));
    };
    // Of its own, the plotting crate starts every axis of positive x at 0.
    let beyond = 0.02 * (right - left);
    layout.x_range = (left - beyond, right + beyond);
    layout = layout.with_x_tick_format(text::ticks(right - left));
    let mut points = lines.series.iter().flat_map(|series| &series.points);
    if points.all(|(x, _)| x.fract() == 0.0) && right - left < 1.0e9 {
        let step = compute_tick_step(left, right + 1.0, TICKS).round().max(1.0);
        layout = layout.with_x_tick_step(step);
    }
    match lines.y_scale {
        Scale::Log => {
            let format = TickFormat::Custom(Arc::new(|value| text::number(value, value)));
            layout = layout.with_log_y().with_y_tick_format(format);
        }
        Scale::Linear => {
            layout = layout.with_y_tick_format(text::ticks(high - low));
            if low >= 0.0 && low < 0.4 * high {
                layout = layout.with_y_axis_min(0.0);
            }
        }
    }
    let callouts = lines
        .marks
        .iter()
        .map(|mark| callout(mark, lines.y_scale, (low, high)));
    callouts.fold(layout, Layout::with_annotation)
}

/// The text of a mark above its point, or below in the upper third, with an arrow between.
fn callout(mark: &Mark, scale: Scale, (low, high): (f64, f64)) -> TextAnnotation {
    let away = |share: f64| match scale {
        Scale::Linear => mark.y + share * (high - low),
        Scale::Log => mark.y * (high / low).powf(share),
    };
    let is_high = away(0.3) > high;
    let text_y = away(if is_high { -0.15 } else { 0.15 });
    TextAnnotation::new(text::printable(&mark.label), mark.x, text_y)
        .with_arrow(mark.x, mark.y)
        .with_arrow_padding(5.0)
        .with_color(INK)
        .with_font_size(11)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_that_picks_points_takes_the_colour_of_its_curve() {
        let curve = Series {
            points: vec![(1.0, 1.0), (2.0, 4.0)],
            ..Series::default()
        };
        let picks = Series {
            points: vec![(2.0, 4.0)],
            style: Stroke::PointsOnly,
            ..Series::default()
        };
        let looks = looks(&Lines {
            series: vec![curve.clone(), picks, curve],
            ..Lines::default()
        });
        assert_eq!(looks[0].colour, looks[1].colour);
        assert_ne!(looks[0].colour, looks[2].colour);
        assert_eq!(
            (looks[0].points, looks[1].points),
            (Points::Hollow, Points::Solid)
        );
    }

    #[test]
    fn unnamed_series_are_not_listed() {
        let named = |name: &str| Series {
            name: name.into(),
            ..Series::default()
        };
        let lines = Lines {
            series: vec![named("first"), named(""), named("second")],
            ..Lines::default()
        };
        assert_eq!(legend(&looks(&lines)).len(), 2);
    }
}
