//! Trajectories → training samples, for each objective.

use super::samples::{Sample, Samples};
use super::trainer::{DistanceTrainer, TrainError};
use super::{Architecture, Objective, Part};
use crate::comm::{Comm, CommError};
use crate::distance::{Distance, DistanceError, is_row};
use crate::pairs::{Episodes, FirstEntries, Pair, PairSource, Reservoir, Sampler, Target};
use crate::rng::Rng;
use crate::roadmap::Geodesic;
use rand::RngExt;
use rand::seq::SliceRandom;

/// States per epoch that bootstrapped targets use as goals, if the caller gives none.
const OWN_GOALS: usize = 10_000;

impl DistanceTrainer {
    /// An empty list of samples, with the columns that the objective needs.
    pub(super) const fn no_samples(&self) -> Samples {
        let inputs = self.spec.encoder.inputs;
        match self.spec.objective {
            Objective::Regression {
                target: Target::Bootstrapped { .. },
                ..
            }
            | Objective::GraphDrawing { .. } => Samples::new(inputs, 3, 2),
            Objective::Regression { .. } => Samples::new(inputs, 2, 2),
            Objective::Clips { frames, .. } => {
                Samples::new(inputs, frames, frames * (frames - 1) / 2)
            }
        }
    }

    /// The samples of an epoch in random order: one per step of these trajectories, except pairs of equal states, and the far pairs
    /// of a separated window. `goals` are
    /// only for bootstrapped targets.
    pub(super) fn draw(
        &self,
        episodes: &Episodes<'_>,
        goals: &Reservoir,
        rng: &mut Rng,
    ) -> Result<Samples, TrainError> {
        let (got, expected) = (episodes.width(), self.spec.encoder.inputs);
        if got != expected {
            return Err(TrainError::Width { got, expected });
        }
        self.check_rows(episodes)?;
        let mut samples = self.no_samples();
        if !matches!(self.spec.objective, Objective::Clips { .. }) {
            samples.reserve(episodes.n_steps());
        }
        match self.spec.objective {
            Objective::Regression {
                target: Target::Bootstrapped { radius, steps },
                ..
            } => draw_passages(&episodes.cut(steps), goals, radius, rng, &mut samples),
            Objective::Regression {
                target: Target::Geodesic { steps },
                ..
            } => {
                let map = self.geodesic.as_ref().ok_or(TrainError::NoMap)?;
                draw_routes(episodes, map, steps, rng, &mut samples)?;
            }
            Objective::Regression {
                target: Target::SeparatedWindow { steps, far_share },
                sampler,
            } => draw_separated(episodes, steps, far_share, sampler, rng, &mut samples),
            Objective::Regression { target, sampler } => {
                draw_pairs(episodes, target, sampler, rng, &mut samples);
            }
            Objective::Clips { target, frames } => {
                draw_clips(episodes, target, frames, rng, &mut samples);
            }
            Objective::GraphDrawing { lambda, .. } => {
                // Whole batches: the repulsion is a mean over pairs of a batch, and needs at least two states.
                let count = episodes.n_steps().next_multiple_of(self.spec.batch);
                draw_neighbours(episodes, lambda, count, rng, &mut samples);
            }
        }
        Ok(samples)
    }

    /// States of a table must be indices of its rows.
    fn check_rows(&self, episodes: &Episodes<'_>) -> Result<(), TrainError> {
        let Architecture::Table { states } = self.spec.encoder.architecture else {
            return Ok(());
        };
        let rows = episodes.ranges().iter().flat_map(Clone::clone);
        let mut indices = rows.map(|row| episodes.state(row)[0]);
        match indices.find(|index| !is_row(*index, states)) {
            Some(index) => Err(DistanceError::NoSuchState { index, states }.into()),
            None => Ok(()),
        }
    }

    /// Goals of bootstrapped targets: the ones given, or states of this epoch, evenly spaced over all ranks.
    pub(super) fn epoch_goals(
        &self,
        parts: &[Part<'_>],
        comm: &dyn Comm,
    ) -> Result<Reservoir, CommError> {
        let width = self.spec.encoder.inputs;
        let none = || Reservoir::new(1, width);
        if !self.is_bootstrapped() {
            return Ok(none());
        }
        if let Some(goals) = &self.goals {
            return Ok(goals.clone());
        }
        let rows = |part: &Part<'_>| part.episodes.ranges().to_vec().into_iter().flatten();
        let mine: usize = parts.iter().map(|part| rows(part).count()).sum();
        let counts = comm.all_gather_bytes(&mine.to_le_bytes())?;
        let counts = counts
            .iter()
            .filter_map(|count| count.as_slice().try_into().ok());
        let all: usize = counts.map(usize::from_le_bytes).sum();
        let apart = all.div_ceil(OWN_GOALS).max(1);
        let states = parts.iter().flat_map(|part| {
            let spaced = rows(part).step_by(apart);
            spaced.flat_map(|row| part.episodes.state(row))
        });
        let bytes: Vec<u8> = states.flat_map(|x| x.to_le_bytes()).collect();
        let bytes = comm.all_gather_bytes(&bytes)?.concat();
        let states = bytes.as_chunks().0.iter().map(|x| f32::from_le_bytes(*x));
        Ok(Reservoir::full(states.collect(), width).unwrap_or_else(none))
    }
}

/// Lags of forward pairs: the paper's regression.
fn draw_pairs(
    episodes: &Episodes<'_>,
    target: Target,
    sampler: Sampler,
    rng: &mut Rng,
    samples: &mut Samples,
) {
    let source = PairSource::new(episodes, target, sampler);
    for pair in source.epoch(rng) {
        samples.push(&lag_of(episodes, pair));
    }
}

/// A pair and its lag.
fn lag_of<'a>(episodes: &Episodes<'a>, pair: Pair) -> Sample<'a> {
    Sample {
        from: episodes.state(pair.from),
        goal: episodes.state(pair.to),
        steps: pair.lag_steps as f32,
        met: true,
        third: &[],
    }
}

/// Lags of forward pairs within a window, and among them pairs whose goal was not met within W steps:
///
/// ```text
/// y = lag                    if lag ≤ W
/// y = max(W, d(s_t, s_u))    if u − t > W and s_u is none of s_t … s_{t+W}: no error where d is large enough already
/// ```
fn draw_separated(
    episodes: &Episodes<'_>,
    window_steps: usize,
    far_share: f32,
    sampler: Sampler,
    rng: &mut Rng,
    samples: &mut Samples,
) {
    let target = Target::Window {
        steps: window_steps,
    };
    let source = PairSource::new(episodes, target, sampler);
    let after = |row: usize| row.saturating_add(window_steps).saturating_add(1);
    let starts: Vec<(usize, usize)> = episodes
        .starts()
        .filter(|(row, end)| after(*row) < *end)
        .collect();
    let entries = FirstEntries::of(episodes);
    for pair in source.epoch(rng) {
        samples.push(&lag_of(episodes, pair));
        if starts.is_empty() || rng.random::<f32>() >= far_share {
            continue;
        }
        let (from, end) = starts[rng.random_range(0..starts.len())];
        let to = rng.random_range(after(from)..end);
        // A walk that rests or returns: its window says how far they are apart.
        let met = entries.first_hit_of(episodes, from..after(from), to, target.radius());
        if met.is_none() {
            samples.push(&Sample {
                from: episodes.state(from),
                goal: episodes.state(to),
                steps: window_steps as f32,
                met: false,
                third: &[],
            });
        }
    }
}

/// Clips with the lags of all their pairs.
fn draw_clips(
    episodes: &Episodes<'_>,
    target: Target,
    frames: usize,
    rng: &mut Rng,
    samples: &mut Samples,
) {
    let source = PairSource::new(episodes, target, Sampler::UniformPairs);
    for clip in source.clips(frames, rng) {
        let states = clip.rows.iter().map(|row| episodes.state(*row));
        let steps = clip.lags_steps.iter().map(|steps| *steps as f32);
        samples.push_clip(states, steps);
    }
}

/// Any state, any goal g, and the time until g is reached, as far as the window shows it:
///
/// ```text
/// y = lag                         if g is reached at t + lag ≤ T
/// y = (T − t) + d′(s_T, g)        otherwise
/// ```
///
/// with d′ the target network, a delayed copy of the distance, and the total clipped to [`DistanceTrainer::set_longest`] if
/// that is set. Without clipping, the true mean passage times are the fixed point for every window and every start:
/// partial-episode bootstrapping (Pardo et al. 2018) applied to first passages. Windows do not record whether an episode was
/// truncated or terminated: both are bootstrapped.
fn draw_passages(
    windows: &Episodes<'_>,
    goals: &Reservoir,
    radius: f32,
    rng: &mut Rng,
    samples: &mut Samples,
) {
    if goals.is_empty() {
        return;
    }
    let starts: Vec<(usize, usize)> = windows.starts().collect();
    let entries = FirstEntries::of(windows);
    for _ in 0..starts.len() {
        let (from, end) = starts[rng.random_range(0..starts.len())];
        let goal = goals.state(rng.random_range(0..goals.len()));
        let first_hit = |rows| entries.first_hit(windows, rows, goal, radius);
        if first_hit(from..from + 1).is_some() {
            continue;
        }
        let (met, last) = (first_hit(from + 1..end), end - 1);
        samples.push(&Sample {
            from: windows.state(from),
            goal,
            steps: (met.unwrap_or(last) - from) as f32,
            met: met.is_some(),
            third: windows.state(last),
        });
    }
}

/// A state, another one, and the fewest steps between them. Half of the pairs are of one trajectory within `most_steps`,
/// where the lag is an upper limit; half are of a state and a landmark anywhere on the map, in both directions. Pairs
/// without a route teach nothing.
fn draw_routes(
    episodes: &Episodes<'_>,
    geodesic: &Geodesic,
    most_steps: usize,
    rng: &mut Rng,
    samples: &mut Samples,
) -> Result<(), TrainError> {
    let map = geodesic.map();
    let mut starts: Vec<(usize, usize)> = episodes.starts().collect();
    starts.shuffle(rng);
    for (row, end) in starts {
        let state = episodes.state(row);
        let (from, goal, lag_steps) = if rng.random() {
            let last = end.min(row.saturating_add(most_steps).saturating_add(1));
            let to = rng.random_range(row + 1..last);
            (state, episodes.state(to), (to - row) as f64)
        } else {
            let landmark = map.landmark(rng.random_range(0..map.len()));
            let (from, goal) = if rng.random() {
                (state, landmark)
            } else {
                (landmark, state)
            };
            (from, goal, f64::INFINITY)
        };
        let steps = geodesic.between(from, goal)?.min(lag_steps);
        if steps.is_finite() && from != goal {
            samples.push(&Sample {
                from,
                goal,
                steps: steps as f32,
                met: true,
                third: &[],
            });
        }
    }
    Ok(())
}

/// Neighbours for graph drawing, sampled as its authors do: an episode, a state of it, and a gap of geometric distribution
/// up to the episode's end. The states to repel are sampled in the same way.
fn draw_neighbours(
    episodes: &Episodes<'_>,
    lambda: f32,
    count: usize,
    rng: &mut Rng,
    samples: &mut Samples,
) {
    let moving = episodes.ranges().iter().filter(|r| r.len() > 1);
    let ranges: Vec<_> = moving.cloned().collect();
    if ranges.is_empty() {
        return;
    }
    for _ in 0..count {
        let range = ranges[rng.random_range(0..ranges.len())].clone();
        let first = rng.random_range(range.start..range.end - 1);
        let gap = 1 + geometric(lambda, range.end - 2 - first, rng);
        let other = ranges[rng.random_range(0..ranges.len())].clone();
        samples.push(&Sample {
            from: episodes.state(first),
            goal: episodes.state(first + gap),
            steps: gap as f32,
            met: true,
            third: episodes.state(rng.random_range(other)),
        });
    }
}

/// k in `0..=most` with probability ∝ λᵏ, by inversion sampling; λ = 1 is uniform.
fn geometric(lambda: f32, most: usize, rng: &mut Rng) -> usize {
    let (lambda, u) = (f64::from(lambda), rng.random::<f64>());
    if lambda >= 1.0 {
        return rng.random_range(0..=most);
    }
    if lambda <= 0.0 {
        return 0;
    }
    let total = 1.0 - lambda.powf(most as f64 + 1.0);
    let k = (1.0 - u * total).ln() / lambda.ln();
    (k as usize).min(most)
}

#[cfg(test)]
mod tests {
    use super::super::{Architecture, DistanceSpec, EncoderSpec, Head};
    use super::*;
    use crate::rng::{Purpose, Seed};

    /// Samples of two walks of 40 steps through these places.
    fn separated(places: impl Iterator<Item = u8>, far_share: f32) -> Samples {
        let states: Vec<f32> = places.map(f32::from).collect();
        let episodes = Episodes::new(&states, 1, vec![0..41, 41..82]).unwrap();
        let spec = DistanceSpec {
            encoder: EncoderSpec {
                inputs: 1,
                architecture: Architecture::Mlp { hidden: vec![2] },
                dims: 2,
                head: Head::Symmetric,
            },
            objective: Objective::Regression {
                target: Target::SeparatedWindow {
                    steps: 8,
                    far_share,
                },
                sampler: Sampler::UniformPairs,
            },
            ..DistanceSpec::paper(1, 8)
        };
        let trainer = DistanceTrainer::new(spec, Seed(1)).unwrap();
        let mut rng = Seed(2).stream(Purpose::Pairs, 0, 0);
        let none = Reservoir::new(1, 1);
        trainer.draw(&episodes, &none, &mut rng).unwrap()
    }

    /// Pairs within the window have their lag; the others are of one walk, too, farther apart, and bounded by the window.
    #[test]
    fn far_pairs_are_beyond_the_window() {
        let samples = separated(0..82, 0.5);
        let rows = (0..samples.len()).map(|at| samples.get(at));
        let (near, far): (Vec<_>, Vec<_>) = rows.partition(|sample| sample.met);
        assert!(
            near.len() == 80 && (20..60).contains(&far.len()),
            "{}",
            far.len()
        );
        for sample in near {
            assert!((1.0..=8.0).contains(&sample.steps));
            let lag = sample.goal[0] - sample.from[0];
            assert!((lag - sample.steps).abs() < 0.5, "{sample:?}");
        }
        for sample in far {
            let lag = sample.goal[0] - sample.from[0];
            assert!(
                (9.0..=40.0).contains(&lag) && (sample.steps - 8.0).abs() < 0.5,
                "{sample:?}"
            );
            assert_eq!(sample.from[0] < 41.0, sample.goal[0] < 41.0);
        }
        assert_eq!(separated(0..82, 0.0).len(), 80);
    }

    /// A walk to and fro between two places, and one that rests: nothing is far that was met within the window.
    #[test]
    fn what_was_met_within_the_window_is_not_far() {
        let places = (0_u8..82).map(|step| if step < 41 { step % 2 } else { 7 });
        let samples = separated(places, 1.0);
        assert!(samples.len() > 10 && (0..samples.len()).all(|at| samples.get(at).met));
    }
}
