//! Figure 3 (c): learned distances from the start over the floor, beside the shortest path.

use super::panels::{colours_to, csv};
use super::predictor::Predictor;
use super::predictor_config::{Amount, PredictorConfig, Seen};
use super::report::{Finding, Report, Verdict};
use super::rollouts::Data;
use super::shortest_path::{ShortestPaths, apart_m};
use super::{Effort, Reproduction, Results};
use anyhow::Result;
use isochrone::evaluate::spearman;
use isochrone_figures::{ColourBar, Panel};
use isochrone_mujoco::{Anywhere, WorldName};
use isochrone_runs::floor::Floor;
use isochrone_runs::isochrones::round_levels;
use isochrone_runs::progress::Waiting;

/// The worlds: first those in which walls stand between places, then those in which the straight line is the shortest path.
const WORLDS: [WorldName; 6] = [
    WorldName::PointMass,
    WorldName::PointMassSpiral,
    WorldName::PointMassU,
    WorldName::MazeAnt,
    WorldName::PointMassRoom,
    WorldName::FreeAnt,
];
const N_WALLED: usize = 4;
/// The reference state stands here.
const START_M: [f64; 2] = [0.0; 2];
/// Cells of the maps.
const CELL_M: f64 = 0.4;
/// Two worlds side by side, two maps each.
const COLUMNS: usize = 4;
/// A distance that ranks places this well is one that closer places are darker in.
const RANKS_WELL: f64 = 0.8;

pub(super) fn reproduce(effort: &Effort, waiting: &Waiting) -> Result<Reproduction> {
    let (results, maps) = effort.run_seeds(&WORLDS, waiting, |&world, seed, results| {
        let config = PredictorConfig::batch(world, Seen::FullState, effort.size);
        let data = Data::gather(&config, seed)?;
        let predictor = Predictor::learn(&config, &data, seed)?;
        let map = Map::of(&data, &predictor)?;
        let measures = map.measures()?.into_iter().chain(predictor.held_out);
        results.push_all(&predictor.spec, world.as_str(), seed, measures);
        Ok(map)
    })?;
    let (mut panels, mut rows) = (Vec::new(), Vec::new());
    for (at, (world, seeds)) in WORLDS.into_iter().zip(&maps).enumerate() {
        let map = &seeds[0];
        panels.push(map.panel(format!("{world}: learned"), "steps", &map.steps));
        if at < N_WALLED {
            panels.push(map.panel(format!("{world}: shortest way"), "metres", &map.path_m));
        }
        rows.extend(map.csv_rows(world));
    }
    let title = "Predicted steps to the start (seed 0), and the shortest way";
    let csv = csv("world,x_m,y_m,steps,way_m,straight_m", rows);
    let mut report = Report::learned(
        "Figure 3 (c): learned distances over the floor",
        vec![closer_is_darker(&results), walls(&results)],
        include_str!("distance_heatmap.md"),
    );
    report.differences.extend(Amount::caveat(effort.size));
    Ok(Reproduction::learned(
        title, COLUMNS, panels, csv, report, results,
    ))
}

/// Distances from the start over a floor.
struct Map {
    floor: Floor,
    steps: Vec<Option<f64>>,
    path_m: Vec<Option<f64>>,
    straight_m: Vec<Option<f64>>,
    /// Positions where the body fits: only there is the distance evaluated.
    has_room: Vec<bool>,
}

impl Map {
    fn of(data: &Data, predictor: &Predictor) -> Result<Self> {
        let floor = Floor::of(&data.world, CELL_M);
        let paths = ShortestPaths::from(&data.world, START_M);
        let body = Anywhere::new(data.world.clone())?;
        Ok(Self {
            steps: floor.map(predictor.steps_to(data, START_M)),
            path_m: floor.map(|place| paths.length_m(place)),
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

    fn measures(&self) -> Result<[(&'static str, f64); 3]> {
        let [steps, path, straight] =
            [&self.steps, &self.path_m, &self.straight_m].map(|v| self.judged(v));
        let ranks = |a: &[f64], b: &[f64]| -> Result<f64> { Ok(spearman(a, b)?.unwrap_or(0.0)) };
        Ok([
            ("learned_against_way", ranks(&steps, &path)?),
            ("straight_against_way", ranks(&straight, &path)?),
            ("learned_against_straight", ranks(&steps, &straight)?),
        ])
    }

    fn panel(&self, title: String, unit: &str, values: &[Option<f64>]) -> Panel {
        let farthest = values.iter().flatten().copied().fold(0.0, f64::max);
        let colour = colours_to(farthest, unit, ColourBar::Below);
        let levels = round_levels(farthest);
        self.floor.panel(title, values.to_vec(), colour, levels)
    }

    fn csv_rows(&self, world: WorldName) -> impl Iterator<Item = String> {
        let places = self.floor.places_m.iter().enumerate();
        places.filter_map(move |(at, [x, y])| {
            let (steps, path) = (self.steps[at]?, self.path_m[at]?);
            let straight = self.straight_m[at]?;
            Some(format!(
                "{world},{x:.1},{y:.1},{steps:.2},{path:.4},{straight:.4}"
            ))
        })
    }
}

fn closer_is_darker(results: &Results) -> Finding {
    let ranks = WORLDS.map(|world| (world, results.mean(world.as_str(), "learned_against_way")));
    let words = ranks
        .map(|(world, rank)| format!("{world} {rank:.3}"))
        .join(", ");
    let n_well = ranks.iter().filter(|(_, rank)| *rank > RANKS_WELL).count();
    Finding {
        claim: "closer states are darker: the prediction follows how far a place is".to_owned(),
        found: format!("rank correlation with the shortest way, mean over seeds: {words}"),
        rule: "above 0.8 in every world; *depends* if in some",
        verdict: Verdict::in_some(n_well, WORLDS.len()),
    }
}

fn walls(results: &Results) -> Finding {
    let (mut words, mut n_better) = (Vec::new(), 0);
    for world in &WORLDS[..N_WALLED] {
        let [learned, straight] = ["learned_against_way", "straight_against_way"]
            .map(|measure| results.mean(world.as_str(), measure));
        words.push(format!("{world} {learned:.3} against {straight:.3}"));
        n_better += usize::from(learned > straight);
    }
    Finding {
        claim: "the learned distance captures the dynamics, where L2 would need domain knowledge"
            .to_owned(),
        found: format!(
            "rank correlation with the shortest way, learned against straight line: {}",
            words.join(", ")
        ),
        rule: "the learned one is closer in every world with walls between places; *depends* if in some",
        verdict: Verdict::in_some(n_better, N_WALLED),
    }
}
