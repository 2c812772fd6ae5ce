//! How many states of the untrained policy are within ε of each other, before anything is trained: whether ε means anything.

use super::panels::{csv, lines, series};
use super::parallel::run_all;
use super::report::{Basis, Finding, Report, Verdict};
use super::{Effort, Reproduction, Results, Size};
use anyhow::Result;
use isochrone::rng::Seed;
use isochrone_figures::{Panel, Stroke};
use isochrone_files::run_spec::RunSpec;
use isochrone_runs::progress::Waiting;
use isochrone_runs::train::TrainingRun;

/// Presets, and the paper's grid of ε for each.
const PRESETS: [(&str, &[f64]); 6] = [
    ("point-mass-paper-off-policy", &[20.0, 30.0]),
    ("point-mass-paper-full-off-policy", &[20.0, 30.0]),
    ("maze-ant-paper-off-policy", &[50.0, 60.0, 80.0]),
    ("maze-ant-paper-full-off-policy", &[50.0, 60.0, 80.0]),
    ("free-ant-paper-off-policy", &[50.0, 60.0, 80.0]),
    ("free-ant-paper-full-off-policy", &[50.0, 60.0, 80.0]),
];
/// Its grid of step sizes.
const RATES: [f64; 3] = [1e-3, 1e-4, 1e-5];
/// Seeds that nothing is reported of.
const FIRST_SEED: u64 = 10;
/// A sphere that holds more than this of what a random policy sees says nothing.
const MOST: f64 = 0.10;

/// One predictor before the first iteration.
struct Case {
    preset: &'static str,
    epsilons: &'static [f64],
    rate: f64,
    seed: u64,
    spec: RunSpec,
}

pub(super) fn reproduce(effort: &Effort, waiting: &Waiting) -> Result<Reproduction> {
    let cases = cases(effort)?;
    let distances = run_all(&cases, waiting, |case| {
        let mut agent = TrainingRun::new(case.spec.clone(), 1)?;
        let mut clock = agent.clock();
        agent.prepare(&mut clock)?;
        Ok(agent.training.probe_distances())
    })?;
    let mut results = Results::new(effort.revision.clone());
    for (case, distances) in cases.iter().zip(&distances) {
        for &epsilon in case.epsilons {
            let within = distances.iter().filter(|d| **d < epsilon).count();
            let share = within as f64 / distances.len().max(1) as f64;
            let (name, measure) = (name(case.preset, case.rate), measure(epsilon));
            results.push(&case.spec, &name, case.seed, &measure, share);
        }
    }
    let title = "Pairs of states of the untrained policy, from different episodes";
    let csv = csv("preset,rate,epsilon_steps,share", csv_rows(&results));
    let report = Report {
        title: "How much of what a random policy sees is within ε".to_owned(),
        basis: Basis::Learned,
        findings: findings(&results),
        differences: differences(effort),
    };
    let panels = panels(&results);
    Ok(Reproduction::learned(
        title, 2, panels, csv, report, results,
    ))
}

fn cases(effort: &Effort) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for (preset_name, epsilons) in PRESETS {
        let whole = RunSpec::preset(preset_name)?;
        for rate in RATES {
            for seed in FIRST_SEED..FIRST_SEED + effort.seeds {
                let mut spec = whole.clone();
                spec.agent.seed = Seed(seed);
                if let Some(predictor) = spec.agent.distance.predictor_mut() {
                    predictor.learning_rate = rate;
                    if effort.size == Size::Quick {
                        predictor.initial_samples = 10_000;
                        predictor.initial_epochs = 2;
                    }
                }
                let preset = preset_name;
                cases.push(Case {
                    preset,
                    epsilons,
                    rate,
                    seed,
                    spec,
                });
            }
        }
    }
    Ok(cases)
}

fn name(preset: &str, rate: f64) -> String {
    format!("{} rate {rate:.0e}", short(preset))
}

fn measure(epsilon: f64) -> String {
    format!("share_within_{epsilon}_steps")
}

/// A preset with the shares of its grid, and whether what it has is among those that pass.
fn findings(results: &Results) -> Vec<Finding> {
    let finding = |(name_of, epsilons): &(&'static str, &[f64])| {
        let taken = RunSpec::preset(name_of).ok().and_then(|spec| {
            let distance = &spec.agent.distance;
            Some((distance.predictor()?.learning_rate, distance.radius()))
        });
        let share =
            |(rate, epsilon): (f64, f64)| results.mean(&name(name_of, rate), &measure(epsilon));
        let grid = RATES
            .iter()
            .flat_map(|&rate| epsilons.iter().map(move |&e| (rate, e)));
        let all: Vec<String> = grid
            .clone()
            .map(|at| format!("{:.0e} and {}: {:.3}", at.0, at.1, share(at)))
            .collect();
        let smallest = grid.min_by(|a, b| share(*a).total_cmp(&share(*b)));
        let smallest = smallest.map_or(String::new(), |(rate, e)| format!("{rate:.0e} and {e}"));
        Finding {
            claim: format!("{}: ε tells states apart", short(name_of)),
            found: format!(
                "taken: {}; share of pairs within ε by step size and ε: {}; the smallest is that of {smallest}",
                taken.map_or(String::new(), |(rate, e)| format!("{rate:.0e} and {e}")),
                all.join(", ")
            ),
            rule: "the share of what is taken is 0.10 or less",
            verdict: Verdict::from(taken.is_some_and(|at| share(at) <= MOST)),
        }
    };
    PRESETS.iter().map(finding).collect()
}

/// A preset without what all have in common.
fn short(preset: &str) -> &str {
    preset.trim_end_matches("-off-policy")
}

fn panels(results: &Results) -> Vec<Panel> {
    let panel = |(preset, epsilons): &(&str, &[f64])| {
        let curve = |rate| {
            let share = |&e: &f64| (e, results.mean(&name(preset, rate), &measure(e)));
            let points = epsilons.iter().map(share).collect();
            series(&format!("step size {rate:.0e}"), points, Stroke::Solid)
        };
        let labels = ["ε in steps", "share of pairs within ε"];
        lines(short(preset), labels, RATES.map(curve).into())
    };
    PRESETS.iter().map(panel).collect()
}

fn csv_rows(results: &Results) -> Vec<String> {
    let mut rows = Vec::new();
    for (preset, epsilons) in PRESETS {
        for rate in RATES {
            rows.extend(epsilons.iter().map(|&epsilon| {
                let share = results.mean(&name(preset, rate), &measure(epsilon));
                format!("{preset},{rate},{epsilon},{share}")
            }));
        }
    }
    rows
}

fn differences(effort: &Effort) -> Vec<String> {
    let mut list = vec![format!(
        "Seeds {FIRST_SEED} to {}, which no reported training uses. The paper gives its grid (ε of 20 and 30 for spheres, \
         50, 60 and 80 for ants; three step sizes) and what it took (20, 60, 1e-5), not what the others gave.",
        FIRST_SEED + effort.seeds - 1
    )];
    if effort.size == Size::Quick {
        list.push(
            "This is the quick version: 10,000 first samples instead of 100,000, and 2 epochs instead of 50.".to_owned(),
        );
    }
    list
}
