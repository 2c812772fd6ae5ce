//! `docs/paper-map.md` says where each equation of the paper is computed and tested. It stays true.

use crate::tidy::{files_below, read, root};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What a map may name.
struct Code {
    /// The text of the libraries.
    sources: String,
    /// Their modules.
    modules: BTreeSet<String>,
    /// The text of each test module.
    tests: BTreeMap<String, String>,
}

impl Code {
    fn of_repository() -> Self {
        let crates = root().join("crates");
        let (mut sources, mut modules) = (String::new(), BTreeSet::new());
        for library in ["isochrone/src", "isochrone-files/src"] {
            let files = files_below(&crates.join(library), "rs");
            assert!(!files.is_empty(), "{library}");
            for file in files {
                sources += &(read(&file) + "\n");
                modules.insert(first_part(&file, "/src/"));
            }
        }
        let mut tests = BTreeMap::<String, String>::new();
        for file in files_below(&crates, "rs") {
            if file.display().to_string().contains("/tests/it/") {
                let text = tests.entry(first_part(&file, "/tests/it/")).or_default();
                *text += &(read(&file) + "\n");
            }
        }
        Self {
            sources,
            modules,
            tests,
        }
    }

    fn has_test(&self, path: &[&str]) -> bool {
        let (module, name) = (path[0], path[path.len() - 1]);
        let text = self.tests.get(module);
        text.is_some_and(|text| has_word(text, "fn ", name))
    }
}

/// The module that a file below `folder` belongs to.
fn first_part(file: &Path, folder: &str) -> String {
    let file = file.display().to_string();
    let inside = file.split(folder).last().unwrap_or_default();
    inside
        .split(['/', '.'])
        .next()
        .unwrap_or_default()
        .to_owned()
}

/// A row of a table: its text, the code spans in the column of tests, and those in the others.
struct Row {
    text: String,
    tests: Vec<String>,
    items: Vec<String>,
}

/// The rows of all tables of a page.
fn rows(page: &str) -> Vec<Row> {
    let (mut rows, mut headings) = (Vec::new(), Vec::new());
    let lines: Vec<&str> = page.lines().map(str::trim).collect();
    for (at, line) in lines
        .iter()
        .enumerate()
        .filter(|(_, line)| line.starts_with('|'))
    {
        let is_rule = |line: &str| {
            line.starts_with('|') && line.trim_matches(['|', '-', ':', ' ']).is_empty()
        };
        let cells = cells(line);
        if lines.get(at + 1).is_some_and(|next| is_rule(next)) {
            headings = cells;
        } else if !is_rule(line) {
            let is_test = |column: usize| {
                let heading = headings.get(column).map(|h| h.to_lowercase());
                heading.is_some_and(|h| h.starts_with("test"))
            };
            let spans = |of_tests: bool| {
                let chosen = cells
                    .iter()
                    .enumerate()
                    .filter(|(c, _)| is_test(*c) == of_tests);
                chosen.flat_map(|(_, cell)| code_spans(cell)).collect()
            };
            rows.push(Row {
                text: (*line).to_owned(),
                tests: spans(true),
                items: spans(false),
            });
        }
    }
    rows
}

/// Cells end at a `|` that no backslash precedes: formulas have bars.
fn cells(line: &str) -> Vec<String> {
    let inner = line.trim_matches('|').replace("\\|", "\u{1}");
    inner
        .split('|')
        .map(|cell| cell.trim().replace('\u{1}', "|"))
        .collect()
}

fn code_spans(cell: &str) -> Vec<String> {
    cell.split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

/// The parts of `a::b::c`, if that is what a span is; a call's arguments are not part of it.
fn path(span: &str) -> Option<Vec<&str>> {
    let name = span.split('(').next().unwrap_or_default();
    let parts: Vec<&str> = name.split("::").collect();
    let is_word =
        |part: &&str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_');
    (parts.len() > 1 && parts.iter().all(is_word)).then_some(parts)
}

fn has_word(text: &str, before: &str, name: &str) -> bool {
    let found = format!("{before}{name}");
    let ends = |at: usize| {
        let next = text[at + found.len()..].chars().next();
        !next.is_some_and(|c| c.is_alphanumeric() || c == '_')
    };
    text.match_indices(&found).any(|(at, _)| ends(at))
}

/// Declared anywhere: as an item, a public field, or a variant of an enum.
fn is_declared(sources: &str, name: &str) -> bool {
    let kinds = ["fn ", "struct ", "enum ", "trait ", "const ", "type "];
    let variant = || {
        let starts = |line: &str| {
            let rest = line.trim().strip_prefix(name);
            rest.is_some_and(|rest| {
                ["", ",", " {", "("]
                    .iter()
                    .any(|end| rest == *end || (end.len() > 1 && rest.starts_with(end)))
            })
        };
        sources.lines().any(starts)
    };
    kinds.iter().any(|kind| has_word(sources, kind, name))
        || sources.contains(&format!("pub {name}:"))
        || (name.starts_with(char::is_uppercase) && variant())
}

/// The numbers of `Eq. (8) and (9)` and `Eq. (2), (4), (6)`.
fn equations(text: &str) -> BTreeSet<String> {
    let mut numbers = BTreeSet::new();
    for mut rest in text.split("Eq.").skip(1).map(str::trim_start) {
        while let Some((number, after)) = rest.strip_prefix('(').and_then(|r| r.split_once(')')) {
            numbers.insert(number.to_owned());
            let joined = [", ", " and ", ", and "]
                .iter()
                .find_map(|j| after.strip_prefix(j));
            rest = joined.unwrap_or_default();
        }
    }
    numbers
}

/// Doc comments as running text, so that a line's end does not part `Eq.` from its number.
fn doc_comments(sources: &str) -> String {
    let comment = |line: &str| {
        let line = line.trim();
        let text = line
            .strip_prefix("///")
            .or_else(|| line.strip_prefix("//!"));
        text.map_or_else(|| "\n".to_owned(), |text| text.trim().to_owned() + " ")
    };
    sources.lines().map(comment).collect()
}

/// Everything a map says that is not so.
fn complaints(page: &str, code: &Code) -> Vec<String> {
    let sources = &code.sources;
    let rows = rows(page);
    let mut found = Vec::new();
    for span in rows.iter().flat_map(|row| &row.items) {
        let Some(parts) = path(span) else { continue };
        let is_module = code.modules.contains(parts[0]);
        if is_module || parts[0].starts_with(char::is_uppercase) {
            let names = &parts[usize::from(is_module)..];
            let missing = names.iter().find(|name| !is_declared(sources, name));
            found.extend(missing.map(|name| format!("`{span}`: no {name} in the sources")));
        }
    }
    for span in rows.iter().flat_map(|row| &row.tests) {
        if path(span).is_some_and(|parts| !code.has_test(&parts)) {
            found.push(format!("`{span}`: no such test"));
        }
    }
    let texts: Vec<&str> = rows.iter().map(|row| row.text.as_str()).collect();
    let mapped = equations(&texts.join("\n"));
    let missing = equations(&doc_comments(sources))
        .into_iter()
        .filter(|n| !mapped.contains(n));
    found.extend(missing.map(|number| format!("Eq. ({number}) has no row")));
    found
}

#[test]
fn the_paper_map_is_true() {
    let page = read(&root().join("docs/paper-map.md"));
    let found = rows(&page);
    assert!(
        found.iter().any(|row| !row.items.is_empty()),
        "no items named"
    );
    assert!(
        found.iter().any(|row| !row.tests.is_empty()),
        "no tests named"
    );
    let complaints = complaints(&page, &Code::of_repository());
    assert!(complaints.is_empty(), "{complaints:#?}");
}

#[test]
fn a_false_map_is_found_out() {
    let sources = "/// As in Eq. (2), (4) and (6), not\n/// forgetting Eq.\n/// (8).\npub fn time() {}\n\
                   pub enum Kind {\n    Fast,\n}\npub struct Found {\n    pub rho: f64,\n}\n// Eq. (99) is no doc\n";
    let page = "# Map\n\n| paper | item | test |\n|---|:--:|---|\n\
                | Eq. (2), (4) `m(j\\|i)` | `markov::time`, `Kind::Fast`, `markov::Found::rho` | `laws::it_holds` |\n\
                | Eq. (8) | `markov::tim`, `std::fs`, `Kind::Slow`, `comm::time()` | `laws::it_hold`, `comm::it_holds`, `embedding::it_learns` |\n";
    let named = |names: [&str; 3]| names.map(str::to_owned).into();
    let test =
        |module: &str, name: &str| (module.to_owned(), format!("#[test]\nfn {name}() {{}}\n"));
    let code = Code {
        sources: sources.to_owned(),
        modules: named(["markov", "comm", "embedding"]),
        tests: [test("laws", "it_holds"), test("comm", "it_sums")].into(),
    };
    assert_eq!(
        complaints(page, &code),
        [
            "`markov::tim`: no tim in the sources",
            "`Kind::Slow`: no Slow in the sources",
            "`laws::it_hold`: no such test",
            "`comm::it_holds`: no such test",
            "`embedding::it_learns`: no such test",
            "Eq. (6) has no row",
        ]
    );
}
