//! Broken lines.
//!
//! The plotting crate starts its dashes anew at every point, which makes a curve
//! of many points look unbroken; these run evenly along the whole curve.

const DASH: f64 = 7.0;
const DASH_GAP: f64 = 4.0;

/// The dashes of a line, even across its corners.
pub(super) fn dashes(points: &[(f64, f64)]) -> Vec<Vec<(f64, f64)>> {
    let mut dashes: Vec<Vec<(f64, f64)>> = points
        .first()
        .map(|start| vec![*start])
        .into_iter()
        .collect();
    let (mut inked, mut left) = (true, DASH);
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
            left = if inked { DASH } else { DASH_GAP };
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
        let corner = [(0.0, 0.0), (5.0, 0.0), (5.0, 17.0)];
        let lengths: Vec<f64> = dashes(&corner)
            .iter()
            .map(|dash| {
                dash.windows(2)
                    .map(|ends| (ends[1].0 - ends[0].0).hypot(ends[1].1 - ends[0].1))
                    .sum()
            })
            .collect();
        assert_eq!(lengths, [DASH, DASH]);
        assert!(dashes(&[]).is_empty());
    }
}
