//! The shortest way of a point round the walls of an arena: exact, through the corners that it can turn at.

use isochrone_mujoco::{Arena, World};
use std::ops::Not;

/// Half the width of a wall.
const HALF_M: f64 = 1.0;
/// Ways keep this far from corners, so that one along a wall does not count as one through it.
const CLEAR_M: f64 = 1e-6;

/// Shortest ways from one place to all others.
pub(super) struct Ways {
    walls_m: Vec<[f64; 2]>,
    /// Places where a way can turn, and how far they are: first the beginning itself.
    turns: Vec<([f64; 2], f64)>,
}

impl Ways {
    /// Dijkstra over the corners that see one another.
    pub(super) fn from(world: &World, start_m: [f64; 2]) -> Self {
        let walls_m = world.arena().map_or(Vec::new(), Arena::wall_centres_m);
        let reach = HALF_M + CLEAR_M;
        let corners = walls_m.iter().flat_map(|&[x, y]| {
            [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]]
                .map(|[right, down]| [x + right * reach, y + down * reach])
        });
        let open: Vec<[f64; 2]> = corners.filter(|&c| world.is_feasible(c)).collect();
        let mut ways = Self {
            walls_m,
            turns: vec![(start_m, 0.0)],
        };
        let mut left = open;
        loop {
            let lengths: Vec<f64> = left.iter().map(|&c| ways.length_m(c)).collect();
            let nearest = (0..left.len()).min_by(|&a, &b| lengths[a].total_cmp(&lengths[b]));
            match nearest {
                Some(at) if lengths[at].is_finite() => {
                    ways.turns.push((left.swap_remove(at), lengths[at]));
                }
                _ => return ways,
            }
        }
    }

    /// Length of the shortest way to a place; infinite where there is none.
    pub(super) fn length_m(&self, to_m: [f64; 2]) -> f64 {
        let through = |(turn, before): &([f64; 2], f64)| {
            let straight = before + apart_m(*turn, to_m);
            self.sees(*turn, to_m).then_some(straight)
        };
        let lengths = self.turns.iter().filter_map(through);
        lengths.fold(f64::INFINITY, f64::min)
    }

    /// Does no wall lie between?
    fn sees(&self, from_m: [f64; 2], to_m: [f64; 2]) -> bool {
        self.walls_m
            .iter()
            .any(|&wall| meets(from_m, to_m, wall))
            .not()
    }
}

/// The Euclidean distance.
pub(super) fn apart_m(a: [f64; 2], b: [f64; 2]) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

/// Does the segment meet the closed square of a wall? Each axis leaves an interval of the segment, and they overlap.
fn meets(from: [f64; 2], to: [f64; 2], wall: [f64; 2]) -> bool {
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    for k in 0..2 {
        let (start, length) = (from[k] - wall[k], to[k] - from[k]);
        if length.abs() < f64::EPSILON {
            if start.abs() > HALF_M {
                return false;
            }
            continue;
        }
        let (a, b) = ((-HALF_M - start) / length, (HALF_M - start) / length);
        enter = enter.max(a.min(b));
        leave = leave.min(a.max(b));
    }
    enter <= leave
}

#[cfg(test)]
mod tests {
    use super::*;
    use isochrone_mujoco::WorldName;

    #[test]
    fn ways_go_round_walls() {
        let length = |name: WorldName, to| {
            Ways::from(&name.build().expect("a world"), [0.0; 2]).length_m(to)
        };
        // Straight, where nothing is between.
        assert!((length(WorldName::FreeAnt, [3.0, 4.0]) - 5.0).abs() < 1e-9);
        assert!((length(WorldName::PointMassRoom, [3.0, 4.0]) - 5.0).abs() < 1e-9);
        // Round the end of the U's inner wall, whose corners are (3, 1) and (3, 3).
        let expected = 2.0 * 3.0_f64.hypot(1.0) + 2.0;
        let found = length(WorldName::MazeAnt, [0.0, 4.0]);
        assert!((found - expected).abs() < 1e-4, "{found}");
        // Nowhere inside a wall.
        assert!(length(WorldName::MazeAnt, [0.0, 2.0]).is_infinite());
    }
}
