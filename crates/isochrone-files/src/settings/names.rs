//! Names of settings: unknown ones are refused with what was probably meant.

use super::{KIND, Kinds, did_you_mean};
use anyhow::{Result, bail};
use toml::{Table, Value};

/// Every key of `given` must be in `known`, which is the spec written down again.
pub(super) fn check(given: &Table, known: &Table, path: &str, kinds: &Kinds) -> Result<()> {
    for (key, value) in given {
        match (value, known.get(key)) {
            (Value::Table(given), Some(Value::Table(known))) => {
                check(given, known, &joined(path, key), kinds)?;
            }
            (_, Some(_)) => {}
            (_, None) => bail!(unknown_in(path, key, known, kinds)),
        }
    }
    Ok(())
}

/// Every key of a table with a kind must be one of that kind's defaults.
pub(super) fn check_kinds(given: &Table, path: &str, kinds: &Kinds) -> Result<()> {
    for (key, value) in given {
        let Value::Table(table) = value else { continue };
        let path = joined(path, key);
        let kind = table.get(KIND).and_then(Value::as_str);
        let known = kind.and_then(|kind| kinds.defaults(key, kind).ok());
        let is_unknown =
            |setting: &&String| known.as_ref().is_some_and(|k| !k.contains_key(*setting));
        if let (Some(known), Some(setting)) = (&known, table.keys().find(is_unknown)) {
            bail!(unknown_in(&path, setting, known, kinds));
        }
        check_kinds(table, &path, kinds)?;
    }
    Ok(())
}

/// An unknown key that serde found itself.
pub(super) fn check_unknown(error: &toml::de::Error, given: &Table) -> Result<()> {
    let message = error.message();
    let mut quoted = message.split('`').skip(1).step_by(2);
    let (Some(key), true) = (quoted.next(), message.starts_with("unknown field")) else {
        return Ok(());
    };
    let known: Vec<&str> = quoted.collect();
    let is_nested = !given.contains_key(key);
    if let Some(sentence) = dotted(key) {
        bail!(sentence);
    }
    match did_you_mean(key, &known) {
        Some(meant) => bail!("there is no setting {key:?}; {meant}"),
        None if is_nested => bail!(
            "there is no setting {key:?} here; there are {}",
            known.join(", ")
        ),
        None => bail!(
            "there is no setting {key:?}; there are {}",
            known.join(", ")
        ),
    }
}

/// The sentence about a dotted key whose first word the spec lacks.
pub(super) fn unknown(key: &str, known: &Table, kinds: &Kinds) -> String {
    let (path, last) = key.rsplit_once('.').unwrap_or(("", key));
    let first = path.split('.').next().unwrap_or_default();
    let names: Vec<&str> = known.keys().map(String::as_str).collect();
    match did_you_mean(first, &names) {
        Some(meant) => format!("there is no setting {first:?}; {meant}"),
        None => unknown_in("", last, known, kinds),
    }
}

/// The sentence about a key that the table at `path` lacks.
fn unknown_in(path: &str, key: &str, known: &Table, kinds: &Kinds) -> String {
    if let Some(sentence) = dotted(key) {
        return sentence;
    }
    let table = path.rsplit('.').next().unwrap_or_default();
    if let Some(kind) = known.get(KIND).and_then(Value::as_str) {
        let having = kinds.having(table, key);
        if !having.is_empty() {
            return format!(
                "{path} is {kind:?}, which has no {key:?}; {} has",
                having.join(" or ")
            );
        }
    }
    let names: Vec<&str> = known.keys().map(String::as_str).collect();
    if let Some(meant) = did_you_mean(key, &names) {
        return format!("there is no setting {:?}; {meant}", joined(path, key));
    }
    let elsewhere = elsewhere(key, known, kinds);
    if !elsewhere.is_empty() {
        return format!(
            "there is no setting {key:?}; did you mean {}?",
            elsewhere.join(" or ")
        );
    }
    format!(
        "there is no setting {:?}; there are {}",
        joined(path, key),
        names.join(", ")
    )
}

/// The sentence about a dotted key in a table, where settings are nested.
fn dotted(key: &str) -> Option<String> {
    let (table, setting) = key.split_once('.')?;
    Some(format!(
        "there is no setting {key:?}: tables are nested, {{\"{table}\": {{\"{setting}\": …}}}}"
    ))
}

/// Dotted keys with this last word: of the spec's tables as they are, else of other kinds.
fn elsewhere(key: &str, known: &Table, kinds: &Kinds) -> Vec<String> {
    let tables = known
        .iter()
        .filter_map(|(name, value)| Some((name.as_str(), value.as_table()?)));
    let tables: Vec<(&str, &Table)> = tables.collect();
    let here = tables.iter().filter(|(_, table)| table.contains_key(key));
    let here: Vec<String> = here.map(|(name, _)| format!("\"{name}.{key}\"")).collect();
    if !here.is_empty() {
        return here;
    }
    let of_kinds = tables.iter().flat_map(|(name, _)| {
        let having = kinds.having(name, key).into_iter();
        having.map(move |kind| format!("\"{name}.{key}\", which {name} {kind:?} has"))
    });
    of_kinds.collect()
}

fn joined(path: &str, key: &str) -> String {
    if path.is_empty() {
        key.to_owned()
    } else {
        format!("{path}.{key}")
    }
}

/// The names that were probably meant: the nearest, else those that hold the word, unless they are many.
pub fn meant<'n>(word: &str, names: &[&'n str]) -> Vec<&'n str> {
    const MANY: usize = 5;
    const SHORTEST_WORD: usize = 3;
    if let Some(name) = nearest(word, names) {
        return vec![name];
    }
    let longer = names.iter().copied().filter(|name| name.contains(word));
    let longer: Vec<&str> = longer.collect();
    if word.len() < SHORTEST_WORD || longer.len() >= MANY {
        return Vec::new();
    }
    longer
}

/// The name that was probably meant, if any is near enough.
pub fn nearest<'n>(word: &str, names: &[&'n str]) -> Option<&'n str> {
    let near = names.iter().map(|name| (apart(word, name), *name)).min();
    let is_near = |(edits, _): &(usize, &str)| *edits <= 1 + word.chars().count() / 3;
    near.filter(is_near).map(|(_, name)| name)
}

/// Edits between two words (Levenshtein).
fn apart(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = corner + usize::from(x != *y);
            corner = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(corner + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        assert_eq!(apart("kitten", "sitting"), 3);
        assert_eq!(apart("", "abc"), 3);
        assert_eq!(apart("same", "same"), 0);
    }
}
