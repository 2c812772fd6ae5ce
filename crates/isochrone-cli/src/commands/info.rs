//! `isochrone info`: what a model file is, and how far to trust it.

use crate::cli::InfoOptions;
use anyhow::Result;
use isochrone::embedding::{Architecture, EncoderSpec, Head, Objective};
use isochrone::pairs::Target;
use isochrone_files::model::{
    AtZero, Calibrated, DistanceModel, FileFacts, TrainingFacts, WithinEpisodes, verdict,
};
use isochrone_files::path_kind;
use isochrone_runs::output::{human, print, table};
use std::fmt::Write as _;

/// Runs the command.
pub fn run(options: &InfoOptions) -> Result<()> {
    let model = path_kind::model(&options.model)?;
    if options.json {
        return print(&(serde_json::to_string_pretty(&model.about)? + "\n"));
    }
    print(&text(&model))
}

/// All about a model, for people.
pub fn text(model: &DistanceModel) -> String {
    let about = &model.about;
    let (spec, training) = (&about.spec, &about.training);
    let mut text = String::new();
    let mut line = |what: &str, words: String| {
        let _ = writeln!(text, "{what:<12} {words}");
    };
    line("distance", meaning(&spec.objective));
    let unit = match model.target() {
        Some(_) => "steps, under the behaviour that made the data",
        None => "none: only which of two distances is larger means something",
    };
    line("unit", unit.to_owned());
    let way = match spec.encoder.head {
        Head::Symmetric => "the same both ways",
        Head::Potential => "each way its own (norm and potential)",
        Head::Quasimetric => {
            "each way its own (quasimetric: never below zero, no detour is shorter)"
        }
    };
    line("direction", way.to_owned());
    let network = network(&spec.encoder);
    let dims = spec.encoder.dims;
    line(
        "embedding",
        format!(
            "{network} → {dims}, ‖·‖ with p = {}, to the power q = {}",
            spec.p, spec.q
        ),
    );
    if !about.states.state.is_empty() {
        line("states", about.states.state.join(", "));
    }
    line("learned from", learned_from(training));
    if let Some(test) = &about.reached {
        line(
            "reached",
            format!(
                "fewer than {} steps to the nearest of {} goals; {:.1} % of {} frames that are not done count as reached",
                human(test.epsilon_steps),
                test.goals,
                100.0 * test.false_positives,
                test.negatives
            ),
        );
    }
    match &about.calibration {
        Some(calibration) => {
            line("verdict", verdict(calibration, model.target()));
            text += &held_out(calibration, training.unseen_episodes());
        }
        None if model.target().is_none() => line(
            "held out",
            format!(
                "{} episodes; it was not fitted to steps, so it has no error in steps",
                training.held_out_episodes
            ),
        ),
        None => line(
            "held out",
            "no episode: nothing is known of its errors".to_owned(),
        ),
    }
    text
}

/// The layers in words.
fn network(encoder: &EncoderSpec) -> String {
    match &encoder.architecture {
        Architecture::Mlp { hidden } => {
            let widths: Vec<String> = hidden.iter().map(usize::to_string).collect();
            format!("{} → {}", encoder.inputs, widths.join(" → "))
        }
        Architecture::Fourier {
            features, hidden, ..
        } => {
            let widths: Vec<String> = hidden.iter().map(usize::to_string).collect();
            let layers = widths.join(" → ");
            format!("{} → {features} Fourier → {layers}", encoder.inputs)
        }
        Architecture::Cnn { images, hidden } => {
            let [height, width, colours] = images.shape;
            let channels = images.channels.iter().zip(&images.strides);
            let convolutions: Vec<String> = channels
                .map(|(channels, stride)| format!("conv {channels} / {stride}"))
                .collect();
            let widths: Vec<String> = hidden.iter().map(usize::to_string).collect();
            format!(
                "{height} × {width} × {colours} → {} → {}",
                convolutions.join(" → "),
                widths.join(" → ")
            )
        }
        Architecture::Table { states } => format!("a table of {states} states"),
    }
}

fn learned_from(training: &TrainingFacts) -> String {
    let TrainingFacts {
        files,
        episodes,
        transitions,
        passes,
        updates,
        seed,
        ..
    } = training;
    if files.is_empty() && *episodes == 0 {
        return format!(
            "what an agent did in {transitions} steps; {passes} epochs, {updates} updates, seed {seed}"
        );
    }
    let files = self::files(files);
    format!(
        "{transitions} transitions in {episodes} episodes ({files}); {passes} passes, {updates} updates, seed {seed}"
    )
}

fn files(files: &[FileFacts]) -> String {
    match files {
        [one] => one.name.clone(),
        [first, .., last] => {
            let (first, last) = (&first.name, &last.name);
            format!("{} files, {first} … {last}", files.len())
        }
        [] => "no files".to_owned(),
    }
}

fn meaning(objective: &Objective) -> String {
    match objective {
        Objective::Regression { target, .. } | Objective::Clips { target, .. } => match target {
            Target::Window { steps } => format!(
                "window: mean steps until a state is met, given that it is met within {steps} steps; beyond that it extrapolates"
            ),
            Target::SeparatedWindow { steps, .. } => format!(
                "separated window: mean steps until a state is met, given that it is met within {steps} steps; trained to be at least {steps} for states that are not"
            ),
            Target::FirstPassage { radius } => format!(
                "first passage: mean steps until a ball of radius {radius} is entered, given that it is within the episode"
            ),
            Target::Bootstrapped { radius, steps } => format!(
                "bootstrapped: mean steps until a ball of radius {radius} is entered, however long that takes (windows of {steps})"
            ),
            Target::Geodesic { .. } => {
                "geodesic: fewest steps, along the shortest routes of a roadmap of the data"
                    .to_owned()
            }
        },
        Objective::GraphDrawing { .. } => "graph drawing: no steps, nearness only".to_owned(),
    }
}

/// How a distance orders the frames of episodes, one line each, behind so many spaces.
pub(crate) fn within_lines(within: &WithinEpisodes, indent: usize) -> String {
    let WithinEpisodes {
        at_rest,
        spearman,
        beyond_window,
        progress,
    } = within;
    let or_none = |rho: Option<f64>| rho.map_or("none".to_owned(), |rho| format!("{rho:.3}"));
    let mut lines = Vec::new();
    if *at_rest > 0.0 {
        let moving = spearman.map_or(String::new(), |rho| {
            format!("; without them the rank correlation is {rho:.3}")
        });
        lines.push(format!(
            "{:.1} % of frames rest where their episode ends{moving}",
            100.0 * at_rest
        ));
    }
    if let Some(beyond) = beyond_window {
        lines.push(format!(
            "beyond the window: rank correlation {} over {} pairs",
            or_none(beyond.spearman),
            beyond.pairs
        ));
    }
    if let Some(progress) = progress {
        lines.push(format!(
            "progress: rank correlation of the distance to an episode's end with the frames left {:.3} (median of {} episodes, \
             90 % at least {:.3})",
            progress.median, progress.episodes, progress.low
        ));
    }
    let lines = lines.iter().map(|line| format!("{:indent$}{line}\n", ""));
    lines.collect()
}

/// Different states at distance 0, in one line.
pub(crate) fn at_zero_line(found: AtZero) -> String {
    format!(
        "distance 0 between different states: {} of {} pairs ({:.2} %)",
        found.at_zero,
        found.pairs,
        100.0 * found.share()
    )
}

fn held_out(calibration: &Calibrated, episodes: u64) -> String {
    let spearman = calibration
        .spearman
        .map_or(String::new(), |rho| format!(", rank correlation {rho:.3}"));
    let error = calibration.error_steps.map_or(String::new(), |error| {
        format!(", off by {} steps on average over bands", human(error))
    });
    let mut text = format!(
        "{:<12} {} pairs in {episodes} episodes{spearman}{error}\n",
        "held out", calibration.pairs
    );
    let within = calibration.within_episodes.as_ref();
    text += &within.map_or(String::new(), |within| within_lines(within, 13));
    if let Some(found) = calibration.at_zero.filter(|found| found.at_zero > 0) {
        let _ = writeln!(text, "{:<12} {}", "", at_zero_line(found));
    }
    text += "\n";
    let has_censored = calibration.censored > 0;
    let rows: Vec<Vec<String>> = (calibration.bands.iter())
        .map(|band| {
            let mut row = vec![
                format!("{:.1}", band.predicted_steps),
                format!("{:.1}", band.seen_steps),
                band.pairs.to_string(),
            ];
            if has_censored {
                row.push(format!("{}", band.censored));
            }
            row
        })
        .collect();
    let headings = ["predicted steps", "seen steps", "pairs", "not met in time"];
    text += &table(&headings[..if has_censored { 4 } else { 3 }], &rows);
    if has_censored {
        text += "\nWhat was not met before its episode ended counts for as long as it was observed: such means are \
                 too small.\n";
    }
    text
}
