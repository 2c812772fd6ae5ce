//! Files as other programs write them.

use super::{check_numbers, fixture, open, read, states, whole};
use crate::desk::Desk;
use isochrone::env::{Dtype, ObservationSpec};
use isochrone_files::data::{Columns, PieceEnd};
use proptest::collection::vec;
use proptest::prelude::*;

/// Rows of the three episodes in every good fixture.
const LENGTHS: [usize; 3] = [5, 1, 4];

/// What the fixtures hold: entry j of row r is r + j · `step`.
fn expected(step: f32) -> Vec<Vec<f32>> {
    let mut row = 0;
    let episode = |length: usize| {
        let first = row;
        row += length;
        let rows = first..first + length;
        rows.flat_map(|r| (0..3).map(move |j| r as f32 + j as f32 * step))
            .collect()
    };
    LENGTHS.into_iter().map(episode).collect()
}

#[test]
fn parquet_of_every_kind() {
    let names = [
        "fixed-f32-snappy",
        "fixed-f64-zstd",
        "list-f32-lz4",
        "list-f32-gzip-v2",
        "list-f32-plain",
        "row-groups",
        "byte-stream-split",
        "small-integers",
        "scalars",
    ];
    for name in names {
        let file = fixture(&format!("{name}.parquet"));
        for max_rows in [1, 2, 3, 4, 5, 100] {
            let pieces = read(&file, &Columns::default(), max_rows).unwrap();
            check_numbers(&pieces, max_rows);
            assert_eq!(whole(&pieces), expected(0.125), "{name}");
        }
    }
}

#[test]
fn npz_of_every_kind() {
    for (name, step) in [
        ("ogbench-f32", 0.125),
        ("ogbench-f64", 0.125),
        ("ogbench-big-endian", 0.125),
        ("ogbench-i16", 1.0),
    ] {
        let pieces = read(&fixture(&format!("{name}.npz")), &Columns::default(), 100).unwrap();
        check_numbers(&pieces, 100);
        assert_eq!(whole(&pieces), expected(step), "{name}");
    }
}

#[test]
fn pixels_stay_bytes() {
    let source = open(&[fixture("ogbench-pixels.npz")], &Columns::default()).unwrap();
    let spec = ObservationSpec {
        shape: vec![2, 2, 3],
        dtype: Dtype::U8,
    };
    assert_eq!(source.spec(), &spec);
    let pieces = read(&fixture("ogbench-pixels.npz"), &Columns::default(), 100).unwrap();
    let bytes: Vec<u8> = pieces
        .iter()
        .flat_map(|p| p.states.as_u8().unwrap())
        .copied()
        .collect();
    assert_eq!(bytes, (0..120).collect::<Vec<u8>>());
    let pieces = read(&fixture("pixels-u8.parquet"), &Columns::default(), 100).unwrap();
    assert_eq!(pieces[1].states.as_u8().unwrap(), [5, 6, 7]);
}

#[test]
fn columns_by_name() {
    let named = |state: &[&str], episode: &str| Columns {
        state: state.iter().map(|&name| name.to_owned()).collect(),
        episode: Some(episode.to_owned()),
        ..Columns::default()
    };
    let file = fixture("row-groups.parquet");
    let pieces = read(&file, &named(&["timestamp", "action"], "task_index"), 100).unwrap_err();
    // One task, so one episode, in which the frames begin again.
    let said = "row 5: frame 0 follows frame 4 in episode 0; rows are missing or out of order";
    assert!(pieces.ends_with(said), "{pieces}");
    let pieces = read(&file, &named(&["index", "action"], "episode_index"), 100).unwrap();
    assert_eq!(states(&pieces[1]), [5.0, 5.0, 5.125, 5.25]);
    let file = fixture("ogbench-f64.npz");
    let pieces = read(&file, &named(&["qpos"], "terminals"), 100).unwrap();
    assert_eq!(whole(&pieces), expected(0.125));
}

#[test]
fn text() {
    let desk = Desk::with(
        "a.csv",
        "\u{feff}\"episode_index\",x,y,frame_index\r\n3,0.5,1,7\r\n\r\n3,-1e-3,2,8\n4,.25,+3,0",
    );
    let columns = Columns {
        state: vec!["y".to_owned(), "x".to_owned()],
        ..Columns::default()
    };
    let pieces = read(&desk.path("a.csv"), &columns, 100).unwrap();
    assert_eq!(
        whole(&pieces),
        [vec![1.0, 0.5, 2.0, -1e-3], vec![3.0, 0.25]]
    );
    desk.put("b.csv", "episode_index,s_0,s_1\n0,1,2\n");
    let columns = Columns {
        state: vec!["s".to_owned()],
        ..Columns::default()
    };
    let pieces = read(&desk.path("b.csv"), &columns, 100).unwrap();
    assert_eq!(whole(&pieces), [vec![1.0, 2.0]]);
}

/// An index is local to its file: an episode ends with it, whatever the next one begins with.
#[test]
fn episodes_are_never_joined_across_files() {
    let desk = Desk::new();
    desk.put("10.csv", "episode_index,frame_index,s.0\n7,2,2\n7,3,3\n");
    desk.put("09.csv", "episode_index,frame_index,s.0\n7,0,0\n7,1,1\n");
    let columns = Columns {
        state: vec!["s".to_owned()],
        ..Columns::default()
    };
    let source = open(&[desk.path("*.csv")], &columns).unwrap();
    let names: Vec<_> = source
        .files()
        .iter()
        .filter_map(|f| f.file_name())
        .collect();
    assert_eq!(names, ["09.csv", "10.csv"]);
    let pieces: Result<Vec<_>, _> = source.pieces(super::rows(100)).collect();
    let pieces = pieces.unwrap();
    check_numbers(&pieces, 100);
    assert_eq!(whole(&pieces), [vec![0.0, 1.0], vec![2.0, 3.0]]);
    assert!(pieces.iter().all(|piece| piece.end == PieceEnd::Episode));
}

/// A `.npz` as NumPy writes it, of these trajectories of one number each, some of which ran out of time.
fn npz(trajectories: &[Vec<f32>], timed_out: &[bool]) -> Vec<u8> {
    let states: Vec<f32> = trajectories.concat();
    let bytes: Vec<u8> = states.iter().flat_map(|x| x.to_le_bytes()).collect();
    let marks = |wanted: bool| -> Vec<u8> {
        let each = trajectories.iter().zip(timed_out);
        let marks = |(states, is_out): (&Vec<f32>, &bool)| {
            let mut marks = vec![0; states.len()];
            marks[states.len() - 1] = u8::from(*is_out == wanted);
            marks
        };
        each.flat_map(marks).collect()
    };
    let length = format!("({},)", states.len());
    let mut arrays = vec![
        (
            "observations",
            "<f4",
            format!("({}, 1)", states.len()),
            bytes,
        ),
        ("terminals", "|b1", length.clone(), marks(false)),
    ];
    // D4RL has the other array, OGBench has not.
    if timed_out.contains(&true) {
        arrays.push(("timeouts", "|b1", length, marks(true)));
    }
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let stored =
        zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, descr, shape, data) in arrays {
        zip.start_file(format!("{name}.npy"), stored).unwrap();
        let header =
            format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
        let mut array = b"\x93NUMPY\x01\x00".to_vec();
        array.extend((header.len() as u16).to_le_bytes());
        array.extend(header.as_bytes());
        array.extend(data);
        std::io::Write::write_all(&mut zip, &array).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

proptest! {
    /// `terminals` and `timeouts` mark the last state of a trajectory: it belongs to the trajectory, and the next one
    /// does not.
    #[test]
    fn a_terminal_belongs_to_what_it_ends(
        (lengths, timed_out) in vec((1..9_usize, any::<bool>()), 1..20).prop_map(|all| all.into_iter().unzip::<_, _, Vec<_>, Vec<_>>()),
        is_d4rl in any::<bool>(),
        max_rows in 1..10_usize,
    ) {
        let timed_out: Vec<bool> = timed_out.into_iter().map(|is_out| is_out && is_d4rl).collect();
        let mut next = 0.0;
        let trajectory = |length: usize| {
            let states: Vec<f32> = (0..length).map(|at| next + at as f32).collect();
            // A step from one trajectory into the next would be seen as a jump.
            next += length as f32 + 100.0;
            states
        };
        let trajectories: Vec<Vec<f32>> = lengths.iter().copied().map(trajectory).collect();
        let desk = Desk::with("a.npz", npz(&trajectories, &timed_out));
        let pieces = read(&desk.path("a.npz"), &Columns::default(), max_rows).unwrap();
        check_numbers(&pieces, max_rows);
        for piece in &pieces {
            prop_assert!(states(piece).windows(2).all(|pair| pair[1] - pair[0] < 1.5));
        }
        prop_assert_eq!(whole(&pieces), trajectories);
    }
}
