//! Drawing a panel of curves.

use super::axis::{Axis, Tick};
use super::canvas::{Canvas, Rect};
use super::colour::{GRID, INK, PAPER};
use super::dash::dashes;
use super::layout::{LINE_HEIGHT, Room, Sizes, TICK_LENGTH, draw_headings};
use super::legend::{self, Look};
use super::lines::{Lines, Mark, Series, Stroke};
use super::text::{self, Align, LABEL, SMALL};

/// The width of a curve in units.
pub(super) const LINE_WIDTH: f64 = 2.0;
/// How much of a band's colour is seen.
pub(super) const BAND_OPACITY: f64 = 0.18;

/// One tick for about this many units of axis.
const X_TICK_EVERY: f64 = 55.0;
const Y_TICK_EVERY: f64 = 42.0;

/// Whether a panel explains its own lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Legend {
    /// Below the panel.
    Own,
    /// Once for the whole figure.
    AtFoot,
}

/// The room a panel of curves takes.
pub(super) fn room(lines: &Lines, sizes: Sizes, place: Legend) -> Room {
    let (width, height) = sizes.lines;
    let labels = y_axis(lines).ticks(tick_count(height, Y_TICK_EVERY));
    let widest = labels
        .iter()
        .map(|tick| text::width(&tick.label, SMALL))
        .fold(0.0, f64::max);
    let legend_height = match place {
        Legend::Own => legend::height(&legend::looks(lines), width),
        Legend::AtFoot => 0.0,
    };
    Room {
        left: widest + TICK_LENGTH + 6.0,
        right: 14.0,
        top: Room::heading(&lines.title, &lines.y_label),
        bottom: TICK_LENGTH + LINE_HEIGHT + Room::line(&lines.x_label) + legend_height + 4.0,
        width,
        height,
    }
}

/// Draws the curves with their axes into `plot`, whose margins are `room`'s.
pub(super) fn draw(canvas: &mut Canvas, lines: &Lines, plot: Rect, room: Room, place: Legend) {
    let x = Axis::along(lines.x_values()).unwrap_or(Axis::exactly(0.0, 1.0));
    let place_of = Placing {
        x,
        y: y_axis(lines),
        plot,
    };
    draw_headings(canvas, &lines.title, &lines.y_label, plot, room);
    let looks = legend::looks(lines);
    if lines.x_values().next().is_none() {
        let centre = (plot.x + plot.width / 2.0, plot.y + plot.height / 2.0);
        canvas.text(centre, "no data", LABEL, Align::Middle);
    } else {
        place_of.draw_y_axis(canvas);
        place_of.draw_bands(canvas, lines, &looks);
        lines
            .series
            .iter()
            .zip(&looks)
            .for_each(|(series, look)| place_of.draw_line(canvas, series, look));
        lines
            .series
            .iter()
            .zip(&looks)
            .for_each(|(series, look)| place_of.draw_points(canvas, series, look));
        place_of.draw_x_axis(canvas, &x_ticks(lines, x, plot.width));
        lines
            .marks
            .iter()
            .for_each(|mark| place_of.draw_mark(canvas, mark));
    }
    let corner = (plot.x, plot.bottom());
    canvas.polyline(
        &[(plot.x, plot.y), corner, (plot.right(), plot.bottom())],
        INK,
        1.0,
    );
    let label_y = plot.bottom() + TICK_LENGTH + LINE_HEIGHT + 12.0;
    let (label, tone) = text::fit(&lines.x_label, LABEL, plot.width);
    canvas.text(
        (plot.x + plot.width / 2.0, label_y),
        &label,
        tone,
        Align::Middle,
    );
    if place == Legend::Own {
        let top = plot.bottom() + TICK_LENGTH + LINE_HEIGHT + Room::line(&lines.x_label) + 4.0;
        legend::draw(canvas, &looks, Rect { y: top, ..plot });
    }
}

fn y_axis(lines: &Lines) -> Axis {
    Axis::around(lines.y_values(), lines.y_scale).unwrap_or(Axis::exactly(0.0, 1.0))
}

/// Ticks of the x axis: whole numbers where every x is one, as for dimensions and steps.
fn x_ticks(lines: &Lines, axis: Axis, width: f64) -> Vec<Tick> {
    let wanted = tick_count(width, X_TICK_EVERY);
    if lines.x_values().all(|x| x.fract() == 0.0) {
        axis.whole_ticks(wanted)
    } else {
        axis.ticks(wanted)
    }
}

fn tick_count(length: f64, every: f64) -> usize {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a small positive count"
    )]
    let count = (length / every).round().max(2.0) as usize;
    count
}

/// From values to places on the plot.
struct Placing {
    x: Axis,
    y: Axis,
    plot: Rect,
}

impl Placing {
    fn at(&self, x: f64, y: f64) -> (f64, f64) {
        let plot = self.plot;
        (
            plot.x + self.x.share(x) * plot.width,
            plot.bottom() - self.y.share(y) * plot.height,
        )
    }

    fn places(&self, points: &[(f64, f64)]) -> Vec<(f64, f64)> {
        points.iter().map(|(x, y)| self.at(*x, *y)).collect()
    }

    fn draw_x_axis(&self, canvas: &mut Canvas, ticks: &[Tick]) {
        let bottom = self.plot.bottom();
        for Tick { value, label } in ticks {
            let x = self.plot.x + self.x.share(*value) * self.plot.width;
            canvas.segment((x, bottom), (x, bottom + TICK_LENGTH), INK, 1.0);
            canvas.text(
                (x, bottom + TICK_LENGTH + 12.0),
                label,
                SMALL,
                Align::Middle,
            );
        }
    }

    fn draw_y_axis(&self, canvas: &mut Canvas) {
        let Rect { x: left, .. } = self.plot;
        for Tick { value, label } in self.y.ticks(tick_count(self.plot.height, Y_TICK_EVERY)) {
            let y = self.plot.bottom() - self.y.share(value) * self.plot.height;
            canvas.segment((left, y), (self.plot.right(), y), GRID, 1.0);
            canvas.segment((left - TICK_LENGTH, y), (left, y), INK, 1.0);
            canvas.text(
                (left - TICK_LENGTH - 3.0, y + 4.0),
                &label,
                SMALL,
                Align::End,
            );
        }
    }

    fn draw_bands(&self, canvas: &mut Canvas, lines: &Lines, looks: &[Look]) {
        for (series, look) in lines.series.iter().zip(looks) {
            let Some(band) = series.band.as_ref().filter(|band| !band.is_empty()) else {
                continue;
            };
            let ends = series.points.iter().zip(band);
            let highs = ends.clone().map(|((x, _), (_, high))| self.at(*x, *high));
            let lows = ends.map(|((x, _), (low, _))| self.at(*x, *low)).rev();
            canvas.shade(
                &highs.chain(lows).collect::<Vec<_>>(),
                look.colour,
                BAND_OPACITY,
            );
        }
    }

    fn draw_line(&self, canvas: &mut Canvas, series: &Series, look: &Look) {
        let places = self.places(&series.points);
        match series.style {
            Stroke::Solid => canvas.polyline(&places, look.colour, LINE_WIDTH),
            Stroke::Dashed => {
                for dash in dashes(&places) {
                    canvas.polyline(&dash, look.colour, LINE_WIDTH);
                }
            }
            Stroke::PointsOnly => {}
        }
    }

    fn draw_points(&self, canvas: &mut Canvas, series: &Series, look: &Look) {
        self.places(&series.points)
            .into_iter()
            .for_each(|centre| legend::draw_point(canvas, look, centre));
    }

    /// A ring around the point and its text above, on the side with more room.
    fn draw_mark(&self, canvas: &mut Canvas, mark: &Mark) {
        let (x, y) = self.at(mark.x, mark.y);
        canvas.dot((x, y), 6.0, None, INK, 1.4);
        let width = text::width(&mark.label, SMALL);
        let above = y - self.plot.y > 26.0;
        let baseline = if above { y - 11.0 } else { y + 20.0 };
        let start = (x + 4.0)
            .min(self.plot.right() - width)
            .max(self.plot.x + 2.0);
        let (top, bottom, end) = (baseline - 9.0, baseline + 2.0, start + width);
        let behind = [(start, top), (end, top), (end, bottom), (start, bottom)];
        canvas.shade(&behind, PAPER, 0.7);
        canvas.text((start, baseline), &mark.label, SMALL, Align::Start);
    }
}

#[cfg(test)]
mod tests {
    use super::super::axis::Scale;
    use super::*;

    #[test]
    fn a_panel_without_points_still_has_axes() {
        let room = room(
            &Lines {
                y_scale: Scale::Log,
                ..Lines::default()
            },
            Sizes::of(1),
            Legend::Own,
        );
        assert!(room.width > 0.0 && room.left.is_finite());
    }
}
