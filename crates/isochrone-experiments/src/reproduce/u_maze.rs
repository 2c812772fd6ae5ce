//! A U of 252 states: a network that sees (column, row) and learns from windows, against the shortest path.
//!
//! The two ends of the U are 7 cells apart in Euclidean distance and 31 steps by the shortest path; hardly any window of 100
//! random steps goes from one to the other.

use super::grid_world::{GridWorld, WALK_STEPS};
use super::panels::{csv, levels, map};
use super::predictor::regression;
use super::random_walks::StateInput;
use super::report::{Finding, Report, Verdict};
use super::results::Results;
use super::{Effort, Reproduction, Size};
use anyhow::Result;
use isochrone::distance::{Distance, Euclidean};
use isochrone::embedding::{DistanceSpec, Head, LearningRate, Scaling};
use isochrone::evaluate::{Goals, against_truth, descent};
use isochrone::markov::{Mat, steps_from};
use isochrone::maze::Cell;
use isochrone::pairs::Target;
use isochrone_figures::{ColourBar, ColourScale, Panel};
use isochrone_runs::progress::Waiting;

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
    Euclidean,
}

impl Method {
    const ALL: [Self; 3] = [Self::Label, Self::Paper, Self::Euclidean];

    /// Its name, and the unit of its distances.
    const fn labels(self) -> (&'static str, &'static str) {
        match self {
            Self::Label => ("label q=0.5", "steps, given arrival within 100"),
            Self::Paper => ("label p=q=1", "steps, given arrival within 100"),
            Self::Euclidean => ("straight line", "half the side of the maze"),
        }
    }

    const fn name(self) -> &'static str {
        self.labels().0
    }

    fn spec(self, input: &StateInput, size: Size) -> DistanceSpec {
        let (p, q, batch, from, steps) = match self {
            Self::Label => (2.0, 0.5, 256, 3e-3, 20_000),
            Self::Paper | Self::Euclidean => (1.0, 1.0, 512, 0.01, 10_000),
        };
        DistanceSpec {
            encoder: input.encoder(Head::Symmetric),
            p,
            q,
            objective: regression(Target::Window { steps: WALK_STEPS }),
            scaling: Scaling::Running,
            batch,
            learning_rate: LearningRate::Decay {
                from,
                to: 1e-5,
                steps: size.pick(steps, 3_000),
            },
            ..DistanceSpec::paper(2, WALK_STEPS)
        }
    }

    /// All distances, and the spec if they were learned.
    fn distances(
        self,
        world: &GridWorld,
        seed: u64,
        size: Size,
    ) -> Result<(Mat<f64>, Option<DistanceSpec>)> {
        let input = world.coordinates(match self {
            Self::Label => vec![256, 256],
            Self::Paper | Self::Euclidean => vec![64],
        });
        if self == Self::Euclidean {
            let n = world.cells.len();
            // Two states of one input are equally long.
            let between = |i, j| {
                let distance = Euclidean.between(input.state(i), input.state(j));
                distance.unwrap_or(f64::NAN)
            };
            return Ok((Mat::from_fn(n, n, between), None));
        }
        let spec = self.spec(&input, size);
        let found = world.fit(&spec, &input, &world.walks(seed), seed)?;
        Ok((found, Some(spec)))
    }
}

/// Against the shortest path: ranks goal by goal and over all pairs, and the success of greedy descents.
fn measures(world: &GridWorld, found: &Mat<f64>) -> Result<[(&'static str, f64); 4]> {
    let judged = against_truth(&world.pairs(found, |goal| shortest(world, goal)))?;
    let column = |goal| (0..found.nrows()).map(|s| found[(s, goal)]).collect();
    let descent = descent(&world.chain, Goals::All, column)?;
    let per_goal = judged.per_goal.map_or(f64::NAN, |g| g.mean);
    Ok([
        ("per-goal spearman", per_goal),
        ("spearman", judged.spearman.unwrap_or(f64::NAN)),
        ("greedy descent", descent.success),
        ("downhill", descent.downhill),
    ])
}

fn shortest(world: &GridWorld, from: usize) -> Vec<f64> {
    let steps = steps_from(&world.chain, from).into_iter();
    steps.map(f64::from).collect()
}

pub(super) fn reproduce(effort: &Effort, waiting: &Waiting) -> Result<Reproduction> {
    let world = GridWorld::u_maze()?;
    let (results, found) = effort.run_seeds(&Method::ALL, waiting, |method, seed, results| {
        let (found, spec) = method.distances(&world, seed, effort.size)?;
        results.push_all(&spec, method.name(), seed, measures(&world, &found)?);
        Ok(found)
    })?;
    let (panels, csv) = draw(&world, &found);
    let title = "Distance from one arm of a U, learned from windows of 100 random steps";
    let report = Report::learned(
        "A U of 252 states: the label against the shortest way",
        findings(&results),
        include_str!("u_maze.md"),
    );
    Ok(Reproduction::learned(
        title, 2, panels, csv, report, results,
    ))
}

/// Maps of the shortest path and all distances from one state (seed 0).
fn draw(world: &GridWorld, found: &[Vec<Mat<f64>>]) -> (Vec<Panel>, String) {
    let is_from = |c: &Cell| (c.column, c.row) == MAP_FROM;
    let from = world.cells.iter().position(is_from).unwrap_or(0);
    let mut maps = vec![("shortest way", "steps", shortest(world, from))];
    for (method, seeds) in Method::ALL.iter().zip(found) {
        let (name, unit) = method.labels();
        let values = (0..world.cells.len()).map(|s| seeds[0][(from, s)]);
        maps.push((name, unit, values.collect()));
    }
    let (mut panels, mut rows) = (Vec::new(), Vec::new());
    for (name, unit, values) in maps {
        rows.extend(world.csv_rows(name, &values));
        let values = world.lay_out(&values);
        let colour = ColourScale::over(unit, &values, ColourBar::Below);
        let contours = levels(0.0, colour.high, 10);
        panels.push(map(name, world.side, values, colour, contours, MAP_FROM));
    }
    (panels, csv("distance,column,row,value", rows))
}

fn findings(results: &Results) -> Vec<Finding> {
    let finding = |(claim, measure, least, rule): (&str, &str, f64, &'static str)| {
        let words = |method: Method| {
            let (name, mean) = (method.name(), results.mean(method.name(), measure));
            format!(
                "{name} {mean:.4} (seeds {})",
                results.in_words(name, measure, 4)
            )
        };
        Finding {
            claim: claim.to_owned(),
            found: Method::ALL.map(words).join("; "),
            rule,
            verdict: Verdict::from(results.mean(Method::Label.name(), measure) >= least),
        }
    };
    let claims = [
        (
            "states are ordered for each goal as by the shortest way",
            "per-goal spearman",
            0.97,
            "the first one's mean of Spearman's ρ over goals, mean of seeds, is at least 0.97",
        ),
        (
            "stepping to the nearest neighbour, again and again, arrives",
            "greedy descent",
            0.99,
            "the first one arrives from at least 99 % of starts, all goals, mean of seeds",
        ),
        (
            "it arrives with every step coming nearer",
            "downhill",
            0.99,
            "the first one does from at least 99 % of starts, all goals, mean of seeds",
        ),
    ];
    claims.map(finding).into()
}
