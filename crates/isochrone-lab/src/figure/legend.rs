//! Which line is which: names beside a sample of each line.

use super::canvas::{Canvas, Rect};
use super::colour::{PAPER, Rgb, line_colour};
use super::curves::{BAND_OPACITY, LINE_WIDTH};
use super::dash::dashes;
use super::lines::{Lines, Stroke};
use super::text::{self, Align, SMALL};

const SAMPLE_WIDTH: f64 = 26.0;
const NAME_GAP: f64 = 6.0;
const ENTRY_GAP: f64 = 20.0;
/// The height of one line of names.
const ROW_HEIGHT: f64 = 18.0;

/// Whether a curve's points are shown on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Points {
    /// Only the line is drawn.
    Unseen,
    /// Hollow dots: another series picks some of them out.
    Hollow,
    /// Solid dots.
    Solid,
}

/// How one series looks, on the plot and in the legend.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Look {
    pub(super) name: String,
    pub(super) colour: Rgb,
    pub(super) style: Stroke,
    pub(super) points: Points,
    /// Opacity of the interval band, for a series that has one.
    pub(super) band_opacity: Option<f64>,
}

/// The looks of a panel's series, in their order.
pub(super) fn looks(lines: &Lines) -> Vec<Look> {
    let picked_from = lines.picked_from();
    let mut looks: Vec<Look> = Vec::with_capacity(lines.series.len());
    let mut colours_used = 0;
    for (index, series) in lines.series.iter().enumerate() {
        let colour = picked_from[index].map(|curve| looks[curve].colour);
        let colour = colour.or(series.colour.map(line_colour));
        let colour = colour.unwrap_or_else(|| {
            colours_used += 1;
            line_colour(colours_used - 1)
        });
        let points = if picked_from.contains(&Some(index)) {
            Points::Hollow
        } else if series.style == Stroke::PointsOnly || series.points.len() == 1 {
            Points::Solid
        } else {
            Points::Unseen
        };
        looks.push(Look {
            name: series.name.clone(),
            colour,
            style: series.style,
            points,
            band_opacity: series.band.as_ref().map(|_| BAND_OPACITY),
        });
    }
    looks
}

/// The height a legend of these looks takes in this width.
pub(super) fn height(looks: &[Look], width: f64) -> f64 {
    super::contour::as_units(rows(looks, width).len()) * ROW_HEIGHT
}

/// Draws the legend centred in `area`, from its top.
pub(super) fn draw(canvas: &mut Canvas, looks: &[Look], area: Rect) {
    let mut top = area.y;
    for row in rows(looks, area.width) {
        let row_width: f64 = row.iter().map(|look| entry_width(look)).sum::<f64>() - ENTRY_GAP;
        let mut x = area.x + ((area.width - row_width) / 2.0).max(0.0);
        for look in row {
            draw_entry(canvas, look, (x, top + ROW_HEIGHT / 2.0), area);
            x += entry_width(look);
        }
        top += ROW_HEIGHT;
    }
}

fn draw_entry(canvas: &mut Canvas, look: &Look, at: (f64, f64), area: Rect) {
    let (x, y) = at;
    let ends = [(x, y), (x + SAMPLE_WIDTH, y)];
    let centre = (x + SAMPLE_WIDTH / 2.0, y);
    if let Some(opacity) = look.band_opacity {
        let (left, right) = (x, x + SAMPLE_WIDTH);
        let band = [
            (left, y - 5.0),
            (right, y - 5.0),
            (right, y + 5.0),
            (left, y + 5.0),
        ];
        canvas.shade(&band, look.colour, opacity);
    }
    match look.style {
        Stroke::Solid => canvas.polyline(&ends, look.colour, LINE_WIDTH),
        Stroke::Dashed => {
            for dash in dashes(&ends) {
                canvas.polyline(&dash, look.colour, LINE_WIDTH);
            }
        }
        Stroke::PointsOnly => {}
    }
    draw_point(canvas, look, centre);
    let name_x = x + SAMPLE_WIDTH + NAME_GAP;
    let (name, tone) = text::fit(&look.name, SMALL, area.right() - name_x);
    canvas.text((name_x, y + 4.0), &name, tone, Align::Start);
}

/// One point of a series, if it shows its points.
pub(super) fn draw_point(canvas: &mut Canvas, look: &Look, centre: (f64, f64)) {
    match look.points {
        Points::Unseen => {}
        Points::Hollow => canvas.dot(centre, 3.0, Some(PAPER), look.colour, 1.4),
        Points::Solid => canvas.dot(centre, 3.2, Some(look.colour), look.colour, 1.2),
    }
}

fn rows(looks: &[Look], width: f64) -> Vec<Vec<&Look>> {
    let mut rows: Vec<Vec<&Look>> = Vec::new();
    let mut used = f64::INFINITY;
    for look in looks.iter().filter(|look| !look.name.is_empty()) {
        let wanted = entry_width(look);
        if used + wanted - ENTRY_GAP > width {
            rows.push(Vec::new());
            used = 0.0;
        }
        if let Some(row) = rows.last_mut() {
            row.push(look);
        }
        used += wanted;
    }
    rows
}

fn entry_width(look: &Look) -> f64 {
    SAMPLE_WIDTH + NAME_GAP + text::width(&look.name, SMALL) + ENTRY_GAP
}

#[cfg(test)]
mod tests {
    use super::super::lines::Series;
    use super::*;

    fn named(names: &[&str]) -> Vec<Look> {
        let series = names.iter().map(|name| Series {
            name: (*name).into(),
            ..Series::default()
        });
        looks(&Lines {
            series: series.collect(),
            ..Lines::default()
        })
    }

    #[test]
    fn names_wrap_and_unnamed_series_are_not_listed() {
        let looks = named(&["first method", "", "second method", "third method"]);
        assert!((height(&looks, 1000.0) - ROW_HEIGHT).abs() < 1e-9);
        assert!((height(&looks, 150.0) - 3.0 * ROW_HEIGHT).abs() < 1e-9);
        assert!(height(&named(&[]), 150.0).abs() < 1e-9);
    }

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
}
