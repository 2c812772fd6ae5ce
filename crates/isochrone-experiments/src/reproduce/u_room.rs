//! A continuous room with a thin wall: which distance knows that the way goes round it?
//!
//! The paper's label, first passages into a ball, and first passages that no window cuts off (bootstrapped), learned
//! from the same 200,000 random steps by the same network.

mod geodesic;
mod truth;
mod walk;

use super::panels::{csv, levels, map, scatter};
use super::parallel::run_all;
use super::predictor::{fit, regression};
use super::report::{Finding, Report, Verdict};
use super::results::Results;
use super::{Effort, Reproduction, Size};
use anyhow::Result;
use isochrone::distance::Learned;
use isochrone::embedding::{DistanceSpec, Head, LearningRate, Scaling};
use isochrone::env::u_room::URoom;
use isochrone::pairs::{Episodes, Target};
use isochrone::rng::{Purpose, Seed};
use isochrone_figures::{ColourBar, ColourScale, Panel};
use isochrone_runs::progress::Waiting;
use truth::Truth;
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
        let (radius, steps) = (RADIUS_M, EPISODE_STEPS);
        let mut spec = DistanceSpec {
            objective: regression(match self {
                Self::Label => Target::Window { steps },
                Self::FirstPassage => Target::FirstPassage { radius },
                Self::Bootstrapped => Target::Bootstrapped { radius, steps },
            }),
            batch: 512,
            learning_rate: LearningRate::Decay {
                from: 3e-3,
                to: 1e-5,
                steps: size.pick(30_000, 4_000),
            },
            ..DistanceSpec::paper(2, EPISODE_STEPS)
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
        fit(&self.spec(size), Seed(seed), &episodes)
    }
}

pub(super) fn reproduce(effort: &Effort, waiting: &Waiting) -> Result<Reproduction> {
    let seeds: Vec<u64> = (0..effort.seeds).collect();
    waiting.now("measuring times");
    let walks = effort.size.pick(30, 3);
    let truths = run_all(&seeds, waiting, |&seed| Truth::of(Seed(seed), walks))?;
    waiting.now("learning");
    let (mut results, learned) =
        effort.run_seeds(&Method::ALL, waiting, |method, seed, results| {
            let distance = method.learn(seed, effort.size)?;
            let measures = truths[seed as usize]
                .judge(|a, b| distance.symmetric(&a, &b).unwrap_or(f64::NAN))?;
            let spec = method.spec(effort.size);
            results.push_all(&spec, method.name(), seed, measures);
            Ok(distance)
        })?;
    for (&seed, truth) in seeds.iter().zip(&truths) {
        results.push_all(&LINE, LINE, seed, truth.judge(apart)?);
    }
    let firsts: Vec<&Learned> = learned.iter().map(|seeds| &seeds[0]).collect();
    let (panels, csv) = draw(&firsts, &truths[0])?;
    let title = "Distance from a place behind the wall, learned from 200,000 random steps";
    let report = Report::learned(
        "A room with a wall: bootstrapped targets and the paper's label",
        findings(&results),
        include_str!("u_room.md"),
    );
    Ok(Reproduction::learned(
        title, 3, panels, csv, report, results,
    ))
}

const LINE: &str = "straight line";

/// Maps of the shortest path and the three distances (seed 0), and two of them against measured times.
fn draw(learned: &[&Learned], truth: &Truth) -> Result<(Vec<Panel>, String)> {
    let cells: Vec<Option<Place>> = (0..MAP_SIDE * MAP_SIDE).map(cell).collect();
    let free: Vec<Place> = cells.iter().copied().flatten().collect();
    let from = cell(MAP_FROM.1 * MAP_SIDE + MAP_FROM.0).unwrap_or_default();
    let mut maps = vec![("shortest way", "metres", geodesic::shortest(from, &free))];
    for (method, distance) in Method::ALL.iter().zip(learned) {
        let values = free.iter().map(|place| distance.symmetric(&from, place));
        maps.push((method.name(), "steps", values.collect::<Result<_, _>>()?));
    }
    let (mut panels, mut rows) = (Vec::new(), Vec::new());
    for (name, unit, values) in maps {
        rows.extend(free.iter().zip(&values).map(|(place, value)| {
            let [x, y] = place.map(|x| x + 1.5);
            format!("{name},{x:.2},{y:.2},{value}")
        }));
        let mut left = values.into_iter();
        let values: Vec<Option<f64>> = cells.iter().map(|c| c.and_then(|_| left.next())).collect();
        let colour = ColourScale::over(unit, &values, ColourBar::Below);
        let contours = levels(colour.low, colour.high, 8);
        panels.push(map(name, MAP_SIDE, values, colour, contours, MAP_FROM));
    }
    let labels = ["half the commute time, measured (steps)", "learned (steps)"];
    for at in [0, 2] {
        let points = truth.beside(|a, b| learned[at].symmetric(&a, &b).unwrap_or(f64::NAN));
        let title = format!("{}, 20 places", Method::ALL[at].name());
        panels.push(scatter(title, labels, points, "learned = measured"));
    }
    Ok((panels, csv("distance,x_m,y_m,value", rows)))
}

/// The middle of a cell of the maps, row 0 at the far end; `None` in the wall.
fn cell(number: usize) -> Option<Place> {
    let (column, row) = (number % MAP_SIDE, MAP_SIDE - 1 - number / MAP_SIDE);
    let place = [column, row].map(|k| (k as f64 + 0.5) * MAP_CELL_M);
    URoom::is_free(place).then(|| place.map(|x| (x - 1.5) as f32))
}

fn findings(results: &Results) -> Vec<Finding> {
    let finding = |(claim, measure, least, rule): (&str, &str, f64, &'static str)| {
        let ours = Method::Bootstrapped.name();
        let [found, label, first_passage, line] = [
            ours,
            Method::Label.name(),
            Method::FirstPassage.name(),
            LINE,
        ]
        .map(|case| results.mean(case, measure));
        Finding {
            claim: claim.to_owned(),
            found: format!(
                "bootstrapped {found:.3} (seeds {}), paper's label {label:.3}, first passage {first_passage:.3}, {LINE} {line:.3}",
                results.in_words(ours, measure, 3),
            ),
            rule,
            verdict: Verdict::from(found >= least),
        }
    };
    let claims = [
        (
            "bootstrapped first passages rank pairs as measured commute times do",
            "commute",
            0.97,
            "the mean Spearman's ρ of bootstrapped distances is at least 0.97",
        ),
        (
            "they rank pairs as shortest ways do",
            "geodesic",
            0.97,
            "the mean Spearman's ρ of bootstrapped distances is at least 0.97",
        ),
        (
            "they do so for pairs with the wall between",
            "wall pairs",
            0.75,
            "the mean Spearman's ρ of bootstrapped distances is at least 0.75",
        ),
        (
            "near pairs with the wall between are farther than near pairs without",
            "auc",
            0.95,
            "they are in at least 95 % of comparisons, bootstrapped, mean of seeds",
        ),
        (
            "bootstrapped distances count the steps of half a commute",
            "commute ratio",
            0.9,
            "the median of learned ÷ measured is at least 0.9, mean of seeds",
        ),
    ];
    claims.map(finding).into()
}
