//! A U-maze of 252 states: a network on (column, row) that learns from windows, against the shortest path.
//!
//! The two ends of the U are 7 cells apart in Euclidean distance and 31 steps by the shortest path; hardly any window of 100
//! random steps goes from one to the other.

use super::learning::learn;
use super::report::{Basis, Finding, Report, Verdict};
use super::results::Results;
use super::rooms::World;
use super::runs::run_all;
use super::walks::{View, Walks};
use super::{Effort, Numbers, Reproduction, Size};
use anyhow::Result;
use isochrone::distance::{Distance, Euclidean};
use isochrone::embedding::{DistanceSpec, Head, LearningRate, Objective, Scaling};
use isochrone::evaluate::{Goals, JudgedPair, against_truth, descent};
use isochrone::markov::{Mat, steps_from};
use isochrone::pairs::{Sampler, Target};
use isochrone::rng::{Purpose, Seed};
use isochrone_figures::{ColourBar, ColourScale, Figure, Heat, Panel};
use isochrone_runs::progress::Waiting;
use std::fmt::Write as _;

/// Transitions learned from, and steps of a walk.
const DATA_STEPS: usize = 1_000_000;
const WALK_STEPS: usize = 100;
/// The state that maps show the distance from: in the first arm.
const MAP_FROM: (usize, usize) = (3, 3);

/// Which distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    /// The label with a norm that lets it bend.
    Label,
    /// The label as the paper learns it: 64 units, p = q = 1.
    Paper,
    /// No learning.
    Line,
}

impl Method {
    const ALL: [Self; 3] = [Self::Label, Self::Paper, Self::Line];

    const fn name(self) -> &'static str {
        match self {
            Self::Label => "label q=0.5",
            Self::Paper => "label p=q=1",
            Self::Line => "straight line",
        }
    }

    fn view(self, world: &World) -> View {
        let hidden = match self {
            Self::Label => vec![256, 256],
            Self::Paper | Self::Line => vec![64],
        };
        View::places(world.cells.iter().copied(), world.side, hidden)
    }

    fn spec(self, view: &View, size: Size) -> DistanceSpec {
        let (p, q) = match self {
            Self::Label => (2.0, 0.5),
            Self::Paper | Self::Line => (1.0, 1.0),
        };
        DistanceSpec {
            encoder: view.encoder(Head::Symmetric),
            p,
            q,
            objective: Objective::Regression {
                target: Target::Window { steps: WALK_STEPS },
                sampler: Sampler::UniformStartThenEnd,
            },
            scaling: Scaling::Running,
            batch: match self {
                Self::Label => 256,
                Self::Paper | Self::Line => 512,
            },
            learning_rate: LearningRate::Decay {
                from: match self {
                    Self::Label => 3e-3,
                    Self::Paper | Self::Line => 0.01,
                },
                to: 1e-5,
                steps: match (size, self) {
                    (Size::Full, Self::Label) => 20_000,
                    (Size::Full, _) => 10_000,
                    (Size::Quick, _) => 3_000,
                },
            },
            ..DistanceSpec::paper(2, WALK_STEPS)
        }
    }

    /// All distances.
    fn learn(self, world: &World, seed: u64, size: Size) -> Result<Mat<f64>> {
        let (n, view) = (world.cells.len(), self.view(world));
        if self == Self::Line {
            // Two states of one view are equally long.
            let line = |i, j| {
                Euclidean
                    .between(view.state(i), view.state(j))
                    .unwrap_or(f64::NAN)
            };
            return Ok(Mat::from_fn(n, n, line));
        }
        let mut rng = Seed(seed).stream(Purpose::Act, 0, 0);
        let count = DATA_STEPS / WALK_STEPS;
        let walks = Walks::of(&world.chain, &world.evenly(), count, WALK_STEPS, &mut rng);
        let seen = walks.seen(&view);
        let spec = self.spec(&view, size);
        let learned = learn(&spec, Seed(seed), &walks.episodes(&seen, &view)?)?;
        let points = (0..n).map(|s| learned.embed(view.state(s)));
        let points: Vec<Vec<f32>> = points.collect::<Result<_, _>>()?;
        let metric = learned.metric();
        Ok(Mat::from_fn(n, n, |i, j| {
            metric.symmetric(&points[i], &points[j])
        }))
    }
}

/// Against the shortest way: ranks goal by goal and over all pairs, and what became of greedy descents.
fn measures(world: &World, found: &Mat<f64>) -> Result<[(&'static str, f64); 4]> {
    let n = world.cells.len();
    let mut pairs = Vec::with_capacity(n * n);
    for goal in 0..n {
        let steps = steps_from(&world.chain, goal);
        pairs.extend((0..n).filter(|&s| s != goal).map(|s| JudgedPair {
            goal,
            predicted: found[(s, goal)],
            exact: f64::from(steps[s]),
        }));
    }
    let judged = against_truth(&pairs)?;
    let descent = descent(&world.chain, Goals::All, |goal| {
        (0..n).map(|s| found[(s, goal)]).collect()
    })?;
    Ok([
        (
            "per-goal spearman",
            judged.per_goal.map_or(f64::NAN, |g| g.mean),
        ),
        ("spearman", judged.spearman.unwrap_or(f64::NAN)),
        ("greedy descent", descent.success),
        ("downhill", descent.downhill),
    ])
}

pub(super) fn reproduce(effort: &Effort, waiting: &Waiting) -> Result<Reproduction> {
    let world = World::u_maze()?;
    let seeds = |method| (0..effort.seeds).map(move |seed| (method, seed));
    let runs: Vec<(Method, u64)> = Method::ALL.into_iter().flat_map(seeds).collect();
    let found = run_all(&runs, waiting, |(method, seed)| {
        method.learn(&world, *seed, effort.size)
    })?;
    let mut results = Results::new(effort.revision.clone());
    for ((method, seed), found) in runs.iter().zip(&found) {
        let spec = match method {
            Method::Line => None,
            _ => Some(method.spec(&method.view(&world), effort.size)),
        };
        for (measure, value) in measures(&world, found)? {
            results.push(&spec, method.name(), *seed, measure, value);
        }
    }
    let firsts: Vec<&Mat<f64>> = found.iter().step_by(effort.seeds as usize).collect();
    let (panels, csv) = drawn(&world, &firsts)?;
    Ok(Reproduction {
        figure: Figure {
            title: "Distance from one arm of a U, learned from windows of 100 random steps"
                .to_owned(),
            columns: 2,
            panels,
        },
        csv,
        report: report(&results),
        results: Some(Numbers::Measures(results)),
    })
}

/// Maps of the shortest way and all distances from one state (seed 0).
fn drawn(world: &World, found: &[&Mat<f64>]) -> Result<(Vec<Panel>, String)> {
    let is_from = |c: &isochrone::maze::Cell| (c.column, c.row) == MAP_FROM;
    let from = world.cells.iter().position(is_from).unwrap_or(0);
    let exact = steps_from(&world.chain, from).into_iter().map(f64::from);
    let mut maps = vec![("shortest way", "steps", exact.collect::<Vec<f64>>())];
    for (method, distances) in Method::ALL.iter().zip(found) {
        let unit = match method {
            Method::Line => "half the side of the maze",
            Method::Label | Method::Paper => "steps, given arrival within 100",
        };
        let values = (0..world.cells.len()).map(|s| distances[(from, s)]);
        maps.push((method.name(), unit, values.collect()));
    }
    let mut csv = "distance,column,row,value\n".to_owned();
    let mut panels = Vec::new();
    for (name, unit, values) in maps {
        for (cell, value) in world.cells.iter().zip(&values) {
            writeln!(csv, "{name},{},{},{value}", cell.column, cell.row)?;
        }
        panels.push(map(name, unit, world.lay_out(&values), world.side));
    }
    Ok((panels, csv))
}

fn map(name: &str, unit: &str, values: Vec<Option<f64>>, columns: usize) -> Panel {
    let colour = ColourScale::over(unit, &values, ColourBar::Below);
    Panel::Heat(Heat {
        title: name.to_owned(),
        x_label: String::new(),
        y_label: String::new(),
        columns,
        contours: (1..10).map(|k| f64::from(k) * colour.high / 10.0).collect(),
        values,
        colour,
        marker: Some(MAP_FROM),
    })
}

fn report(results: &Results) -> Report {
    let finding = |claim: &str, measure: &str, least: f64, rule: &'static str| {
        let words = |method: Method| {
            let each = results.values(method.name(), measure);
            let each: Vec<String> = each.iter().map(|x| format!("{x:.4}")).collect();
            let mean = results.mean(method.name(), measure);
            format!("{} {mean:.4} (seeds {})", method.name(), each.join(", "))
        };
        Finding {
            claim: claim.to_owned(),
            found: Method::ALL.map(words).join("; "),
            rule,
            verdict: Verdict::from(results.mean(Method::Label.name(), measure) >= least),
        }
    };
    Report {
        title: "A U of 252 states: the label against the shortest way".to_owned(),
        basis: Basis::Learned,
        findings: vec![
            finding(
                "states are ordered for each goal as by the shortest way",
                "per-goal spearman",
                0.97,
                "the first one's mean of Spearman's ρ over goals, mean of seeds, is at least 0.97",
            ),
            finding(
                "stepping to the nearest neighbour, again and again, arrives",
                "greedy descent",
                0.99,
                "the first one arrives from at least 99 % of starts, all goals, mean of seeds",
            ),
            finding(
                "it arrives with every step coming nearer",
                "downhill",
                0.99,
                "the first one does from at least 99 % of starts, all goals, mean of seeds",
            ),
        ],
        differences: differences(),
    }
}

fn differences() -> Vec<String> {
    [
        "**The claims are ours.** A million steps in walks of 100 that start anywhere, four moves with 0.25 each; a move \
         into a wall stays.",
        "**Far pairs are hardly in the data**: what is said about the two ends of the U is the network's \
         extrapolation, and it moves by several hundredths from seed to seed.",
        "**Why the first does better is not known.** It differs from the second in layers, p and q at once. It is a \
         second attempt: two layers of 64 units missed the marks on the seeds reported (0.968 and 0.933), and wider \
         layers were chosen after that on seeds 10 and 11 (0.978 and 0.977, descent 0.98 and 0.96).",
        "**Optimiser.** 20,000 steps of 256 pairs, Adam from 3e-3 to 1e-5, two layers of 256 units with p = 2 and q = 0.5; \
         10,000 steps of 512 pairs, Adam from 0.01 to 1e-5, one layer of 64 with p = q = 1 as in the paper.",
    ]
    .map(str::to_owned)
    .to_vec()
}
