//! What episodes usually look like: a sample of their ends and of their states.

use crate::distance::Metric;
use crate::evaluate::median;
use crate::rng::{Rng, Seed, Stream};
use rand::RngExt;

/// Ends kept.
const ENDS: usize = 256;
/// States kept.
const STATES: usize = 4_000;
/// A state is at a usual end if this share of episodes end there.
const USUAL: f64 = 0.25;
/// A state is familiar if so many states of other episodes are near it.
const NEIGHBOURS: usize = 5;

/// Ends and states of episodes, as embedded points: all of them, or a uniform sample.
#[derive(Debug)]
pub struct UsualEpisodes {
    metric: Metric,
    ends: Sample,
    states: Sample,
    steps: Vec<f64>,
    rng: Rng,
}

/// Points with the episodes they are from: a reservoir.
#[derive(Clone, Debug, Default)]
struct Sample {
    points: Vec<(u64, Vec<f32>)>,
    seen: usize,
}

impl Sample {
    fn offer(&mut self, size: usize, episode: u64, point: &[f32], rng: &mut Rng) {
        let place = match self.seen {
            seen if seen < size => seen,
            seen => rng.random_range(0..=seen),
        };
        self.seen += 1;
        if place == self.points.len() {
            self.points.push((episode, point.to_vec()));
        } else if let Some(old) = self.points.get_mut(place) {
            *old = (episode, point.to_vec());
        }
    }

    /// The distances between a point and those of other episodes, ascending up to the one at `rank`, which is returned;
    /// the last if there are fewer. `None` of no other episode.
    fn ranked(
        &self,
        but: u64,
        distance: impl Fn(&[f32]) -> f64,
        rank: impl Fn(usize) -> usize,
    ) -> Option<f64> {
        let others = self.points.iter().filter(|(episode, _)| *episode != but);
        let mut steps: Vec<f64> = others.map(|(_, point)| distance(point)).collect();
        let last = steps.len().checked_sub(1)?;
        let rank = rank(steps.len()).min(last);
        let (_, found, _) = steps.select_nth_unstable_by(rank, f64::total_cmp);
        Some(*found)
    }
}

impl UsualEpisodes {
    /// None yet.
    pub fn new(metric: Metric, seed: Seed) -> Self {
        Self {
            metric,
            ends: Sample::default(),
            states: Sample::default(),
            steps: Vec::new(),
            rng: seed.of(Stream::UsualEpisodes),
        }
    }

    /// Adds an episode: its number and its embedded states, row by row.
    pub fn add(&mut self, episode: u64, points: &[f32]) {
        let rows = points.chunks_exact(self.metric.outputs().max(1));
        self.steps.push(rows.len().saturating_sub(1) as f64);
        if let Some(end) = rows.clone().next_back() {
            self.ends.offer(ENDS, episode, end, &mut self.rng);
        }
        for point in rows {
            self.states.offer(STATES, episode, point, &mut self.rng);
        }
    }

    /// The metric on points.
    pub const fn metric(&self) -> &Metric {
        &self.metric
    }

    /// How many episodes there are.
    pub const fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The median of their lengths in steps.
    pub fn median_steps(&self) -> f64 {
        median(&self.steps).unwrap_or(0.0)
    }

    /// Steps from a point of this episode to where others usually end; 0 if there is no other.
    pub fn steps_to_usual_end(&self, episode: u64, point: &[f32]) -> f64 {
        let steps = |end: &[f32]| self.metric.one_way(point, end);
        let rank = |others: usize| (USUAL * others as f64) as usize;
        self.ends.ranked(episode, steps, rank).unwrap_or(0.0)
    }

    /// Steps from a point of this episode to the fifth nearest state of others, either way; 0 if there is no other.
    pub fn steps_to_familiar(&self, episode: u64, point: &[f32]) -> f64 {
        let steps = |state: &[f32]| self.metric.symmetric(point, state);
        let found = self.states.ranked(episode, steps, |_| NEIGHBOURS - 1);
        found.unwrap_or(0.0)
    }
}
