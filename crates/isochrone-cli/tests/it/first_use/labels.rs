//! Rows keep the numbers that their files have for them.

use super::{fitted, straight_ways};
use isochrone_files::data::{Columns, DataSource};
use std::num::NonZeroUsize;

const HEADER: &str = "file,episode_index,frame_index,index,distance_steps";

#[test]
fn tables_name_rows_as_their_files_do() {
    let desk = fitted();
    desk.put("b.csv", straight_ways(7..9, 20));
    desk.ok("distance d.isochrone a.csv b.csv --to 25,0.5 -o all.csv");
    let all = desk.table("all.csv");
    assert_eq!(all.header.join(","), HEADER);
    assert_eq!(all.rows[0][..4].join(","), "a.csv,40,0,1000");
    assert_eq!(all.rows[1_000][..4].join(","), "b.csv,7,0,1000");
    assert_eq!(all.rows[1_039][..4].join(","), "b.csv,8,19,1039");

    let said = desk.ok("nearest d.isochrone a.csv b.csv --to 49.5,0.5 -k 1");
    let row: Vec<&str> = said.lines().nth(1).unwrap().split_whitespace().collect();
    let (episode, frame): (u32, u32) = (row[1].parse().unwrap(), row[2].parse().unwrap());
    assert!((40..60).contains(&episode) && frame >= 47, "{said}");
    let index = 1_000 + 50 * (episode - 40) + frame;
    assert_eq!(
        (row[3], row[4]),
        (index.to_string().as_str(), "a.csv"),
        "{said}"
    );
}

#[test]
fn points_carry_their_rows_numbers() {
    let desk = fitted();
    desk.put("b.csv", straight_ways(7..9, 20));
    desk.ok("embed d.isochrone b.csv a.csv -o points.parquet");
    let columns = Columns {
        state: vec!["observation.embedding".to_owned()],
        ..Columns::default()
    };
    let file = desk.path("points.parquet").display().to_string();
    let source = DataSource::open(&[file], columns.labelled()).unwrap();
    assert!(source.counted_labels().unwrap().is_empty());
    let pieces = source.pieces(NonZeroUsize::new(30).unwrap());
    let pieces: Vec<_> = pieces.map(Result::unwrap).collect();
    let labels = |at: usize| pieces[at].labels.as_ref().unwrap();
    assert_eq!((labels(0).episode, labels(0).indices[0]), (7, 1_000));
    assert_eq!((labels(1).episode, labels(1).indices[19]), (8, 1_039));
    assert_eq!((labels(2).episode, labels(2).first_frame), (40, 0));
    assert_eq!((labels(3).episode, labels(3).first_frame), (40, 30));
    assert_eq!(labels(3).indices, (1_030..1_050).collect::<Vec<i64>>());
}

#[test]
fn what_a_file_does_not_number_is_counted_and_said() {
    let desk = fitted();
    let text = desk.text("a.csv");
    let without: Vec<String> = text
        .lines()
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            [fields[0], fields[3], fields[4]].join(",")
        })
        .collect();
    desk.put("plain.csv", without.join("\n"));
    let said = desk.ok("distance d.isochrone plain.csv --to 25,0.5 -o all.csv");
    let told = "no frame_index in plain.csv, no index in plain.csv: counted from 0";
    assert!(said.contains(told), "{said}");
    let all = desk.table("all.csv");
    assert_eq!(all.rows[60][..4].join(","), "plain.csv,41,10,60");
    for command in [
        "nearest d.isochrone plain.csv --to 25,0.5",
        "embed d.isochrone plain.csv -o p.parquet",
    ] {
        let said = desk.ok(command);
        assert!(said.contains(told), "{said}");
    }
}

#[test]
fn each_column_names_the_files_that_lack_it_and_an_index_of_words_is_none() {
    let desk = fitted();
    let header = "episode_index,index,x,y\n";
    desk.put("noframe.csv", format!("{header}3,70,1,0.5\n3,71,2,0.5\n"));
    desk.put(
        "dated.csv",
        "episode_index,frame_index,index,x,y\n3,5,mon,1,0.5\n3,6,tue,2,0.5\n",
    );
    let said = desk.ok("distance d.isochrone noframe.csv dated.csv --to 25,0.5 -o all.csv");
    let told = "no frame_index in noframe.csv, no index in dated.csv: counted";
    assert!(said.contains(told), "{said}");
    let all = desk.table("all.csv");
    assert_eq!(all.rows[1][..4].join(","), "noframe.csv,3,1,71");
    assert_eq!(all.rows[3][..4].join(","), "dated.csv,3,6,1");
}
