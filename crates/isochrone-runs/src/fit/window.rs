//! The longest lag of a pair, held against the length of episodes.

use super::spec::FitSpec;
use super::survey::Survey;
use super::target_name::TargetName;
use crate::progress::Observer;
use isochrone::pairs::SAME_STATE;
use std::collections::BTreeMap;

/// An episode is typical if this share of all steps is in episodes that are no longer.
const TYPICAL: f64 = 0.9;
/// A window of less than this share of a typical episode says little about the rest of it.
const SHORT: f64 = 0.5;

/// Steps of less than so many tolerances are taken for none too often.
const SMALL_STEPS: f64 = 3.0;

/// How long episodes are, in steps, and how many are that long.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Lengths(BTreeMap<u64, u64>);

impl Lengths {
    /// Another episode.
    pub(super) fn add(&mut self, steps: u64) {
        *self.0.entry(steps).or_default() += 1;
    }

    /// The length such that nine of ten steps are in episodes that are no longer; 0 of no step. By steps, because many
    /// episodes that broke off say nothing about those that most of the data are in.
    pub(super) fn typical(&self) -> u64 {
        let steps: u64 = self.0.iter().map(|(steps, count)| steps * count).sum();
        let wanted = (TYPICAL * steps as f64).ceil() as u64;
        let mut shorter = 0;
        let found = self.0.iter().find(|(steps, count)| {
            shorter += **steps * **count;
            shorter >= wanted
        });
        found.map_or(0, |(steps, _)| *steps)
    }

    /// The longest episode.
    pub(super) fn longest(&self) -> u64 {
        self.0.last_key_value().map_or(0, |(steps, _)| *steps)
    }

    /// How many there are.
    pub(super) fn episodes(&self) -> u64 {
        self.0.values().sum()
    }
}

/// Warns of steps that the paper's tolerance does not see: it is absolute.
pub(super) fn warn_of_small_steps(settled: &FitSpec, survey: &Survey, observer: &dyn Observer) {
    let step = survey.median_step;
    let is_small = step > 0.0 && step < SMALL_STEPS * f64::from(SAME_STATE);
    if settled.target_name() == TargetName::Window && is_small {
        observer.warns(&format!(
            "the median step is {step:.1e} in the units of the states, and the target `window` takes states within {SAME_STATE} for \
             one: near pairs are lost. target=first_passage with radius={:.0e}, a tenth of a step, counts them",
            0.1 * step
        ));
    }
}

/// Tells that first passages are counted within pieces of episodes, where these are shorter than the episodes; warns if they are
/// much shorter.
pub(super) fn tell_of_pieces(settled: &FitSpec, survey: &Survey, observer: &dyn Observer) {
    let (most, typical) = (survey.most_window_steps, survey.lengths.typical());
    if settled.target_name() != TargetName::FirstPassage || typical <= most as u64 {
        return;
    }
    let told = format!(
        "first passages are counted within pieces of {} states, and typical episodes have {typical} steps: longer times are not \
         learned. A larger shuffle_mb makes pieces longer, up to 10,000 states; target=window with window_steps={typical} takes \
         whole episodes",
        most + 1
    );
    if (most as f64) < SHORT * typical as f64 {
        observer.warns(&told);
    } else {
        observer.notes(&told);
    }
}

/// Says which window was chosen and why, or what one that was given means for these episodes.
pub(super) fn explain(
    asked: &FitSpec,
    settled: &FitSpec,
    survey: &Survey,
    observer: &dyn Observer,
) {
    let Some(window) = settled.window_steps else {
        return;
    };
    let (typical, longest) = (survey.lengths.typical(), survey.lengths.longest());
    let episodes = survey.lengths.episodes();
    if asked.window_steps.is_none() {
        let why = if settled.target_name() == TargetName::Geodesic {
            "the roadmap wants what is near, about two hops; routes reach as far as anybody walked"
                .to_owned()
        } else if window as u64 >= typical {
            format!(
                "90 % of all steps are in episodes of {window} steps or fewer ({episodes} episodes)"
            )
        } else if settled.target_name() == TargetName::Bootstrapped {
            format!("this target sees beyond its window by itself; episodes have {typical} steps")
        } else {
            format!(
                "no longer one is chosen; episodes have {typical} steps, and --window {typical} takes more memory"
            )
        };
        observer.notes(&format!("window: {window} steps, because {why}"));
    } else if settled.target_name() == TargetName::Window
        && (window as f64) < SHORT * typical as f64
    {
        observer.warns(&format!(
            "the window is {window} steps, but typical episodes have {typical} (the longest {longest}): distances beyond {window} \
             steps are extrapolated. Leave the window out to have one chosen, or take {typical}"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nine_of_ten_steps_are_in_episodes_no_longer_than_a_typical_one() {
        let mut lengths = Lengths::default();
        assert_eq!((lengths.typical(), lengths.longest()), (0, 0));
        for steps in 1..=10 {
            lengths.add(100 * steps);
        }
        // 5,500 steps in all, 4,500 in episodes of at most 900.
        assert_eq!((lengths.typical(), lengths.longest()), (1000, 1000));
        // However many episodes break off at once.
        for _ in 0..1_000 {
            lengths.add(0);
        }
        assert_eq!((lengths.typical(), lengths.episodes()), (1000, 1010));
    }
}
