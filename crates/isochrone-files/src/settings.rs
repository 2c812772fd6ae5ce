//! Specs as text: a file, changed by `key=value`; a misspelt key is refused with a suggestion.

use anyhow::{Context, Result, anyhow, bail};
use serde::{Serialize, de::DeserializeOwned};
use std::path::Path;
use toml::{Table, Value};

/// Reads a spec: the defaults, then a file, then `key=value` pairs. Values are TOML; what is no TOML value is a word.
pub fn read<S>(file: Option<&Path>, overrides: &[String]) -> Result<S>
where
    S: Default + Serialize + DeserializeOwned,
{
    let settings = match file {
        Some(file) => table_of(file)?,
        None => Table::new(),
    };
    changed(settings, overrides)
}

/// A spec changed by `key=value` pairs.
pub fn change<S>(spec: &S, overrides: &[String]) -> Result<S>
where
    S: Default + Serialize + DeserializeOwned,
{
    let settings = Table::try_from(spec).context("cannot write the spec down")?;
    changed(settings, overrides)
}

fn table_of(file: &Path) -> Result<Table> {
    let text = std::fs::read_to_string(file);
    let text = text.with_context(|| format!("cannot read {}", file.display()))?;
    let table = text.parse::<Table>().map_err(|error| brief(&error));
    table.with_context(|| format!("{} is not TOML", file.display()))
}

fn changed<S>(mut settings: Table, overrides: &[String]) -> Result<S>
where
    S: Default + Serialize + DeserializeOwned,
{
    for pair in overrides {
        let Some((key, value)) = pair.split_once('=') else {
            bail!("{pair:?} is not of the form key=value");
        };
        set(&mut settings, key.trim(), parse(value.trim()))?;
    }
    check_keys::<S>(&settings)?;
    let spec = Value::Table(settings.clone()).try_into::<S>();
    spec.map_err(|error| match culprit::<S>(settings) {
        Some(key) => brief(&error).context(key),
        None => brief(&error),
    })
}

/// The key whose value alone is refused already.
fn culprit<S: DeserializeOwned>(settings: Table) -> Option<String> {
    let is_refused = |(key, value): &(String, Value)| {
        let alone = Table::from_iter([(key.clone(), value.clone())]);
        Value::Table(alone).try_into::<S>().is_err()
    };
    settings.into_iter().find(is_refused).map(|(key, _)| key)
}

/// A spec as the text of its file.
pub fn write<S: Serialize>(spec: &S) -> Result<String> {
    toml::to_string(spec).context("cannot write the spec down")
}

/// The error's sentence without the drawing of the text round it.
fn brief(error: &toml::de::Error) -> anyhow::Error {
    let words: Vec<&str> = error.message().split_whitespace().collect();
    anyhow!("{}", words.join(" "))
}

fn parse(text: &str) -> Value {
    let line = format!("value = {text}");
    let table = line.parse::<Table>().ok();
    let value = table.and_then(|mut table| table.remove("value"));
    value.unwrap_or_else(|| Value::String(text.to_owned()))
}

fn set(settings: &mut Table, key: &str, value: Value) -> Result<()> {
    match key.split_once('.') {
        None => {
            settings.insert(key.to_owned(), value);
            Ok(())
        }
        Some((first, rest)) => {
            let inner = settings
                .entry(first.to_owned())
                .or_insert_with(|| Value::Table(Table::new()));
            match inner {
                Value::Table(inner) => set(inner, rest, value),
                _ => bail!("{first} is a value, not a table: {key} cannot be set"),
            }
        }
    }
}

/// Every key must be one of the spec's own. Optional ones are not in the written default, so the answer of serde is
/// asked for those.
fn check_keys<S: Default + Serialize + DeserializeOwned>(settings: &Table) -> Result<()> {
    for key in settings.keys() {
        let alone = Table::from_iter([(key.clone(), Value::Boolean(true))]);
        let error = Value::Table(alone).try_into::<S>().err();
        let words = error.map(|e| e.message().to_owned()).unwrap_or_default();
        if !words.starts_with("unknown field") {
            continue;
        }
        let known: Vec<&str> = words.split('`').skip(3).step_by(2).collect();
        let meant: Vec<String> = (meant(key, &known).iter())
            .map(|name| format!("{name:?}"))
            .collect();
        if !meant.is_empty() {
            bail!(
                "there is no setting {key:?}; did you mean {}?",
                meant.join(" or ")
            );
        }
        bail!(
            "there is no setting {key:?}; there are {}",
            known.join(", ")
        );
    }
    Ok(())
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
