//! `--quick`: a tenth of everything, to see that it works.

use isochrone_files::run_spec::RunSpec;

/// Iterations of a quick run, and by how much everything else is smaller.
const QUICK_ITERATIONS: u64 = 5;
const QUICK_SHARE: usize = 10;

/// The quick version of a spec.
pub fn quick(spec: &RunSpec) -> RunSpec {
    let tenth = |count: usize| count / QUICK_SHARE;
    let mut quick = spec.clone();
    quick.iterations = spec.iterations.min(QUICK_ITERATIONS);
    quick.evaluate_every = 1;
    let agent = &mut quick.agent;
    agent.batch_steps = tenth(agent.batch_steps).max(agent.horizon_steps);
    agent.new_goals = tenth(agent.new_goals).max(1);
    agent.old_goals = tenth(agent.old_goals);
    agent.initial_states = tenth(agent.initial_states);
    agent.on_policy_states = tenth(agent.on_policy_states);
    agent.evaluation.rollouts = 1;
    if let Some(predictor) = agent.distance.predictor_mut() {
        predictor.initial_samples = tenth(predictor.initial_samples).max(1);
        predictor.initial_epochs /= QUICK_SHARE as u64;
    }
    quick
}

/// The sentence about what a quick run gives up.
pub fn given_up(whole: &RunSpec, quick: &RunSpec) -> String {
    let (before, after) = (&whole.agent, &quick.agent);
    let predictors = before.distance.predictor().zip(after.distance.predictor());
    let distance = predictors.map_or(String::new(), |(before, after)| {
        format!(
            ", a distance begun with {} states {} times over instead of {} states {} times",
            after.initial_samples,
            after.initial_epochs,
            before.initial_samples,
            before.initial_epochs
        )
    });
    format!(
        "quick: {} iterations instead of {}, updates from {} steps instead of {}, {} new goals instead of {}, \
         {} rollout per goal instead of {} when coverage is measured{distance}. It shows that everything works; its numbers \
         say nothing about the method.\n",
        quick.iterations,
        whole.iterations,
        after.batch_steps,
        before.batch_steps,
        after.new_goals,
        before.new_goals,
        after.evaluation.rollouts,
        before.evaluation.rollouts,
    )
}
