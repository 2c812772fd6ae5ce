//! `isochrone assess`: how far a distance can be trusted.
//!
//! On trajectories: do predicted steps come true, are detours ever shorter, is there one-way structure in the data,
//! which ε makes "reached" mean something. On a maze: the same distance against exact commute times **and** shortest
//! paths, which are two different truths.

mod figures;
mod goal_epsilon;
mod on_data;
mod on_map;
mod on_maze;
mod one_way;
mod selection;
mod text;

pub use goal_epsilon::{GoalEpsilonFound, GoalRule};
pub use selection::Learned;

use crate::cli::AssessOptions;
use crate::goals_argument::Goals;
use crate::world::World;
use anyhow::{Result, bail};
use isochrone_files::model::DistanceModel;
use isochrone_files::path_kind;
use isochrone_runs::calibration::ObservedEpisodes;
use isochrone_runs::fit::Given;
use isochrone_runs::logs::LEAST_EPISODES;
use isochrone_runs::output::{draw, print, write};
use isochrone_runs::progress::{NoObserver, Observer, Waiting};
use on_data::OnData;
use on_maze::OnMaze;
use selection::Which;
use serde::Serialize;
use std::path::Path;

/// Everything that was found.
#[derive(Serialize)]
struct Report {
    model: String,
    on_data: Option<OnData>,
    /// For the goals that were named.
    goal_epsilon: Option<GoalEpsilonFound>,
    on_maze: Option<OnMaze>,
}

/// Runs the command.
pub fn run(options: &AssessOptions) -> Result<()> {
    if on_map::is_map(&options.model) {
        return on_map::run(options);
    }
    let model = path_kind::model(&options.model)?;
    if options.files.is_empty() && options.maze.is_none() {
        bail!("assess it by what? give data files, or a maze with --maze");
    }
    let waiting = Waiting::new("reading");
    let observed = observed(&model, options)?;
    waiting.now("assessing");
    let on_data = observed
        .as_ref()
        .map(|(observed, which)| OnData::find(&model, observed, *which, &NoObserver));
    let goal_epsilon = match (&observed, options.to.is_empty()) {
        (Some((observed, _)), false) => {
            let goals = Goals::read(&options.to, &model)?;
            let rule = GoalRule {
                false_positive_rate: options.false_positives,
                before_end_steps: options.before_end,
            };
            let goals = &goals.states;
            let found = goal_epsilon::goal_epsilon(&model, observed, goals, rule, &NoObserver);
            Some(found?)
        }
        _ => None,
    };
    let maze = options
        .world()
        .map(|world| World::read(&world))
        .transpose()?;
    let on_maze = maze.as_ref().map(|world| OnMaze::find(&model, world));
    let report = Report {
        model: options.model.display().to_string(),
        on_data: on_data.transpose()?,
        goal_epsilon,
        on_maze: on_maze.transpose()?,
    };
    let mut written = Vec::new();
    if let Some(folder) = &options.out {
        waiting.now("drawing");
        written = write_folder(folder, &model, options, &report, (&maze, &observed))?;
    }
    drop(waiting);
    if options.json {
        return print(&(serde_json::to_string_pretty(&report)? + "\n"));
    }
    print(&text::text(&report))?;
    match &options.out {
        Some(folder) => print(&format!(
            "\nwrote {}/{{{}}}\n",
            folder.display(),
            written.join(",")
        )),
        None => Ok(()),
    }
}

/// Writes the report, figures and a page to look at; the names of the files.
fn write_folder(
    folder: &Path,
    model: &DistanceModel,
    options: &AssessOptions,
    report: &Report,
    (maze, observed): (&Option<World>, &Option<(ObservedEpisodes, Which)>),
) -> Result<Vec<&'static str>> {
    let json = serde_json::to_string_pretty(report)? + "\n";
    write(&folder.join("report.json"), json.as_bytes())?;
    let mut written = vec!["report.json"];
    let on_data = report.on_data.as_ref();
    if let Some(found) = on_data.filter(|found| found.calibration.n_observations > 0) {
        let figure = figures::calibration(&found.calibration);
        draw(&folder.join("calibration.svg"), &figure)?;
        written.push("calibration.svg");
    }
    let map = match (maze, observed) {
        (Some(world), _) => Some(figures::maze_map(model, world, options.from.as_ref())?),
        (None, Some((observed, _))) => figures::data_map(model, observed, options)?,
        (None, None) => None,
    };
    if let Some(map) = map {
        draw(&folder.join("map.svg"), &map)?;
        draw(&folder.join("map.png"), &map)?;
        written.extend(["map.svg", "map.png"]);
    }
    let episodes = observed
        .as_ref()
        .map_or(0, |(observed, _)| observed.n_episodes());
    if episodes >= LEAST_EPISODES {
        let given = Given::Files(options.files.clone(), model.about.states.clone());
        let (page, named) = (folder.join("report.html"), options.model.as_path());
        crate::report::write_scored(&page, (model, named), &given.open_labelled()?, None)?;
        written.push("report.html");
    }
    Ok(written)
}

/// The episodes to assess by; `None` without data files.
fn observed(
    model: &DistanceModel,
    options: &AssessOptions,
) -> Result<Option<(ObservedEpisodes, Which)>> {
    if options.files.is_empty() {
        return Ok(None);
    }
    let learned = if options.all {
        Learned::Include
    } else {
        Learned::LeaveOut
    };
    let given = Given::Files(options.files.clone(), model.about.states.clone());
    selection::select(model, &given, learned, &NoObserver).map(Some)
}

/// What trajectories say of a distance, as text and as values. The observer may stop it.
pub fn on_given(
    model: &DistanceModel,
    given: &Given,
    learned: Learned,
    observer: &dyn Observer,
) -> Result<(String, impl Serialize + use<>)> {
    let (observed, which) = selection::select(model, given, learned, observer)?;
    let report = Report {
        model: String::new(),
        on_data: Some(OnData::find(model, &observed, which, observer)?),
        goal_epsilon: None,
        on_maze: None,
    };
    Ok((text::text(&report), report.on_data))
}

/// An ε for a set of goals, end to end, by these trajectories. The observer may stop it.
pub fn epsilon_for(
    model: &DistanceModel,
    given: &Given,
    learned: Learned,
    goals: &[f32],
    rule: GoalRule,
    observer: &dyn Observer,
) -> Result<GoalEpsilonFound> {
    let (observed, _) = selection::select(model, given, learned, observer)?;
    goal_epsilon::goal_epsilon(model, &observed, goals, rule, observer)
}
