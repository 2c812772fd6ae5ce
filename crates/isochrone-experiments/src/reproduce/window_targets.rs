//! What the paper's label converges to: learned distances against the infinite-data formula.
//!
//! The formula is `markov::window_target`: the mean time to the goal **given that it is met within the window**. If
//! table and network both arrive there, what is missing to the commute time is the label's doing, not the optimiser's.

use super::panels::{csv, diagonal, lines, series};
use super::paper_maze::{CENTRE, PaperMaze, SIDE};
use super::random_walks::{RandomWalks, StateInput};
use super::report::{Finding, Report, Verdict};
use super::results::Results;
use super::{Effort, Reproduction, Size};
use anyhow::Result;
use isochrone::comm::Single;
use isochrone::distance::Distance;
use isochrone::embedding::{
    DistanceSpec, DistanceTrainer, Head, LearningRate, Objective, Part, Scaling,
};
use isochrone::evaluate::{Triples, median, triangle};
use isochrone::markov::{Mat, Sampler, window_target};
use isochrone::maze::Maze;
use isochrone::pairs::Target;
use isochrone::rng::{Purpose, Seed};
use isochrone_figures::{Panel, Series, Stroke};
use isochrone_runs::progress::Waiting;

/// The windows, in steps.
const WINDOWS: [usize; 3] = [10, 50, 200];
/// Steps walked for each epoch; every epoch has walks of its own, because the claim is about infinite data.
const EPOCH_STEPS: usize = 200_000;
/// What counts as the same.
const TOLERANCE: f64 = 0.02;

/// How points are represented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoder {
    Table,
    Network,
}

impl Encoder {
    /// Its name, and a description.
    const fn words(self) -> [&'static str; 2] {
        match self {
            Self::Table => ["table", "a table of free points"],
            Self::Network => ["network", "a network on (column, row)"],
        }
    }

    /// Steps of Adam.
    fn steps(self, size: Size) -> u64 {
        match self {
            Self::Table => size.pick(12_000, 800),
            Self::Network => size.pick(15_000, 800),
        }
    }
}

pub(super) fn reproduce(effort: &Effort, waiting: &Waiting) -> Result<Reproduction> {
    let cases = Case::all();
    let (results, found) = effort.run_seeds(&cases, waiting, |case, seed, results| {
        let (spec, from_centre) = case.learn(seed, effort.size)?;
        let errors = errors(&case.exact()?, &from_centre);
        let worst = errors.iter().copied().fold(0.0, f64::max);
        let middle = median(&errors).unwrap_or(f64::NAN);
        let measures = [("median error", middle), ("largest error", worst)];
        results.push_all(&spec, &case.name(), seed, measures);
        Ok(from_centre)
    })?;
    let (mut clouds, mut rows) = (Vec::new(), Vec::new());
    for (case, seeds) in cases.iter().zip(&found) {
        let cloud = cloud(&case.exact()?, seeds);
        let (name, window) = (case.name(), case.window_steps);
        rows.extend(cloud.iter().map(|(state, (exact, learned))| {
            let (column, row) = (state % SIDE, state / SIDE);
            format!("{name},{window},{column},{row},{exact},{learned}")
        }));
        clouds.push(cloud.into_iter().map(|(_, point)| point).collect());
    }
    let title = "Distance from (2, 2): learned from windows of T steps, and what they converge to";
    let csv = csv("case,window_steps,column,row,exact,learned", rows);
    let report = Report::learned(
        "What the paper's label converges to",
        vec![
            arrives(Encoder::Table, &cases, &results),
            arrives(Encoder::Network, &cases, &results),
            no_metric(&cases, &results)?,
        ],
        include_str!("window_targets.md"),
    );
    let panels = panels(&cases, &clouds);
    Ok(Reproduction::learned(
        title,
        WINDOWS.len(),
        panels,
        csv,
        report,
        results,
    ))
}

/// One spec on one maze.
#[derive(Clone, Copy, Debug)]
struct Case {
    maze: PaperMaze,
    encoder: Encoder,
    sampler: Sampler,
    window_steps: usize,
    /// p and q of the norm.
    norm: (f32, f32),
}

impl Case {
    /// Table and network with three samplers; then the maze with drift, where the target is no metric: a squared norm
    /// beside the paper's. Each with three windows.
    fn all() -> Vec<Self> {
        let mut cases = Vec::new();
        let mut add = |maze, encoder, sampler, norm| {
            cases.extend(WINDOWS.map(|window_steps| Self {
                maze,
                encoder,
                sampler,
                window_steps,
                norm,
            }));
        };
        for encoder in [Encoder::Table, Encoder::Network] {
            for sampler in Sampler::ALL {
                add(PaperMaze::Uniform, encoder, sampler, (1.0, 1.0));
            }
        }
        let sampler = Sampler::UniformStartThenEnd;
        for norm in [(2.0, 2.0), (1.0, 1.0)] {
            add(PaperMaze::NonUniform, Encoder::Table, sampler, norm);
        }
        cases
    }

    fn name(self) -> String {
        let [encoder, _] = self.encoder.words();
        let (maze, sampler) = (self.maze.name(), letter(self.sampler));
        let ((p, q), window) = (self.norm, self.window_steps);
        format!("{maze} {encoder} {sampler} T={window} p={p} q={q}")
    }

    fn spec(self, input: &StateInput, size: Size) -> DistanceSpec {
        // 25 places are a fine pattern for layers: in units of their targets they take larger steps to it.
        let (scaling, from) = match self.encoder {
            Encoder::Table => (Scaling::Off, 0.02),
            Encoder::Network => (Scaling::Running, 0.01),
        };
        let steps = self.window_steps;
        DistanceSpec {
            encoder: input.encoder(Head::Symmetric),
            p: self.norm.0,
            q: self.norm.1,
            objective: Objective::Regression {
                target: Target::Window { steps },
                sampler: self.sampler,
            },
            scaling,
            batch: size.pick(512, 256),
            learning_rate: LearningRate::Decay {
                from,
                to: 1e-4,
                steps: self.encoder.steps(size),
            },
            ..DistanceSpec::paper(2, steps)
        }
    }

    fn exact(self) -> Result<Mat<f64>> {
        let (chain, rho) = self.maze.walk()?;
        Ok(window_target(&chain, &rho, self.window_steps, self.sampler))
    }

    /// The spec, and distances from the centre in the order of states.
    fn learn(self, seed: u64, size: Size) -> Result<(DistanceSpec, Vec<f64>)> {
        let (chain, rho) = self.maze.walk()?;
        let maze = Maze::open(SIDE, SIDE)?;
        let states = chain.n_states();
        let cells = (0..states).map(|s| maze.cell(s));
        let input = match self.encoder {
            Encoder::Table => StateInput::indices(states),
            Encoder::Network => StateInput::coordinates(cells, SIDE, vec![256]),
        };
        let spec = self.spec(&input, size);
        let mut trainer = DistanceTrainer::new(spec.clone(), Seed(seed))?;
        let mut epoch = 0;
        while trainer.step() < self.encoder.steps(size) {
            let mut rng = Seed(seed).stream(Purpose::Act, epoch, 0);
            let count = EPOCH_STEPS / self.window_steps;
            let walks = RandomWalks::of(&chain, &rho, count, self.window_steps, &mut rng);
            let rows = walks.inputs(&input);
            trainer.epoch(
                &Part::whole(&walks.episodes(&rows, &input)?),
                epoch,
                &Single,
            )?;
            epoch += 1;
        }
        let distance = trainer.distance()?;
        let between = |s| distance.between(input.state(CENTRE), input.state(s));
        let from_centre = (0..states).map(between).collect::<Result<_, _>>()?;
        Ok((spec, from_centre))
    }
}

fn letter(sampler: Sampler) -> &'static str {
    match sampler {
        Sampler::EachFirstHit => "A",
        Sampler::UniformPairs => "B",
        Sampler::UniformStartThenEnd => "C",
    }
}

/// |learned ÷ exact − 1| of the 24 pairs.
fn errors(exact: &Mat<f64>, from_centre: &[f64]) -> Vec<f64> {
    let others = from_centre.iter().enumerate().filter(|(s, _)| *s != CENTRE);
    let error = |(s, d): (usize, &f64)| (d / exact[(CENTRE, s)] - 1.0).abs();
    others.map(error).collect()
}

/// Every other state with its exact distance and the mean of the learned ones.
fn cloud(exact: &Mat<f64>, seeds: &[Vec<f64>]) -> Vec<(usize, (f64, f64))> {
    let mean = |s: usize| seeds.iter().map(|run| run[s]).sum::<f64>() / seeds.len() as f64;
    let others = (0..exact.nrows()).filter(|&s| s != CENTRE);
    others.map(|s| (s, (exact[(CENTRE, s)], mean(s)))).collect()
}

/// A row of panels for the table, one for the network and one for the maze with drift; a column for each window.
fn panels(cases: &[Case], clouds: &[Vec<(f64, f64)>]) -> Vec<Panel> {
    let rows = [
        (PaperMaze::Uniform, Encoder::Table, "table"),
        (PaperMaze::Uniform, Encoder::Network, "network"),
        (PaperMaze::NonUniform, Encoder::Table, "drift, table"),
    ];
    let mut panels = Vec::new();
    for (maze, encoder, words) in rows {
        for window in WINDOWS {
            let is_here = |case: &Case| {
                (case.maze, case.encoder, case.window_steps) == (maze, encoder, window)
            };
            let here = cases.iter().zip(clouds).filter(|(case, _)| is_here(case));
            let mut drawn: Vec<Series> = here.map(|(case, cloud)| points(*case, cloud)).collect();
            let all = drawn
                .iter()
                .flat_map(|s| &s.points)
                .flat_map(|p| [p.0, p.1]);
            let (low, high) = all.fold((f64::INFINITY, 0.0_f64), |(l, h), x| (l.min(x), h.max(x)));
            drawn.push(diagonal("learned = exact", low, high));
            let title = format!("{words}, T = {window}");
            panels.push(lines(title, ["formula (steps)", "learned (steps)"], drawn));
        }
    }
    panels
}

fn points(case: Case, cloud: &[(f64, f64)]) -> Series {
    let (p, q) = case.norm;
    let name = match case.maze {
        PaperMaze::Uniform => format!("sampler {}", letter(case.sampler)),
        PaperMaze::NonUniform => format!("p = {p}, q = {q}"),
    };
    series(&name, cloud.to_vec(), Stroke::PointsOnly)
}

fn error(case: &Case, results: &Results) -> f64 {
    results.mean(&case.name(), "median error")
}

fn arrives(encoder: Encoder, cases: &[Case], results: &Results) -> Finding {
    let here = |case: &&Case| case.maze == PaperMaze::Uniform && case.encoder == encoder;
    let cases: Vec<&Case> = cases.iter().filter(here).collect();
    let worst = cases
        .iter()
        .map(|case| error(case, results))
        .fold(0.0, f64::max);
    let each = Sampler::ALL.map(|sampler| {
        let here = cases.iter().filter(|case| case.sampler == sampler);
        let here: Vec<String> = here
            .map(|case| format!("{:.4}", error(case, results)))
            .collect();
        format!("{}: {}", letter(sampler), here.join(", "))
    });
    let [_, words] = encoder.words();
    Finding {
        claim: format!("{words} learns the formula of its window and sampler"),
        found: format!(
            "median error at T = 10, 50, 200, mean of seeds: {}; the largest is {worst:.4}",
            each.join("; ")
        ),
        rule: "every median of |learned ÷ formula − 1| over the 24 pairs from (2, 2) is at most 0.02",
        verdict: Verdict::from(worst <= TOLERANCE),
    }
}

/// With drift the formula breaks the triangle inequality, which no norm can.
fn no_metric(cases: &[Case], results: &Results) -> Result<Finding> {
    let mut each = Vec::new();
    let mut holds = true;
    let drifting = cases.iter().filter(|c| c.maze == PaperMaze::NonUniform);
    let norms = drifting.clone().skip(WINDOWS.len());
    for (square, norm) in drifting.zip(norms) {
        let exact = square.exact()?;
        let broken = triangle(exact.nrows(), Triples::All, |i, j| exact[(i, j)])?;
        let [with_square, with_norm] = [square, norm].map(|case| error(case, results));
        holds &= broken.n_violations == 0 || with_square < with_norm;
        each.push(format!(
            "T = {}: {:.1} % of triples break it, error {with_square:.4} with q = 2, {with_norm:.4} with q = 1",
            square.window_steps,
            100.0 * broken.share
        ));
    }
    Ok(Finding {
        claim:
            "with drift the formula is not a metric: a squared norm can follow it, a norm cannot"
                .to_owned(),
        found: each.join("; "),
        rule: "wherever the formula breaks the triangle inequality, q = 2 has the smaller median error",
        verdict: Verdict::from(holds),
    })
}
