//! The command as a user meets it: `exact` and `spectral`.

use crate::desk::{Desk, assert_close, assert_png, assert_svg, reference, reference_value};
use isochrone::maze::{Maze, Moves, WallRule};
use std::fmt::Write as _;
use std::process::Stdio;

const OPEN: &str = ".....\n.....\n.....\n.....\n.....\n";

/// The four worlds of the reference file, and how a user asks for them.
const WORLDS: [(&str, &str, Moves, WallRule); 4] = [
    ("uniform_stay", "", Moves::UNIFORM, WallRule::Stay),
    (
        "uniform_renorm",
        "--walls renormalise",
        Moves::UNIFORM,
        WallRule::Renormalise,
    ),
    (
        "nonuniform_stay",
        "--moves 0.375,0.125,0.375,0.125",
        Moves::NORTH_EAST,
        WallRule::Stay,
    ),
    (
        "nonuniform_renorm",
        "--walls renormalise --moves 0.375,0.125,0.375,0.125",
        Moves::NORTH_EAST,
        WallRule::Renormalise,
    ),
];

/// The table a user gets holds the reference's numbers for one world.
fn check_times(desk: &Desk, file: &str, world: &str) {
    let table = desk.table(file);
    assert_eq!(table.rows.len(), 25);
    let columns = [
        ("visited", "stationary"),
        ("there", "mfpt_from_center"),
        ("back", "mfpt_to_center"),
        ("commute", "commute_from_center"),
    ];
    for (column, key) in columns {
        let what = format!("{world} {column}");
        assert_close(&what, &table.column(column), &reference(&[world, key]));
    }
    let half: Vec<f64> = table.column("commute").iter().map(|n| 0.5 * n).collect();
    assert_close("action", &table.column("action"), &half);
    let manhattan = |s: i32| f64::from((s % 5 - 2).abs() + (s / 5 - 2).abs());
    let expected: Vec<f64> = (0..25).map(manhattan).collect();
    assert_close("shortest", &table.column("shortest"), &expected);
}

#[test]
fn a_maze_gives_the_reference_numbers() {
    let desk = Desk::with("open.txt", OPEN);
    for (world, options, ..) in WORLDS {
        desk.ok(&format!("exact open.txt --from 2,2 {options} -o t.csv"));
        check_times(&desk, "t.csv", world);
        let header = "state,column,row,visited,there,back,commute,action,shortest";
        assert_eq!(desk.table("t.csv").header.join(","), header);
        let cells = desk.table("t.csv").rows;
        assert!((0..25).all(|s| cells[s][..3] == [s, s % 5, s / 5].map(|n| n.to_string())));
    }
}

/// An edge list need not be sorted, and may name a transition twice.
fn edge_list(column: &str, moves: Moves, walls: WallRule, scale: f64) -> String {
    let chain = Maze::open(5, 5).unwrap().chain(moves, walls).unwrap();
    let mut text = format!("from,to,{column}\n");
    for from in (0..25).rev() {
        for (to, p) in chain.row(from) {
            let half = 0.5 * p * scale;
            write!(text, "{from},{to},{half}\r\n {from} , {to} ,{half:e}\n").unwrap();
        }
    }
    text
}

#[test]
fn an_edge_list_gives_the_same_numbers_as_its_maze() {
    let desk = Desk::new();
    for (world, _, moves, walls) in WORLDS {
        for (column, scale) in [("probability", 1.0), ("weight", 1234.5)] {
            desk.put("edges.csv", edge_list(column, moves, walls, scale));
            desk.ok("exact edges.csv --from 12 -o t.csv");
            check_times(&desk, "t.csv", world);
            let header = "state,visited,there,back,commute,action,shortest";
            assert_eq!(desk.table("t.csv").header.join(","), header);
        }
    }
}

#[test]
fn a_chain_that_drifts_round_gives_the_reference_numbers() {
    for world in ["torus5x5", "ring8", "ringcurrent5x5"].map(|w| format!("nonreversible_{w}")) {
        let p = reference_value(&[&world, "P"]);
        let states = p.as_array().unwrap().len();
        let mut text = "from,to,probability\n".to_owned();
        for (from, to) in (0..states * states).map(|at| (at / states, at % states)) {
            writeln!(text, "{from},{to},{}", p[from][to]).unwrap();
        }
        let desk = Desk::with("chain.csv", text);
        let said = desk.ok("exact chain.csv --from 3 -o t.csv");
        assert!(said.contains("not reversible"), "{said}");
        let all = reference(&[&world, "commute"]);
        let expected = &all[3 * states..4 * states];
        assert_close(&world, &desk.table("t.csv").column("commute"), expected);
    }
}

#[test]
fn the_terminal_shows_what_the_file_holds() {
    let desk = Desk::with("open.txt", OPEN);
    let said = desk.ok("exact open.txt --from 2,2");
    let corner = said.lines().find(|line| line.contains("(0, 0)")).unwrap();
    let words: Vec<&str> = corner.split_whitespace().skip(2).collect();
    assert_eq!(
        words,
        ["0.040000", "90.742", "36.000", "126.74", "63.371", "4"]
    );
    assert!(said.starts_with("25 states, reversible"), "{said}");
    let short = desk.ok("exact open.txt --from 12 --rows 2");
    assert!(short.contains("23 more states"), "{short}");
    assert_eq!(short.matches("\n(").count(), 2, "{short}");
}

#[test]
fn line_ends_do_not_matter() {
    let desk = Desk::with("open.txt", OPEN);
    desk.put("dos.txt", OPEN.replace('\n', "\r\n") + "\r\n");
    desk.put("endless.txt", OPEN.trim_end());
    let expected = desk.ok("exact open.txt --from 2,2");
    assert_eq!(desk.ok("exact dos.txt --from 2,2"), expected);
    assert_eq!(desk.ok("exact endless.txt --from 2,2"), expected);
}

#[test]
fn figures_are_drawn_as_their_ending_says() {
    let desk = Desk::with("open.txt", "..#\n...\n");
    desk.put("edges.csv", "from,to,weight\n0,1,1\n1,0,1\n1,2,1\n2,1,1\n");
    for (file, from) in [("open.txt", "0,1"), ("edges.csv", "0")] {
        let said = desk.ok(&format!("exact {file} --from {from} --figure new/f.svg"));
        assert!(said.ends_with("wrote new/f.svg\n"), "{said}");
        assert_svg(&desk.text("new/f.svg"));
        desk.ok(&format!("exact {file} --from {from} --figure f.png"));
        assert_png(&desk.read("f.png"));
    }
}

#[test]
fn a_figure_names_its_quantity() {
    let desk = Desk::with("open.txt", OPEN);
    let quantities = [
        ("commute", "commute time"),
        ("action", "action distance"),
        ("there", "from the reference"),
        ("back", "to the reference"),
        ("shortest", "shortest path"),
    ];
    for (quantity, label) in quantities {
        let arguments = "exact open.txt --from 2,2 --figure f.svg --quantity";
        desk.ok(&format!("{arguments} {quantity}"));
        let drawn = desk.text("f.svg");
        assert!(drawn.contains(label), "{quantity}: no {label}");
    }
}

/// All 24 dimensions together are the commute time, and fewer never overshoot it.
#[test]
fn the_embedding_grows_towards_the_commute_time() {
    let desk = Desk::with("open.txt", OPEN);
    let truth = reference(&["uniform_stay", "commute_from_center"]);
    let mut last = vec![0.0; 25];
    for dims in [1, 2, 7, 24] {
        let said = desk.ok(&format!("spectral open.txt --dims {dims} -o x.csv"));
        let last_line = said.lines().rfind(|line| line.ends_with('%')).unwrap();
        let dimension = last_line.split_whitespace().next().unwrap();
        assert_eq!(dimension, dims.to_string());
        let table = desk.table("x.csv");
        let mut square = vec![0.0; 25];
        for k in 1..=dims {
            let x = table.column(&format!("x{k}"));
            (0..25).for_each(|i| square[i] += (x[i] - x[12]).powi(2));
        }
        let grows = |i: usize| square[i] >= last[i] - 1e-9 && square[i] <= truth[i] + 1e-9;
        assert!((0..25).all(grows), "{dims}: {square:?}");
        last = square;
    }
    assert_close("24 dimensions", &last, &truth);
    assert!(desk.ok("spectral open.txt --dims 24").contains("100.0 %"));
}

/// `isochrone … | head -0`: the reader is gone before the first byte.
#[test]
fn a_reader_that_leaves_is_no_error() {
    let desk = Desk::with("open.txt", OPEN);
    for arguments in ["exact open.txt --from 0", "worlds"] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = desk.command(arguments);
        let child = command.stdout(writer).stderr(Stdio::piped()).spawn();
        let output = child.unwrap().wait_with_output().unwrap();
        assert!(output.status.success(), "{arguments}: {output:?}");
        assert!(output.stderr.is_empty(), "{arguments}: {output:?}");
    }
}
