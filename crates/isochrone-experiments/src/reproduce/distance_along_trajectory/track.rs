//! States one after another, and how far each is from the first.

use crate::reproduce::asked::Asked;
use crate::reproduce::predictor::Predictor;
use crate::reproduce::wander::{Data, Walks};
use crate::reproduce::way::apart_m;
use anyhow::Result;
use isochrone::distance::Distance;
use isochrone::rollout::Phase;
use isochrone_figures::{Lines, Panel, Series, Stroke};
use isochrone_mujoco::WorldName;
use std::fmt::Write as _;

/// The way round the wall from the start, which ends beside it. Its length is the centre line's.
const CORNERS_M: [[f64; 2]; 4] = [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]];
/// Steps of the way.
const APART_M: f64 = 0.1;
/// Shorter ones say nothing about order.
const SHORTEST_STEPS: usize = 50;

/// What is moved along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A random trajectory, in steps.
    Random,
    /// The way round the wall, in metres.
    Way,
}

/// States after a first one: how far along each is, and its distances to the first.
pub(super) struct Track {
    kind: Kind,
    /// Steps since, or metres along the way.
    pub(super) at: Vec<f64>,
    pub(super) learned_steps: Vec<f64>,
    pub(super) straight_m: Vec<f64>,
}

/// Random trajectories from the world's start, which were not learned from.
pub(super) fn random_tracks(
    asked: &Asked,
    data: &Data,
    predictor: &Predictor,
    seed: u64,
) -> Result<Vec<Track>> {
    let (whole, place) = (data.world.full_state_space()?, data.world.xy_space()?);
    let walks = Walks::of(
        &data.world,
        &whole,
        seed,
        Phase::Evaluate,
        asked.amount.held_out_steps,
    )?;
    let episodes = walks.episodes()?;
    let long = |rows: &&std::ops::Range<usize>| rows.len() > SHORTEST_STEPS;
    let track = |rows: &std::ops::Range<usize>| {
        let first = episodes.state(rows.start);
        let mut track = Track {
            kind: Kind::Random,
            at: Vec::new(),
            learned_steps: Vec::new(),
            straight_m: Vec::new(),
        };
        for row in rows.start + 1..rows.end {
            let state = episodes.state(row);
            let [s, g] = [state, first].map(|x| data.space.project(x));
            let [here, there] = [state, first].map(|x| {
                let xy = place.project(x);
                [f64::from(xy[0]), f64::from(xy[1])]
            });
            track.at.push((row - rows.start) as f64);
            track
                .learned_steps
                .push(predictor.distance.between(&s, &g)?);
            track.straight_m.push(apart_m(here, there));
        }
        Ok(track)
    };
    episodes.ranges().iter().filter(long).map(track).collect()
}

/// The body at rest, carried round the wall.
pub(super) fn way_track(data: &Data, predictor: &Predictor) -> Track {
    let steps = predictor.steps_to(data, CORNERS_M[0]);
    let length: f64 = CORNERS_M.windows(2).map(|c| apart_m(c[0], c[1])).sum();
    let at: Vec<f64> = (1..=(length / APART_M).round() as usize)
        .map(|k| k as f64 * APART_M)
        .collect();
    Track {
        kind: Kind::Way,
        learned_steps: at.iter().map(|&at| steps(place_m(at))).collect(),
        straight_m: (at.iter())
            .map(|&at| apart_m(place_m(at), CORNERS_M[0]))
            .collect(),
        at,
    }
}

/// The place so far along the way.
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

/// At how many of its steps a list goes up.
pub(super) fn growing_share(values: &[f64]) -> f64 {
    let ups = values.windows(2).filter(|pair| pair[1] > pair[0]).count();
    ups as f64 / (values.len() - 1) as f64
}

impl Track {
    pub(super) fn panel(&self, world: WorldName) -> Panel {
        let series = |name: &str, values: &[f64], style| {
            let greatest = values.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
            Series {
                name: name.to_owned(),
                points: (self.at.iter().zip(values))
                    .map(|(at, value)| (*at, value / greatest))
                    .collect(),
                style,
                ..Series::default()
            }
        };
        let (title, x_label) = match self.kind {
            Kind::Random => ("a random trajectory", "steps since the first state"),
            Kind::Way => ("at rest, round the wall", "metres along the way"),
        };
        Panel::Lines(Lines {
            title: format!("{world}: {title}"),
            x_label: x_label.to_owned(),
            y_label: "share of the greatest".to_owned(),
            series: vec![
                series("learned", &self.learned_steps, Stroke::Solid),
                series("straight line", &self.straight_m, Stroke::Solid),
                series("so far, in steps or metres", &self.at, Stroke::Dashed),
            ],
            ..Lines::default()
        })
    }

    pub(super) fn tell(&self, world: WorldName, csv: &mut String) {
        let kind = match self.kind {
            Kind::Random => "random",
            Kind::Way => "way",
        };
        let both = self.learned_steps.iter().zip(&self.straight_m);
        for (at, (steps, straight)) in self.at.iter().zip(both) {
            // Writing to a String cannot fail.
            let _ = writeln!(csv, "{world},{kind},{at:.1},{steps:.3},{straight:.4}");
        }
    }
}
