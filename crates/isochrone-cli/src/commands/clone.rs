//! `isochrone clone`: logged actions → a policy for goals nearby.

use anyhow::Result;
use isochrone_runs::cloning::{CloneOptions, clone_among};
use isochrone_runs::cluster::Ranks;
use isochrone_runs::output::{human, print};
use isochrone_runs::progress::TerminalObserver;

/// Runs the command.
pub fn run(options: &CloneOptions) -> Result<()> {
    let observer = TerminalObserver::for_ranks(&Ranks::Single);
    let (model, output) = clone_among(options, &observer)?;
    drop(observer);
    let about = &model.about;
    print(&format!(
        "wrote {}\n\nA policy for states of {} and actions of {} entries, cloned from {} steps: from a state and a goal at most \
         about {} steps away to the action. Mean squared error of an entry {}\n",
        output.display(),
        about.spec.inputs,
        about.spec.actions,
        about.steps,
        about.spec.max_lag_steps,
        human(about.error)
    ))
}
