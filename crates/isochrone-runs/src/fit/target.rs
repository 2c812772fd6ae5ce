//! Which target is learned, if none is named: the one whose trial fit has the smallest error on held-out episodes.
//!
//! The error is the mean of |steps left − d(frame, end of its episode)|, which every target can be asked for. A trial has a
//! tenth of the passes.

use super::learn::{self, Work};
use super::spec::{FitSpec, TargetName};
use super::survey::Survey;
use crate::calibration::{ObservedEpisodes, error_to_go};
use crate::exit::Stopped;
use crate::output::human;
use crate::progress::Observer;
use anyhow::Result;

/// One in so many passes is a trial.
const TRIAL: u64 = 10;
/// Another target must have less than this share of the error of the paper's: a small difference is chance.
const BETTER: f64 = 0.9;
/// The radius of `first_passage`, in median steps.
const RADIUS_STEPS: f64 = 1.0;

/// The same spec with a target.
pub(super) fn choose(work: Work<'_>, spec: &FitSpec, survey: &Survey) -> Result<FitSpec> {
    let with = |target, radius| FitSpec {
        target: Some(target),
        radius,
        ..spec.clone()
    };
    let window = with(TargetName::Window, spec.radius);
    let is_open = spec.target.is_none() && spec.window_steps.is_none() && spec.radius.is_none();
    // Ranks would have to agree on every trial.
    let can_compare = work.ranks.size() == 1 && survey.held_out_episodes > 0;
    if !is_open || !can_compare || survey.median_step <= 0.0 {
        return Ok(if spec.target.is_none() {
            window
        } else {
            spec.clone()
        });
    }
    let radius = (RADIUS_STEPS * survey.median_step) as f32;
    let other = with(TargetName::FirstPassage, Some(radius));
    let held_out = survey.held_out;
    let mut observed = ObservedEpisodes::new(survey.width);
    let keep = |episode| held_out.contains(episode);
    observed.gather(work.source, keep, work.observer)?;
    let error = |spec: &FitSpec| trial(work, spec, survey, &observed);
    let (of_window, of_other) = (error(&window)?, error(&other)?);
    let is_better = match (of_window, of_other) {
        (Some(of_window), Some(of_other)) => of_other < BETTER * of_window,
        (None, Some(_)) => true,
        (_, None) => false,
    };
    let (chosen, name) = if is_better {
        (
            other,
            format!("first_passage with radius {}", human(f64::from(radius))),
        )
    } else {
        (window, "window".to_owned())
    };
    work.observer.notes(&format!(
        "target: {name}, by the mean error of steps to the end of held-out episodes in a short trial: {} with window, {} with \
         first_passage",
        words(of_window),
        words(of_other)
    ));
    Ok(chosen)
}

fn words(error: Option<f64>) -> String {
    error.map_or_else(|| "unknown".to_owned(), |steps| format!("{steps:.1} steps"))
}

/// The error of a short fit; `None` if there is none, for example because no two states are far enough apart.
fn trial(
    work: Work<'_>,
    spec: &FitSpec,
    survey: &Survey,
    observed: &ObservedEpisodes,
) -> Result<Option<f64>> {
    let mut spec = spec.settle(survey.facts())?;
    spec.passes = spec.passes.map(|passes| passes.div_ceil(TRIAL));
    let trial = Work {
        folder: None,
        observer: &Trial(work.observer),
        ..work
    };
    let fitted = match learn::begin(trial, spec, survey.clone(), None) {
        Err(error) if error.is::<Stopped>() => return Err(error),
        Err(_) => return Ok(None),
        Ok(fitted) => fitted,
    };
    let model = fitted.model(work.origin.clone())?;
    error_to_go(&model, observed, work.observer)
}

/// Shows nothing of a trial, but lets it be stopped.
struct Trial<'a>(&'a dyn Observer);

impl Observer for Trial<'_> {
    fn begins(&self, _what: &str, _units: u64) {
        self.0.begins("comparing targets", 0);
    }

    fn skips(&self, _units: u64) {}

    fn advances(&self, _units: u64, _detail: &str) {}

    fn goes_on(&self) -> bool {
        self.0.goes_on()
    }

    fn notes(&self, _text: &str) {}

    fn warns(&self, _text: &str) {}
}
