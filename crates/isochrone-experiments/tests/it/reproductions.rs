//! `reproduce`: the paper's figures, their numbers and their reports.

use crate::desk::{Desk, assert_close, assert_png, assert_svg, reference};

const NAMES: [&str; 20] = [
    "rmse",
    "uniform-maze",
    "nonuniform-maze",
    "effect-of-q",
    "distance-heatmap",
    "distance-along-trajectory",
    "pixel-heatmap",
    "laplacian-pixels",
    "pixel-dimensions",
    "window-targets",
    "u-room",
    "four-rooms",
    "u-maze",
    "epsilon-share",
    "coverage-xy",
    "coverage-full",
    "expanding-sphere",
    "goal-generation",
    "goal-evolution",
    "online-targets",
];
const FILES: [&str; 4] = ["figure.svg", "figure.png", "figure.csv", "REPORT.md"];

/// Writes its four files, and the same bytes when asked again.
fn check_reproduction(name: &str) {
    check_files(&Desk::new(), name, "", &FILES);
}

/// Where something is learned, every number with its seed as well.
fn check_learned(name: &str, cases: &[&str]) {
    let desk = Desk::new();
    let files = [&FILES[..], &["results.csv"]].concat();
    check_files(&desk, name, "--quick --seeds 1 --revision abc", &files);
    let results = desk.table("first/results.csv");
    assert_eq!(
        results.header.join(","),
        "revision,spec,case,seed,measure,value"
    );
    assert!(results.column("value").iter().all(|v| v.is_finite()));
    let is_sound = |row: &Vec<String>| row[0] == "abc" && row[1].len() == 12 && row[3] == "0";
    assert!(results.rows.iter().all(is_sound));
    for case in cases {
        assert!(results.rows.iter().any(|row| row[2] == *case), "{case}");
    }
    let size = desk.read("first/figure.svg").len();
    assert!(size < 1_000_000, "figure.svg has {size} bytes");
}

fn check_files(desk: &Desk, name: &str, options: &str, files: &[&str]) {
    let said = desk.ok(&format!("reproduce {name} {options} --out first"));
    assert_svg(&desk.text("first/figure.svg"));
    assert_png(&desk.read("first/figure.png"));
    let report = desk.text("first/REPORT.md");
    assert!(report.starts_with("# Figure "), "{report}");
    // A verdict may well be against the paper, but there has to be one for every claim.
    let claims = report.lines().filter(|line| line.starts_with("| ")).skip(1);
    for claim in claims {
        let verdicts = ["**holds** |", "**depends** |", "**does not hold** |"];
        let is_judged = verdicts.iter().any(|v| claim.ends_with(v));
        // Nothing is claimed of a quick version.
        let is_quick = claim.ends_with("**quick: not judged** |");
        assert!(is_judged != is_quick, "{claim}");
        assert_eq!(is_quick, options.contains("--quick"), "{claim}");
    }
    assert!(said.contains("holds"), "{said}");
    assert!(desk.table("first/figure.csv").rows.len() >= 25);

    // Without --out, at the place the help names.
    desk.ok(&format!("reproduce {name} {options}"));
    for file in files {
        let (first, second) = (format!("first/{file}"), format!("out/{name}/{file}"));
        assert!(desk.read(&first) == desk.read(&second), "{file} differs");
    }
    let written = std::fs::read_dir(desk.path("first")).unwrap().count();
    assert_eq!(written, files.len(), "nothing else is left there");
}

#[test]
fn rmse_is_written_twice_alike() {
    check_reproduction("rmse");
}

#[test]
fn the_uniform_maze_is_written_twice_alike() {
    check_reproduction("uniform-maze");
}

#[test]
fn the_nonuniform_maze_is_written_twice_alike() {
    check_reproduction("nonuniform-maze");
}

/// What was learned is kept: the second figure, of the same and more, learns only what is new.
#[test]
fn figures_of_images_keep_what_they_learned() {
    let desk = Desk::new();
    let figure = |name: &str| {
        desk.ok(&format!(
            "reproduce {name} --quick --seeds 1 --revision abc --runs runs --out {name}"
        ))
    };
    let said = figure("pixel-heatmap");
    assert!(said.contains("Figures 3 (d) and 16"), "{said}");
    assert_svg(&desk.text("pixel-heatmap/figure.svg"));
    let names = || desk.names("runs").into_iter();
    let kept = || names().filter(|name| name.starts_with("pixels-")).count();
    assert_eq!(kept(), 2);
    let results = desk.table("pixel-heatmap/results.csv");
    assert!(results.column("value").iter().all(|v| v.is_finite()));
    let before = desk.read("pixel-heatmap/results.csv");
    figure("pixel-heatmap");
    assert_eq!(desk.read("pixel-heatmap/results.csv"), before);
    figure("pixel-dimensions");
    assert_eq!(kept(), 2 + 6, "sweeps learn with fewer updates");
}

/// What is learned comes with every number, its seed and where it is from.
#[test]
fn learned_numbers_name_their_revision_and_spec() {
    let desk = Desk::new();
    desk.ok("reproduce window-targets --quick --seeds 1 --revision r1 --out w");
    assert_svg(&desk.text("w/figure.svg"));
    let report = desk.text("w/REPORT.md");
    assert!(report.contains("a table of free points"), "{report}");
    let table = desk.table("w/results.csv");
    assert_eq!(
        table.header.join(","),
        "revision,spec,case,seed,measure,value"
    );
    // 24 cases, two measures each.
    assert_eq!(table.rows.len(), 48);
    assert!(
        table
            .rows
            .iter()
            .all(|row| row[0] == "r1" && row[1].len() == 12)
    );
    assert!(table.column("value").iter().all(|error| *error < 2.0));
}

#[test]
fn the_effect_of_q_is_learned_twice_alike() {
    check_learned("effect-of-q", &["q 0.5 printed", "q 4 settled"]);
}

#[test]
fn the_distance_heatmap_is_learned_twice_alike() {
    check_learned(
        "distance-heatmap",
        &["point-mass-u", "free-ant", "maze-ant"],
    );
}

#[test]
fn the_distance_along_trajectories_is_learned_twice_alike() {
    check_learned("distance-along-trajectory", &["point-mass", "maze-ant"]);
}

#[test]
fn the_list_names_what_can_be_reproduced() {
    let said = Desk::new().ok("reproduce list");
    let listed: Vec<&str> = said
        .lines()
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|l| l.split(' ').next())
        .collect();
    assert_eq!(listed, NAMES);
}

/// A file as lines, without the version that wrote it: a release does not write every report again.
fn without_version(file: &[u8]) -> String {
    let text = String::from_utf8_lossy(file);
    let lines = text
        .lines()
        .map(|line| match line.split_once("written by isochrone ") {
            Some((before, _)) => before,
            None => line,
        });
    lines.collect::<Vec<_>>().join("\n")
}

/// What `experiments/` shows of trainings is what the program makes of its records.
#[test]
fn recorded_trainings_are_drawn_as_they_are_shown() {
    for (folder, options) in [
        ("coverage-xy", ""),
        ("coverage-xy/300-iterations", "--iterations 300"),
        ("coverage-full", ""),
        ("goal-generation", ""),
        ("expanding-sphere", ""),
        ("expanding-sphere/300-iterations", "--iterations 300"),
        ("online-targets", ""),
    ] {
        // No folder: a run that is not on record cannot begin.
        let desk = Desk::with("none", "");
        let (figure, _) = folder.split_once('/').unwrap_or((folder, ""));
        desk.ok(&format!(
            "reproduce {figure} {options} --runs none --out drawn"
        ));
        let shown = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../..")
            .join("experiments")
            .join(folder);
        for file in ["REPORT.md", "results.csv", "figure.csv", "figure.svg"] {
            let (drawn, shown) = (desk.read(&format!("drawn/{file}")), shown.join(file));
            let is_same =
                without_version(&drawn) == without_version(&std::fs::read(&shown).unwrap());
            assert!(is_same, "{} is not what is drawn", shown.display());
        }
    }
}

#[test]
fn worlds_are_for_figures_of_trainings() {
    let said = Desk::new().refused("reproduce rmse --world point-mass");
    assert!(
        said.contains("--world and --iterations are for figures of trainings"),
        "{said}"
    );
}

#[test]
fn no_number_of_seeds_or_iterations_is_too_large_to_be_refused() {
    for arguments in [
        "u-room --seeds 18446744073709551615",
        "epsilon-share --seeds 1001",
        "coverage-xy --iterations 9223372036854775807",
    ] {
        let said = Desk::new().refused(&format!("reproduce {arguments}"));
        assert!(said.contains("is not in 1..="), "{arguments}: {said}");
    }
}

#[test]
fn rmse_holds_the_reference_curves() {
    let desk = Desk::new();
    desk.ok("reproduce rmse --out rmse");
    let table = desk.table("rmse/figure.csv");
    assert_eq!(
        table.header.join(","),
        "maze,dim,basis_independent,spectral,scaled"
    );
    for kind in ["spectral", "scaled"] {
        let key = format!("rmse_{kind}_haar");
        let curve = |world: &str| reference(&[world, &key]);
        let expected = [curve("uniform_stay"), curve("nonuniform_stay")].concat();
        assert_eq!(expected.len(), 48);
        assert_close(kind, &table.column(kind), &expected);
    }
    let independent: Vec<f64> = table.rows[..24]
        .iter()
        .filter(|row| row[0] == "uniform" && row[2] == "true")
        .map(|row| row[1].parse().unwrap())
        .collect();
    let expected = reference(&["uniform_stay", "basis_independent_dims"]);
    assert_close("basis-independent dimensions", &independent, &expected);
}

#[test]
fn figures_are_known_by_their_numbers() {
    let desk = Desk::new();
    for name in ["7", "figure-7", "Figure7", "fig.7", "rmse"] {
        let said = desk.ok(&format!("reproduce {name} --out f"));
        assert!(said.starts_with("Figure 7: "), "{name}: {said}");
    }
    for (name, words) in [("3", "Figure 3 has parts"), ("rmze", "did you mean rmse?")] {
        let said = desk.refused(&format!("reproduce {name}"));
        assert!(said.contains(words), "{name}: {said}");
    }
    let said = desk.ok("reproduce list");
    for shown in ["Figures 3 (d), 16", "Figures 12, 13", "Figures 14, 15"] {
        assert!(said.contains(shown), "{said}");
    }
}

#[test]
fn a_figure_says_whether_it_was_judged_and_whether_it_was_trained() {
    let desk = Desk::new();
    let quick = "quick: not judged";
    let said = desk.ok("reproduce distance-along-trajectory --quick --seeds 1 --out q");
    let report = desk.text("q/REPORT.md");
    for text in [&said, &report] {
        assert!(text.contains(quick), "{text}");
        assert!(
            !text.contains("  holds  ") && !text.contains("**does not hold**"),
            "{text}"
        );
    }
    let recorded = "Drawn from recorded runs, nothing was trained.";
    let said = desk.ok("reproduce 1 --out r");
    let report = desk.text("r/REPORT.md");
    for text in [&said, &report] {
        assert!(text.contains(recorded), "{text}");
    }
}

#[test]
fn folders_and_options_that_make_no_sense_are_refused() {
    let desk = Desk::with("file.txt", "");
    for (arguments, sentence) in [
        (
            "reproduce rmse --out file.txt/r",
            "cannot make the folder file.txt/r: ",
        ),
        ("reproduce rmse --seeds 7", "--seeds and --quick are for"),
    ] {
        let said = desk.refused(arguments);
        assert!(said.contains(sentence), "{arguments}: {said}");
    }
}
