//! Four rooms, 400 states, windows of 100 steps: how much of the commute time can be learned?
//!
//! Bootstrapped first passages by a table and a network, beside the paper's label and counting transitions, which on
//! states that can be counted is hard to beat.

use super::grid_world::{GridWorld, WALK_STEPS};
use super::panels::{colours_to, csv, levels, map, scatter};
use super::predictor::regression;
use super::random_walks::{RandomWalks, StateInput};
use super::report::{Finding, Report, Verdict};
use super::results::Results;
use super::{Effort, Reproduction, Size};
use anyhow::Result;
use isochrone::embedding::{DistanceSpec, Head, LearningRate, Scaling};
use isochrone::evaluate::against_truth;
use isochrone::markov::{Chain, Mat, action_distances, passage_times};
use isochrone::pairs::Target;
use isochrone_figures::{ColourBar, Panel};
use isochrone_runs::progress::Waiting;

/// The state that maps show the distance from: in the middle of the first room.
const MAP_FROM: (usize, usize) = (4, 4);

/// Which distance; those that are learned are bootstrapped but for the label, from walks read in both directions but
/// for the label and `TableForward`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    Table,
    /// A table, from walks as they happened.
    TableForward,
    /// A table with a squared norm.
    Squared,
    /// A network on (column, row).
    Network,
    /// The paper's label, by a table.
    Label,
    /// Count transitions and solve.
    Counts,
}

impl Method {
    const ALL: [Self; 6] = [
        Self::Table,
        Self::TableForward,
        Self::Squared,
        Self::Network,
        Self::Label,
        Self::Counts,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::TableForward => "table forward only",
            Self::Squared => "table q=2",
            Self::Network => "network",
            Self::Label => "paper's label",
            Self::Counts => "counts",
        }
    }

    fn spec(self, input: &StateInput, size: Size) -> DistanceSpec {
        let steps = WALK_STEPS;
        let bootstrapped = Target::Bootstrapped {
            radius: 0.01,
            steps,
        };
        let (head, p, q, target) = match self {
            Self::Label => (Head::Symmetric, 1.0, 1.0, Target::Window { steps }),
            Self::Squared => (Head::Potential, 2.0, 2.0, bootstrapped),
            _ => (Head::Potential, 2.0, 1.0, bootstrapped),
        };
        let (from, to) = match self {
            Self::Network => (3e-3, 1e-5),
            _ => (0.02, 1e-4),
        };
        DistanceSpec {
            encoder: input.encoder(head),
            p,
            q,
            objective: regression(target),
            scaling: Scaling::Running,
            batch: 512,
            learning_rate: LearningRate::Decay {
                from,
                to,
                steps: size.pick(20_000, 6_000),
            },
            ..DistanceSpec::paper(2, steps)
        }
    }

    /// All distances in steps, the symmetric part (half of there and back), and the spec if they were learned.
    fn distances(
        self,
        world: &GridWorld,
        seed: u64,
        size: Size,
    ) -> Result<(Mat<f64>, Option<DistanceSpec>)> {
        let walks = world.walks(seed);
        let walks = match self {
            Self::Counts => return Ok((counted(world, &walks)?, None)),
            Self::Label | Self::TableForward => walks,
            _ => walks.both_ways(),
        };
        let input = match self {
            Self::Network => world.coordinates(vec![64]),
            _ => StateInput::indices(world.cells.len()),
        };
        let spec = self.spec(&input, size);
        Ok((world.fit(&spec, &input, &walks, seed)?, Some(spec)))
    }
}

/// Certainty equivalence: the exact answer for the chain that was seen. All 400 states are met and left in a million
/// steps; a state that were not would be NaN, and so would the verdict.
fn counted(world: &GridWorld, walks: &RandomWalks) -> Result<Mat<f64>> {
    let n = world.cells.len();
    let seen = Chain::from_trajectories(n, &walks.paths())?;
    let exact = half_commutes(&seen.chain);
    let place = |state: usize| seen.states.binary_search(&state).ok();
    Ok(Mat::from_fn(n, n, |i, j| match (place(i), place(j)) {
        (Some(i), Some(j)) => exact[(i, j)],
        _ => f64::NAN,
    }))
}

fn half_commutes(chain: &Chain) -> Mat<f64> {
    action_distances(&passage_times(chain))
}

pub(super) fn reproduce(effort: &Effort, waiting: &Waiting) -> Result<Reproduction> {
    let world = GridWorld::four_rooms()?;
    let exact = half_commutes(&world.chain);
    let (results, found) = effort.run_seeds(&Method::ALL, waiting, |method, seed, results| {
        let (found, spec) = method.distances(&world, seed, effort.size)?;
        let column = |goal| (0..exact.nrows()).map(|s| exact[(s, goal)]).collect();
        let judged = against_truth(&world.pairs(&found, column))?;
        let measures = [
            ("ratio", judged.median_ratio),
            ("spearman", judged.spearman.unwrap_or(f64::NAN)),
            ("relative error", judged.mean_relative_error),
        ];
        results.push_all(&spec, method.name(), seed, measures);
        Ok(found)
    })?;
    let learned = Method::ALL.iter().zip(&found);
    let learned = learned.map(|(method, seeds)| (method.name(), &seeds[0]));
    let named: Vec<(&str, &Mat<f64>)> = std::iter::once(("exact", &exact)).chain(learned).collect();
    let (panels, csv) = draw(&world, &exact, &named);
    let title = "Half the commute time in four rooms, from a million steps in walks of 100";
    let report = Report::learned(
        "Four rooms: half the commute time from windows of 100 steps",
        findings(&results),
        include_str!("four_rooms.md"),
    );
    Ok(Reproduction::learned(
        title, 3, panels, csv, report, results,
    ))
}

/// Maps of the truth, the table's and the network's distance from one state (seed 0), and all against the truth.
fn draw(world: &GridWorld, exact: &Mat<f64>, named: &[(&str, &Mat<f64>)]) -> (Vec<Panel>, String) {
    let from = MAP_FROM.1 * world.side + MAP_FROM.0;
    let row = |distances: &Mat<f64>| -> Vec<f64> {
        (0..distances.ncols())
            .map(|j| distances[(from, j)])
            .collect()
    };
    let high = row(exact).into_iter().fold(0.0, f64::max);
    let (mut maps, mut clouds, mut rows) = (Vec::new(), Vec::new(), Vec::new());
    for &(name, distances) in named {
        let values = row(distances);
        rows.extend(world.csv_rows(name, &values));
        if ["exact", "table", "network"].contains(&name) {
            let colour = colours_to(high, "half the commute time (steps)", ColourBar::Below);
            let (values, contours) = (world.lay_out(&values), levels(0.0, high, 8));
            maps.push(map(name, world.side, values, colour, contours, MAP_FROM));
        }
        if ["table", "network", "paper's label"].contains(&name) {
            clouds.push(cloud(name, exact, distances));
        }
    }
    maps.extend(clouds);
    (maps, csv("distance,column,row,steps", rows))
}

/// Every hundred-and-first pair: enough to see the shape.
fn cloud(name: &str, exact: &Mat<f64>, found: &Mat<f64>) -> Panel {
    let n = exact.nrows();
    let pairs = (0..n * n).step_by(101).map(|k| (k / n, k % n));
    let points = pairs
        .filter(|(i, j)| i != j)
        .map(|at| (exact[at], found[at]));
    let labels = ["exact (steps)", "learned (steps)"];
    scatter(name, labels, points.collect(), "learned = exact")
}

fn findings(results: &Results) -> Vec<Finding> {
    use Method::{Counts, Label, Network, Squared, Table, TableForward};
    let finding = |(claim, methods): (&str, &[Method])| {
        let means = |method: Method| ["ratio", "spearman"].map(|m| results.mean(method.name(), m));
        let words = methods.iter().map(|&method| {
            let [ratio, rank] = means(method);
            format!("{} {ratio:.3} and {rank:.4}", method.name())
        });
        let words: Vec<String> = words.collect();
        let [ratio, rank] = means(methods[0]);
        Finding {
            claim: claim.to_owned(),
            found: format!("median ratio and Spearman's ρ: {}", words.join("; ")),
            rule: "the first has a median ratio of at least 0.90 and a ρ of at least 0.97, means of seeds",
            verdict: Verdict::from(ratio >= 0.90 && rank >= 0.97),
        }
    };
    let claims: [(&str, &[Method]); 4] = [
        (
            "a table in 20 dimensions with a potential learns half the commute time from walks read both ways",
            &[Table, Squared, Label],
        ),
        (
            "it does so from the same walks read forward only",
            &[TableForward],
        ),
        (
            "a network of 64 units on (column, row) does so, both ways",
            &[Network],
        ),
        (
            "counting the same transitions and solving does so",
            &[Counts],
        ),
    ];
    claims.map(finding).into()
}
