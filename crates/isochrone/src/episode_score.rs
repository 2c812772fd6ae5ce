//! Which logged episodes are bad? Measures of an episode, all in steps, and a score by comparison with the other episodes.
//!
//! | measure | what it means |
//! |---|---|
//! | `end_steps` | how far its end is from where episodes usually end, or from given goals |
//! | `unfamiliar_steps` | how far its states are from those of other episodes |
//! | `steps` / `predicted_steps` | steps taken for one predicted from its start to its end |
//! | `stalled_steps` | steps in which it stood still |
//! | `reversed_steps` | steps that it went away from the usual ends |
//! | `loop_steps` | the longest way that led back to where it began |
//!
//! ```text
//! factor_m(episode) = (floor_m + m(episode)) / (floor_m + median of m over all episodes)
//! score             = 1 / max(1, max_m factor_m)
//! ```
//!
//! An episode like the others has score 1. If one measure is twice as large as usual, the score is ½. The measure with the
//! largest factor is the reason. No label is needed, and nothing is learned here: a minority of bad episodes does not move a
//! median.
//!
//! *Usual ends* are the ends of other episodes. The distance to them is the lower quartile of the distances to each: a state
//! is at a usual end if a quarter of episodes end there, so several places where episodes end are all usual, and a few
//! failures are not.

mod measures;
mod usual;

pub use measures::{EpisodeMeasures, Measurer};
pub use usual::UsualEpisodes;

use crate::evaluate::median;
use serde::Serialize;

/// What is unusual about an episode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Finding {
    /// It ends elsewhere.
    End,
    /// Its states are unlike those of other episodes.
    Unfamiliar,
    /// It takes more steps than the distance from its start to its end.
    Detour,
    /// It stands still.
    Stall,
    /// It moves away from the usual ends.
    Reversal,
    /// It comes back to where it was.
    Loop,
}

impl Finding {
    /// All, in the order in which equals are named.
    pub const ALL: [Self; 6] = [
        Self::End,
        Self::Stall,
        Self::Reversal,
        Self::Loop,
        Self::Detour,
        Self::Unfamiliar,
    ];

    /// The measure that it is found by.
    pub fn of(self, measures: &EpisodeMeasures) -> f64 {
        match self {
            Self::End => measures.end_steps,
            Self::Unfamiliar => measures.unfamiliar_steps,
            Self::Detour => measures.steps_per_predicted(),
            Self::Stall => measures.stalled_steps,
            Self::Reversal => measures.reversed_steps,
            Self::Loop => measures.loop_steps,
        }
    }

    /// What is added to a measure and to its median, so that little of what is usually nothing is still little. Standing
    /// still, turning back and going in circles count from a fifth of a usual episode on.
    fn floor(self, median_steps: f64) -> f64 {
        match self {
            Self::End => 1.0,
            Self::Unfamiliar => 0.1,
            Self::Detour => 0.0,
            Self::Stall | Self::Reversal | Self::Loop => (0.2 * median_steps).max(1.0),
        }
    }
}

/// The score of an episode.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EpisodeScore {
    /// From 0 to 1: 1 is usual.
    pub score: f64,
    /// The measure with the largest factor; `None` if no measure is larger than usual.
    pub finding: Option<Finding>,
    /// That measure.
    pub measured: f64,
    /// Its median over all episodes.
    pub usual: f64,
}

/// The scores of episodes, by comparison with each other.
pub fn episode_scores(episodes: &[EpisodeMeasures]) -> Vec<EpisodeScore> {
    let of = |value: &dyn Fn(&EpisodeMeasures) -> f64| {
        median(&episodes.iter().map(value).collect::<Vec<f64>>()).unwrap_or(0.0)
    };
    let median_steps = of(&|episode| episode.steps as f64);
    let usual = Finding::ALL.map(|finding| {
        let floor = finding.floor(median_steps);
        (finding, floor, of(&|episode| finding.of(episode)))
    });
    let score = |episode: &EpisodeMeasures| {
        let mut worst = EpisodeScore {
            score: 1.0,
            finding: None,
            measured: 0.0,
            usual: 0.0,
        };
        for (finding, floor, usual) in usual {
            let measured = finding.of(episode);
            // What cannot be measured is not usual.
            let score = match measured {
                measured if measured.is_nan() => 0.0,
                measured => (floor + usual) / (floor + measured),
            };
            if score < worst.score {
                worst = EpisodeScore {
                    score,
                    finding: Some(finding),
                    measured,
                    usual,
                };
            }
        }
        worst
    };
    episodes.iter().map(score).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::Metric;
    use crate::distance_spec::DistanceSpec;
    use crate::rng::{Purpose, Seed};
    use rand::RngExt;

    /// Steps along a line of unit speed in a plane: the distance is the Euclidean one.
    fn plane() -> Metric {
        let mut spec = DistanceSpec::paper(2, 2);
        (spec.p, spec.q, spec.encoder.dims) = (2.0, 1.0, 2);
        Metric::new(&spec, 1.0)
    }

    fn straight(length: usize, jitter: &mut impl FnMut() -> f32) -> Vec<f32> {
        (0..=length)
            .flat_map(|t| [t as f32 + jitter(), jitter()])
            .collect()
    }

    fn scored(spoilt: &[Vec<f32>]) -> Vec<EpisodeScore> {
        let mut rng = Seed(0).stream(Purpose::Assess, 0, 0);
        let mut jitter = || rng.random::<f32>() - 0.5;
        let mut episodes: Vec<Vec<f32>> = (0..40).map(|_| straight(100, &mut jitter)).collect();
        episodes.extend_from_slice(spoilt);
        let mut usual = UsualEpisodes::new(plane(), Seed(0));
        for (number, points) in episodes.iter().enumerate() {
            usual.add(number as u64, points);
        }
        let measurer = Measurer::new(&usual, None);
        let each = episodes.iter().enumerate();
        let measures: Vec<EpisodeMeasures> = each
            .map(|(number, points)| measurer.measure(number as u64, points))
            .collect();
        episode_scores(&measures).split_off(40)
    }

    #[test]
    fn what_is_wrong_with_an_episode_is_the_reason() {
        let mut none = || 0.0;
        let stopped: Vec<f32> = straight(50, &mut none)
            .into_iter()
            .chain([50.0, 0.0].repeat(50))
            .collect();
        let mut back = straight(70, &mut none);
        back.extend((0..60).flat_map(|t| [70.0 - t as f32, 0.0]));
        back.extend((0..=90).flat_map(|t| [10.0 + t as f32, 0.0]));
        let away: Vec<f32> = (0..=100)
            .flat_map(|t| [t as f32, 40.0 * (0.0314 * t as f32).sin()])
            .collect();
        let mut rest = straight(60, &mut none);
        rest.extend([60.0, 0.0].repeat(100));
        rest.extend((61..=100).flat_map(|t| [t as f32, 0.0]));
        let found = scored(&[stopped, back, away, rest, straight(100, &mut none)]);
        let findings: Vec<Option<Finding>> = found.iter().map(|score| score.finding).collect();
        assert_eq!(findings[0], Some(Finding::End), "{found:?}");
        assert!(
            matches!(findings[1], Some(Finding::Reversal | Finding::Loop)),
            "{found:?}"
        );
        assert_eq!(findings[2], Some(Finding::Unfamiliar), "{found:?}");
        assert_eq!(findings[3], Some(Finding::Stall), "{found:?}");
        assert!(
            found[..4].iter().all(|score| score.score < 0.5),
            "{found:?}"
        );
        assert!(found[4].score > 0.5, "{found:?}");
    }

    #[test]
    fn equal_episodes_are_all_usual_and_one_state_is_no_error() {
        let mut usual = UsualEpisodes::new(plane(), Seed(0));
        for number in 0..3 {
            usual.add(number, &[1.0, 2.0]);
        }
        let measurer = Measurer::new(&usual, None);
        let measures: Vec<EpisodeMeasures> = (0..3)
            .map(|number| measurer.measure(number, &[1.0, 2.0]))
            .collect();
        assert!(
            episode_scores(&measures)
                .iter()
                .all(|s| s.score >= 1.0 && s.finding.is_none())
        );
        assert!(episode_scores(&[]).is_empty());
    }
}
