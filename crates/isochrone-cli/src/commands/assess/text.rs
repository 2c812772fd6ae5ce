//! The text of the assessment report.

use super::on_data::OnData;
use super::on_maze::OnMaze;
use super::one_way::{Compared, OneWay};
use super::{GoalEpsilonFound, Report, Which};
use crate::commands::info::{at_zero_line, within_lines};
use isochrone::evaluate::{AgainstTruth, Asymmetry, EpsilonLimit, Triangle};
use isochrone_runs::output::{human, table};
use std::fmt::Write as _;

pub(super) fn text(report: &Report) -> String {
    let data = report.on_data.as_ref().map(on_data);
    let maze = report.on_maze.as_ref().map(on_maze);
    let goals = report.goal_epsilon.as_ref().map(goal_epsilon);
    let parts: Vec<String> = [data, goals, maze].into_iter().flatten().collect();
    parts.join("\n")
}

fn on_data(found: &OnData) -> String {
    let which = match found.which {
        Which::HeldOut => "held out when it was fitted",
        Which::All => "not known as the data it was fitted to",
        Which::Seen => "of the data it was fitted to, most of which it has SEEN",
    };
    let mut text = format!(
        "On trajectories: {} episodes, {} states, {which}\n",
        found.episodes, found.states
    );
    if found.left_out > 0 {
        let _ = writeln!(
            text,
            "  (a fair sample: {} more did not fit in memory)",
            found.left_out
        );
    }
    let _ = writeln!(text, "verdict: {}", found.verdict);
    text += &calibration(found);
    let within = found.within_episodes.as_ref();
    let within = within.map_or(String::new(), |within| within_lines(within, 2));
    if !within.is_empty() {
        text += "\nwithin episodes:\n";
        text += &within;
    }
    if let Some(at_zero) = found.at_zero.filter(|at_zero| at_zero.at_zero > 0) {
        let _ = writeln!(text, "\n{}", at_zero_line(at_zero));
    }
    text += &triangle(found.triangle.as_ref());
    if found.below_zero > 0.0 {
        let _ = writeln!(
            text,
            "times below zero, which count as zero: {:.1} % of pairs",
            100.0 * found.below_zero
        );
    }
    text += &one_way(&found.one_way);
    text + &epsilon(found)
}

fn calibration(found: &OnData) -> String {
    let calibration = &found.calibration;
    if calibration.n_observations == 0 {
        return String::new();
    }
    let rank = found
        .spearman
        .map_or(String::new(), |rho| format!("; rank correlation {rho:.3}"));
    let censored = match calibration.n_censored {
        0 => String::new(),
        n => format!(", {n} of them not met before their episode ended"),
    };
    let mut text = format!(
        "\ncalibration: {} pairs{censored}{rank}\n",
        calibration.n_observations
    );
    let (line, what) = match calibration.n_censored {
        0 => (calibration.among_hits, "seen"),
        _ => (
            calibration.with_censored,
            "seen, where nearly all were met,",
        ),
    };
    if let Some(line) = line {
        let slope = line.slope.zip(line.intercept_steps);
        let slope = slope.map_or(String::new(), |(slope, at_zero)| {
            let sign = if at_zero < 0.0 { '−' } else { '+' };
            let apart = human(at_zero.abs());
            format!("{what} ≈ {slope:.2} × predicted {sign} {apart}, ")
        });
        let _ = writeln!(
            text,
            "  {slope}off by {} steps on average",
            human(line.error_steps)
        );
    }
    let dash = || "–".to_owned();
    let is_censored = calibration.n_censored > 0;
    let rows: Vec<Vec<String>> = (calibration.bins.iter())
        .map(|bin| {
            let met = bin
                .hits
                .map_or_else(dash, |hits| format!("{:.1}", hits.mean_steps));
            let mut row = vec![format!("{:.1}", bin.mean_predicted), met, bin.n.to_string()];
            if is_censored {
                row.insert(1, format!("{:.1}", bin.restricted.mean_steps));
                row.push(bin.n_censored.to_string());
            }
            row
        })
        .collect();
    let headings: &[&str] = if is_censored {
        &[
            "  predicted",
            "seen, at least",
            "seen, if met",
            "pairs",
            "not met",
        ]
    } else {
        &["  predicted", "seen", "pairs"]
    };
    text + &table(headings, &rows)
}

fn triangle(found: Option<&Triangle>) -> String {
    let Some(found) = found else {
        return String::new();
    };
    let size = found.mean_size.map_or(String::new(), |size| {
        format!(", by {:.0} % of the way on average", 100.0 * size)
    });
    format!(
        "\ntriangle inequality: broken by {:.2} % of {} triples{size}\n",
        100.0 * found.share,
        found.n_triples
    )
}

fn one_way(found: &OneWay) -> String {
    let compared = match found.compared {
        Compared::States => "neighbouring states",
        Compared::Landmarks => "neighbouring landmarks",
    };
    format!(
        "\none-way structure, over {compared}:\n  time there against back   {}\n  current round cycles      {}\n  → {}\n",
        test(&found.passage),
        found.crossing.as_ref().map_or_else(
            || "not tested: states are too many to count".to_owned(),
            test
        ),
        found.advice
    )
}

fn test(of: &Asymmetry) -> String {
    match of.found {
        None => "cannot be compared: no pair returns within the window".to_owned(),
        Some(found) => format!(
            "{:.3}, {:.3} ± {:.3} by chance, p = {:.3} ({} pairs)",
            found.mean, found.null_mean, found.null_sd, found.p_value, of.n_pairs
        ),
    }
}

fn epsilon(found: &OnData) -> String {
    let Some(found) = &found.epsilon else {
        let why = if found.episodes < 2 {
            "one episode is too few to suggest one"
        } else {
            "no step moves, so none is suggested"
        };
        return format!("\nε: {why}\n");
    };
    let why = match found.limit {
        EpsilonLimit::Share => "it holds 5 % of pairs from different episodes",
        EpsilonLimit::Floor => "three times a single step, the least that makes sense",
        EpsilonLimit::FloorTooWide => {
            "three times a single step; that holds more than a tenth of all pairs: either the states are few steps apart \
             altogether, or this distance tells near from far too poorly for any ε"
        }
    };
    format!(
        "\nε for \"reached\": {} steps ({why})\n  within it: {:.1} % of pairs from different episodes, {:.1} % of single \
         steps\n",
        human(found.epsilon),
        100.0 * found.share_between,
        100.0 * found.share_one_step
    )
}

fn goal_epsilon(found: &GoalEpsilonFound) -> String {
    let GoalEpsilonFound {
        goals,
        epsilon,
        before_end_steps,
        ends,
        ends_reached,
    } = found;
    format!(
        "ε for {goals} goals: {} steps, for a false-positive rate of {:.1} %\n  of {} frames more than {before_end_steps} steps before \
         their episode's end, {:.1} % are within it\n  of {ends} last states of these episodes, {:.1} % are within it of a goal that \
         is not that very state\n",
        human(epsilon.epsilon),
        100.0 * epsilon.false_positive_rate,
        epsilon.negatives,
        100.0 * epsilon.false_positives,
        100.0 * ends_reached
    )
}

fn on_maze(found: &OnMaze) -> String {
    let mut text = format!(
        "Against exact truth: {} states, {} goals\n\n",
        found.states, found.goals
    );
    let rows = [
        row("half the commute time", &found.half_commute),
        row("first-passage time", &found.passage),
        row("shortest path", &found.shortest),
    ];
    text += &table(
        &[
            "  truth",
            "rank, per goal",
            "worst goal",
            "rank, all",
            "Pearson",
            "relative error",
            "ratio",
            "ratio CV",
        ],
        &rows,
    );
    let bands = found.half_commute.bands.iter().map(|band| {
        vec![
            format!("{:.0}–{:.0}", band.exact_from, band.exact_to),
            human(band.median_ratio),
            band.ratio_cv
                .map_or("–".to_owned(), |cv| format!("{cv:.3}")),
            band.n_pairs.to_string(),
        ]
    });
    text += "\n";
    text += &table(
        &[
            "  half commute, steps",
            "predicted ÷ exact",
            "ratio CV",
            "pairs",
        ],
        &bands.collect::<Vec<_>>(),
    );
    let descent = &found.descent;
    let stretch = descent.stretch.map_or(String::new(), |s| {
        format!(", ways {:.2} times the shortest", s.mean)
    });
    let _ = writeln!(
        text,
        "\ngreedy descent: {:.2} % of pairs arrive{stretch}; {:.2} % go downhill all the way",
        100.0 * descent.success,
        100.0 * descent.downhill
    );
    text + &triangle(found.triangle.as_ref())
}

fn row(truth: &str, found: &AgainstTruth) -> Vec<String> {
    let or_dash = |value: Option<f64>| value.map_or("–".to_owned(), |v| format!("{v:.3}"));
    vec![
        format!("  {truth}"),
        or_dash(found.per_goal.map(|g| g.mean)),
        or_dash(found.per_goal.map(|g| g.min)),
        or_dash(found.spearman),
        or_dash(found.pearson),
        format!("{:.3}", found.median_relative_error),
        human(found.median_ratio),
        or_dash(found.ratio_cv),
    ]
}
