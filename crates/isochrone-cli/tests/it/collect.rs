//! `collect`: random walks and trained policies, from where the options say.

use crate::desk::Desk;
use isochrone_files::data::{Columns, DataSource};
use isochrone_mujoco::{Anywhere, WorldName};
use std::num::NonZeroUsize;

/// All episodes of a file of states x, y, vx, vy.
fn episodes(desk: &Desk, name: &str) -> Vec<Vec<[f32; 4]>> {
    let pattern = desk.path(name).to_str().unwrap().to_owned();
    let source = DataSource::open(&[pattern], Columns::default()).unwrap();
    let pieces = source.pieces(NonZeroUsize::new(1_000_000).unwrap());
    let episode = |states: &[f32]| states.as_chunks().0.to_vec();
    pieces
        .map(|piece| episode(piece.unwrap().states.as_f32().unwrap()))
        .collect()
}

/// At rest, where there is room, all over the floor; the same places for the same seed, others for another.
#[test]
fn episodes_start_anywhere() {
    let desk = Desk::new();
    let collect = |name: &str, options: &str| {
        desk.ok(&format!(
            "collect point-mass-thin-spiral --episodes 200 --steps 3 {options} -o {name}.parquet"
        ));
    };
    collect("a", "--starts anywhere");
    collect("b", "--starts anywhere");
    collect("c", "--starts anywhere --seed 1");
    collect("d", "--starts fixed");
    collect("e", "");
    assert_eq!(desk.read("a.parquet"), desk.read("b.parquet"));
    assert_ne!(desk.read("a.parquet"), desk.read("c.parquet"));
    assert_eq!(desk.read("d.parquet"), desk.read("e.parquet"));
    let world = Anywhere::new(WorldName::PointMassThinSpiral.build().unwrap()).unwrap();
    let mut is_started_in = [false; 25];
    for episode in episodes(&desk, "a.parquet") {
        let [x, y, vx, vy] = episode[0];
        assert_eq!((episode.len(), vx, vy), (4, 0.0, 0.0));
        assert!(world.has_room([x, y].map(f64::from)), "{x}, {y}");
        let cell = [x, y].map(|place| (0.5 * (place + 5.0)) as usize);
        is_started_in[5 * cell[1] + cell[0]] = true;
    }
    assert_eq!(is_started_in, [true; 25], "200 starts in 25 cells");
    let own = episodes(&desk, "d.parquet");
    assert!(
        own.iter()
            .all(|episode| episode[0].map(f32::to_bits) == [0; 4])
    );
}

/// Images are an addition: states and actions stay the same. A distance is fitted to them, and every command takes them.
#[test]
fn images_of_states_are_data_like_any_other() {
    let desk = Desk::new();
    let collect = "collect point-mass --episodes 40 --steps 60 --starts anywhere";
    desk.ok(&format!("{collect} -o plain.parquet"));
    desk.ok(&format!("{collect} --image 16 -o a.parquet"));
    desk.ok(&format!("{collect} --image 16 -o b.parquet"));
    assert_eq!(desk.read("a.parquet"), desk.read("b.parquet"));
    assert_eq!(
        episodes(&desk, "plain.parquet"),
        episodes(&desk, "a.parquet")
    );
    desk.ok(
        "fit a.parquet --state observation.image --set hidden=[8] --set channels=[4,4] --set strides=[2,2] --passes 2 --target window --window 60 -o a.isochrone",
    );
    let said = desk.ok("info a.isochrone");
    assert!(
        said.contains("16 × 16 × 3 → conv 4 / 2 → conv 4 / 2 → 8 → 20"),
        "{said}"
    );
    desk.ok("embed a.isochrone a.parquet -o points.parquet");
    desk.ok("assess a.isochrone a.parquet");
    let said = desk.ok("nearest a.isochrone a.parquet --to a.parquet:3 -k 1");
    let nearest: Vec<&str> = said.lines().last().unwrap().split_whitespace().collect();
    // Slow as it is, its images before and after may be the same.
    assert_eq!(nearest[..2], ["0", "0"], "the state itself: {said}");
    let said = desk.refused("collect nowhere.txt --image 8 -o c.parquet");
    assert!(said.contains("neither a file nor a world"), "{said}");
}

const SMALL: &str = "iterations=2 batch_steps=300 horizon_steps=50 new_goals=12 old_goals=6 initial_states=200 \
                     on_policy_states=100 generator.iterations=5 generator.initial_iterations=5 updates_per_iteration=2 \
                     evaluation.rollouts=1 evaluation.horizon_steps=20";

#[test]
fn a_trained_policy_acts() {
    let desk = Desk::new();
    desk.ok(&format!(
        "train point-mass-one-way generator=goal_gan {SMALL} --out run"
    ));
    let collect = |name: &str, options: &str| {
        desk.ok(&format!(
            "collect --policy run --episodes 40 --steps 60 {options} -o {name}.parquet"
        ))
    };
    let said = collect("a", "");
    assert!(said.starts_with("wrote a.parquet: 40 episodes, "), "{said}");
    collect("b", "");
    collect("c", "--seed 1");
    collect("d", "--starts anywhere");
    assert_eq!(desk.read("a.parquet"), desk.read("b.parquet"));
    assert_ne!(desk.read("a.parquet"), desk.read("c.parquet"));
    // Neither is a random walk.
    desk.ok("collect point-mass-one-way --episodes 40 --steps 60 -o random.parquet");
    assert_ne!(
        episodes(&desk, "a.parquet"),
        episodes(&desk, "random.parquet")
    );
    let lengths =
        |name: &str| -> Vec<usize> { episodes(&desk, name).iter().map(Vec::len).collect() };
    assert_eq!(lengths("a.parquet").len(), 40);
    assert!(lengths("a.parquet").iter().all(|rows| *rows <= 61));
    assert!(
        lengths("d.parquet").iter().any(|rows| *rows < 61),
        "a goal that is reached ends its episode"
    );
    let own = episodes(&desk, "a.parquet");
    assert!(
        own.iter()
            .all(|episode| episode[0].map(f32::to_bits) == [0; 4])
    );
    let starts = episodes(&desk, "d.parquet");
    let far = starts.iter().filter(|episode| episode[0][0] > 1.0).count();
    assert!(
        far > 10,
        "{far} of 40 starts beyond the left side of the ring"
    );
}

#[test]
fn what_collect_cannot_do_is_refused() {
    let desk = Desk::with("maze.txt", "...\n.#.\n...\n");
    desk.ok("collect maze.txt --starts anywhere --episodes 3 --steps 3 -o a.parquet");
    desk.ok("collect maze.txt --episodes 3 --steps 3 -o b.parquet");
    assert_eq!(desk.read("a.parquet"), desk.read("b.parquet"));
    desk.ok(&format!("train point-2d {SMALL} --out run"));
    desk.ok("collect --policy run --episodes 3 --steps 5 -o c.parquet");
    for (arguments, complaint) in [
        (
            "collect maze.txt --starts fixed -o d.parquet",
            "a maze has no start of its own",
        ),
        (
            "collect --policy run --starts anywhere -o d.parquet",
            "--starts anywhere needs a MuJoCo world; the world of the policy is point-2d",
        ),
        (
            "collect --policy nowhere -o d.parquet",
            "nowhere does not exist",
        ),
        (
            "collect point-mass --policy run -o d.parquet",
            "cannot be used with",
        ),
        (
            "collect --policy run --walls stay -o d.parquet",
            "cannot be used with",
        ),
        ("collect -o d.parquet", "WORLD"),
    ] {
        let said = desk.refused(arguments);
        assert!(said.contains(complaint), "{arguments}: {said}");
        assert!(!desk.path("d.parquet").exists(), "{arguments}");
    }
}
