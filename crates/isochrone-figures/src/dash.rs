//! Broken lines in pixels.
//!
//! The plotting crate's pixels start their dashes anew at every point, which makes
//! a curve of many points look unbroken; these run evenly along the whole curve.

use kuva::render::color::Color;
use kuva::render::render::{Primitive, Scene};

/// Replaces every broken line by its dashes.
pub(crate) fn cut(scene: &mut Scene) {
    for element in std::mem::take(&mut scene.elements) {
        match element {
            Primitive::PolyLine {
                points,
                stroke,
                stroke_width,
                stroke_dasharray: Some(pattern),
            } => add_dashes(scene, &points, &stroke, stroke_width, &pattern),
            Primitive::Line {
                x1,
                y1,
                x2,
                y2,
                stroke,
                stroke_width,
                stroke_dasharray: Some(pattern),
            } => add_dashes(
                scene,
                &[(x1, y1), (x2, y2)],
                &stroke,
                stroke_width,
                &pattern,
            ),
            other => scene.elements.push(other),
        }
    }
}

fn add_dashes(scene: &mut Scene, points: &[(f64, f64)], stroke: &Color, width: f64, pattern: &str) {
    let mut lengths = pattern.split(' ').filter_map(|length| length.parse().ok());
    let pieces = match (lengths.next(), lengths.next()) {
        (Some(dash), Some(gap)) => dashes(points, dash, gap),
        _ => vec![points.to_vec()],
    };
    let piece = |points| Primitive::PolyLine {
        points,
        stroke: stroke.clone(),
        stroke_width: width,
        stroke_dasharray: None,
    };
    scene.elements.extend(pieces.into_iter().map(piece));
}

/// The dashes of a line, even across its corners; both lengths are positive.
fn dashes(points: &[(f64, f64)], dash: f64, gap: f64) -> Vec<Vec<(f64, f64)>> {
    let mut dashes: Vec<Vec<(f64, f64)>> = points
        .first()
        .map(|start| vec![*start])
        .into_iter()
        .collect();
    let (mut inked, mut left) = (true, dash);
    for ends in points.windows(2) {
        let (mut from, to) = (ends[0], ends[1]);
        let mut length = (to.0 - from.0).hypot(to.1 - from.1);
        while length > left {
            let part = left / length;
            from = (
                from.0 + part * (to.0 - from.0),
                from.1 + part * (to.1 - from.1),
            );
            length -= left;
            match (inked, dashes.last_mut()) {
                (true, Some(dash)) => dash.push(from),
                _ => dashes.push(vec![from]),
            }
            inked = !inked;
            left = if inked { dash } else { gap };
        }
        left -= length;
        if let (true, Some(dash)) = (inked, dashes.last_mut()) {
            dash.push(to);
        }
    }
    dashes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_are_even_across_corners() {
        let corner = [(0.0, 0.0), (5.0, 0.0), (5.0, 19.0)];
        let lengths: Vec<f64> = dashes(&corner, 8.0, 4.0)
            .iter()
            .map(|dash| {
                dash.windows(2)
                    .map(|ends| (ends[1].0 - ends[0].0).hypot(ends[1].1 - ends[0].1))
                    .sum()
            })
            .collect();
        assert_eq!(lengths, [8.0, 8.0]);
        assert!(dashes(&[], 8.0, 4.0).is_empty());
    }
}
