//! How well a distance ranks places as one would walk to them, and how much posture disturbs it.

use super::frames::Frames;
use crate::reproduce::panels::colours_to;
use crate::reproduce::shortest_path::ShortestPaths;
use anyhow::Result;
use isochrone::distance::Learned;
use isochrone::evaluate::spearman;
use isochrone::rng::{Purpose, Seed};
use isochrone_figures::{ColourBar, Heat, Panel};
use isochrone_mujoco::{Anywhere, World};
use isochrone_runs::floor::Floor;
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// Cells of the maps.
const CELL_M: f64 = 0.4;
/// References: standing ants in the middles of the U's cells, from one end to the other.
const REFERENCES_M: [[f64; 2]; 7] = [
    [0.0, 0.0],
    [2.0, 0.0],
    [4.0, 0.0],
    [4.0, 2.0],
    [4.0, 4.0],
    [2.0, 4.0],
    [0.0, 4.0],
];
/// How many they are.
pub(in crate::reproduce) const REFERENCES: usize = REFERENCES_M.len();
/// What counts as near: about twice as far as an ant gets in an episode of random actions.
const NEAR_M: f64 = 1.0;
/// Upper ends of the bands of walkable distance; the last one has none.
pub(in crate::reproduce) const BANDS_M: [f64; 5] = [0.25, 0.5, 1.0, 2.0, 4.0];
/// Places and postures that are combined to tell them apart.
const PLACES: usize = 24;
const POSTURES: usize = 8;

/// How good a distance is; all numbers of a figure.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::reproduce) struct Quality {
    /// Rank correlation with the walkable distance, by reference: held-out states, so postures are those of random actions.
    pub(in crate::reproduce) ranks: Vec<f64>,
    /// The same over states within a metre of the reference.
    pub(in crate::reproduce) near_ranks: Vec<f64>,
    /// The mean distance in each band of walkable distance, over all references.
    pub(in crate::reproduce) by_band: Vec<f64>,
    /// The share of posture in the variance of the distance to a reference, over places and postures; the mean over references.
    pub(in crate::reproduce) posture_share: f64,
    /// Distances of standing ants over the floor, by reference.
    pub(in crate::reproduce) maps: Vec<Vec<Option<f64>>>,
}

impl Quality {
    pub(super) fn of(distance: &Learned, frames: &Frames, seed: u64) -> Result<Self> {
        let embed =
            |state: &[f32]| -> Result<Vec<f32>> { Ok(distance.embed(&frames.see(state)?)?) };
        let standing = |place_m: [f64; 2]| frames.world.state_at(place_m.map(|x| x as f32));
        let goals: Vec<Vec<f32>> = REFERENCES_M
            .iter()
            .map(|place| embed(&standing(*place)))
            .collect::<Result<_>>()?;
        let steps = |point: &[f32], goal: &[f32]| distance.metric().one_way(point, goal);
        let held_out: Vec<Vec<f32>> = frames
            .held_out_seen()
            .map(|seen| distance.embed(seen))
            .collect::<Result<_, _>>()?;
        let (mut ranks, mut near_ranks) = (Vec::new(), Vec::new());
        let mut bands = vec![Vec::new(); BANDS_M.len() + 1];
        for (reference_m, goal) in REFERENCES_M.iter().zip(&goals) {
            let paths = ShortestPaths::from(&frames.world, *reference_m);
            let (mut learned, mut walkable) = (Vec::new(), Vec::new());
            for (state, point) in frames.held_out.iter().zip(&held_out) {
                let length_m = paths.length_m([f64::from(state[0]), f64::from(state[1])]);
                // A body that leans on a wall may have its centre in it.
                if length_m.is_finite() {
                    let steps = steps(point, goal);
                    bands[BANDS_M.partition_point(|end| *end < length_m)].push(steps);
                    learned.push(steps);
                    walkable.push(length_m);
                }
            }
            let near = walkable.iter().zip(&learned).filter(|(m, _)| **m <= NEAR_M);
            let (near_m, near_steps): (Vec<f64>, Vec<f64>) = near.unzip();
            near_ranks.push(if near_m.len() < 2 {
                0.0
            } else {
                spearman(&near_steps, &near_m)?.unwrap_or(0.0)
            });
            ranks.push(spearman(&learned, &walkable)?.unwrap_or(0.0));
        }
        let floor = maze_floor(&frames.world);
        let posed = posed_points(frames, &floor, seed, &embed)?;
        let shares = goals
            .iter()
            .map(|goal| posture_share(&posed, |point| steps(point, goal)));
        let posture_share = shares.sum::<f64>() / goals.len() as f64;
        let points: Vec<Option<Vec<f32>>> = floor
            .map(|_| 0.0)
            .iter()
            .zip(&floor.places_m)
            .map(|(is_free, place)| is_free.map(|_| embed(&standing(*place))).transpose())
            .collect::<Result<_>>()?;
        let map = |goal: &Vec<f32>| {
            let each = points.iter();
            each.map(|point| point.as_ref().map(|point| steps(point, goal)))
                .collect()
        };
        Ok(Self {
            ranks,
            near_ranks,
            by_band: bands.iter().map(|band| mean(band)).collect(),
            posture_share,
            maps: goals.iter().map(map).collect(),
        })
    }

    /// The map of one reference.
    pub(in crate::reproduce) fn panel(
        &self,
        floor: &Floor,
        title: String,
        reference: usize,
    ) -> Panel {
        let values = self.maps[reference].clone();
        let farthest = values.iter().flatten().copied().fold(0.0, f64::max);
        let colour = colours_to(farthest, "predicted distance", ColourBar::Below);
        let at = nearest(floor, REFERENCES_M[reference]);
        Panel::Heat(Heat {
            title,
            x_label: String::new(),
            y_label: String::new(),
            columns: floor.columns,
            values,
            colour,
            contours: Vec::new(),
            marker: Some((at % floor.columns, at / floor.columns)),
        })
    }

    /// The maps as lines of a table: reference, place, distance.
    pub(in crate::reproduce) fn csv_rows(&self, floor: &Floor, case: &str) -> Vec<String> {
        let mut rows = Vec::new();
        for ([rx, ry], map) in REFERENCES_M.iter().zip(&self.maps) {
            for ([x, y], value) in floor.places_m.iter().zip(map) {
                let line = value.map(|v| format!("{case},{rx:.1},{ry:.1},{x:.1},{y:.1},{v:.4}"));
                rows.extend(line);
            }
        }
        rows
    }

    pub(in crate::reproduce) fn mean_ranks(&self) -> f64 {
        mean(&self.ranks)
    }

    pub(in crate::reproduce) fn mean_near_ranks(&self) -> f64 {
        mean(&self.near_ranks)
    }

    pub(in crate::reproduce) fn worst_ranks(&self) -> f64 {
        self.ranks.iter().copied().fold(f64::INFINITY, f64::min)
    }
}

/// The cell whose middle is nearest to a place.
fn nearest(floor: &Floor, place_m: [f64; 2]) -> usize {
    let apart = |of: &[f64; 2]| (of[0] - place_m[0]).hypot(of[1] - place_m[1]);
    let each = floor.places_m.iter().enumerate();
    let nearest = each.min_by(|(_, a), (_, b)| apart(a).total_cmp(&apart(b)));
    nearest.map_or(0, |(at, _)| at)
}

/// The floor that maps are drawn over.
pub(in crate::reproduce) fn maze_floor(world: &World) -> Floor {
    Floor::of(world, CELL_M)
}

/// Points of every posture at every place.
fn posed_points(
    frames: &Frames,
    floor: &Floor,
    seed: u64,
    embed: &dyn Fn(&[f32]) -> Result<Vec<f32>>,
) -> Result<Vec<Vec<Vec<f32>>>> {
    let mut rng = Seed(seed).stream(Purpose::Assess, 1, 0);
    let mut any = || frames.held_out[rng.random_range(0..frames.held_out.len())].clone();
    let postures: Vec<Vec<f32>> = (0..POSTURES).map(|_| any()).collect();
    let body = Anywhere::new(frames.world.clone())?;
    let free: Vec<[f64; 2]> = floor
        .places_m
        .iter()
        .copied()
        .filter(|p| body.has_room(*p))
        .collect();
    let stride = free.len().div_ceil(PLACES).max(1);
    let at = |place_m: &[f64; 2]| {
        let posed = postures.iter().map(|posture| {
            let mut state = posture.clone();
            state[0] = place_m[0] as f32;
            state[1] = place_m[1] as f32;
            embed(&state)
        });
        posed.collect::<Result<Vec<_>>>()
    };
    free.iter().step_by(stride).map(at).collect()
}

/// The mean variance over postures of one place, divided by that over all.
fn posture_share(points: &[Vec<Vec<f32>>], steps: impl Fn(&[f32]) -> f64) -> f64 {
    let values: Vec<Vec<f64>> = points
        .iter()
        .map(|postures| postures.iter().map(|point| steps(point)).collect())
        .collect();
    let all: Vec<f64> = values.iter().flatten().copied().collect();
    let within: f64 = values.iter().map(|of_place| variance(of_place)).sum();
    within / values.len() as f64 / variance(&all)
}

/// The mean; 0 of nothing.
fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn variance(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n
}
