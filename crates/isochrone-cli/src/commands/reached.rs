//! `isochrone reached`: a success test with a stated false-positive rate, saved into the model file.

use crate::cli::ReachedOptions;
use crate::commands::assess::{GoalEpsilonFound, GoalRule, Learned, epsilon_for};
use crate::goals_argument::Goals;
use crate::report;
use anyhow::{Result, bail};
use isochrone_files::model::{self, ReachedTest};
use isochrone_files::path_kind;
use isochrone_runs::fit::Given;
use isochrone_runs::output::{human, print, refuse_other_ending, refuse_same_file, warn};
use isochrone_runs::progress::{NoObserver, Waiting};

/// Below this share of reached ends, the goals are probably wrong.
const FEW_ENDS: f64 = 0.5;

/// Runs the command.
pub fn run(options: &ReachedOptions) -> Result<()> {
    let model = path_kind::model(&options.model)?;
    let output = options.output.as_ref().unwrap_or(&options.model);
    refuse_other_ending(output, model::ENDING)?;
    report::check_name(options.report.as_deref())?;
    let goals = Goals::read_as(&options.goals, &model, "--goals")?;
    let episodes = if options.episodes.is_empty() {
        let files = goals.files.iter().map(|file| file.display().to_string());
        files.collect()
    } else {
        options.episodes.clone()
    };
    if episodes.is_empty() {
        bail!("which frames are not done yet? name logs with --episodes");
    }
    for input in &goals.files {
        refuse_same_file(&[Some(input), Some(output)])?;
    }
    let waiting = Waiting::new("measuring");
    let given = Given::Files(episodes, model.about.states.clone());
    let rule = GoalRule {
        false_positive_rate: options.false_positives,
        before_end_steps: options.before_end,
    };
    let learned = if options.all {
        Learned::Include
    } else {
        Learned::LeaveOut
    };
    let found = epsilon_for(&model, &given, learned, &goals.states, rule, &NoObserver)?;
    let model = model.with_reached(&goals.states, test(&found))?;
    model.write(output)?;
    drop(waiting);
    print(&format!(
        "wrote {}: reached means fewer than {} steps to the nearest of {} goals\n\
         {:.1} % of {} frames more than {} steps before the end of their episode count as reached (asked for: at most {:.1} %)\n\
         {:.0} % of {} ends count as reached\n",
        output.display(),
        human(found.epsilon.epsilon),
        found.goals,
        100.0 * found.epsilon.false_positives,
        found.epsilon.negatives,
        found.before_end_steps,
        100.0 * options.false_positives,
        100.0 * found.ends_reached,
        found.ends
    ))?;
    if found.ends > 0 && found.ends_reached < FEW_ENDS {
        warn(
            "few ends count as reached: either most of these episodes fail, or the goals are not where the task is done (--goals \
             FILE:good-ends takes the ends of episodes like most)",
        );
    }
    let source = given.open_labelled()?;
    let goals = goals.embedded(&model)?;
    let page = options.report.as_deref();
    report::write_if_wanted(page, (&model, output), &source, Some(&goals))
}

/// What is saved of it.
fn test(found: &GoalEpsilonFound) -> ReachedTest {
    ReachedTest {
        epsilon_steps: found.epsilon.epsilon,
        false_positive_rate: found.epsilon.false_positive_rate,
        negatives: found.epsilon.negatives,
        false_positives: found.epsilon.false_positives,
        goals: found.goals as u64,
    }
}
