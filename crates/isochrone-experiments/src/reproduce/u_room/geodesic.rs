//! Shortest paths round the wall: Dijkstra's algorithm on a grid of 0.03 m with 16 directions.

use super::walk::Place;
use isochrone::env::u_room::URoom;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

const SPACING_M: f64 = 0.03;
/// Nodes along each side: 3 m, ends included.
const SIDE: i32 = 101;
const MIDDLE_M: f64 = 1.5;
/// A quarter of the directions; the others are these turned.
const DIRECTIONS: [(i32, i32); 4] = [(1, 0), (1, 1), (2, 1), (1, 2)];

type Node = (i32, i32);

/// Metres from `from` to each of `to`; infinite where there is no way.
pub(super) fn shortest(from: Place, to: &[Place]) -> Vec<f64> {
    let metres = flood(nearest_node(from));
    to.iter().map(|&p| metres[index(nearest_node(p))]).collect()
}

fn flood(start: Node) -> Vec<f64> {
    let mut metres = vec![f64::INFINITY; (SIDE * SIDE) as usize];
    metres[index(start)] = 0.0;
    // Not negative, so their bits are ordered as they are.
    let mut open = BinaryHeap::from([Reverse((0_u64, start))]);
    while let Some(Reverse((bits, node))) = open.pop() {
        let so_far = f64::from_bits(bits);
        if so_far > metres[index(node)] {
            continue;
        }
        for step in DIRECTIONS.into_iter().flat_map(turned) {
            let next = (node.0 + step.0, node.1 + step.1);
            if !is_free(next, 1.0) || !is_free((node.0 + next.0, node.1 + next.1), 0.5) {
                continue;
            }
            let length = SPACING_M * f64::from(step.0).hypot(f64::from(step.1));
            if so_far + length < metres[index(next)] {
                metres[index(next)] = so_far + length;
                open.push(Reverse(((so_far + length).to_bits(), next)));
            }
        }
    }
    metres
}

/// By no, one, two and three right angles.
fn turned((x, y): Node) -> [Node; 4] {
    [(x, y), (-y, x), (-x, -y), (y, -x)]
}

/// Is the place at `scale` times these numbers of spacings free?
fn is_free(node: Node, scale: f64) -> bool {
    URoom::is_free([node.0, node.1].map(|k| scale * SPACING_M * f64::from(k)))
}

/// Only for free nodes, which are inside the room.
fn index(node: Node) -> usize {
    (node.1 * SIDE + node.0) as usize
}

/// The nearest free node: a place beside the wall may round into it.
fn nearest_node(place: Place) -> Node {
    let at = place.map(|x| (f64::from(x) + MIDDLE_M) / SPACING_M);
    let around = |k: usize| {
        let whole = at[k].round() as i32;
        whole - 2..=whole + 2
    };
    let off = |n: &Node| (f64::from(n.0) - at[0]).hypot(f64::from(n.1) - at[1]);
    let nodes = around(0).flat_map(|x| around(1).map(move |y| (x, y)));
    nodes
        .filter(|&node| is_free(node, 1.0))
        .min_by(|a, b| off(a).total_cmp(&off(b)))
        .unwrap_or((0, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Straight across, and round the end of the wall.
    #[test]
    fn ways_go_round_the_wall() {
        let across = shortest([-1.0, -1.0], &[[1.0, -1.0], [-1.0, 1.0]]);
        assert!((across[0] - 2.0).abs() < 0.05, "{across:?}");
        // Two legs to the wall's corners at (2, 1.45) and (2, 1.55), in 16 directions at most 3 % longer.
        let leg = 1.5_f64.hypot(0.95);
        let round = 2.0 * leg + 0.1;
        assert!(
            across[1] > round - 0.1 && across[1] < 1.05 * round,
            "{across:?} {round}"
        );
    }
}
