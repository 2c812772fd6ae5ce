//! Recorded results name methods by hashes of flat specs (version 1); this maps them to hashes of nested specs.

/// `version_1,now,preset` per line.
const HASHES: &str = include_str!("version-1-methods.csv");

/// Today's hash of a recorded method; itself if it is not one of version 1.
pub(super) fn current(hash: &str) -> &str {
    let pairs = HASHES.lines().filter_map(|line| {
        let mut cells = line.split(',');
        Some((cells.next()?, cells.next()?))
    });
    let found = pairs.into_iter().find(|(then, _)| *then == hash);
    found.map_or(hash, |(_, now)| now)
}

#[cfg(test)]
mod tests {
    use super::*;
    use isochrone_files::run_spec::RunSpec;
    use isochrone_files::{fingerprint, settings};
    use isochrone_runs::train::table;
    use std::fmt::Write as _;
    use std::path::Path;

    /// The hash that version 1 gave to a method: its settings without idle ones of the distance.
    fn hash_then(file: &Path) -> String {
        let mut flat = settings::table_of(file).unwrap();
        let is_euclidean = flat["distance"].as_str() == Some("euclidean");
        flat.retain(|key, _| match key {
            "seed" | "iterations" | "evaluate_every" => false,
            "radius_m" => is_euclidean,
            "epsilon_steps" => !is_euclidean,
            other => !(is_euclidean && other.starts_with("predictor_")),
        });
        fingerprint::of_text(&toml::to_string(&flat).unwrap())
    }

    /// `ISOCHRONE_RECORD=1` writes the table anew, for a preset that has changed its spec but not its method.
    #[test]
    fn recorded_methods_are_todays_presets() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let specs = folder.join("../isochrone-files/tests/data/version-1-specs");
        let mut files: Vec<_> = std::fs::read_dir(specs)
            .unwrap()
            .map(|e| e.unwrap().path())
            .collect();
        files.sort();
        let mut lines = String::from("version_1,now,preset\n");
        for file in files {
            let name = file.file_stem().unwrap().to_str().unwrap();
            let now = table::method_hash(&RunSpec::preset(name).unwrap()).unwrap();
            let _ = writeln!(lines, "{},{now},{name}", hash_then(&file));
        }
        if std::env::var_os("ISOCHRONE_RECORD").is_some() {
            let file = folder.join("src/reproduce/trainings/version-1-methods.csv");
            std::fs::write(file, &lines).unwrap();
        }
        assert_eq!(lines, HASHES);
    }
}
