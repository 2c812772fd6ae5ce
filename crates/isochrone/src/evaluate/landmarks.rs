//! Continuous states as numbers: the landmark last met.

use super::error::AssessError;

/// Follows a trajectory from landmark to landmark: the state at each time is the landmark whose ball (`radius` round
/// it, in the units of the states) was entered last; where balls overlap, the nearest landmark's.
///
/// Between balls nothing changes. That is the point: numbered by the nearest landmark alone, a trajectory that trembles on
/// a border seems to go back and forth, each time equally fast, and hides whatever is one-way. A radius below half
/// the distance between landmarks avoids that; an infinite one gives the nearest landmark after all.
///
/// `points` and `landmarks` are rows of `width` numbers, end to end. What comes before the first landmark is left out.
pub fn landmark_path(
    points: &[f32],
    landmarks: &[f32],
    width: usize,
    radius: f64,
) -> Result<Vec<usize>, AssessError> {
    AssessError::at_least(1, width, "numbers in a state")?;
    AssessError::at_least(width, landmarks.len(), "numbers in the landmarks")?;
    if radius.is_nan() || radius <= 0.0 {
        return Err(AssessError::Setting {
            what: "radius",
            value: radius,
            must: "positive",
        });
    }
    for (what, rows) in [("state", points), ("landmark", landmarks)] {
        let whole = rows.len() / width * width;
        if rows.len() != whole {
            return Err(AssessError::Lengths {
                what: "numbers in rows",
                got: rows.len(),
                expected: whole,
            });
        }
        if let Some(at) = rows.iter().position(|value| !value.is_finite()) {
            return Err(AssessError::NotFinite {
                what,
                at: at / width,
                value: f64::from(rows[at]),
            });
        }
    }
    let mut path = Vec::with_capacity(points.len() / width);
    let mut last = None;
    for point in points.chunks_exact(width) {
        let (landmark, squared) = nearest(point, landmarks);
        if squared.sqrt() <= radius {
            last = Some(landmark);
        }
        path.extend(last);
    }
    Ok(path)
}

/// The nearest landmark, the first of equals, and the square of its distance.
fn nearest(point: &[f32], landmarks: &[f32]) -> (usize, f64) {
    let mut best = (0, f64::INFINITY);
    for (number, landmark) in landmarks.chunks_exact(point.len()).enumerate() {
        let apart = point.iter().zip(landmark);
        let squared: f64 = apart
            .map(|(p, l)| (f64::from(*p) - f64::from(*l)).powi(2))
            .sum();
        if squared < best.1 {
            best = (number, squared);
        }
    }
    best
}
