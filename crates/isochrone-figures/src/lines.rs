//! Curves over a common axis: what they are and what makes them drawable.

use crate::error::FigureError;

/// The largest magnitude an axis carries; beyond it differences overflow.
const LARGEST: f64 = 1.0e100;
/// The smallest value a logarithmic axis of the plotting crate tells from others.
const SMALLEST_LOG: f64 = 1.0e-10;

/// Whether an axis can carry the value.
pub(crate) fn drawable(value: f64) -> bool {
    value.is_finite() && value.abs() <= LARGEST
}

/// Linear or logarithmic axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scale {
    /// Equal differences take equal room.
    #[default]
    Linear,
    /// Equal ratios take equal room; every value must be at least 10⁻¹⁰.
    Log,
}

impl Scale {
    fn shows(self, value: f64) -> bool {
        self == Self::Linear || value >= SMALLEST_LOG
    }
}

/// Curves over a common x axis.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lines {
    /// Written above the panel.
    pub title: String,
    /// What x counts, with its unit; empty leaves no room for it.
    pub x_label: String,
    /// What y measures, with its unit.
    pub y_label: String,
    /// The curves, in the order of the legend.
    pub series: Vec<Series>,
    /// Points called out with a short text.
    pub marks: Vec<Mark>,
    /// Scale of the y axis.
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
    pub(crate) fn check(&self) -> Result<(), FigureError> {
        self.series
            .iter()
            .try_for_each(|series| series.check(self.y_scale))?;
        for mark in &self.marks {
            let Mark { x, y, label } = mark;
            if !drawable(*x) || !drawable(*y) || !self.y_scale.shows(*y) {
                return Err(FigureError::Mark {
                    label: label.clone(),
                    x: *x,
                    y: *y,
                });
            }
        }
        Ok(())
    }

    /// For each series, the earlier curve whose points it picks out.
    pub(crate) fn picked_from(&self) -> Vec<Option<usize>> {
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
        match self.problem(y_scale) {
            Some(problem) => Err(FigureError::Series {
                series: self.name.clone(),
                problem,
            }),
            None => Ok(()),
        }
    }

    fn problem(&self, y_scale: Scale) -> Option<String> {
        let (points, band) = (&self.points, self.band.as_deref().unwrap_or_default());
        if self.band.is_some() && band.len() != points.len() {
            let (points, band) = (points.len(), band.len());
            return Some(format!("{points} points but a band of {band} intervals"));
        }
        let reversed = |((x, _), (low, high)): (&(f64, f64), &(f64, f64))| {
            (low > high).then(|| format!("an interval from {low} to {high} at x = {x}"))
        };
        let bands = points.iter().zip(band);
        let ends = bands
            .clone()
            .flat_map(|((x, _), (low, high))| [(*x, *low), (*x, *high)]);
        let mut values = points.iter().copied().chain(ends);
        let undrawable = |(x, y): (f64, f64)| {
            if !drawable(x) || !drawable(y) {
                return Some(format!("a non-finite value at x = {x}"));
            }
            let begins =
                format!("{y} at x = {x}, but a logarithmic axis begins at {SMALLEST_LOG:e}");
            (!y_scale.shows(y)).then_some(begins)
        };
        values
            .find_map(undrawable)
            .or_else(|| bands.clone().find_map(reversed))
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
    fn what_the_axes_cannot_show_is_refused() {
        let band = |band: &[(f64, f64)]| Series {
            band: Some(band.to_vec()),
            ..series(&[(1.0, 1.0)])
        };
        for (refused, scale, reason) in [
            (
                band(&[]),
                Scale::Linear,
                "1 points but a band of 0 intervals",
            ),
            (
                band(&[(2.0, 1.0)]),
                Scale::Linear,
                "an interval from 2 to 1 at x = 1",
            ),
            (
                band(&[(0.0, f64::NAN)]),
                Scale::Linear,
                "a non-finite value at x = 1",
            ),
            (series(&[(1e101, 1.0)]), Scale::Linear, "a non-finite value"),
            (series(&[(1.0, 0.0)]), Scale::Log, "begins at 1e-10"),
            (band(&[(-1.0, 1.0)]), Scale::Log, "-1 at x = 1"),
        ] {
            let error = refused.check(scale).expect_err(reason).to_string();
            assert!(error.contains(reason), "{error}");
        }
        assert_eq!(band(&[(1.0, 1.0)]).check(Scale::Log), Ok(()));
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
