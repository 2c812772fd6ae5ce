//! Flat specs of version 1 mean what they meant.
#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

use isochrone_files::presets;
use isochrone_files::run_spec::RunSpec;
use std::path::PathBuf;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/version-1-specs")
}

/// Every preset of version 1, written down when it was one, under the name that the paper's settings have today: the
/// translation is today's preset, to the last digit.
#[test]
fn the_specs_of_version_1_are_the_papers_presets() {
    let mut compared = 0;
    for entry in std::fs::read_dir(folder()).unwrap() {
        let file = entry.unwrap().path();
        let name = file.file_stem().unwrap().to_str().unwrap();
        let then = RunSpec::read(&file).unwrap();
        then.check().unwrap();
        assert_eq!(then, RunSpec::preset(name).unwrap(), "{name}");
        compared += 1;
    }
    assert_eq!(compared, 44);
}

#[test]
fn every_preset_is_complete_and_reads_back() {
    for name in presets::names().unwrap() {
        let spec = RunSpec::preset(name).unwrap();
        spec.check()
            .unwrap_or_else(|error| panic!("{name}: {error:#}"));
        let text = isochrone_files::settings::write(&spec).unwrap();
        assert_eq!(RunSpec::parse(&text).unwrap(), spec, "{name}");
    }
}

#[test]
fn an_absent_setting_of_version_1_is_as_in_the_paper() {
    let flat = RunSpec::parse("distance = \"l2\"\nkl_limit = 0.02\n").unwrap();
    let changed = RunSpec::preset("point-mass-paper").unwrap();
    let changed = changed
        .changed(&["learner.kl_limit=0.02".to_owned()])
        .unwrap();
    assert_eq!(flat, changed);
}

/// A complete spec of before the replay learns from the newest trajectories, as it did then.
#[test]
fn a_spec_without_newer_settings_means_what_it_meant() {
    let paper = RunSpec::preset("point-mass-paper-off-policy").unwrap();
    let text = isochrone_files::settings::write(&paper).unwrap();
    let before: String = text
        .lines()
        .filter(|line| !line.starts_with("replay_states"))
        .flat_map(|line| [line, "\n"])
        .collect();
    assert_ne!(text, before);
    assert_eq!(RunSpec::parse(&before).unwrap(), paper);
}

/// A complete spec of before imitation learns without it, whatever the presets have today.
#[test]
fn a_spec_without_imitation_imitates_nothing() {
    let changed = |weight: &str| {
        let weight = format!("learner.imitation_weight={weight}");
        RunSpec::preset("point-mass-sac")
            .unwrap()
            .changed(&[weight])
            .unwrap()
    };
    let text = isochrone_files::settings::write(&changed("0.5")).unwrap();
    let before = text.replace("imitation_weight = 0.5\n", "");
    assert_ne!(text, before);
    assert_eq!(RunSpec::parse(&before).unwrap(), changed("0.0"));
}

/// A complete spec of before Fourier features and regions within ε has neither.
#[test]
fn a_spec_without_newer_settings_means_what_was_the_only_way() {
    let pairs = |pairs: &[&str]| {
        pairs
            .iter()
            .map(|pair| (*pair).to_owned())
            .collect::<Vec<_>>()
    };
    let preset = RunSpec::preset("point-mass-paper-off-policy").unwrap();
    let newest = [
        "planner=waypoints",
        "planner.region=within_epsilon",
        "planner.hops_from=replay",
        "distance.fourier_features=8",
    ];
    let newest = preset.changed(&pairs(&newest)).unwrap();
    let text = isochrone_files::settings::write(&newest).unwrap();
    let is_newer = |line: &&str| {
        ["region", "hops_from", "fourier_"]
            .iter()
            .any(|key| line.starts_with(key))
    };
    assert_eq!(text.lines().filter(is_newer).count(), 4);
    let before: String = text
        .lines()
        .filter(|line| !is_newer(line))
        .flat_map(|line| [line, "\n"])
        .collect();
    let oldest = preset.changed(&pairs(&[
        "planner=waypoints",
        "planner.region=nearest",
        "planner.hops_from=history",
        "distance.fourier_features=0",
    ]));
    assert_eq!(RunSpec::parse(&before).unwrap(), oldest.unwrap());
}

fn refusal(preset: &str, pairs: &[&str]) -> String {
    let pairs: Vec<String> = pairs.iter().map(|pair| (*pair).to_owned()).collect();
    let spec = RunSpec::preset(preset).unwrap();
    format!("{:#}", spec.changed(&pairs).unwrap_err())
}

/// A setting that the chosen kind does not have is refused with the kinds that have it.
#[test]
fn idle_settings_are_refused_by_name() {
    for (preset, pair, expected) in [
        (
            "point-mass",
            "distance.epsilon_steps=20",
            "distance is \"euclidean\", which has no \"epsilon_steps\"; off_policy or on_policy has",
        ),
        (
            "point-mass",
            "epsilon_steps=20",
            "epsilon_steps does nothing with distance.kind = \"euclidean\": it is distance.epsilon_steps of off_policy and on_policy",
        ),
        (
            "point-mass-paper-action-noise",
            "generator.noise_std_m=0.5",
            "generator is \"action_noise\", which has no \"noise_std_m\"; goal_gan has",
        ),
        (
            "point-mass-paper-action-noise",
            "gan_iterations=5",
            "gan_iterations does nothing with generator.kind = \"action_noise\": it is generator.iterations of goal_gan",
        ),
        (
            "point-mass",
            "kl_limit=0.1",
            "kl_limit is now learner.kl_limit",
        ),
        (
            "point-mass",
            "learner.kl_limits=0.1",
            "there is no setting \"learner.kl_limits\"; did you mean \"kl_limit\"?",
        ),
        (
            "point-mass-paper",
            "generator=gan",
            "generator has no kind \"gan\"; did you mean \"goal_gan\"?",
        ),
    ] {
        assert_eq!(refusal(preset, &[pair]), expected);
    }
}

/// A kind may be named after its settings.
#[test]
fn another_kind_brings_its_own_defaults() {
    let spec = RunSpec::preset("point-mass").unwrap();
    let pairs = ["generator.tail_steps=7", "generator=action_noise"];
    let spec = spec.changed(&pairs.map(str::to_owned)).unwrap();
    let text = toml::to_string(&spec.agent.generator).unwrap();
    assert!(
        text.contains("tail_steps = 7") && text.contains("size = 500"),
        "{text}"
    );
}
