//! `map` and `route` as typed: on Parquet of `collect`, on npz in OGBench's layout, and on damaged files.

use crate::data::damage::{cases, changes, damage};
use crate::desk::{Desk, assert_svg};
use isochrone::nn::ArrayValues;
use isochrone::pairs::Episodes;
use isochrone::roadmap::{HopRule, Roadmap, Selection, connectivity};
use isochrone_files::model::{Contents, DistanceModel, Kind, ModelError};
use isochrone_files::roadmap::{RoadmapFacts, RoadmapFile};
use proptest::prelude::*;
use serde_json::Value;
use std::path::Path;
use std::sync::LazyLock;

/// A U of walls: the arms are near each other and far on foot.
const U: &str = ".......\n.......\n.#####.\n.......\n.......\n";

fn mapped() -> Desk {
    let desk = Desk::with("u.txt", U);
    desk.ok("collect u.txt --episodes 300 --steps 60 --seed 3 -o walk.parquet");
    desk.warned("fit walk.parquet -o d.isochrone --window 10 --passes 20");
    desk.ok("map walk.parquet d.isochrone -o u.roadmap --landmarks 40 --hop-steps 3");
    desk
}

fn total_steps(desk: &Desk, from: &str, to: &str) -> f64 {
    let said = desk.ok(&format!("route u.roadmap --from {from} --to {to} --json"));
    let route: Value = serde_json::from_str(&said).unwrap();
    let legs = route["legs"].as_array().unwrap();
    let sum: f64 = legs.iter().map(|leg| leg["steps"].as_f64().unwrap()).sum();
    let total = route["total_steps"].as_f64().unwrap();
    assert!((sum - total).abs() < 1e-6 * total);
    assert!(legs.last().unwrap()["landmark"].is_null());
    total
}

#[test]
fn a_route_goes_round_the_wall() {
    let desk = mapped();
    let across = total_steps(&desk, "3,1", "3,3");
    let along = total_steps(&desk, "3,1", "5,1");
    assert!(across > 2.0 * along, "{across} {along}");
    let said = desk.ok("route u.roadmap --from 3,1 --to 3,3 --figure route.svg");
    assert!(
        said.contains("steps in") && said.contains("the rarest hop was made"),
        "{said}"
    );
    assert_svg(&desk.text("route.svg"));
    let one = desk
        .ok("map d.isochrone walk.parquet -o one.roadmap --landmarks 40 --hop-steps 3 --threads 1");
    assert!(one.contains("100.0 % of the landmarks"), "{one}");
    assert_eq!(desk.read("one.roadmap"), desk.read("u.roadmap"));
}

#[test]
fn a_map_is_assessed() {
    let desk = mapped();
    let said = desk.ok("assess u.roadmap walk.parquet");
    assert!(said.contains("100.0 % can be reached"), "{said}");
    let found: Value =
        serde_json::from_str(&desk.ok("assess u.roadmap walk.parquet --json")).unwrap();
    assert_eq!(found["connectivity"]["largest_share"], 1.0);
    let bands = found["routes"].as_array().unwrap();
    assert_eq!(bands.len(), 2);
    // A random walk wanders: between states far apart in it, the route is much shorter.
    let ratio = |band: &Value| {
        band["mean_route_steps"].as_f64().unwrap() / band["mean_observed_steps"].as_f64().unwrap()
    };
    assert!(ratio(&bands[1]) < 0.8 * ratio(&bands[0]), "{bands:?}");
    assert!(desk.ok("assess u.roadmap").lines().count() == 3);
    let said = desk.refused("assess u.roadmap --maze u.txt");
    assert!(said.contains("are for distances"), "{said}");
}

#[test]
fn what_is_no_route_or_map_is_refused() {
    let desk = mapped();
    let rows = (0..20)
        .flat_map(|episode| (0..3).map(move |y| format!("{episode},{},{y}\n", 6 * (episode % 2))));
    let rooms: String = ["episode_index,x,y\n".to_owned()]
        .into_iter()
        .chain(rows)
        .collect();
    desk.put("two.csv", &rooms);
    desk.ok("fit two.csv --state x,y -o two.isochrone --window 2 --passes 5");
    let said = desk.ok("map two.csv two.isochrone -o two.roadmap --landmarks 6 --hop-steps 1");
    assert!(said.contains("Some routes do not exist"), "{said}");
    let no_way = desk.refused("route two.roadmap --from 0,0 --to 6,2");
    assert!(
        no_way.contains("no trajectory leads from the region"),
        "{no_way}"
    );
    let refusals = [
        ("map walk.parquet -o a.roadmap", "0 files end in .isochrone"),
        ("map d.isochrone -o a.roadmap", "which trajectories?"),
        ("map d.isochrone walk.parquet -o a.txt", ".roadmap"),
        (
            "route u.roadmap --from 1 --to 1,2",
            "--from: the state has 1 entries",
        ),
        (
            "route d.isochrone --from 1,1 --to 1,2",
            "holds a distance, a roadmap is needed",
        ),
        ("distance u.roadmap --from 1,1 --to 1,2", "roadmap"),
        (
            "route u.roadmap --from 1,1 --to 1,2 --figure a.svg --axes 0,2",
            "below 2",
        ),
    ];
    for (command, reason) in refusals {
        let said = desk.refused(command);
        assert!(said.contains(reason), "{command}: {said}");
    }
}

#[test]
fn a_long_window_is_warned_of() {
    let desk = mapped();
    desk.ok("fit walk.parquet -o long.isochrone --window 60 --passes 1");
    let (_, warning) = desk.warned("map walk.parquet long.isochrone -o long.roadmap --hop-steps 3");
    assert!(warning.contains("--window 6"), "{warning}");
}

/// A small roadmap, made here.
fn small() -> RoadmapFile {
    let model = include_bytes!("../data/model-v1.isochrone");
    let model = DistanceModel::of_bytes(model, Path::new("d.isochrone")).unwrap();
    let rule = HopRule::Witnessed { steps: 4 };
    let landmarks = (0..12_u8).map(f32::from).collect();
    let mut map = Roadmap::new(model.distance.clone(), landmarks, rule).unwrap();
    let walk: Vec<f32> = (0..40_u8).map(|at| f32::from(at % 12)).collect();
    map.witness(&Episodes::new(&walk, 2, vec![0..10, 10..20]).unwrap(), 1)
        .unwrap();
    assert!(map.hops().len() > 5);
    RoadmapFile {
        map,
        facts: RoadmapFacts {
            hops: rule,
            selection: Selection::Random,
            seed: 0,
            files: Vec::new(),
            episodes: 1,
            states: 20,
        },
        model,
    }
}

/// Its file, and what is in it.
static SMALL: LazyLock<Vec<u8>> = LazyLock::new(|| small().to_bytes().unwrap());
static CONTENTS: LazyLock<Contents<Value>> =
    LazyLock::new(|| Contents::of_bytes(&SMALL, Path::new("a.roadmap"), Kind::Roadmap).unwrap());

fn read(bytes: &[u8]) -> Result<RoadmapFile, ModelError> {
    RoadmapFile::of_bytes(bytes, Path::new("a.roadmap"))
}

#[test]
fn a_roadmap_comes_back_to_the_bit() {
    let small = small();
    let bytes = small.to_bytes().unwrap();
    let again = read(&bytes).unwrap();
    assert_eq!(again.to_bytes().unwrap(), bytes);
    assert_eq!(
        (again.map.hops(), again.facts),
        (small.map.hops(), small.facts)
    );
}

/// A file that was written once is read for ever.
#[test]
fn a_recorded_map_answers_as_it_did() {
    let recorded = read(include_bytes!("../data/map-v2.roadmap")).unwrap();
    let route = recorded.map.route(&[3.0, 1.0], &[3.0, 3.0]).unwrap();
    let landmarks: Vec<_> = route.legs.iter().filter_map(|leg| leg.landmark).collect();
    assert_eq!(landmarks, [14, 13, 9]);
    assert!(
        (route.total_steps - 10.92971).abs() < 1e-3,
        "{}",
        route.total_steps
    );
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn damaged_roadmaps_are_refused_in_one_line(changes in changes()) {
        let whole: &Vec<u8> = &SMALL;
        let mut bytes = whole.clone();
        changes.iter().for_each(|change| damage(&mut bytes, change));
        match read(&bytes) {
            Err(error) => {
                let words = error.to_string();
                prop_assert!(words.lines().count() == 1 && words.contains("a.roadmap"), "{words:?}");
            }
            Ok(_) => prop_assert!(bytes == *whole, "accepted"),
        }
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5_000))]

    /// The same with the checksum made anew: what passes as a file must pass as a map, and answers without a panic.
    #[test]
    fn false_roadmaps_do_not_panic(
        hops in prop::collection::vec(0_u64..8 << 32, 0..12),
        landmarks in prop::collection::vec(-3.0_f32..3.0, 0..9),
    ) {
        let mut contents = CONTENTS.clone();
        for array in &mut contents.arrays {
            if array.name == "roadmap.hops" {
                array.shape = vec![hops.len()];
                array.values = ArrayValues::U64(hops.clone());
            }
            if array.name == "roadmap.landmarks" && !landmarks.is_empty() {
                array.shape = vec![landmarks.len()];
                array.values = ArrayValues::F32(landmarks.clone());
            }
        }
        if let Ok(found) = read(&contents.to_bytes().unwrap()) {
            let _ = found.map.route(&[0.0, 0.0], &[1.0, 1.0]);
            connectivity(&found.map);
        }
    }
}
