//! The first time a state is met.

use super::Episodes;
use std::ops::Range;

/// The first row among `rows` whose state is within `radius` of `goal`:
///
/// ```text
/// min{ u : ‖s_u − g‖₂ ≤ r }
/// ```
///
/// A row is left as soon as one of its entries alone is too far, which in practice is the first one.
pub fn first_hit(
    episodes: &Episodes<'_>,
    rows: Range<usize>,
    goal: &[f32],
    radius: f32,
) -> Option<usize> {
    let limit = radius * radius;
    let is_hit = |row: &usize| {
        let mut left = limit;
        episodes.state(*row).iter().zip(goal).all(|(s, g)| {
            left -= (s - g) * (s - g);
            left >= 0.0
        })
    };
    rows.into_iter().find(is_hit)
}
