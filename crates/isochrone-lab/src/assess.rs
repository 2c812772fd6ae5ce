//! `isochrone assess`: how far a distance can be trusted.
//!
//! On trajectories: do predicted steps come true, are detours ever shorter, is there one-way structure in the data,
//! which ε makes "reached" mean something. On a maze: the same distance against exact commute times **and** shortest
//! paths, which are two different truths.

mod figures;
mod on_data;
mod on_maze;
mod one_way;
mod words;

use crate::cli::AssessOptions;
use crate::data::DataSource;
use crate::fingerprint::fingerprint;
use crate::judge::Watched;
use crate::model::DistanceModel;
use crate::output::{draw, print, write};
use crate::progress::Waiting;
use crate::world::World;
use anyhow::{Context, Result, bail};
use on_data::OnData;
use on_maze::OnMaze;
use serde::Serialize;

/// Everything that was found.
#[derive(Serialize)]
struct Report {
    model: String,
    on_data: Option<OnData>,
    on_maze: Option<OnMaze>,
}

/// Runs the command.
pub fn run(options: &AssessOptions) -> Result<()> {
    let model = DistanceModel::read(&options.model)?;
    if options.files.is_empty() && options.maze.is_none() {
        bail!("assess it by what? give data files, or a maze with --maze");
    }
    let waiting = Waiting::new("reading");
    let watched = watched(options, &model)?;
    waiting.now("assessing");
    let on_data = watched
        .as_ref()
        .map(|(watched, which)| OnData::find(&model, watched, *which));
    let maze = options
        .world()
        .map(|world| World::read(&world))
        .transpose()?;
    let on_maze = maze.as_ref().map(|world| OnMaze::find(&model, world));
    let report = Report {
        model: options.model.display().to_string(),
        on_data: on_data.transpose()?,
        on_maze: on_maze.transpose()?,
    };
    let mut written = Vec::new();
    if let Some(folder) = &options.out {
        waiting.now("drawing");
        let json = serde_json::to_string_pretty(&report)? + "\n";
        write(&folder.join("report.json"), json.as_bytes())?;
        written.push("report.json");
        if let Some(found) = &report.on_data {
            draw(
                &folder.join("calibration.svg"),
                &figures::calibration(&found.calibration),
            )?;
            written.push("calibration.svg");
        }
        let map = match (&maze, &watched) {
            (Some(world), _) => Some(figures::maze_map(&model, world, options.from.as_ref())?),
            (None, Some((watched, _))) => figures::data_map(&model, watched, options)?,
            (None, None) => None,
        };
        if let Some(map) = map {
            draw(&folder.join("map.svg"), &map)?;
            draw(&folder.join("map.png"), &map)?;
            written.extend(["map.svg", "map.png"]);
        }
    }
    drop(waiting);
    if options.json {
        return print(&(serde_json::to_string_pretty(&report)? + "\n"));
    }
    print(&words::text(&report))?;
    match &options.out {
        Some(folder) => print(&format!(
            "\nwrote {}/{{{}}}\n",
            folder.display(),
            written.join(",")
        )),
        None => Ok(()),
    }
}

/// Whose episodes a distance is judged by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Which {
    /// The data it was fitted to: only the episodes kept aside.
    HeldOut,
    /// Other data, all of them.
    All,
    /// The data it was fitted to, those it learned from included.
    Seen,
}

/// The episodes to judge by. Of the files that a distance was fitted to, only those that it has not seen count.
fn watched(options: &AssessOptions, model: &DistanceModel) -> Result<Option<(Watched, Which)>> {
    if options.files.is_empty() {
        return Ok(None);
    }
    let columns = model.about.states.columns();
    let source = DataSource::open(&options.files, columns.clone())?;
    model.check_width(&source)?;
    let training = &model.about.training;
    let mut known = Vec::new();
    for file in source.files() {
        let print = fingerprint(file)?;
        known.push(
            training
                .files
                .iter()
                .find(|facts| facts.fingerprint == print),
        );
    }
    let which = match (known.iter().flatten().count(), options.all) {
        (0, _) => Which::All,
        (_, true) => Which::Seen,
        (n, false) if n == known.len() => Which::HeldOut,
        (..) => bail!(
            "some of these files are what the distance was fitted to and some are not: give one kind, or --all"
        ),
    };
    let mut watched = Watched::new(source.spec().len());
    for (file, facts) in source.files().iter().zip(known) {
        let name = file.to_str().context("a file's name is not text")?;
        let one = DataSource::open(&[name.to_owned()], columns.clone())?;
        watched.gather(&one, |episode| match (which, facts) {
            (Which::HeldOut, Some(facts)) => {
                training.held_out.contains(facts.first_episode + episode)
            }
            _ => true,
        })?;
    }
    if watched.n_states() == 0 {
        bail!(
            "no episode of these files was kept aside; --all judges by those it learned from too"
        );
    }
    Ok(Some((watched, which)))
}
