//! What is refused: in one line that names the file and the place, and never by a panic.

mod files;

use crate::desk::Desk;
use std::process::Output;

const PROBABILITY: &str = "from,to,probability\n";
const WEIGHT: &str = "from,to,weight\n";

/// What was said on the way out, after checks that hold for every refusal.
fn complaint(output: &Output, code: i32) -> String {
    let said = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(code), "{said}");
    assert!(output.stdout.is_empty(), "{output:?}");
    assert!(!said.contains("panicked"), "{said}");
    said
}

/// Refused in one line that starts so.
fn check(desk: &Desk, arguments: &str, expected: &str) {
    let said = complaint(&desk.run(arguments), 1);
    assert_eq!(said.lines().count(), 1, "{said}");
    let start = format!("isochrone: {expected}");
    assert!(said.starts_with(&start), "{arguments}: {said}");
}

/// Refused in exactly this line.
fn check_exact(desk: &Desk, arguments: &str, expected: &str) {
    check(desk, arguments, &format!("{expected}\n"));
}

/// Refused before anything is read: what was typed makes no sense.
fn check_usage(arguments: &str, expected: &str) {
    let desk = Desk::with("maze.txt", "..\n.#\n");
    let said = complaint(&desk.run(arguments), 2);
    assert!(said.starts_with("error: "), "{said}");
    assert!(said.contains(expected), "{arguments}: {said}");
}

/// A file refused by every command that reads one, in the same words.
fn check_file(name: &str, contents: impl AsRef<[u8]>, sentence: &str) {
    let desk = Desk::with(name, contents);
    let expected = format!("{name}: {sentence}");
    check_exact(&desk, &format!("exact {name} --from 0"), &expected);
    check_exact(&desk, &format!("spectral {name}"), &expected);
}

#[test]
fn reference_states() {
    let desk = Desk::with("maze.txt", "..\n.#\n");
    desk.put("e.csv", format!("{WEIGHT}0,1,1\n1,0,1\n"));
    let cases = [
        ("maze.txt --from 1,1", "--from 1,1: cell (1, 1) is a wall"),
        (
            "maze.txt --from 2,0",
            "--from 2,0: cell (2, 0) is outside the maze",
        ),
        (
            "maze.txt --from 0,2",
            "--from 0,2: cell (0, 2) is outside the maze",
        ),
        ("maze.txt --from 3", "--from 3: the states are numbered 0…2"),
        ("e.csv --from 2", "--from 2: the states are numbered 0…1"),
        (
            "e.csv --from 0,1",
            "--from 0,1: an edge list has no cells; give a state's number",
        ),
    ];
    for (arguments, sentence) in cases {
        check_exact(&desk, &format!("exact {arguments}"), sentence);
    }
    for from in ["x", "1,", "1,2,3", "1.5", "99999999999999999999"] {
        let arguments = format!("exact maze.txt --from {from}");
        check_usage(
            &arguments,
            "is not a whole number; give COLUMN,ROW or a state's number",
        );
    }
    check_usage("exact maze.txt", "--from <STATE>");
}

#[test]
fn moves() {
    let four = "there are four moves: N,S,E,W";
    check_usage("exact maze.txt --from 0 --moves 0.5,0.25,0.25", four);
    check_usage("exact maze.txt --from 0 --moves 1,0,0,0,0", four);
    check_usage(
        "exact maze.txt --from 0 --moves a,b,c,d",
        "`a` is not a number",
    );
    for moves in [
        "0.3,0.3,0.3,0.3",
        "1.5,-0.5,0,0",
        "-1,1,1,0",
        "NaN,1,0,0",
        "inf,0,0,0",
    ] {
        let arguments = format!("exact maze.txt --from 0 --moves {moves}");
        check_usage(&arguments, "the move probabilities north ");
    }
    let desk = Desk::with("maze.txt", "..\n..\n");
    // Never west: nothing leads back.
    let one_way = "exact maze.txt --from 0 --moves 0.25,0.25,0.5,0";
    check(
        &desk,
        one_way,
        "maze.txt: cell (0, 0) cannot be reached from cell ",
    );
}

#[test]
fn more_dimensions_than_states() {
    let desk = Desk::with("maze.txt", "..\n.#\n");
    let sentence = "--dims 3: 3 eigenpairs asked for, but 3 states have only 2 non-zero ones";
    check_exact(&desk, "spectral maze.txt --dims 3", sentence);
}

/// Whether the parser or the command says no, it says no.
fn check_refused(arguments: &str) {
    let desk = Desk::with("maze.txt", "..\n.#\n");
    let output = desk.run(arguments);
    let code = output.status.code();
    assert!(
        code == Some(1) || code == Some(2),
        "{arguments}: {output:?}"
    );
    complaint(&output, code.unwrap());
}

#[test]
fn no_dimensions() {
    check_refused("spectral maze.txt --dims 0");
}

#[test]
fn places_that_cannot_be_written() {
    let desk = Desk::with("maze.txt", "..\n.#\n");
    let exact = "exact maze.txt --from 0";
    check(
        &desk,
        &format!("{exact} -o maze.txt/t.csv"),
        "cannot write maze.txt/t.csv: ",
    );
    check(
        &desk,
        &format!("{exact} --figure maze.txt/f.svg"),
        "cannot write maze.txt/f.svg: ",
    );
    check(
        &desk,
        "spectral maze.txt --dims 1 -o maze.txt/x.csv",
        "cannot write maze.txt/x.csv: ",
    );
    // Refused before anything is written, the table included.
    let sentence = "cannot draw f.gif: the name must end in .svg or .png";
    let both = format!("{exact} -o t.csv --figure f.gif");
    check_exact(&desk, &both, sentence);
    assert!(!desk.path("f.gif").exists() && !desk.path("t.csv").exists());
    // A failed write leaves nothing behind.
    std::fs::create_dir(desk.path("taken.csv")).unwrap();
    check(
        &desk,
        &format!("{exact} -o taken.csv"),
        "cannot write taken.csv: ",
    );
    assert!(!desk.names("").iter().any(|name| name.contains(".partial")));
    check_exact(
        &desk,
        &format!("{exact} -o .."),
        "cannot write ..: it is a folder",
    );
}

/// What is there and is no file is written to as it is, never replaced.
#[test]
fn a_device_stays_a_device() {
    let desk = Desk::with("maze.txt", "..\n.#\n");
    let link = desk.path("null.csv");
    std::os::unix::fs::symlink("/dev/null", &link).unwrap();
    let output = desk.run("exact maze.txt --from 0 -o null.csv");
    assert!(output.status.success(), "{output:?}");
    assert!(link.is_symlink());
}

/// What would change nothing, or destroy what was read, is not done in silence.
#[test]
fn options_that_make_no_sense_together() {
    let desk = Desk::with("maze.txt", "..\n.#\n");
    let twice = "maze.txt is named twice: it would be overwritten";
    check_exact(&desk, "exact maze.txt --from 0 -o maze.txt", twice);
    check_exact(
        &desk,
        "spectral maze.txt --dims 1 -o ./maze.txt",
        "./maze.txt is named twice: it would be overwritten",
    );
    let same = "f.png is named twice: it would be overwritten";
    check_exact(
        &desk,
        "exact maze.txt --from 0 -o f.png --figure f.png",
        same,
    );
    check_exact(
        &desk,
        "exact maze.txt --from 0 -o ./f.png --figure f.png",
        same,
    );
    let desk = Desk::with("e.csv", "from,to,weight\n0,1,1\n1,0,1\n");
    let sentence =
        "e.csv: an edge list has its own probabilities; --moves and --walls are for mazes";
    check_exact(&desk, "exact e.csv --from 0 --walls stay", sentence);
    check_exact(&desk, "exact e.csv --from 0 --moves 1,0,0,0", sentence);
}

/// A drift over thousands of cells leaves f64 no digit of the short way: refused, not invented.
#[test]
fn times_that_cancelled_away() {
    let desk = Desk::with("maze.txt", format!("{}\n", ".".repeat(6_001)));
    check(
        &desk,
        "exact maze.txt --from 0,0 --moves 0,0,0.51,0.49",
        "the times from and to (0, 0): the chain's probabilities span too many decades for so many states: ",
    );
}

/// The system would end the process without a word.
#[test]
fn more_memory_than_there_is() {
    let side = format!("{}\n", ".".repeat(2_000)).repeat(2_000);
    let desk = Desk::with("maze.txt", side);
    let sentence = "--dims 400000 needs about 38400.0 GB of memory, ";
    check(&desk, "spectral maze.txt --dims 400000", sentence);
}
