//! The entries of the states, one by one: does anything in them blind the network to the rest?
//!
//! A network sees an entry in units of its own standard deviation. One value that is a million times as far out as the
//! others makes that deviation its own: all others look alike, and every distance along them is 0.

use super::spec::{FitSpec, Inputs};
use super::survey::Survey;
use crate::output::human;
use crate::progress::Observer;
use anyhow::{Result, bail};
use isochrone::env::Dtype;
use isochrone::evaluate::quantile;
use isochrone_files::data::DataSource;

/// Numbers kept to see how an entry usually varies, and states at most.
const SAMPLE_NUMBERS: usize = 4_000_000;
const SAMPLE_STATES: usize = 10_000;
/// The usual values of an entry lie between these quantiles; a wider pair counts where the narrower are one.
const USUAL: [(f64, f64); 3] = [(0.25, 0.75), (0.05, 0.95), (FEW, 1.0 - FEW)];
/// A value so many usual widths away hides the others.
const HIDES: f64 = 1e5;
/// Usual values that differ by less than this many standard deviations are seen poorly.
const POORLY_SEEN: f64 = 0.05;
/// Of errors there are few: if more states, and a larger share of them, are that far out, they are data.
const FEW_STATES: usize = 3;
const FEW: f64 = 1e-3;
/// A lone value so many usual widths away is rather an error than data.
const LONE: f64 = 10.0;
/// Lone are so few of the states.
const LONE_SHARE: f64 = 3e-4;
/// With raw inputs: an entry that varies so many times as much as another hides it.
const MOST_APART: f64 = 1e3;
/// A standard deviation below this share of the mean is rounding of 32-bit numbers.
const ROUNDING: f64 = 1e-6;
/// Names listed in one sentence.
const SHOWN: usize = 8;

/// States that are kept of so many numbers each.
pub(super) fn sample_states(width: usize) -> usize {
    (SAMPLE_NUMBERS / width.max(1)).clamp(1, SAMPLE_STATES)
}

/// The values of one entry in the data.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Range {
    pub(super) low: f32,
    pub(super) high: f32,
}

/// Widens ranges by a state; the first one makes them.
pub(super) fn widen(ranges: &mut Vec<Range>, state: &[f32]) {
    if ranges.is_empty() {
        let point = |&x: &f32| Range { low: x, high: x };
        *ranges = state.iter().map(point).collect();
    }
    for (range, &x) in ranges.iter_mut().zip(state) {
        range.low = range.low.min(x);
        range.high = range.high.max(x);
    }
}

/// Refuses an entry with a value that hides all others, and warns of entries that say nothing.
pub(super) fn check(
    survey: &Survey,
    spec: &FitSpec,
    source: &DataSource,
    observer: &dyn Observer,
) -> Result<()> {
    if survey.lengths.episodes() == 1 {
        observer.warns(
            "there is one episode: none is held out, so nothing will be known of the errors, and no ε can be suggested. Give more \
             episodes, or cut this one into several by its episode index",
        );
    }
    // Pixels cannot be left out one by one, and all are bytes: none hides the others.
    if source.spec().dtype == Dtype::U8 || spec.image.is_some() {
        return Ok(());
    }
    let names = source.entry_names()?;
    let spreads: Vec<f64> = (0..survey.width).map(|at| survey.spread(at)).collect();
    let (mut constant, mut rounding) = (Vec::new(), Vec::new());
    for (at, name) in names.iter().enumerate() {
        let Range { low, high } = survey.ranges[at];
        let (low, high) = (f64::from(low), f64::from(high));
        if high <= low {
            constant.push(name.as_str());
        } else if spreads[at] < ROUNDING * low.abs().max(high.abs()) {
            rounding.push(name.as_str());
        } else if let Some(outlier) = outlier(survey, at, spreads[at]) {
            if outlier.is_error() {
                refuse(source, at, outlier.value)?;
            }
            observer.warns(&if outlier.hides {
                format!(
                    "column {name:?} has values as far as {}, far beyond most, half of which lie within {} of each other: the network \
                     will see these poorly. Remove what are errors or marks of missing values, or store the column in a scale that \
                     suits it",
                    human(outlier.value),
                    human(outlier.usual)
                )
            } else {
                format!(
                    "column {name:?} has the value {}{}, far beyond nearly all others. If that is an error, correct it or leave out its \
                     episode: a distance that learns from errors takes them for usual",
                    human(outlier.value),
                    place(source, at, outlier.value)?
                )
            });
        }
    }
    if !constant.is_empty() {
        observer.warns(&format!(
            "{} the same in all states and {} nothing; leave out: {}",
            if constant.len() == 1 {
                "this entry is"
            } else {
                "these entries are"
            },
            if constant.len() == 1 { "says" } else { "say" },
            listed(&constant)
        ));
    }
    if !rounding.is_empty() {
        observer.warns(&format!(
            "what varies only in the last digits of 32-bit numbers, the network will take for movement: {}; leave it out, or \
             subtract its mean before it is stored",
            listed(&rounding)
        ));
    }
    if spec.inputs == Inputs::Raw {
        warn_of_hidden(&names, &spreads, observer);
    }
    Ok(())
}

/// A value beside which the others look alike.
struct Outlier {
    value: f64,
    /// How far it is from the median, in widths of the range in which usual values lie.
    widths: f64,
    /// That width.
    usual: f64,
    /// Are only few states that far out?
    is_rare: bool,
    /// Is it nearly the only one?
    is_lone: bool,
    /// Do usual values look alike beside it?
    hides: bool,
}

impl Outlier {
    /// Is it an error rather than data?
    fn is_error(&self) -> bool {
        self.widths > HIDES && self.is_rare
    }
}

/// The value farthest from the median, if the usual values of the entry look alike beside it, or if it is alone.
fn outlier(survey: &Survey, at: usize, spread: f64) -> Option<Outlier> {
    let sample = survey.sample.iter().skip(at).step_by(survey.width);
    let mut values: Vec<f64> = sample.map(|x| f64::from(*x)).collect();
    values.sort_by(f64::total_cmp);
    let of = |share: f64| quantile(&values, share).unwrap_or(0.0);
    let widths = USUAL.map(|(low, high)| of(high) - of(low));
    // What is usually constant has nothing to hide.
    let usual = widths.into_iter().find(|width| *width > 0.0)?;
    let middle = of(0.5);
    let Range { low, high } = survey.all_ranges[at];
    let (low, high) = (f64::from(low), f64::from(high));
    let value = if high - middle > middle - low {
        high
    } else {
        low
    };
    let widths = (value - middle).abs() / usual;
    let is_far = |x: &&f64| (**x - middle).abs() > 0.1 * widths * usual;
    let far_out = values.iter().filter(is_far).count();
    let found = Outlier {
        value,
        widths,
        usual,
        is_rare: far_out <= FEW_STATES.max((FEW * values.len() as f64) as usize),
        is_lone: far_out <= 1.max((LONE_SHARE * values.len() as f64) as usize),
        hides: usual <= POORLY_SEEN * spread || widths > HIDES,
    };
    (found.hides || found.is_lone && widths > LONE).then_some(found)
}

/// Where a value is first, in brackets; nothing for arrays.
fn place(source: &DataSource, entry: usize, value: f64) -> Result<String> {
    let found = source.first_place(entry, value as f32)?;
    Ok(found.map_or_else(String::new, |(file, place, _)| {
        format!(" ({}, {place})", file.display())
    }))
}

/// Names the first place of a value.
fn refuse(source: &DataSource, entry: usize, value: f64) -> Result<()> {
    let place = source.first_place(entry, value as f32)?;
    let remedy = "with it the network could not tell the other values of this column apart; remove that row or correct it";
    match place {
        Some((file, place, column)) => bail!(
            "{}, {place}, column {column:?}: the value is {}, far beyond all others; {remedy}",
            file.display(),
            human(value)
        ),
        None => bail!(
            "entry {entry}: a value is {}, far beyond all others; {remedy}",
            human(value)
        ),
    }
}

/// With raw inputs a network sees little of what varies much less than something else.
fn warn_of_hidden(names: &[String], spreads: &[f64], observer: &dyn Observer) {
    let each = names.iter().zip(spreads);
    let Some((widest, most)) = each.clone().max_by(|a, b| a.1.total_cmp(b.1)) else {
        return;
    };
    let hidden = each.filter(|(_, spread)| **spread > 0.0 && **spread * MOST_APART < *most);
    let hidden: Vec<&str> = hidden.map(|(name, _)| name.as_str()).collect();
    if !hidden.is_empty() {
        observer.warns(&format!(
            "{widest:?} varies more than {MOST_APART:.0} times as much as {}; with inputs=raw the network will hardly see \
             the latter. inputs=standardised, the default, gives every entry the same weight",
            listed(&hidden)
        ));
    }
}

pub(super) fn listed(names: &[&str]) -> String {
    let shown: Vec<String> = names.iter().take(SHOWN).map(|n| format!("{n:?}")).collect();
    let more = names.len().saturating_sub(SHOWN);
    match more {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
