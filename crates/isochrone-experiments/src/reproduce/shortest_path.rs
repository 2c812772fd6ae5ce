//! Exact shortest paths of a point round the walls of an arena, through the corners of walls.

use isochrone_mujoco::{Arena, WallBox, World};

/// ShortestPaths keep this far from corners, so that one along a wall does not count as one through it.
const CLEAR_M: f64 = 1e-6;

/// Shortest paths from one place to all others.
pub(super) struct ShortestPaths {
    walls: Vec<WallBox>,
    /// Places where a path can turn, with their distances from the start; the first is the start.
    turns: Vec<([f64; 2], f64)>,
}

impl ShortestPaths {
    /// Dijkstra over the corners that see one another.
    pub(super) fn from(world: &World, start_m: [f64; 2]) -> Self {
        let walls = world.arena().map_or(Vec::new(), Arena::walls);
        let corners = walls.iter().flat_map(|wall| {
            let ([x, y], reach) = (wall.centre_m, wall.half_m.map(|half| half + CLEAR_M));
            [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]]
                .map(|[right, down]| [x + right * reach[0], y + down * reach[1]])
        });
        let mut left: Vec<[f64; 2]> = corners.filter(|&c| world.is_feasible(c)).collect();
        let mut paths = Self {
            walls,
            turns: vec![(start_m, 0.0)],
        };
        loop {
            let lengths: Vec<f64> = left.iter().map(|&c| paths.length_m(c)).collect();
            let nearest = (0..left.len()).min_by(|&a, &b| lengths[a].total_cmp(&lengths[b]));
            match nearest {
                Some(at) if lengths[at].is_finite() => {
                    paths.turns.push((left.swap_remove(at), lengths[at]));
                }
                _ => return paths,
            }
        }
    }

    /// Length of the shortest path to a place; infinite if there is none.
    pub(super) fn length_m(&self, to_m: [f64; 2]) -> f64 {
        let through = |(turn, before): &([f64; 2], f64)| {
            let straight = before + apart_m(*turn, to_m);
            self.sees(*turn, to_m).then_some(straight)
        };
        let lengths = self.turns.iter().filter_map(through);
        lengths.fold(f64::INFINITY, f64::min)
    }

    /// Is the segment free of walls?
    fn sees(&self, from_m: [f64; 2], to_m: [f64; 2]) -> bool {
        !self.walls.iter().any(|wall| wall.meets(from_m, to_m))
    }
}

/// Euclidean distance.
pub(super) fn apart_m(a: [f64; 2], b: [f64; 2]) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use isochrone_mujoco::WorldName;

    #[test]
    fn paths_go_round_walls() {
        let length = |name: WorldName, to| {
            ShortestPaths::from(&name.build().expect("a world"), [0.0; 2]).length_m(to)
        };
        // Straight, where nothing is between.
        assert!((length(WorldName::FreeAnt, [3.0, 4.0]) - 5.0).abs() < 1e-9);
        assert!((length(WorldName::PointMassRoom, [3.0, 4.0]) - 5.0).abs() < 1e-9);
        // Round the end of the U's inner wall, whose corners are (3, 1) and (3, 3).
        let expected = 2.0 * 3.0_f64.hypot(1.0) + 2.0;
        let found = length(WorldName::MazeAnt, [0.0, 4.0]);
        assert!((found - expected).abs() < 1e-4, "{found}");
        // From the middle of the thin spiral round the end of a wall of 0.1 m, whose corners are (1.05, −0.95) and (1.05, −1.05).
        let found = length(WorldName::PointMassThinSpiral, [0.0, -2.0]);
        let expected = 2.0 * 1.05_f64.hypot(0.95) + 0.1;
        assert!((found - expected).abs() < 1e-4, "{found}");
        // Nowhere inside a wall.
        assert!(length(WorldName::MazeAnt, [0.0, 2.0]).is_infinite());
    }
}
