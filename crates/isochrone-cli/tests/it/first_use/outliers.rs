//! Values that would make a network answer 0 everywhere, and states far from all that it has seen.

use super::{fitted, straight_ways};
use crate::desk::Desk;

/// The log with one field of one line replaced.
fn with_field(line: usize, field: usize, value: &str) -> String {
    let text = straight_ways(0..20, 50);
    let lines = text.lines().enumerate().map(|(at, row)| {
        let mut fields: Vec<&str> = row.split(',').collect();
        if at + 1 == line {
            fields[field] = value;
        }
        fields.join(",")
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_value_beyond_all_others_is_refused_by_its_place() {
    for value in ["1e38", "-1e38", "5e7"] {
        let desk = Desk::with("a.csv", with_field(123, 3, value));
        let said = desk.refused("fit a.csv --state x,y -o d.isochrone --passes 1");
        assert!(
            said.contains("a.csv, line 123, column \"x\": the value is "),
            "{said}"
        );
        assert!(said.contains("remove that row or correct it"), "{said}");
    }
    // What is only unlikely is warned of.
    let desk = Desk::with("a.csv", with_field(123, 3, "1e5"));
    let (_, warning) = desk.warned("fit a.csv --state x,y -o d.isochrone --passes 1");
    assert!(
        warning.contains("column \"x\" has values as far as 100000, far beyond most"),
        "{warning}"
    );
    // A glitch hides nothing, and is learned.
    let desk = Desk::with("a.csv", with_field(123, 3, "2000"));
    let (_, warning) = desk.warned("fit a.csv --state x,y -o d.isochrone --passes 1");
    assert!(
        warning.contains("column \"x\" has the value 2000"),
        "{warning}"
    );
}

#[test]
fn columns_that_say_nothing_are_named() {
    let text = straight_ways(0..20, 50);
    let lines = text.lines().enumerate().map(|(at, row)| {
        let (still, shaky) = if at == 0 {
            ("still", "shaky".to_owned())
        } else {
            ("3.5", format!("{}", 1e6 + 0.0625 * (at % 3) as f32))
        };
        format!("{row},{still},{shaky}")
    });
    let desk = Desk::with("a.csv", lines.collect::<Vec<_>>().join("\n"));
    let (_, warning) = desk.warned("fit a.csv --state x,still,shaky -o d.isochrone --passes 1");
    assert!(
        warning.contains(
            "this entry is the same in all states and says nothing; leave out: \"still\""
        ),
        "{warning}"
    );
    assert!(
        warning.contains("last digits of 32-bit numbers"),
        "{warning}"
    );
    // A column that usually stands still is no error.
    let desk = Desk::with("a.csv", with_field(123, 3, "0.5"));
    desk.ok("fit a.csv --state x,y -o d.isochrone --passes 1");
}

#[test]
fn with_raw_inputs_what_is_hidden_is_named() {
    let text = straight_ways(0..20, 50);
    let lines = text.lines().enumerate().map(|(at, row)| {
        let wide = if at == 0 {
            "wide".to_owned()
        } else {
            format!("{}e6", at % 50)
        };
        format!("{row},{wide}")
    });
    let desk = Desk::with("a.csv", lines.collect::<Vec<_>>().join("\n"));
    let (_, warning) =
        desk.warned("fit a.csv --state y,wide -o d.isochrone --passes 1 --set inputs=raw");
    assert!(
        warning.contains("\"wide\" varies more than 1000 times as much as \"y\""),
        "{warning}"
    );
    desk.ok("fit a.csv --state y,wide -o s.isochrone --passes 1");
}

#[test]
fn one_episode_is_warned_of() {
    let desk = Desk::with("a.csv", straight_ways(0..1, 50));
    let (_, warning) = desk.warned("fit a.csv --state x,y -o d.isochrone --passes 1");
    assert!(warning.contains("there is one episode"), "{warning}");
}

#[test]
fn states_far_outside_the_data_are_warned_of() {
    let desk = fitted();
    let (_, warning) = desk.warned("distance d.isochrone --from 1e6,0 --to 25,0.5");
    let told =
        "1 of 1 states lie far outside the training data (x is 1000000, in the training data ";
    assert!(warning.contains(told), "{warning}");
    let (_, warning) = desk.warned("distance d.isochrone --from 10,0.5 --to 25,-7");
    assert!(
        warning.contains("1 of 1 goals lie far outside the training data (y is -7.0000"),
        "{warning}"
    );
    desk.put("far.csv", "episode_index,x,y\n0,1,0.5\n0,900,0.5\n");
    let (said, warning) = desk.warned("distance d.isochrone far.csv --to 25,0.5 -o far-all.csv");
    assert!(said.starts_with("wrote far-all.csv: 2 states"), "{said}");
    assert!(
        warning.contains("1 of 2 states lie far outside"),
        "{warning}"
    );
    // Within the width of the data from them is near enough.
    desk.ok("distance d.isochrone --from 80,0.5 --to 25,1.5");
}

#[test]
fn small_units_are_told_what_to_do() {
    let text = straight_ways(0..20, 50);
    let lines = text.lines().enumerate().map(|(at, row)| {
        let mut fields: Vec<String> = row.split(',').map(str::to_owned).collect();
        if at > 0 {
            fields[3] += "e-6";
        }
        fields.join(",")
    });
    let desk = Desk::with("a.csv", lines.collect::<Vec<_>>().join("\n"));
    let said = desk.refused("fit a.csv --state x -o d.isochrone --passes 1 --target window");
    let remedy = "--target first_passage --radius 1e-7";
    assert!(said.contains(remedy), "{said}");
    let said = desk.ok(&format!(
        "fit a.csv --state x -o e.isochrone --passes 200 {remedy}"
    ));
    let verdict = "verdict      it follows episodes from start to end";
    assert!(said.contains(verdict), "{said}");
    // Without a target, the one is taken that can be learned.
    let said = desk.ok("fit a.csv --state x -o f.isochrone --passes 200");
    assert!(
        said.contains("target: first_passage") && said.contains(verdict),
        "{said}"
    );
}

/// Also in an episode that nothing is learned from, and also if there are too many to be single errors.
#[test]
fn no_value_hides_the_others_in_silence() {
    for line in [60, 160, 260, 360, 460, 560, 660, 760, 860, 960] {
        let desk = Desk::with("a.csv", with_field(line, 3, "1e38"));
        let said = desk.refused("fit a.csv --state x,y -o d.isochrone --passes 1");
        assert!(
            said.contains(&format!("a.csv, line {line}, column \"x\"")),
            "{said}"
        );
    }
    let text = straight_ways(0..20, 50);
    let lines = text.lines().enumerate().map(|(at, row)| {
        let mut fields: Vec<&str> = row.split(',').collect();
        if at > 0 && at % 16 == 0 {
            fields[3] = "-99999999";
        }
        fields.join(",")
    });
    let desk = Desk::with("a.csv", lines.collect::<Vec<_>>().join("\n"));
    let (_, warning) = desk.warned("fit a.csv --state x,y -o d.isochrone --passes 1");
    assert!(warning.contains("marks of missing values"), "{warning}");
}

#[test]
fn units_that_lose_near_pairs_are_warned_of() {
    let text = straight_ways(0..20, 50);
    let lines = text.lines().enumerate().map(|(at, row)| {
        let mut fields: Vec<String> = row.split(',').map(str::to_owned).collect();
        if at > 0 {
            fields[3] += "e-5";
        }
        fields.join(",")
    });
    let desk = Desk::with("a.csv", lines.collect::<Vec<_>>().join("\n"));
    let (_, warning) = desk.warned("fit a.csv --state x -o d.isochrone --passes 1");
    assert!(
        warning.contains("near pairs are lost. target=first_passage with radius=1e-6"),
        "{warning}"
    );
}
