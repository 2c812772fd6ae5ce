//! Points in many dimensions → the plane in which they differ most: their first two principal components.

/// Rounds of the power iteration. Fewer would do: any plane of two nearly equal directions shows as much.
const ROUNDS: usize = 60;

/// Where each point lies in that plane.
pub(super) fn principal_plane(points: &[Vec<f32>]) -> Vec<[f64; 2]> {
    let Some(width) = points.first().map(Vec::len) else {
        return Vec::new();
    };
    let count = points.len() as f64;
    let mut means = vec![0.0; width];
    for point in points {
        for (mean, x) in means.iter_mut().zip(point) {
            *mean += f64::from(*x) / count;
        }
    }
    let mut centred: Vec<Vec<f64>> = points
        .iter()
        .map(|point| {
            point
                .iter()
                .zip(&means)
                .map(|(x, mean)| f64::from(*x) - mean)
                .collect()
        })
        .collect();
    let mut plane = vec![[0.0; 2]; points.len()];
    for axis in 0..2 {
        let direction = widest(&centred, width);
        for (point, place) in centred.iter_mut().zip(&mut plane) {
            let along = dot(point, &direction);
            place[axis] = along;
            for (x, d) in point.iter_mut().zip(&direction) {
                *x -= along * d;
            }
        }
    }
    plane
}

/// The direction in which they differ most, by power iteration.
fn widest(centred: &[Vec<f64>], width: usize) -> Vec<f64> {
    let mut direction: Vec<f64> = (0..width).map(|at| 1.0 / (1.0 + at as f64)).collect();
    for _ in 0..ROUNDS {
        let mut next = vec![0.0; width];
        for point in centred {
            let along = dot(point, &direction);
            for (n, x) in next.iter_mut().zip(point) {
                *n += along * x;
            }
        }
        let length = dot(&next, &next).sqrt();
        if length <= f64::MIN_POSITIVE {
            return vec![0.0; width];
        }
        direction = next.into_iter().map(|x| x / length).collect();
    }
    direction
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_widest_directions_come_first() {
        // Wide along (1, 1, 0), less along (0, 0, 1), nothing along (1, −1, 0).
        let points: Vec<Vec<f32>> = (0..200)
            .map(|at| {
                let (wide, less) = ((at % 20) as f32, (at / 20) as f32 * 0.3);
                vec![wide, wide, less]
            })
            .collect();
        let plane = principal_plane(&points);
        let width = |axis: usize| {
            let values = || plane.iter().map(|place| place[axis]);
            values().fold(f64::MIN, f64::max) - values().fold(f64::MAX, f64::min)
        };
        assert!(
            (width(0) - 19.0 * 2_f64.sqrt()).abs() < 1e-6,
            "{}",
            width(0)
        );
        assert!((width(1) - 2.7).abs() < 1e-5, "{}", width(1));
        assert!(principal_plane(&[]).is_empty());
        assert_eq!(principal_plane(&[vec![1.0, 2.0]]), [[0.0, 0.0]]);
    }
}
