//! Goals as places in the plane, by how hard they are to reach. +x is to the right, +y up.

use crate::train::WorkingSet;
use isochrone::curriculum::{Bounds, Difficulty};
use isochrone_figures::{Lines, Series, Stroke};

/// The working set by difficulty; of goals with more than a place, the place.
pub fn difficulties(title: String, set: &WorkingSet, bounds: Bounds) -> Lines {
    let class = |name: &str, wanted: Difficulty| {
        let each = set.goals.iter().zip(&set.success);
        let found = each.filter(|(_, success)| bounds.difficulty(**success) == wanted);
        let places = found.filter_map(|(goal, _)| place(goal.get(..2)?));
        dots(name, places.map(|[x, y]| (x, y)).collect())
    };
    places_of(
        title,
        vec![
            class("easy", Difficulty::Easy),
            class("hard", Difficulty::Hard),
            class("intermediate", Difficulty::Intermediate),
        ],
    )
}

/// The place of a goal; `None` if the goal is not a place in the plane.
pub fn place(goal: &[f32]) -> Option<[f64; 2]> {
    match goal {
        [x, y] => Some([f64::from(*x), f64::from(*y)]),
        _ => None,
    }
}

/// A scatter of points; the legend counts them.
pub fn dots(name: &str, points: Vec<(f64, f64)>) -> Series {
    Series {
        name: format!("{name} ({})", points.len()),
        points,
        style: Stroke::PointsOnly,
        ..Series::default()
    }
}

/// Axes in metres around such scatters.
pub fn places_of(title: String, series: Vec<Series>) -> Lines {
    Lines {
        title,
        x_label: "x (m)".to_owned(),
        y_label: "y (m)".to_owned(),
        series,
        ..Lines::default()
    }
}
