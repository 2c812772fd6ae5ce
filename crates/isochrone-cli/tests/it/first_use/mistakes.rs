//! Mistakes of newcomers: each is answered in one sentence with what to do next.

use super::{fitted, straight_ways};
use crate::desk::Desk;
use std::fs;

/// A table of five episodes of 20 frames: `episode_index,frame_index` and these two columns.
fn table(columns: [&str; 2], row: impl Fn(u32, u32) -> [String; 2]) -> String {
    let mut lines = vec![format!("episode_index,frame_index,{}", columns.join(","))];
    for episode in 0..5 {
        for frame in 0..20 {
            lines.push(format!(
                "{episode},{frame},{}",
                row(episode, frame).join(",")
            ));
        }
    }
    lines.join("\n") + "\n"
}

fn number(value: impl Into<f64>) -> String {
    value.into().to_string()
}

/// A desk with one file for each mistake.
fn desk() -> Desk {
    let desk = fitted();
    let put = |name: &str, text: String| desk.put(name, text);
    put(
        "strings.csv",
        table(["arm", "x"], |_, t| ["left".to_owned(), number(t)]),
    );
    put(
        "nan.csv",
        table(["x", "y"], |e, t| {
            [
                if (e, t) == (2, 7) {
                    "nan".to_owned()
                } else {
                    number(t)
                },
                number(e),
            ]
        }),
    );
    put(
        "still.csv",
        table(["x", "y"], |_, _| [number(1), number(1)]),
    );
    put(
        "constant.csv",
        table(["x", "y"], |e, t| [number(t + e), number(1)]),
    );
    put(
        "clock.csv",
        table(["timestamp", "x"], |e, t| {
            [number(t), number((t * 7 + e) % 5)]
        }),
    );
    put("one.csv", straight_ways(0..1, 50));
    put(
        "trajectories.csv",
        straight_ways(0..5, 20).replace("episode_index", "traj_id"),
    );
    put(
        "b/three.csv",
        "episode_index,x,y,z\n0,1,2,3\n0,2,3,4\n".to_owned(),
    );
    put(
        "shuffled.csv",
        "episode_index,x,y\n0,1,2\n1,2,3\n0,3,4\n1,4,5\n".to_owned(),
    );
    put(
        "short.csv",
        "episode_index,x,y\n0,1,2\n1,2,3\n2,3,4\n".to_owned(),
    );
    put("empty.csv", "episode_index,x,y\n".to_owned());
    put("text.parquet", "hello".to_owned());
    put("set/meta/info.json", "{}".to_owned());
    put("semicolons.csv", "episode_index;x;y\n0;1;2\n".to_owned());
    put("headless.csv", "0,1.5,2\n0,2.5,3\n".to_owned());
    put(
        "joints.csv",
        "ep,joint.0,joint.1\n0,1,2\n0,2,3\n".to_owned(),
    );
    put("h5/a.hdf5", "no table".to_owned());
    put("g[1]/a.csv", straight_ways(0..2, 5));
    put("set[2]/meta/info.json", "{}".to_owned());
    put(
        "truncated.csv",
        "traj_id,q,truncated,reward\n0,1,0,1\n0,2,0,1\n".to_owned(),
    );
    desk
}

/// The command, and what its answer says to do.
const REFUSED: [(&str, &str); 27] = [
    ("fit g[1]", "name the files in it: g[1]/*.csv"),
    (
        "fit set[2]",
        "\"set[2]/data/*/*.parquet\" matches no file; the data set's description is there",
    ),
    (
        "fit truncated.csv",
        "name the states, for example with --state q; name the number of the episode with --episode traj_id",
    ),
    (
        "fit truncated.csv --state q --episode foo",
        "name the number of the episode with --episode traj_id",
    ),
    (
        "fit semicolons.csv",
        "its fields are separated by \";\": save it with commas",
    ),
    (
        "fit headless.csv",
        "add a line with the names of the columns",
    ),
    (
        "fit joints.csv",
        "name the states, for example with --state joint; name the number of the episode with --episode ep",
    ),
    (
        "fit a.csv --state x --episode episode",
        "--episode episode_index",
    ),
    ("fit h5", "isochrone.data.from_d4rl(file)"),
    (
        "progress none.isochrone a.csv",
        "name the model file that `isochrone fit -o FILE` wrote",
    ),
    ("fit a.csv", "name the states, for example with --state x,y"),
    (
        "fit trajectories.csv --state x,y",
        "name the number of the episode with --episode traj_id",
    ),
    (
        "fit strings.csv --state arm,x",
        "leave this column out, or name columns of numbers with --state",
    ),
    (
        "fit nan.csv --state x,y",
        "line 49, column \"x\": the value is NaN, not a finite 32-bit float; fill in the value, or leave out its episode",
    ),
    (
        "fit still.csv --state x,y",
        "the states do not move; name entries that change (--state",
    ),
    (
        "fit shuffled.csv --state x,y",
        "sort the rows by episode, then by time",
    ),
    (
        "fit short.csv --state x,y",
        "is the episode index right (--episode",
    ),
    ("fit empty.csv --state x,y", "leave the file out"),
    ("fit text.parquet", "copy or download it again"),
    ("fit set", "download its data files, too"),
    ("fit aa.csv --state x,y", "that folder has a.csv, "),
    ("fit none/a.csv --state x,y", "there is no such folder"),
    ("fit b", "name the files in it: b/*.csv"),
    (
        "fit a.csv a.csv --state x,y",
        "is named twice; name it once",
    ),
    (
        "fit a.csv --state x,y --target first_passage",
        "this target needs a radius (--radius R",
    ),
    (
        "progress a.csv d.isochrone",
        "isochrone fit a.csv -o a.isochrone",
    ),
    (
        "progress d.isochrone strings.csv",
        "give such logs, or fit a distance to these",
    ),
];

#[test]
fn mistakes_are_answered_with_what_to_do_next() {
    let desk = desk();
    for (command, advice) in REFUSED {
        let output = if command.starts_with("fit") {
            "-o f.isochrone"
        } else {
            "-o p.parquet"
        };
        let said = desk.refused(&format!("{command} {output}"));
        assert!(said.contains(advice), "{command}: {said}");
    }
}

#[test]
fn robots_of_different_sizes_are_advice_apart() {
    let desk = fitted();
    let header = |width: usize| {
        let entries: Vec<String> = (0..width)
            .map(|at| format!("observation.state.{at}"))
            .collect();
        format!("episode_index,{}", entries.join(","))
    };
    desk.put("r/three.csv", header(3) + "\n0,1,2,3\n0,2,3,4\n");
    desk.put("r/two.csv", header(2) + "\n0,1,2\n0,2,3\n");
    let said = desk.refused("fit r/*.csv -o f.isochrone");
    assert!(
        said.contains("its states are 2 numbers, those of")
            && said.contains("fit one distance for each robot"),
        "{said}"
    );
}

#[test]
fn what_can_be_learned_from_but_should_not_is_warned_of() {
    let desk = desk();
    for (command, advice) in [
        ("fit one.csv --state x,y", "Give more episodes"),
        (
            "fit constant.csv --state x,y",
            "says nothing; leave out: \"y\"",
        ),
        (
            "fit clock.csv --state timestamp,x",
            "a clock in the states (\"timestamp\")",
        ),
    ] {
        let (_, said) = desk.warned(&format!("{command} -o f.isochrone --passes 1"));
        assert!(said.contains(advice), "{command}: {said}");
    }
    assert!(fs::exists(desk.path("f.isochrone")).unwrap());
}

/// Goals from the middle of episodes leave no ε.
#[test]
fn goals_must_be_where_the_task_is_done() {
    let desk = fitted();
    let said = desk.refused("reached d.isochrone --goals a.csv");
    assert!(
        said.contains("among the 1000 goals are states from the middle of episodes"),
        "{said}"
    );
    desk.ok("reached d.isochrone --goals a.csv:ends");
}

/// Ends of episodes unlike the others are no goals.
#[test]
fn good_ends_leave_out_failures() {
    let mut log = straight_ways(40..60, 50);
    // Two episodes stop half-way.
    let failed = straight_ways(60..62, 25);
    log += failed.split_once('\n').unwrap().1;
    let desk = Desk::with("a.csv", log);
    desk.ok("fit a.csv --state x,y -o d.isochrone --passes 100");
    let said = desk.ok("progress d.isochrone a.csv --to a.csv:good-ends -o p.parquet");
    assert!(
        said.contains("goals: the ends of 20 of 22 episodes"),
        "{said}"
    );
    assert!(said.contains("towards the nearest of 20 goals"), "{said}");
}
