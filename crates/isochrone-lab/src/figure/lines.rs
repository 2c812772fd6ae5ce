//! Curves over a common axis: what they are and what makes them drawable.

use super::axis::{Scale, drawable};
use super::error::FigureError;

/// Curves over a common x axis.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lines {
    /// Written above the panel.
    pub title: String,
    /// What x counts, with its unit; empty leaves no room for it.
    pub x_label: String,
    /// What y measures, with its unit; written above the axis, left to right.
    pub y_label: String,
    /// The curves, in the order of the legend.
    pub series: Vec<Series>,
    /// Points called out with a short text.
    pub marks: Vec<Mark>,
    /// How y values are spread.
    pub y_scale: Scale,
}

/// One curve, or one set of points.
///
/// Curves take their colours in order. A [`Stroke::PointsOnly`] series whose
/// points all lie on an earlier curve picks them out: it takes that curve's
/// colour with solid dots, and the curve's other points become hollow.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Series {
    /// Its name in the legend; an unnamed series is not listed.
    pub name: String,
    /// The points, joined in this order.
    pub points: Vec<(f64, f64)>,
    /// The low and high end of an interval at each point, such as 95 % confidence.
    pub band: Option<Vec<(f64, f64)>>,
    /// How the points are joined.
    pub style: Stroke,
    /// Which colour of the figures; the next one if not given.
    pub colour: Option<usize>,
}

/// How the points of a series are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stroke {
    /// By an unbroken line.
    #[default]
    Solid,
    /// By a broken line.
    Dashed,
    /// Not at all: each point is a solid dot.
    PointsOnly,
}

/// A point called out with a short text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mark {
    /// The point's x.
    pub x: f64,
    /// The point's y.
    pub y: f64,
    /// What is said about it.
    pub label: String,
}

impl Lines {
    /// Refuses what the axes cannot show.
    pub(super) fn check(&self) -> Result<(), FigureError> {
        self.series
            .iter()
            .try_for_each(|series| series.check(self.y_scale))?;
        for mark in &self.marks {
            let Mark { x, y, label } = mark;
            if !drawable(*x) || !drawable(*y) || (self.y_scale == Scale::Log && *y <= 0.0) {
                return Err(FigureError::MarkNotDrawable {
                    label: label.clone(),
                    x: *x,
                    y: *y,
                });
            }
        }
        Ok(())
    }

    /// Every x that must lie on the axis.
    pub(super) fn x_values(&self) -> impl Iterator<Item = f64> + Clone {
        let points = self
            .series
            .iter()
            .flat_map(|series| &series.points)
            .map(|point| point.0);
        points.chain(self.marks.iter().map(|mark| mark.x))
    }

    /// Every y that must lie on the axis.
    pub(super) fn y_values(&self) -> impl Iterator<Item = f64> + Clone {
        let points = self
            .series
            .iter()
            .flat_map(|series| &series.points)
            .map(|point| point.1);
        let bands = self
            .series
            .iter()
            .filter_map(|series| series.band.as_ref())
            .flatten();
        let bands = bands.flat_map(|(low, high)| [*low, *high]);
        points
            .chain(bands)
            .chain(self.marks.iter().map(|mark| mark.y))
    }

    /// For each series, the earlier curve whose points it picks out.
    pub(super) fn picked_from(&self) -> Vec<Option<usize>> {
        let earlier_curve = |index: usize| {
            let picks = &self.series[index];
            self.series[..index]
                .iter()
                .position(|curve| picks.is_picked_from(curve))
        };
        (0..self.series.len()).map(earlier_curve).collect()
    }
}

impl Series {
    fn check(&self, y_scale: Scale) -> Result<(), FigureError> {
        for (x, y) in &self.points {
            self.check_value(*x, *y, y_scale)?;
        }
        let Some(band) = &self.band else {
            return Ok(());
        };
        if band.len() != self.points.len() {
            return Err(FigureError::BandLength {
                series: self.name.clone(),
                points: self.points.len(),
                band: band.len(),
            });
        }
        for ((x, _), (low, high)) in self.points.iter().zip(band) {
            self.check_value(*x, *low, y_scale)?;
            self.check_value(*x, *high, y_scale)?;
            if low > high {
                let series = self.name.clone();
                return Err(FigureError::BandReversed {
                    series,
                    x: *x,
                    low: *low,
                    high: *high,
                });
            }
        }
        Ok(())
    }

    fn check_value(&self, x: f64, y: f64, y_scale: Scale) -> Result<(), FigureError> {
        let series = || self.name.clone();
        if !drawable(x) || !drawable(y) {
            return Err(FigureError::PointNotDrawable {
                series: series(),
                x,
            });
        }
        if y_scale == Scale::Log && y <= 0.0 {
            return Err(FigureError::NotPositive {
                series: series(),
                x,
                y,
            });
        }
        Ok(())
    }

    fn is_picked_from(&self, curve: &Self) -> bool {
        self.style == Stroke::PointsOnly
            && curve.style != Stroke::PointsOnly
            && !self.points.is_empty()
            && self.points.iter().all(|point| curve.points.contains(point))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(points: &[(f64, f64)]) -> Series {
        Series {
            name: "scaled".into(),
            points: points.to_vec(),
            ..Series::default()
        }
    }

    #[test]
    fn a_non_finite_value_is_named() {
        let error = series(&[(7.0, f64::NAN)])
            .check(Scale::Linear)
            .expect_err("NaN");
        assert_eq!(
            error.to_string(),
            "series \"scaled\" has a non-finite value at x = 7"
        );
    }

    #[test]
    fn a_band_must_match_its_points_and_stand_upright() {
        let short = Series {
            band: Some(vec![]),
            ..series(&[(1.0, 1.0)])
        };
        assert!(matches!(
            short.check(Scale::Linear),
            Err(FigureError::BandLength { .. })
        ));
        let upside_down = Series {
            band: Some(vec![(2.0, 1.0)]),
            ..series(&[(1.0, 1.0)])
        };
        assert!(matches!(
            upside_down.check(Scale::Linear),
            Err(FigureError::BandReversed { .. })
        ));
    }

    #[test]
    fn a_logarithmic_axis_refuses_zero() {
        assert!(matches!(
            series(&[(1.0, 0.0)]).check(Scale::Log),
            Err(FigureError::NotPositive { .. })
        ));
    }

    #[test]
    fn points_on_an_earlier_curve_are_picked_from_it() {
        let curve = series(&[(1.0, 2.0), (2.0, 3.0)]);
        let on = Series {
            style: Stroke::PointsOnly,
            ..series(&[(2.0, 3.0)])
        };
        let off = Series {
            style: Stroke::PointsOnly,
            ..series(&[(2.0, 3.5)])
        };
        let lines = Lines {
            series: vec![curve, on, off],
            ..Lines::default()
        };
        assert_eq!(lines.picked_from(), [None, Some(0), None]);
    }
}
