//! What is refused, in which words.

use super::{fixture, open, read};
use crate::desk::Desk;
use isochrone_files::data::Columns;
use std::fs;
use std::path::Path;

/// Refused with this sentence about the file.
fn check(file: &Path, columns: &Columns, expected: &str) {
    let said = read(file, columns, 100).expect_err(expected);
    assert_eq!(said, expected.replace("FILE", file.to_str().unwrap()));
    assert_eq!(said.lines().count(), 1);
}

#[test]
fn parquet() {
    for (name, expected) in [
        (
            "nan",
            r#"FILE, row 6, column "observation.state[1]": the value is NaN, not a finite 32-bit float"#,
        ),
        (
            "huge",
            r#"FILE, row 2, column "observation.state[2]": the value is inf, not a finite 32-bit float"#,
        ),
        (
            "null",
            r#"FILE, row 4, column "observation.state": there is no value"#,
        ),
        (
            "absent-frames",
            r#"FILE, row 0, column "frame_index": there is no value"#,
        ),
        (
            "ragged",
            r#"FILE, row 7, column "observation.state": the state has 2 entries, those before it 3"#,
        ),
        (
            "interleaved",
            "FILE, row 4: episode 0 comes after episode 1; sort the rows by episode, then by time",
        ),
        (
            "gap",
            "FILE, row 3: frame 5 follows frame 2 in episode 0; rows are missing or out of order",
        ),
        (
            "text",
            r#"FILE, column "observation.state" holds BYTE_ARRAY (String) where numbers or lists of them are needed"#,
        ),
        (
            "float-episodes",
            r#"FILE, column "episode_index" holds floats where whole numbers are needed"#,
        ),
        (
            "lists-of-lists",
            r#"FILE, column "observation.state" holds lists of lists of DOUBLE where numbers or lists of them are needed"#,
        ),
        ("empty", "FILE holds no rows"),
        (
            "brotli",
            "FILE is not a whole Parquet file: Parquet error: Disabled feature at compile time: brotli",
        ),
    ] {
        let file = fixture(&format!("bad-{name}.parquet"));
        check(&file, &Columns::default(), expected);
    }
}

#[test]
fn npz() {
    for (name, expected) in [
        (
            "infinite",
            r#"FILE, row 8, column "observations[0]": the value is -inf, not a finite 32-bit float"#,
        ),
        (
            "fortran",
            r#"FILE, column "observations" holds values stored column by column where rows (np.ascontiguousarray) are needed"#,
        ),
        (
            "objects",
            r#"FILE, column "observations" holds NumPy's type "|O" where numbers are needed"#,
        ),
        (
            "marks",
            r#"FILE, row 4, column "terminals": the value is 0.5, but only 0 and 1 mark last states"#,
        ),
        (
            "lengths",
            r#"FILE: "observations" has 10 rows, "terminals" has 9"#,
        ),
        (
            "no-terminals",
            r#"FILE has no column "terminals"; it has "observations", "rewards""#,
        ),
    ] {
        let file = fixture(&format!("bad-{name}.npz"));
        check(&file, &Columns::default(), expected);
    }
}

#[test]
fn text() {
    let columns = Columns {
        state: vec!["x".to_owned()],
        ..Columns::default()
    };
    for (text, expected) in [
        ("", "FILE holds no rows"),
        ("\n\n", "FILE holds no rows"),
        ("episode_index,x\n", "FILE holds no rows"),
        (
            "x\n1\n",
            r#"FILE has no column "episode_index"; it has "x""#,
        ),
        (
            "episode_index,y\n0,1\n",
            r#"FILE has no column "x"; it has "episode_index", "y""#,
        ),
        (
            "episode_index,x,x\n0,1,1\n",
            r#"FILE: column "x" appears or is requested twice"#,
        ),
        (
            "episode_index,x\n\n0,1\n0,nan\n",
            r#"FILE, line 4, column "x": the value is NaN, not a finite 32-bit float"#,
        ),
        (
            "episode_index,x\n0,1e39\n",
            r#"FILE, line 2, column "x": the value is inf, not a finite 32-bit float"#,
        ),
        (
            "episode_index,x\n0,one\n",
            r#"FILE, line 2, column "x": "one" is not a number"#,
        ),
        (
            "episode_index,x\n0,\n",
            r#"FILE, line 2, column "x": there is no value"#,
        ),
        (
            "episode_index,x\n0.0,1\n",
            r#"FILE, line 2, column "episode_index": "0.0" is not a whole number"#,
        ),
        (
            "episode_index,x\n0,1\n0,1,2\n",
            "FILE, line 3 has 3 fields, the header 2",
        ),
        (
            "episode_index,x\n0,1\n1,1\n0,1\n",
            "FILE, line 4: episode 0 comes after episode 1; sort the rows by episode, then by time",
        ),
        (
            "episode_index,frame_index,x\n0,4,1\n0,4,1\n",
            "FILE, line 3: frame 4 follows frame 4 in episode 0; rows are missing or out of order",
        ),
    ] {
        let desk = Desk::with("a.csv", text);
        check(&desk.path("a.csv"), &columns, expected);
    }
    let desk = Desk::with("a.csv", b"episode_index,x\n0,\xff\n");
    let expected = "FILE is not a whole CSV file: line 2: it is not UTF-8 text";
    check(&desk.path("a.csv"), &columns, expected);
}

#[test]
fn columns_that_are_not_there() {
    let columns = Columns {
        state: vec!["obs".to_owned()],
        ..Columns::default()
    };
    let expected = r#"FILE has no column "obs"; did you mean "observation.state"? It has "observation.state", "action", "timestamp", "frame_index", "episode_index", "index", "task_index""#;
    check(&fixture("row-groups.parquet"), &columns, expected);
    let expected = r#"FILE has no column "obs"; did you mean "observations"? It has "observations", "terminals", "actions", "qpos""#;
    check(&fixture("ogbench-f32.npz"), &columns, expected);
    let several = Columns {
        state: vec!["observations".to_owned(), "qpos".to_owned()],
        ..Columns::default()
    };
    let expected = r#"FILE, column "observations,qpos" holds several arrays where the states of an npz in one array are needed"#;
    check(&fixture("ogbench-f32.npz"), &several, expected);
}

#[test]
fn files_that_are_not_whole() {
    let desk = Desk::new();
    let parquet = fs::read(fixture("row-groups.parquet")).unwrap();
    desk.put("empty.parquet", "");
    desk.put("text.parquet", "episode_index,x\n0,1\n");
    desk.put("cut.parquet", &parquet[..parquet.len() / 2]);
    let npz = fs::read(fixture("ogbench-f32.npz")).unwrap();
    desk.put("cut.npz", &npz[..npz.len() / 2]);
    // Rows go on where the data were: the checksum tells.
    let mut turned = npz;
    turned[200] ^= 1;
    desk.put("turned.npz", &turned);
    for (name, expected) in [
        ("empty.parquet", "FILE holds no rows"),
        (
            "text.parquet",
            "FILE is not a whole Parquet file: Parquet error: Invalid Parquet file. Corrupt footer",
        ),
        (
            "cut.parquet",
            "FILE is not a whole Parquet file: Parquet error: Invalid Parquet file. Corrupt footer",
        ),
        (
            "cut.npz",
            "FILE is not a whole npz file: invalid Zip archive: Could not find EOCD",
        ),
        (
            "turned.npz",
            r#"FILE is not a whole npz file: array "observations" is damaged: its checksum is wrong"#,
        ),
        ("gone.parquet", r#""FILE" matches no file"#),
    ] {
        check(&desk.path(name), &Columns::default(), expected);
    }
}

#[test]
fn names_of_files() {
    let desk = Desk::with("a.txt", "");
    let said = |names: &[&str]| {
        let files: Vec<_> = names.iter().map(|name| desk.path(name)).collect();
        let said = open(&files, &Columns::default()).unwrap_err();
        said.replace(desk.path("").to_str().unwrap(), "")
    };
    fs::create_dir(desk.path("folder")).unwrap();
    desk.put("b.csv", "episode_index,observation.state\n0,1\n");
    assert_eq!(
        said(&["a.txt"]),
        "a.txt ends in none of .parquet, .npz, .csv"
    );
    assert_eq!(
        said(&["folder"]),
        "folder is a folder without data files; name a folder that has some"
    );
    assert_eq!(said(&["*.csv", "b.csv"]), "b.csv is named twice");
    assert_eq!(
        said(&["***"]),
        r#""***" is not a pattern: wildcards are either regular `*` or recursive `**`"#
    );
    assert_eq!(said(&[]), "no data file is named");
}

#[test]
fn files_that_do_not_fit_together() {
    let files = [fixture("row-groups.parquet"), fixture("wide.parquet")];
    let source = open(&files, &Columns::default()).unwrap();
    let said = source
        .pieces(super::rows(100))
        .find_map(Result::err)
        .unwrap()
        .to_string();
    let expected = format!(
        "{}: its states are 6 numbers, those of {} are 3 numbers",
        files[1].display(),
        files[0].display()
    );
    assert_eq!(said, expected);
}

/// After an error there is nothing more, and no row of a refused block is given.
#[test]
fn an_error_is_the_end() {
    let source = open(&[fixture("bad-nan.parquet")], &Columns::default()).unwrap();
    let mut pieces = source.pieces(super::rows(1));
    let good = pieces.by_ref().take_while(Result::is_ok).count();
    assert_eq!(good, 3);
    assert!(pieces.next().is_none());
}
