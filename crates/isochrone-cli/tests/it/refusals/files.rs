//! Files that are no world.

use super::{PROBABILITY, WEIGHT, check, check_file, complaint};
use crate::desk::Desk;
use std::process::Command;
use std::time::{Duration, Instant};

#[test]
fn mazes() {
    let cases = [
        (
            "..\n.x\n",
            "line 2, column 2: 'x' is neither wall `#` nor floor `.`",
        ),
        (
            "..\n.\u{e9}\n",
            "line 2, column 2: '\u{e9}' is neither wall `#` nor floor `.`",
        ),
        ("...\n..\n", "line 2 has 2 cells, line 1 has 3"),
        ("..\n...\n", "line 2 has 3 cells, line 1 has 2"),
        ("..\n\n..\n", "line 2 has 0 cells, line 1 has 2"),
        ("", "the maze is empty"),
        ("\n\r\n\n", "the maze is empty"),
        ("##\n##\n", "the maze has no floor: all 4 cells are wall"),
        (".#.\n", "cell (2, 0) cannot be reached from cell (0, 0)"),
        (".#\n#.\n", "cell (1, 1) cannot be reached from cell (0, 0)"),
    ];
    for (text, sentence) in cases {
        check_file("maze.txt", text, sentence);
    }
    let sentence = "byte 2 is not UTF-8 text; a maze has only `#` and `.`";
    check_file("maze.txt", b"..\xff\n", sentence);
}

#[test]
fn edge_lists_without_rows() {
    check_file("e.csv", "", "the edge list is empty");
    check_file("e.csv", " \r\n\n", "the edge list is empty");
    let sentence = "the edge list has a header but no transitions";
    check_file("e.csv", PROBABILITY, sentence);
    for columns in ["from,to", "from,to,p", "to,from,weight", "0,1,1.0"] {
        let sentence = format!(
            "line 1: the columns are {columns:?}, but must be from,to,probability or from,to,weight"
        );
        check_file("e.csv", format!("{columns}\n0,1,1\n1,0,1\n"), &sentence);
    }
}

/// The bad value stands in line 3.
#[test]
fn edge_lists_with_a_bad_row() {
    let cases = [
        ("1,0,NaN", "line 3: the probability is NaN"),
        ("1,0,-0.5", "line 3: the probability is -0.5"),
        ("1,0,inf", "line 3: the probability is inf"),
        ("1,0,1e309", "line 3: the probability is inf"),
        ("1,0,one", r#"line 3: "one" is not a number"#),
        ("1,0,", r#"line 3: "" is not a number"#),
        ("1,zero,1", r#"line 3: "zero" is not a state's number"#),
        ("-1,0,1", r#"line 3: "-1" is not a state's number"#),
        ("1.0,0,1", r#"line 3: "1.0" is not a state's number"#),
        ("1,0", "line 3 has 2 fields, but there are three columns"),
        (
            "1,0,1,1",
            "line 3 has 4 fields, but there are three columns",
        ),
    ];
    for (row, sentence) in cases {
        check_file("e.csv", format!("{PROBABILITY}0,1,1\n{row}\n"), sentence);
        let weight = sentence.replace("the probability", "the weight");
        check_file("e.csv", format!("{WEIGHT}0,1,1\n{row}\n"), &weight);
    }
}

/// Line 4 is the fourth as an editor counts, whatever ends the lines and however many are empty.
#[test]
fn lines_are_counted_as_an_editor_does() {
    for text in [
        "0,1,1\r\n1,0,1\r\n1,x,1\r\n",
        "\n\n1,x,1\n",
        "0,1,1\n\n1,x,1\n",
        "0,1,1\r\n\r\n1,x,1",
    ] {
        let sentence = r#"line 4: "x" is not a state's number"#;
        check_file("e.csv", format!("{WEIGHT}{text}"), sentence);
    }
}

#[test]
fn edge_lists_that_are_no_chain() {
    let apart = "0,1,1\n1,0,1\n2,3,1\n3,2,1\n";
    let sentence = "state 2 cannot be reached from state 0";
    check_file("e.csv", format!("{PROBABILITY}{apart}"), sentence);
    check_file("e.csv", format!("{WEIGHT}{apart}"), sentence);
    let one_way = format!("{PROBABILITY}0,1,1\n1,1,1\n");
    check_file("e.csv", one_way, "state 0 cannot be reached from state 1");
    let nine_tenths = format!("{PROBABILITY}0,1,0.9\n1,0,1\n");
    check_file(
        "e.csv",
        nine_tenths,
        "the probabilities out of state 0 sum to 0.9, not to 1 within 1e-9; name the column `weight` to divide the values of each state by their sum",
    );
    let dead_end = format!("{PROBABILITY}0,1,0.5\n0,0,0.5\n");
    check_file("e.csv", dead_end, "state 1 has no transition out of it");
    // No weight at all, and more than a number can hold.
    for row in ["0,1,0", "0,1,1e308\n0,1,1e308"] {
        let desk = Desk::with("e.csv", format!("{WEIGHT}{row}\n1,0,1\n"));
        check(&desk, "exact e.csv --from 0", "e.csv: ");
    }
}

/// Quoted fields may hold line ends; the complaint about them may not.
#[test]
fn a_complaint_is_one_line_whatever_the_file_holds() {
    for text in [
        "from,\"t\no\",weight\n0,0,1\n",
        "from,to,weight\n0,\"1\n2\",1\n",
        "from,to,weight\n0,1,\"1\n2\"\n",
    ] {
        let desk = Desk::with("e.csv", text);
        check(&desk, "exact e.csv --from 0", "e.csv: line ");
    }
}

/// Weights beyond what probabilities can be: refused, or answered with numbers.
#[test]
fn weights_three_hundred_decades_apart() {
    for rows in [
        "2,1,0.5\n0,2,0.5\n2,2,1e308\n1,0,0.5\n",
        "0,1,1e-300\n0,0,1e300\n1,0,1\n",
        "0,1,1\n1,0,1e-320\n1,1,1\n",
    ] {
        let desk = Desk::with("e.csv", format!("{WEIGHT}{rows}"));
        let output = desk.run("exact e.csv --from 0");
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(
            !said.contains("NaN") && !said.contains("inf"),
            "{rows}{said}"
        );
    }
}

#[test]
fn edge_lists_that_are_no_text() {
    for text in [
        &b"from,to,weight\n0,\xff,1\n"[..],
        b"\xfe,to,weight\n0,0,1\n",
    ] {
        let desk = Desk::with("e.csv", text);
        let line = 1 + text
            .iter()
            .take_while(|&&b| b < 0xfe)
            .filter(|&&b| b == b'\n')
            .count();
        check(
            &desk,
            "exact e.csv --from 0",
            &format!("e.csv: line {line} "),
        );
        let said = complaint(&desk.run("exact e.csv --from 0"), 1);
        assert!(said.contains("UTF-8"), "{said}");
    }
}

/// A slip of the keyboard must not cost a gigabyte; 10⁹ states would, at a byte each.
#[test]
fn a_state_of_a_thousand_millions() {
    let desk = Desk::with("e.csv", format!("{WEIGHT}0,1000000000,1\n1,0,1\n"));
    let start = Instant::now();
    let binary = env!("CARGO_BIN_EXE_isochrone");
    let script = format!("ulimit -v 800000 || true; exec '{binary}' exact e.csv --from 0");
    let mut shell = Command::new("sh");
    let output = shell
        .current_dir(desk.path(""))
        .args(["-c", &script])
        .output();
    let said = complaint(&output.unwrap(), 1);
    assert!(start.elapsed() < Duration::from_secs(2));
    assert_eq!(
        said,
        "isochrone: e.csv: line 2: state 1000000000 is named, but 2 transitions leave at most 2 states; \
         number states from 0 without gaps, and give each of them a transition out of it\n"
    );
    let many = format!("{WEIGHT}0,1,1\n1,18446744073709551615,1\n");
    let desk = Desk::with("e.csv", many);
    check(
        &desk,
        "exact e.csv --from 0",
        "e.csv: line 3: state 18446744073709551615 ",
    );
    let more = format!("{WEIGHT}0,1,1\n1,18446744073709551616,1\n");
    let sentence = r#"line 3: "18446744073709551616" is not a state's number"#;
    check_file("e.csv", more, sentence);
}

#[test]
fn what_is_not_a_file() {
    let desk = Desk::new();
    for name in ["folder", "folder.csv"] {
        std::fs::create_dir(desk.path(name)).unwrap();
        check(
            &desk,
            &format!("exact {name} --from 0"),
            &format!("cannot read {name}: "),
        );
    }
    for name in ["none.txt", "none.csv"] {
        check(
            &desk,
            &format!("spectral {name}"),
            &format!("cannot read {name}: "),
        );
    }
}
