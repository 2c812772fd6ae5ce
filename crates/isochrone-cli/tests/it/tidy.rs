//! The rules the repository keeps about itself.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The workspace.
pub(crate) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub(crate) fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every file below a folder with one of these endings, in a fixed order.
pub(crate) fn files_below(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).map(|list| list.map(|entry| entry.unwrap().path()));
    let mut paths: Vec<PathBuf> = entries.into_iter().flatten().collect();
    paths.sort();
    let below = paths.into_iter().flat_map(|path| {
        if path.is_dir() {
            files_below(&path, ending)
        } else {
            let fits = path.extension().is_some_and(|e| e == ending);
            fits.then_some(path).into_iter().collect()
        }
    });
    below.collect()
}

/// The Rust sources of all crates; `part` is `src` or `tests`.
fn crate_files(part: &str) -> Vec<PathBuf> {
    let crates = [
        "isochrone",
        "isochrone-files",
        "isochrone-figures",
        "isochrone-mujoco",
        "isochrone-runs",
        "isochrone-cli",
        "isochrone-experiments",
        "isochrone-mpi",
    ];
    let folder = |name| root().join("crates").join(name).join(part);
    let files: Vec<PathBuf> = crates
        .iter()
        .flat_map(|c| files_below(&folder(c), "rs"))
        .collect();
    assert!(!files.is_empty(), "no files in {part}");
    files
}

/// Lines before the unit tests; a `mod tests;` elsewhere ends nothing.
fn lines_of_code(text: &str) -> usize {
    let lines: Vec<&str> = text.lines().collect();
    let tests = lines
        .windows(2)
        .position(|pair| pair[0] == "#[cfg(test)]" && pair[1].ends_with('{'));
    tests.unwrap_or(lines.len())
}

#[test]
fn sources_are_short() {
    for path in crate_files("src") {
        let limit = if path.ends_with("train.rs") { 150 } else { 400 };
        let lines = lines_of_code(&read(&path));
        assert!(
            lines <= limit,
            "{}: {lines} lines, limit {limit}",
            path.display()
        );
    }
    assert_eq!(
        lines_of_code("a\n#[cfg(test)]\nmod tests;\nb\n#[cfg(test)]\nmod t {\n}\n"),
        4
    );
}

#[test]
fn files_say_what_they_are_about() {
    let vague = [
        "utils", "util", "common", "helpers", "shared", "misc", "core",
    ];
    for path in [crate_files("src"), crate_files("tests")].concat() {
        let below = path.strip_prefix(root().join("crates")).unwrap();
        for part in below
            .with_extension("")
            .iter()
            .filter_map(|part| part.to_str())
        {
            assert!(!vague.contains(&part), "{} is named {part}", path.display());
        }
    }
}

#[test]
fn no_test_is_skipped() {
    // Written in two pieces, or this file would find itself.
    let skipped = concat!("#[", "ignore");
    for path in [crate_files("src"), crate_files("tests")].concat() {
        assert!(!read(&path).contains(skipped), "{}", path.display());
    }
}

#[test]
fn the_architecture_is_read_in_one_sitting() {
    let lines = read(&root().join("ARCHITECTURE.md")).lines().count();
    assert!(lines <= 150, "ARCHITECTURE.md has {lines} lines, limit 150");
}

/// Keys of every table of dependencies that ships, whatever the table is called.
fn dependencies(manifest: &str) -> Vec<String> {
    let (mut keys, mut inside) = (Vec::new(), false);
    for line in manifest.lines().map(str::trim) {
        if let Some(title) = line.strip_prefix('[') {
            let title = title.trim_end_matches(']');
            let (table, key) = match title.rsplit_once("dependencies.") {
                Some((before, key)) => (format!("{before}dependencies"), Some(key)),
                None => (title.to_owned(), None),
            };
            let ships = table.ends_with("dependencies") && !table.ends_with("dev-dependencies");
            keys.extend(key.filter(|_| ships).map(str::to_owned));
            inside = ships && key.is_none();
        } else if inside && !line.is_empty() && !line.starts_with('#') {
            keys.extend(line.split(['.', '=', ' ']).next().map(str::to_owned));
        }
    }
    keys
}

#[test]
fn the_science_is_pure() {
    let science = root().join("crates/isochrone");
    let lib = read(&science.join("src/lib.rs"));
    assert!(lib.contains("#![forbid(unsafe_code)]"));
    let lints = "#![warn(clippy::disallowed_methods, clippy::disallowed_types)]";
    assert!(lib.contains(lints));
    let found = dependencies(&read(&science.join("Cargo.toml")));
    assert!(found.contains(&"faer".to_owned()), "{found:?}");
    let forbidden = "clap csv indicatif kuva serde_json anyhow pyo3 mujoco-rs";
    for name in forbidden.split(' ') {
        assert!(
            !found.contains(&name.to_owned()),
            "isochrone depends on {name}"
        );
    }
    let sample = "[dependencies]\na = 1\nb.workspace = true\n[dev-dependencies]\nc = 1\n\
                  [target.'cfg(unix)'.dependencies]\nd = 1\n[dependencies.e]\nversion = 1\n[lints]\nf = 1\n";
    assert_eq!(dependencies(sample), ["a", "b", "d", "e"]);
}

/// A dependency that no source names costs minutes of compiling and gives nothing.
#[test]
fn every_dependency_is_used() {
    let crates = fs::read_dir(root().join("crates")).unwrap();
    let crates = crates.map(|entry| entry.unwrap().path());
    for folder in crates.chain([root().join("python")]) {
        let sources = files_below(&folder.join("src"), "rs");
        let sources: String = sources.iter().map(|path| read(path)).collect();
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let names: BTreeSet<&str> = sources.split(|c| !is_name(c)).collect();
        for name in dependencies(&read(&folder.join("Cargo.toml"))) {
            let is_used = names.contains(name.replace('-', "_").as_str());
            assert!(is_used, "{}: {name} is not used", folder.display());
        }
    }
}

/// Whatever learns by gradients may change its engine: nothing outside `nn` names it.
#[test]
fn the_tensor_library_is_named_under_nn_only() {
    let sources = root().join("crates/isochrone/src");
    let names_it = |path: &&PathBuf| {
        let text = read(path);
        text.contains("burn::") || text.contains("use burn")
    };
    let files = files_below(&sources, "rs");
    let naming: Vec<&PathBuf> = files.iter().filter(names_it).collect();
    assert!(!naming.is_empty());
    for path in naming {
        let below = path.strip_prefix(&sources).unwrap();
        let is_nn = below.starts_with("nn") || below == Path::new("nn.rs");
        assert!(is_nn, "{} names the tensor library", below.display());
    }
}

/// A program that reads logs or asks a distance brings no simulator, command line or terminal.
#[test]
fn files_need_no_simulator_and_no_terminal() {
    let found = dependencies(&read(&root().join("crates/isochrone-files/Cargo.toml")));
    assert!(found.contains(&"parquet".to_owned()), "{found:?}");
    for name in
        "isochrone-mujoco isochrone-runs isochrone-cli mujoco-rs clap indicatif kuva ctrlc libloading".split(' ')
    {
        assert!(
            !found.contains(&name.to_owned()),
            "isochrone-files depends on {name}"
        );
    }
    for path in files_below(&root().join("crates/isochrone-files/src"), "rs") {
        for terminal in ["println!", "stdout()", "stderr()"] {
            assert!(
                !read(&path).contains(terminal),
                "{}: {terminal}",
                path.display()
            );
        }
    }
}

/// The top-level modules that each top-level module of a crate names by `crate::`, unit tests left out.
fn imports(sources: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let top = |path: &Path| {
        let first = path.strip_prefix(sources).unwrap().iter().next().unwrap();
        Path::new(first).with_extension("").display().to_string()
    };
    let files = files_below(sources, "rs");
    let modules: BTreeSet<String> = files.iter().map(|path| top(path)).collect();
    let mut graph: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in &files {
        let text = read(path);
        let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        // Documentation may point anywhere.
        let lines = code
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        let code: Vec<&str> = lines.collect();
        for rest in code.join("\n").split("crate::").skip(1) {
            // One module, or several in braces.
            let named = match rest.strip_prefix('{') {
                Some(list) => list.split('}').next().unwrap_or_default(),
                None => rest
                    .split(|c: char| !c.is_alphanumeric() && c != '_')
                    .next()
                    .unwrap_or_default(),
            };
            let words = named.split(|c: char| !c.is_alphanumeric() && c != '_');
            let other = words.filter(|word| modules.contains(*word) && **word != top(path));
            let entry = graph.entry(top(path)).or_default();
            entry.extend(other.map(str::to_owned));
        }
    }
    graph
}

/// A module from which its own imports lead back to it.
fn circle(graph: &BTreeMap<String, BTreeSet<String>>) -> Option<String> {
    let leads_back = |start: &&String| {
        let mut seen = BTreeSet::new();
        let mut next: Vec<&String> = graph[*start].iter().collect();
        while let Some(module) = next.pop() {
            if module == *start {
                return true;
            }
            if seen.insert(module) {
                next.extend(graph.get(module).into_iter().flatten());
            }
        }
        false
    };
    graph
        .keys()
        .filter(|module| *module != "lib" && *module != "main")
        .find(leads_back)
        .cloned()
}

#[test]
fn imports_between_modules_run_one_way() {
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let sources = entry.unwrap().path().join("src");
        let found = circle(&imports(&sources));
        assert_eq!(found, None, "{} imports itself", sources.display());
    }
    let graph = [("a", "b"), ("b", "c"), ("c", "b")];
    let graph = graph.map(|(from, to)| (from.to_owned(), BTreeSet::from([to.to_owned()])));
    assert_eq!(circle(&BTreeMap::from(graph)), Some("b".to_owned()));
}

/// The command reads; others compute.
#[test]
fn the_command_is_small() {
    let files = files_below(&root().join("crates/isochrone-cli/src"), "rs");
    let lines: usize = files.iter().map(|path| lines_of_code(&read(path))).sum();
    assert!(
        lines <= 10_000,
        "isochrone-cli has {lines} lines, limit 10,000"
    );
}

/// Every mutant can still be planted, and the test that must notice it exists.
#[test]
fn mutants_have_their_places() {
    let list: toml::Table = read(&root().join("crates/isochrone/tests/mutants.toml"))
        .parse()
        .unwrap();
    let mutants = list["mutant"].as_array().unwrap();
    assert_eq!(mutants.len(), 10);
    for mutant in mutants {
        let of = |key: &str| mutant[key].as_str().unwrap();
        let places = read(&root().join(of("file"))).matches(of("before")).count();
        assert_eq!(places, 1, "{}", of("bug"));
        let (module, test) = of("killed_by").split_once("::").unwrap();
        let file = root().join(format!("crates/isochrone/tests/it/{module}.rs"));
        assert!(read(&file).contains(&format!("fn {test}(")), "{test}");
    }
}
