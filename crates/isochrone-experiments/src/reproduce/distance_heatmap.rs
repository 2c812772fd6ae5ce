//! Figure 3 (c): learned distances from the start over the floor, beside the shortest way.

use super::asked::{Amount, Asked, Rates, Seen, Starts};
use super::predictor::Predictor;
use super::report::{Basis, Finding, Report, Verdict};
use super::wander::Data;
use super::way::{Ways, apart_m};
use super::{Effort, Numbers, Reproduction, Results};
use anyhow::Result;
use isochrone::evaluate::spearman;
use isochrone_figures::{ColourBar, ColourScale, Figure, Panel};
use isochrone_mujoco::{Anywhere, WorldName};
use isochrone_runs::floor::Floor;
use isochrone_runs::isochrones::round_levels;
use isochrone_runs::progress::Waiting;
use std::fmt::Write as _;

/// Worlds in which walls stand between places …
const WALLED: [WorldName; 4] = [
    WorldName::PointMass,
    WorldName::PointMassSpiral,
    WorldName::PointMassU,
    WorldName::MazeAnt,
];
/// … and those in which the Euclidean distance is the shortest path.
const OPEN: [WorldName; 2] = [WorldName::PointMassRoom, WorldName::FreeAnt];
/// The reference state stands here.
const START_M: [f64; 2] = [0.0; 2];
/// Cells of the maps.
const CELL_M: f64 = 0.4;
/// Two worlds side by side, two maps each.
const COLUMNS: usize = 4;
/// A distance that ranks places this well is one that closer places are darker in.
const RANKS_WELL: f64 = 0.8;

pub(super) fn reproduce(effort: &Effort, waiting: &Waiting) -> Result<Reproduction> {
    let mut results = Results::new(effort.revision.clone());
    let (mut panels, mut csv) = (
        Vec::new(),
        "world,x_m,y_m,steps,way_m,straight_m\n".to_owned(),
    );
    for world in WALLED.into_iter().chain(OPEN) {
        let asked = asked(effort, world);
        waiting.now(world.as_str());
        let seeds = effort.for_each_seed(|seed| {
            let data = Data::gather(&asked, seed)?;
            let predictor = Predictor::learn(&asked, &data, seed)?;
            Ok((Map::of(&data, &predictor)?, predictor))
        })?;
        for (seed, (map, predictor)) in (0..).zip(&seeds) {
            for (measure, value) in map.measures(predictor)? {
                results.push(&predictor.spec, world.as_str(), seed, measure, value);
            }
        }
        if let Some((map, _)) = seeds.first() {
            panels.extend(map.panels(world));
            map.tell(world, &mut csv);
        }
    }
    Ok(Reproduction {
        figure: Figure {
            title: "Predicted steps to the start (seed 0), and the shortest way".to_owned(),
            columns: COLUMNS,
            panels,
        },
        csv,
        report: Report {
            title: "Figure 3 (c): learned distances over the floor".to_owned(),
            basis: Basis::Learned,
            findings: vec![closer_is_darker(&results), walls(&results)],
            differences: differences(effort),
        },
        results: Some(Numbers::Measures(results)),
    })
}

fn asked(effort: &Effort, world: WorldName) -> Asked {
    Asked {
        world,
        starts: Starts::Anywhere,
        seen: Seen::FullState,
        rates: Rates::Settled,
        amount: Amount::of(effort.size),
        q: 1.0,
    }
}

/// What is known about every place of a floor.
struct Map {
    floor: Floor,
    steps: Vec<Option<f64>>,
    way_m: Vec<Option<f64>>,
    straight_m: Vec<Option<f64>>,
    /// Positions where the body fits: only there is the distance evaluated.
    has_room: Vec<bool>,
}

impl Map {
    fn of(data: &Data, predictor: &Predictor) -> Result<Self> {
        let floor = Floor::of(&data.world, CELL_M);
        let ways = Ways::from(&data.world, START_M);
        let body = Anywhere::new(data.world.clone())?;
        Ok(Self {
            steps: floor.map(predictor.steps_to(data, START_M)),
            way_m: floor.map(|place| ways.length_m(place)),
            straight_m: floor.map(|place| apart_m(place, START_M)),
            has_room: floor.places_m.iter().map(|&p| body.has_room(p)).collect(),
            floor,
        })
    }

    fn judged(&self, values: &[Option<f64>]) -> Vec<f64> {
        let each = values.iter().zip(&self.has_room);
        each.filter_map(|(value, has_room)| value.filter(|_| *has_room))
            .collect()
    }

    fn measures(&self, predictor: &Predictor) -> Result<[(&'static str, f64); 6]> {
        let [steps, way, straight] =
            [&self.steps, &self.way_m, &self.straight_m].map(|v| self.judged(v));
        let ranks = |a: &[f64], b: &[f64]| -> Result<f64> { Ok(spearman(a, b)?.unwrap_or(0.0)) };
        Ok([
            ("learned_against_way", ranks(&steps, &way)?),
            ("straight_against_way", ranks(&straight, &way)?),
            ("learned_against_straight", ranks(&steps, &straight)?),
            ("held_out_rmse_steps", predictor.worth.rmse_steps),
            (
                "best_constant_rmse_steps",
                predictor.worth.constant_rmse_steps,
            ),
            ("held_out_spearman", predictor.worth.spearman),
        ])
    }

    /// The learned distance, and beside it the truth where that is no mere circle.
    fn panels(&self, world: WorldName) -> Vec<Panel> {
        let panel = |what: &str, label: &str, values: &[Option<f64>]| {
            let farthest = values.iter().flatten().copied().fold(0.0, f64::max);
            let colour = ColourScale {
                label: label.to_owned(),
                low: 0.0,
                high: farthest,
                bar: ColourBar::Below,
            };
            let title = format!("{world}: {what}");
            let levels = round_levels(farthest);
            self.floor.panel(title, values.to_vec(), colour, levels)
        };
        let mut panels = vec![panel("learned", "steps", &self.steps)];
        if WALLED.contains(&world) {
            panels.push(panel("shortest way", "metres", &self.way_m));
        }
        panels
    }

    fn tell(&self, world: WorldName, csv: &mut String) {
        let places = self.floor.places_m.iter().enumerate();
        for (at, [x, y]) in places {
            if let (Some(steps), Some(way), Some(straight)) =
                (self.steps[at], self.way_m[at], self.straight_m[at])
            {
                // Writing to a String cannot fail.
                let _ = writeln!(
                    csv,
                    "{world},{x:.1},{y:.1},{steps:.2},{way:.4},{straight:.4}"
                );
            }
        }
    }
}

fn closer_is_darker(results: &Results) -> Finding {
    let worlds: Vec<WorldName> = WALLED.into_iter().chain(OPEN).collect();
    let of = |world: &WorldName| results.mean(world.as_str(), "learned_against_way");
    let words: Vec<String> = worlds
        .iter()
        .map(|world| format!("{world} {:.3}", of(world)))
        .collect();
    let n_well = worlds.iter().filter(|world| of(world) > RANKS_WELL).count();
    Finding {
        claim: "closer states are darker: the prediction follows how far a place is".to_owned(),
        found: format!(
            "rank correlation with the shortest way, mean over seeds: {}",
            words.join(", ")
        ),
        rule: "above 0.8 in every world; *depends* if in some",
        verdict: Verdict::in_some(n_well, worlds.len()),
    }
}

fn walls(results: &Results) -> Finding {
    let of = |world: WorldName, measure| results.mean(world.as_str(), measure);
    let pair = |world: WorldName| {
        (
            of(world, "learned_against_way"),
            of(world, "straight_against_way"),
        )
    };
    let words = WALLED.map(|world| {
        let (learned, straight) = pair(world);
        format!("{world} {learned:.3} against {straight:.3}")
    });
    let is_better = |world: &&WorldName| {
        let (learned, straight) = pair(**world);
        learned > straight
    };
    Finding {
        claim: "the learned distance captures the dynamics, where L2 would need domain knowledge"
            .to_owned(),
        found: format!(
            "rank correlation with the shortest way, learned against straight line: {}",
            words.join(", ")
        ),
        rule: "the learned one is closer in every world with walls between places; *depends* if in some",
        verdict: Verdict::in_some(WALLED.iter().filter(is_better).count(), WALLED.len()),
    }
}

fn differences(effort: &Effort) -> Vec<String> {
    let mut list: Vec<String> = [
        "**Data.** Random rollouts of 500 steps (or until the ant falls) from random places, as in the paper's batch \
         setting; its figure shows a predictor trained on with a policy. From one start random ants would see one \
         cell of the maze.",
        "**Worlds.** The paper shows Maze Ant; here are all. One reference, the start, instead of several near it.",
        "**Training.** 64 ReLU → 20, 1-norm, q = 1, batch 32, 50 epochs as printed, but Adam from 1e-3 down to 1e-5 \
         on scaled steps: at a constant 1e-5 the predictor has not settled after 50 epochs (see effect-of-q).",
        "**What is measured.** The state at rest at each place, the ant standing, on a grid of 0.4 m; rows downwards \
         with growing y. Places too near a wall for the body are drawn and not judged. The shortest way is that of a \
         point: exact, round the corners of walls.",
        "**Steps are lags in the window.** What is learned is the mean lag between two states given that both are in \
         one episode of 500 steps, not a number of steps that would be needed: beyond what random walks reach in \
         an episode it extrapolates.",
    ]
    .map(str::to_owned)
    .to_vec();
    list.extend(Amount::caveat(effort.size));
    list
}
