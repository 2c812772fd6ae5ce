//! `isochrone info`: what a model file is, and how far to trust it.

use crate::cli::InfoOptions;
use crate::model::{Calibrated, DistanceModel, FileFacts, TrainingFacts};
use crate::output::{human, print, table};
use anyhow::Result;
use isochrone::embedding::{Head, Objective, Units};
use isochrone::pairs::Target;
use std::fmt::Write as _;

/// Runs the command.
pub fn run(options: &InfoOptions) -> Result<()> {
    let model = DistanceModel::read(&options.model)?;
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
    line(
        "unit",
        "steps, under the behaviour that made the data".to_owned(),
    );
    let way = match spec.encoder.head {
        Head::Symmetric => "the same both ways",
        Head::Potential => "each way its own (norm and potential)",
    };
    line("both ways", way.to_owned());
    let units = match &spec.encoder.units {
        Units::Mlp { hidden } => {
            let widths: Vec<String> = hidden.iter().map(usize::to_string).collect();
            format!("{} → {}", spec.encoder.inputs, widths.join(" → "))
        }
        Units::Lookup { states } => format!("a table of {states} states"),
    };
    let dims = spec.encoder.dims;
    line(
        "embedding",
        format!(
            "{units} → {dims}, ‖·‖ with p = {}, to the power q = {}",
            spec.p, spec.q
        ),
    );
    if !about.states.state.is_empty() {
        line("states", about.states.state.join(", "));
    }
    line("learned from", learned_from(training));
    match &about.calibration {
        Some(calibration) => text += &held_out(calibration, training.held_out_episodes),
        None => line(
            "held out",
            "no episode: nothing is known of its errors".to_owned(),
        ),
    }
    text
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
        Objective::Regression { target, .. } => match target {
            Target::Window { steps } => format!(
                "window: mean steps until a state is met, given that it is met within {steps} steps; beyond that it extrapolates"
            ),
            Target::FirstPassage { radius } => format!(
                "first passage: mean steps until a ball of radius {radius} is entered, given that it is within the episode"
            ),
            Target::Bootstrapped { radius, steps } => format!(
                "bootstrapped: mean steps until a ball of radius {radius} is entered, however long that takes (windows of {steps})"
            ),
        },
        Objective::GraphDrawing { .. } => "graph drawing: no steps, nearness only".to_owned(),
    }
}

fn held_out(calibration: &Calibrated, episodes: u64) -> String {
    let spearman = calibration
        .spearman
        .map_or(String::new(), |rho| format!(", rank correlation {rho:.3}"));
    let error = calibration.error_steps.map_or(String::new(), |error| {
        format!(", off by {} steps on average over bands", human(error))
    });
    let mut text = format!(
        "{:<12} {} pairs in {episodes} episodes{spearman}{error}\n\n",
        "held out", calibration.pairs
    );
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
        text += "\nWhat was not met before its episode ended counts for as long as it was watched: such means are \
                 too small.\n";
    }
    text
}
