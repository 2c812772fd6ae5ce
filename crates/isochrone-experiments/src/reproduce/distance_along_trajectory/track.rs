//! States of a trajectory, and the distance of each to the first.

use crate::reproduce::panels::{lines, series};
use crate::reproduce::predictor::Predictor;
use crate::reproduce::predictor_config::PredictorConfig;
use crate::reproduce::rollouts::{Data, Rollouts};
use crate::reproduce::shortest_path::apart_m;
use anyhow::Result;
use isochrone::distance::Distance;
use isochrone::rollout::Phase;
use isochrone_figures::{Panel, Stroke};
use isochrone_mujoco::WorldName;
use std::ops::Range;

/// The path round the wall from the start, which ends beside it. Its length is the centre line's.
const CORNERS_M: [[f64; 2]; 4] = [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]];
/// Steps of the path.
const APART_M: f64 = 0.1;
/// Shorter ones say nothing about order.
const SHORTEST_STEPS: usize = 50;

/// Name in figure.csv, title and x label of a random trajectory, measured in steps …
const RANDOM: [&str; 3] = [
    "random",
    "a random trajectory",
    "steps since the first state",
];
/// … and of the path round the wall, measured in metres.
const WALL: [&str; 3] = ["way", "at rest, round the wall", "metres along the way"];

/// States after a first one: how far along each is, and its distances to the first.
pub(super) struct Track {
    labels: [&'static str; 3],
    /// Steps since, or metres along the path.
    pub(super) at: Vec<f64>,
    pub(super) learned_steps: Vec<f64>,
    pub(super) straight_m: Vec<f64>,
}

/// Random trajectories from the world's start, which were not learned from.
pub(super) fn random_tracks(
    config: &PredictorConfig,
    data: &Data,
    predictor: &Predictor,
    seed: u64,
) -> Result<Vec<Track>> {
    let (whole, place) = (data.world.full_state_space()?, data.world.xy_space()?);
    let steps = config.amount.held_out_steps;
    let rollouts = Rollouts::of(&data.world, &whole, seed, Phase::Evaluate, steps)?;
    let episodes = rollouts.episodes()?;
    let learned = |row: usize, first: usize| {
        let [s, g] = [row, first].map(|row| data.space.project(episodes.state(row)));
        predictor.distance.between(&s, &g)
    };
    let xy_m = |row: usize| {
        let xy = place.project(episodes.state(row));
        [f64::from(xy[0]), f64::from(xy[1])]
    };
    let track = |rows: &Range<usize>| {
        let (first, later) = (rows.start, rows.start + 1..rows.end);
        let learned = later.clone().map(|row| learned(row, first));
        Ok(Track {
            labels: RANDOM,
            at: later.clone().map(|row| (row - first) as f64).collect(),
            learned_steps: learned.collect::<Result<_, _>>()?,
            straight_m: later.map(|row| apart_m(xy_m(row), xy_m(first))).collect(),
        })
    };
    let long = |rows: &&Range<usize>| rows.len() > SHORTEST_STEPS;
    episodes.ranges().iter().filter(long).map(track).collect()
}

/// The body at rest, carried round the wall.
pub(super) fn track_round_the_wall(data: &Data, predictor: &Predictor) -> Track {
    let steps = predictor.steps_to(data, CORNERS_M[0]);
    let length: f64 = CORNERS_M.windows(2).map(|c| apart_m(c[0], c[1])).sum();
    let count = (length / APART_M).round() as usize;
    let at: Vec<f64> = (1..=count).map(|k| k as f64 * APART_M).collect();
    let straight_m = |&at: &f64| apart_m(place_m(at), CORNERS_M[0]);
    Track {
        labels: WALL,
        learned_steps: at.iter().map(|&at| steps(place_m(at))).collect(),
        straight_m: at.iter().map(straight_m).collect(),
        at,
    }
}

/// The place so far along the path.
fn place_m(mut along_m: f64) -> [f64; 2] {
    for leg in CORNERS_M.windows(2) {
        let length = apart_m(leg[0], leg[1]);
        if along_m <= length {
            let part = along_m / length;
            return [0, 1].map(|k| leg[0][k] + part * (leg[1][k] - leg[0][k]));
        }
        along_m -= length;
    }
    CORNERS_M[CORNERS_M.len() - 1]
}

/// The share of steps at which a list goes up.
pub(super) fn growing_share(values: &[f64]) -> f64 {
    let ups = values.windows(2).filter(|pair| pair[1] > pair[0]).count();
    ups as f64 / (values.len() - 1) as f64
}

impl Track {
    pub(super) fn panel(&self, world: WorldName) -> Panel {
        let share = |name: &str, values: &[f64], style| {
            let greatest = values.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
            let points = self.at.iter().zip(values);
            let points = points.map(|(at, value)| (*at, value / greatest));
            series(name, points.collect(), style)
        };
        let [_, title, x_label] = self.labels;
        let curves = vec![
            share("learned", &self.learned_steps, Stroke::Solid),
            share("straight line", &self.straight_m, Stroke::Solid),
            share("so far, in steps or metres", &self.at, Stroke::Dashed),
        ];
        lines(
            format!("{world}: {title}"),
            [x_label, "share of the greatest"],
            curves,
        )
    }

    pub(super) fn csv_rows(&self, world: WorldName) -> impl Iterator<Item = String> {
        let (kind, both) = (
            self.labels[0],
            self.learned_steps.iter().zip(&self.straight_m),
        );
        self.at
            .iter()
            .zip(both)
            .map(move |(at, (steps, straight))| {
                format!("{world},{kind},{at:.1},{steps:.3},{straight:.4}")
            })
    }
}
