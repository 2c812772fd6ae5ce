//! States of the wrong length, through every command that asks a distance.

use super::fitted;

#[test]
fn a_state_of_the_wrong_length_is_refused_by_every_command() {
    let desk = fitted();
    desk.put("one.csv", "episode_index,x\n0,1\n0,2\n");
    let states = "the distance is for states of 2";
    let column = "one.csv has no column \"y\"";
    let refusals = [
        ("distance d.isochrone --from 1,2,3 --to 1,2", states),
        ("distance d.isochrone --from 1,2 --to 1", states),
        ("distance d.isochrone one.csv --to 1,2 -o out.csv", column),
        ("distance d.isochrone a.csv --to one.csv -o out.csv", column),
        ("nearest d.isochrone one.csv --to 1,2", column),
        ("nearest d.isochrone a.csv --to 1,2,3", states),
        ("embed d.isochrone one.csv -o out.parquet", column),
        ("assess d.isochrone one.csv", column),
        ("assess d.isochrone a.csv --to 1,2,3", states),
    ];
    for (command, reason) in refusals {
        let said = desk.refused(command);
        assert!(said.contains(reason), "{command}: {said}");
    }
    for output in ["out.csv", "out.parquet"] {
        assert!(!desk.path(output).exists(), "{output} was written");
    }
}
