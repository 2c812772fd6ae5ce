//! A report to look at: one self-contained HTML page that recolours by the steps to any state under the pointer.
//!
//! An embedding is a few numbers per state, so a few thousand states and a norm in plain JavaScript are enough: the page needs
//! no server and no network.

mod plane;
mod words;

use crate::episode_reason::{Ends, LIKE_OTHERS, reason};
use anyhow::{Context, Result};
use isochrone::distance::GoalSet;
use isochrone::embedding::Head;
use isochrone_files::data::DataSource;
use isochrone_files::model::{DistanceModel, verdict};
use isochrone_runs::logs::{self, Look, Scored, ScoredEpisode};
use isochrone_runs::output::{print, refuse_other_ending, write};
use isochrone_runs::progress::{NoObserver, Observer, Waiting};
use plane::principal_plane;
use serde::Serialize;
use std::path::Path;

const PAGE: &str = include_str!("report/page.html");
/// Where the data go.
const PLACE: &str = "__DATA__";
/// Episodes in the table.
const LISTED: usize = 20;
/// States of so many entries at most are drawn as they are; of larger ones the embedding is.
const DRAWN_ENTRIES: usize = 4;
/// Curves of the worst, and of the median and the best.
const WORST: usize = 3;

/// What the page shows.
#[derive(Serialize)]
struct Page {
    title: String,
    facts: String,
    verdict: String,
    metric: MetricOfPage,
    episodes_say: String,
    /// Scores below this are marked.
    like_others: f64,
    /// What the height of a curve is the distance to.
    ends: &'static str,
    episodes: Vec<Row>,
    map: Map,
    curves: Vec<Curve>,
    calibration: Vec<[f64; 2]>,
    trust: Vec<String>,
    suggestions: Vec<String>,
    goal: Option<Goal>,
}

#[derive(Serialize)]
struct MetricOfPage {
    p: f32,
    q: f32,
    norm_dims: usize,
    has_potential: bool,
}

#[derive(Serialize)]
struct Row {
    name: String,
    score: f64,
    reason: String,
}

#[derive(Serialize)]
struct Map {
    axes: [String; 2],
    xy: Vec<[f64; 2]>,
    points: Vec<Vec<f32>>,
    names: Vec<String>,
}

#[derive(Serialize)]
struct Curve {
    name: String,
    frames: Vec<i64>,
    steps: Vec<f64>,
    points: Vec<Vec<f32>>,
}

#[derive(Serialize)]
struct Goal {
    point: Vec<f32>,
    words: String,
}

/// What a report is made from.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'a> {
    pub(crate) model: &'a DistanceModel,
    /// As the model is called.
    pub(crate) name: &'a str,
    pub(crate) source: &'a DataSource,
    /// Goals, if there are any.
    pub(crate) goals: Option<&'a GoalSet<'a>>,
    /// The episodes with their scores.
    pub(crate) scored: &'a Scored,
}

/// Writes the page. The observer may stop it.
pub(crate) fn write_page(file: &Path, subject: Subject<'_>, observer: &dyn Observer) -> Result<()> {
    let chosen = chosen(&subject.scored.episodes);
    let numbers: Vec<u64> = chosen.iter().map(|(number, _)| *number as u64).collect();
    let Subject {
        model,
        source,
        goals,
        ..
    } = subject;
    let look = logs::look(model, source, subject.scored, &numbers, goals, observer)?;
    let page = page(subject, &chosen, &look);
    let data = serde_json::to_string(&page).context("cannot put the report together")?;
    // No text of the data may end the script that holds it.
    let data = data.replace("</", "<\\/");
    write(file, PAGE.replace(PLACE, &data).as_bytes())
}

/// Refuses a name that no browser would take for a page.
pub(crate) fn check_name(file: Option<&Path>) -> Result<()> {
    file.map_or(Ok(()), |file| refuse_other_ending(file, "html"))
}

/// Scores the episodes and writes the page.
pub(crate) fn write_scored(
    file: &Path,
    (model, name): (&DistanceModel, &Path),
    source: &DataSource,
    goals: Option<&GoalSet<'_>>,
) -> Result<()> {
    let scored = logs::scores(model, source, goals, &NoObserver)?;
    let subject = Subject {
        model,
        name: &name.display().to_string(),
        source,
        goals,
        scored: &scored,
    };
    write_page(file, subject, &NoObserver)
}

/// The same with a word of it, if a page is wanted.
pub(crate) fn write_if_wanted(
    file: Option<&Path>,
    model: (&DistanceModel, &Path),
    source: &DataSource,
    goals: Option<&GoalSet<'_>>,
) -> Result<()> {
    let Some(file) = file else {
        return Ok(());
    };
    let waiting = Waiting::new("drawing");
    write_scored(file, model, source, goals)?;
    drop(waiting);
    print(&format!("wrote {}\n", file.display()))
}

/// Episodes whose curves are shown, by their places in reading order.
fn chosen(scored: &[ScoredEpisode]) -> Vec<(usize, &'static str)> {
    let mut order: Vec<usize> = (0..scored.len()).collect();
    order.sort_by(|a, b| scored[*a].score.score.total_cmp(&scored[*b].score.score));
    let mut chosen: Vec<(usize, &'static str)> = Vec::new();
    let mut add = |place: Option<&usize>, what| {
        if let Some(&place) = place
            && chosen.iter().all(|(other, _)| *other != place)
        {
            chosen.push((place, what));
        }
    };
    for rank in 0..WORST {
        add(order.get(rank), "among the worst");
    }
    add(order.get(order.len() / 2), "median");
    add(order.last(), "best");
    chosen
}

fn page(subject: Subject<'_>, chosen: &[(usize, &'static str)], look: &Look) -> Page {
    let Subject { model, name, .. } = subject;
    let scored = &subject.scored.episodes;
    let calibration = model.about.calibration.as_ref();
    let spec = &model.about.spec;
    let outputs = model.distance.metric().outputs();
    let in_steps = |point: &[f32]| model.distance.in_steps(point);
    let bands = calibration.map_or(&[][..], |found| &found.bands);
    let ends = subject.ends();
    let mut worst: Vec<&ScoredEpisode> = scored.iter().collect();
    worst.sort_by(|a, b| a.score.score.total_cmp(&b.score.score));
    let unusual = scored
        .iter()
        .filter(|episode| episode.score.score < LIKE_OTHERS)
        .count();
    let row = |episode: &&ScoredEpisode| Row {
        name: subject.episode_name(episode),
        score: episode.score.score,
        reason: reason(episode, ends),
    };
    // In the order in which they were chosen, the worst first.
    let curves: Vec<Curve> = (chosen.iter())
        .filter_map(|(place, what)| {
            let mut seen = look.episodes.iter();
            let seen = seen.find(|seen| seen.number == *place as u64)?;
            Some(subject.curve(seen, scored.get(*place)?, what))
        })
        .collect();
    let last = look.states.last();
    let end = curves.last().and_then(|curve| {
        let point = curve.points.last()?.clone();
        Some(Goal {
            point,
            words: format!("the end of {}", curve.name),
        })
    });
    Page {
        title: format!("What {name} says of {}", subject.files()),
        facts: subject.facts(),
        verdict: calibration.map_or_else(
            || "Nothing is known of its errors: no episode was held out.".to_owned(),
            |found| sentence(&verdict(found, model.target())),
        ),
        metric: MetricOfPage {
            p: spec.p,
            q: spec.q,
            norm_dims: match spec.encoder.head {
                Head::Potential => outputs.saturating_sub(1),
                Head::Symmetric | Head::Quasimetric => outputs,
            },
            has_potential: !spec.encoder.head.is_symmetric(),
        },
        like_others: LIKE_OTHERS,
        ends: match ends {
            Ends::Usual => "where episodes usually end",
            Ends::Goals => "the nearest goal",
        },
        episodes_say: format!(
            "{unusual} of {} episodes are unlike the others (score below {LIKE_OTHERS}; 1 is usual). The worst {} are listed.",
            scored.len(),
            LISTED.min(scored.len())
        ),
        episodes: worst.iter().take(LISTED).map(row).collect(),
        map: map(model, look),
        curves,
        calibration: bands
            .iter()
            .map(|band| [band.predicted_steps, band.seen_steps])
            .collect(),
        trust: subject.trust(),
        suggestions: subject.suggestions(&worst, unusual),
        goal: end.or_else(|| {
            last.map(|seen| Goal {
                point: in_steps(&seen.point),
                words: state_name(seen.episode, seen.frame),
            })
        }),
    }
}

fn map(model: &DistanceModel, look: &Look) -> Map {
    let points: Vec<Vec<f32>> = (look.states.iter())
        .map(|seen| model.distance.in_steps(&seen.point))
        .collect();
    let (axes, xy) = if (2..=DRAWN_ENTRIES).contains(&model.distance.inputs()) {
        let columns = &model.about.states.state;
        let name = |at: usize| match columns.get(at) {
            Some(name) if columns.len() > 1 => name.clone(),
            _ => format!("entry {at} of the state"),
        };
        let place = |state: &[f32]| [f64::from(state[0]), f64::from(state[1])];
        let places = look.states.iter().map(|seen| place(&seen.state));
        ([name(0), name(1)], places.collect())
    } else {
        let axes = ["first", "second"]
            .map(|which| format!("{which} principal component of the embedding (steps)"));
        (axes, principal_plane(&points))
    };
    let names = look
        .states
        .iter()
        .map(|seen| state_name(seen.episode, seen.frame));
    Map {
        axes,
        xy,
        points: points.into_iter().map(short).collect(),
        names: names.collect(),
    }
}

fn state_name(episode: i64, frame: i64) -> String {
    format!("frame {frame} of episode {episode}")
}

/// Four digits are enough for colours, and a third of the page.
fn short(point: Vec<f32>) -> Vec<f32> {
    let rounded = |x: f32| format!("{x:.3e}").parse().unwrap_or(x);
    point.into_iter().map(rounded).collect()
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), letters.as_str())
}
