//! A continuous room with a thin wall: which distance knows that the way goes round it?
//!
//! The paper's label, first passages into a ball, and first passages that no window cuts off (bootstrapped), learned
//! from the same 200,000 random steps by the same network.

mod geodesic;
mod truth;
mod walk;

use super::learning::learn;
use super::report::{Basis, Finding, Report, Verdict};
use super::results::Results;
use super::runs::run_all;
use super::{Effort, Numbers, Reproduction, Size};
use anyhow::Result;
use isochrone::distance::Learned;
use isochrone::embedding::{DistanceSpec, Head, LearningRate, Objective, Scaling};
use isochrone::env::u_room::URoom;
use isochrone::pairs::{Episodes, Sampler, Target};
use isochrone::rng::{Purpose, Seed};
use isochrone_figures::{ColourBar, ColourScale, Figure, Heat, Lines, Panel, Series, Stroke};
use isochrone_runs::progress::Waiting;
use std::fmt::Write as _;
use truth::{Quality, Truth};
use walk::{Place, apart, walk};

/// Random steps learned from, and steps of an episode.
const DATA_STEPS: usize = 200_000;
const EPISODE_STEPS: usize = 50;
/// A goal is reached within this distance of it.
const RADIUS_M: f32 = 0.2;
/// Cells along each side of the maps, and their size.
const MAP_SIDE: usize = 50;
const MAP_CELL_M: f64 = 0.06;
/// The cell that maps show the distance from: left, below the wall.
const MAP_FROM: (usize, usize) = (8, 30);

/// What is learned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    Label,
    FirstPassage,
    Bootstrapped,
}

impl Method {
    const ALL: [Self; 3] = [Self::Label, Self::FirstPassage, Self::Bootstrapped];

    const fn name(self) -> &'static str {
        match self {
            Self::Label => "paper's label",
            Self::FirstPassage => "first passage",
            Self::Bootstrapped => "bootstrapped",
        }
    }

    /// The same network, step sizes and number of steps for all three.
    fn spec(self, size: Size) -> DistanceSpec {
        let paper = DistanceSpec::paper(2, EPISODE_STEPS);
        let target = match self {
            Self::Label => Target::Window {
                steps: EPISODE_STEPS,
            },
            Self::FirstPassage => Target::FirstPassage { radius: RADIUS_M },
            Self::Bootstrapped => Target::Bootstrapped {
                radius: RADIUS_M,
                steps: EPISODE_STEPS,
            },
        };
        let mut spec = DistanceSpec {
            objective: Objective::Regression {
                target,
                sampler: Sampler::UniformStartThenEnd,
            },
            batch: 512,
            learning_rate: LearningRate::Decay {
                from: 3e-3,
                to: 1e-5,
                steps: match size {
                    Size::Full => 30_000,
                    Size::Quick => 4_000,
                },
            },
            ..paper
        };
        if self == Self::Bootstrapped {
            spec.encoder.head = Head::Potential;
            (spec.p, spec.q) = (2.0, 2.0);
            spec.scaling = Scaling::Running;
        }
        spec
    }

    fn learn(self, seed: u64, size: Size) -> Result<Learned> {
        let mut rng = Seed(seed).stream(Purpose::Act, 0, 0);
        let (mut states, mut ranges) = (Vec::new(), Vec::new());
        for _ in 0..DATA_STEPS / EPISODE_STEPS {
            let from = states.len() / 2;
            states.extend(walk(EPISODE_STEPS, &mut rng)?.into_iter().flatten());
            ranges.push(from..states.len() / 2);
        }
        let episodes = Episodes::new(&states, 2, ranges)?;
        learn(&self.spec(size), Seed(seed), &episodes)
    }
}

pub(super) fn reproduce(effort: &Effort, waiting: &Waiting) -> Result<Reproduction> {
    let seeds: Vec<u64> = (0..effort.seeds).collect();
    let walks = match effort.size {
        Size::Full => 30,
        Size::Quick => 3,
    };
    waiting.now("measuring times");
    let truths = run_all(&seeds, waiting, |&seed| Truth::of(Seed(seed), walks))?;
    waiting.now("learning");
    let of_method = |method| seeds.iter().map(move |&seed| (method, seed));
    let runs: Vec<(Method, u64)> = Method::ALL.into_iter().flat_map(of_method).collect();
    let learned = run_all(&runs, waiting, |(method, seed)| {
        method.learn(*seed, effort.size)
    })?;
    let mut results = Results::new(effort.revision.clone());
    for ((method, seed), distance) in runs.iter().zip(&learned) {
        let truth = &truths[*seed as usize];
        let quality = truth.judge(|a, b| distance.symmetric(&a, &b).unwrap_or(f64::NAN))?;
        let spec = method.spec(effort.size);
        for (measure, value) in quality.measures() {
            results.push(&spec, method.name(), *seed, measure, value);
        }
    }
    for (&seed, truth) in seeds.iter().zip(&truths) {
        for (measure, value) in truth.judge(apart)?.measures() {
            results.push(&LINE, LINE, seed, measure, value);
        }
    }
    let firsts: Vec<&Learned> = learned.iter().step_by(seeds.len()).collect();
    let (panels, csv) = drawn(&firsts, &truths[0])?;
    Ok(Reproduction {
        figure: Figure {
            title: "Distance from a place behind the wall, learned from 200,000 random steps"
                .to_owned(),
            columns: 3,
            panels,
        },
        csv,
        report: report(&results),
        results: Some(Numbers::Measures(results)),
    })
}

const LINE: &str = "straight line";

impl Quality {
    fn measures(self) -> [(&'static str, f64); 5] {
        [
            ("commute", self.commute),
            ("commute ratio", self.ratio),
            ("geodesic", self.geodesic),
            ("wall pairs", self.wall),
            ("auc", self.auc),
        ]
    }
}

/// Maps of the shortest way and the three distances (seed 0), and two of them against measured times.
fn drawn(learned: &[&Learned], truth: &Truth) -> Result<(Vec<Panel>, String)> {
    let cells: Vec<Option<Place>> = (0..MAP_SIDE * MAP_SIDE).map(cell).collect();
    let free: Vec<Place> = cells.iter().copied().flatten().collect();
    let from = cell(MAP_FROM.1 * MAP_SIDE + MAP_FROM.0).unwrap_or_default();
    let mut csv = "distance,x_m,y_m,value\n".to_owned();
    let mut panels = Vec::new();
    let mut add = |name: &str, unit: &str, values: Vec<f64>| -> Result<Panel> {
        for (place, value) in free.iter().zip(&values) {
            writeln!(
                csv,
                "{name},{:.2},{:.2},{value}",
                place[0] + 1.5,
                place[1] + 1.5
            )?;
        }
        Ok(map(name, unit, &cells, &values))
    };
    panels.push(add(
        "shortest way",
        "metres",
        geodesic::shortest(from, &free),
    )?);
    for (method, distance) in Method::ALL.iter().zip(learned) {
        let values = free.iter().map(|place| distance.symmetric(&from, place));
        panels.push(add(
            method.name(),
            "steps",
            values.collect::<Result<_, _>>()?,
        )?);
    }
    for at in [0, 2] {
        let points = truth.beside(|a, b| learned[at].symmetric(&a, &b).unwrap_or(f64::NAN));
        panels.push(against_time(Method::ALL[at], points));
    }
    Ok((panels, csv))
}

/// The middle of a cell of the maps, row 0 at the far end; `None` in the wall.
fn cell(number: usize) -> Option<Place> {
    let (column, row) = (number % MAP_SIDE, MAP_SIDE - 1 - number / MAP_SIDE);
    let place = [column, row].map(|k| (k as f64 + 0.5) * MAP_CELL_M);
    URoom::is_free(place).then(|| place.map(|x| (x - 1.5) as f32))
}

fn map(name: &str, unit: &str, cells: &[Option<Place>], values: &[f64]) -> Panel {
    let mut left = values.iter().copied();
    let values: Vec<Option<f64>> = cells.iter().map(|c| c.and_then(|_| left.next())).collect();
    let colour = ColourScale::over(unit, &values, ColourBar::Below);
    let level = |k: i32| colour.low + f64::from(k) * (colour.high - colour.low) / 8.0;
    Panel::Heat(Heat {
        title: name.to_owned(),
        x_label: String::new(),
        y_label: String::new(),
        columns: MAP_SIDE,
        contours: (1..8).map(level).collect(),
        values,
        colour,
        marker: Some(MAP_FROM),
    })
}

fn against_time(method: Method, points: Vec<(f64, f64)>) -> Panel {
    let most = points.iter().map(|p| p.0).fold(0.0, f64::max);
    Panel::Lines(Lines {
        title: format!("{}, 20 places", method.name()),
        x_label: "half the commute time, measured (steps)".to_owned(),
        y_label: "learned (steps)".to_owned(),
        series: vec![
            Series {
                points,
                style: Stroke::PointsOnly,
                ..Series::default()
            },
            Series {
                name: "learned = measured".to_owned(),
                points: vec![(0.0, 0.0), (most, most)],
                style: Stroke::Dashed,
                ..Series::default()
            },
        ],
        ..Lines::default()
    })
}

fn report(results: &Results) -> Report {
    let finding = |claim: &str, measure: &str, least: f64, rule: &'static str| {
        let mean = |case: &str| results.mean(case, measure);
        let others = [Method::Label, Method::FirstPassage].map(Method::name);
        let each = results.values(Method::Bootstrapped.name(), measure);
        let each: Vec<String> = each.iter().map(|x| format!("{x:.3}")).collect();
        let found = mean(Method::Bootstrapped.name());
        Finding {
            claim: claim.to_owned(),
            found: format!(
                "bootstrapped {found:.3} (seeds {}), {} {:.3}, {} {:.3}, {LINE} {:.3}",
                each.join(", "),
                others[0],
                mean(others[0]),
                others[1],
                mean(others[1]),
                mean(LINE)
            ),
            rule,
            verdict: Verdict::from(found >= least),
        }
    };
    Report {
        title: "A room with a wall: bootstrapped targets and the paper's label".to_owned(),
        basis: Basis::Learned,
        findings: vec![
            finding(
                "bootstrapped first passages rank pairs as measured commute times do",
                "commute",
                0.97,
                "the mean Spearman's ρ of bootstrapped distances is at least 0.97",
            ),
            finding(
                "they rank pairs as shortest ways do",
                "geodesic",
                0.97,
                "the mean Spearman's ρ of bootstrapped distances is at least 0.97",
            ),
            finding(
                "they do so for pairs with the wall between",
                "wall pairs",
                0.75,
                "the mean Spearman's ρ of bootstrapped distances is at least 0.75",
            ),
            finding(
                "near pairs with the wall between are farther than near pairs without",
                "auc",
                0.95,
                "they are in at least 95 % of comparisons, bootstrapped, mean of seeds",
            ),
            finding(
                "bootstrapped distances count the steps of half a commute",
                "commute ratio",
                0.9,
                "the median of learned ÷ measured is at least 0.9, mean of seeds",
            ),
        ],
        differences: differences(),
    }
}

fn differences() -> Vec<String> {
    [
        "**The claims are ours**, about this room of 3 × 3 m: the wall is 0.1 m thick and leaves 1 m free, a step is \
         normal with 0.15 m along each axis, episodes of 50 steps begin anywhere.",
        "**Truth.** Shortest ways on a grid of 0.03 m in 16 directions between 150 places; wall pairs are those whose \
         shortest way is more than twice the straight line. Commute times are means over 30 walks of 60,000 steps \
         between the first 20 places: within 0.1 m of the source until within 0.2 m of the goal. Each seed has its own \
         places, walks and data.",
        "**What is compared.** All three have the paper's network (64 → 20), 30,000 steps of 512 pairs, and Adam from \
         3e-3 to 1e-5. The label and first passages are p = q = 1 as in the paper; bootstrapped distances have p = q = 2 \
         and a potential, and find their unit themselves.",
        "**Far pairs are never seen together** in 50 steps. What the label says about them is the network's \
         extrapolation, and moves with the length of training.",
        "**Scale.** Squared norms of 20 numbers made by 64 units cannot follow the steep rise of the time next to a goal: \
         bootstrapped distances fall short of the commute time, of near pairs' most.",
    ]
    .map(str::to_owned)
    .to_vec()
}
