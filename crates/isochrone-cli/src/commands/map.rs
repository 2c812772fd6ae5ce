//! `isochrone map`: logged trajectories and a distance → landmarks and the hops between them, in a file.

use crate::cli::MapOptions;
use anyhow::{Result, bail};
use isochrone::roadmap::{HopRule, connectivity};
use isochrone_files::roadmap::{self, RoadmapFile};
use isochrone_files::{model, path_kind};
use isochrone_runs::cluster::Ranks;
use isochrone_runs::fit::Given;
use isochrone_runs::output::{print, refuse_other_ending, refuse_same_file, refuse_unwritable};
use isochrone_runs::progress::TerminalObserver;
use isochrone_runs::roadmap::{RoadmapSpec, build};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// A map below this share of connected landmarks has goals that it cannot plan to.
const CONNECTED_ENOUGH: f64 = 0.99;

/// Runs the command.
pub fn run(options: &MapOptions) -> Result<()> {
    refuse_other_ending(&options.output, roadmap::ENDING)?;
    let (model_file, files) = inputs(&options.inputs)?;
    let model = path_kind::model(&model_file)?;
    let given = Given::Files(files, model.about.states.clone());
    for input in given.open()?.files().iter().chain([&model_file]) {
        refuse_same_file(&[Some(input), Some(&options.output)])?;
    }
    refuse_unwritable(&options.output)?;
    let spec = RoadmapSpec {
        landmarks: options.landmarks as usize,
        selection: options.selection.into(),
        hops: HopRule::Witnessed {
            steps: options.hop_steps as usize,
        },
        seed: options.seed,
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = options.threads.map_or(cores, |n| n as usize);
    let observer = TerminalObserver::for_ranks(&Ranks::Single);
    let map = build(&given, model, &spec, threads, &observer)?;
    drop(observer);
    map.write(&options.output)?;
    print(&text(&map, &options.output)?)
}

/// The model and the data files, in whatever order they were typed.
fn inputs(typed: &[String]) -> Result<(PathBuf, Vec<String>)> {
    let is_model = |name: &&String| {
        let ending = Path::new(name.as_str()).extension();
        ending.is_some_and(|ending| ending == model::ENDING)
    };
    let (models, files): (Vec<&String>, Vec<&String>) = typed.iter().partition(is_model);
    let [model] = models.as_slice() else {
        bail!(
            "{} files end in .{}; a map is made of one distance and data files",
            models.len(),
            model::ENDING
        );
    };
    if files.is_empty() {
        bail!("which trajectories? name data files beside {model}");
    }
    Ok((model.into(), files.into_iter().cloned().collect()))
}

fn text(map: &RoadmapFile, output: &Path) -> Result<String> {
    let found = connectivity(&map.map);
    let hops = map.map.hops();
    let n = map.map.len();
    let mut text = format!("wrote {}\n\n", output.display());
    writeln!(
        text,
        "{n} landmarks from {} states of {} episodes, {} hops ({:.1} from each)",
        map.facts.states,
        map.facts.episodes,
        hops.len(),
        hops.len() as f64 / n as f64,
    )?;
    let share = 100.0 * found.largest_share;
    writeln!(
        text,
        "{share:.1} % of the landmarks can be reached from each other ({} strongly connected components)",
        found.components
    )?;
    if found.isolated > 0 {
        writeln!(
            text,
            "{} landmarks have no hop: no trajectory came to them or went from them within {} steps",
            found.isolated,
            steps_of(map)
        )?;
    }
    if found.largest_share < CONNECTED_ENOUGH {
        writeln!(
            text,
            "Some routes do not exist. More data, fewer landmarks or longer hops (--hop-steps {}) connect more.",
            2 * steps_of(map)
        )?;
    }
    writeln!(
        text,
        "  isochrone route {} --from STATE --to STATE",
        output.display()
    )?;
    Ok(text)
}

fn steps_of(map: &RoadmapFile) -> usize {
    map.map.rule().steps() as usize
}
