//! The target of a fit for which none is named: the paper's, unless a trial fit of another has a clearly smaller error on
//! held-out episodes.
//!
//! The error is the mean of |steps left − d(frame, end of its episode)|, which every target can be asked for. A trial has a
//! tenth of the updates. All ranks do the same trials and find the same errors.

use super::learn::{self, NoPairs, Work};
use super::spec::FitSpec;
use super::survey::Survey;
use super::target_name::TargetName;
use crate::calibration::{ObservedEpisodes, error_to_go};
use crate::exit::Stopped;
use crate::output::human;
use crate::progress::{NoObserver, Observer};
use anyhow::Result;
use isochrone::embedding::TrainError;
use isochrone_files::run_folder::RunFolder;

/// One in so many updates is a trial.
const TRIAL: u64 = 10;
/// Another target must have less than this share of the error of the paper's: a small difference is chance.
const BETTER: f64 = 0.9;

/// The same spec with a target.
pub(super) fn choose(work: Work<'_>, spec: &FitSpec, survey: &Survey) -> Result<FitSpec> {
    if spec.target.is_some() {
        return Ok(spec.clone());
    }
    let window = FitSpec {
        target: Some(TargetName::Window),
        ..spec.clone()
    };
    let unseen = survey.held_out_episodes - survey.copies.len() as u64;
    let can_compare = unseen > 0 && survey.median_step > 0.0;
    if spec.window_steps.is_some() || !can_compare {
        return Ok(window);
    }
    let radius = survey.median_step as f32;
    let first_passage = FitSpec {
        target: Some(TargetName::FirstPassage),
        radius: Some(radius),
        ..spec.clone()
    };
    let errors = compare(work, [&window, &first_passage], survey);
    let [of_window, of_first_passage] = errors.map_err(|error| stopped(error, work.folder))?;
    let is_better = match (of_window, of_first_passage) {
        (Some(of_window), Some(of_first_passage)) => of_first_passage < BETTER * of_window,
        (None, Some(_)) => true,
        (_, None) => false,
    };
    let (chosen, name) = if is_better {
        let radius = human(f64::from(radius));
        (first_passage, format!("first_passage with radius {radius}"))
    } else {
        (window, "window".to_owned())
    };
    work.observer.notes(&format!(
        "target: {name} (mean error on held-out episodes after a short trial: window {}, first_passage {})",
        words(of_window),
        words(of_first_passage)
    ));
    Ok(chosen)
}

fn words(error: Option<f64>) -> String {
    error.map_or_else(|| "unknown".to_owned(), |steps| format!("{steps:.1} steps"))
}

/// The errors of trials with these specs.
fn compare(work: Work<'_>, specs: [&FitSpec; 2], survey: &Survey) -> Result<[Option<f64>; 2]> {
    let mut observed = ObservedEpisodes::new(survey.width);
    let keep = |episode| survey.is_unseen(episode);
    observed.gather(work.source, keep, work.observer)?;
    let [a, b] = specs.map(|spec| trial(work, spec, survey, &observed));
    Ok([a?, b?])
}

/// The error of a short fit; `None` if there is none, for example because no two states are far enough apart.
fn trial(
    work: Work<'_>,
    spec: &FitSpec,
    survey: &Survey,
    observed: &ObservedEpisodes,
) -> Result<Option<f64>> {
    let mut spec = spec.settle(survey.facts())?;
    let passes = spec.passes.unwrap_or(1);
    let updates = survey.transitions.div_ceil(spec.batch.max(1) as u64);
    let updates = updates.saturating_mul(passes).div_ceil(TRIAL);
    spec.passes = Some(passes.div_ceil(TRIAL));
    let trial = Work {
        folder: None,
        observer: &Trial(work.observer),
        ..work
    };
    let fitted = match learn::try_out(trial, spec, survey.clone(), updates) {
        // The fit itself tells what is wrong if no target can be learned.
        Err(error) if error.is::<NoPairs>() || error.is::<TrainError>() => return Ok(None),
        fitted => fitted?,
    };
    let model = fitted.model(work.origin.clone())?;
    // Short, and nothing that ranks must agree on for every frame.
    let error = error_to_go(&model, observed, &NoObserver)?;
    Ok(error.filter(|error| error.is_finite()))
}

/// A stop during a trial, in the words of the fit.
fn stopped(error: anyhow::Error, folder: Option<&RunFolder>) -> anyhow::Error {
    if !error.is::<Stopped>() {
        return error;
    }
    Stopped(match folder {
        None => "stopped while targets were compared".to_owned(),
        Some(folder) => format!(
            "stopped while targets were compared. Compare them again and go on:\n  isochrone fit --resume {}",
            folder.path().display()
        ),
    })
    .into()
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
