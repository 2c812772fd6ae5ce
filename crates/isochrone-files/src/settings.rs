//! Specs as TOML: a file or a preset, changed by `key=value` with dotted keys.
//!
//! A table with a `kind` (`generator = { kind = "goal_gan", … }`) holds the settings of that kind and no others. Another
//! kind replaces the table by that kind's own defaults ([`Kinds`]). A key that the chosen kind lacks is refused, with the
//! kinds that have it.

mod names;

pub use names::{meant, nearest};

use anyhow::{Context, Result, anyhow, bail};
use serde::{Serialize, de::DeserializeOwned};
use std::path::Path;
use toml::{Table, Value};

const KIND: &str = "kind";

/// The default settings of every kind: `[generator.goal_gan]` holds those of `generator = { kind = "goal_gan" }`. A table is
/// looked up by the last word of its path.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kinds(Table);

impl Kinds {
    /// Parses the defaults.
    pub fn parse(text: &str) -> Result<Self> {
        Ok(Self(text.parse().map_err(|error| brief(&error))?))
    }

    /// The kinds that `key` can have; empty where it is not a table with a kind.
    fn of(&self, key: &str) -> Vec<&str> {
        let kinds = self.0.get(key).and_then(Value::as_table);
        kinds.map_or(Vec::new(), |kinds| {
            kinds.keys().map(String::as_str).collect()
        })
    }

    /// The default settings of a kind, with the kind itself.
    fn defaults(&self, key: &str, kind: &str) -> Result<Table> {
        let block = self.0.get(key).and_then(|kinds| kinds.get(kind));
        let Some(Value::Table(block)) = block else {
            let known = self.of(key);
            let meant = did_you_mean(kind, &known);
            bail!(
                "{key} has no kind {kind:?}; {}",
                meant.unwrap_or_else(|| format!("there are {}", known.join(", ")))
            );
        };
        let mut table = Table::from_iter([(KIND.to_owned(), Value::from(kind))]);
        table.extend(block.clone());
        Ok(table)
    }

    /// All of them: kinds by table, settings by kind.
    pub const fn table(&self) -> &Table {
        &self.0
    }

    /// The kinds of `key` whose defaults have this setting.
    pub fn having(&self, key: &str, setting: &str) -> Vec<&str> {
        let kinds = self.of(key).into_iter();
        kinds
            .filter(|kind| self.0[key][*kind].get(setting).is_some())
            .collect()
    }
}

/// Reads a spec with defaults: a file if there is one, then `key=value` pairs. A value that is not TOML is a word.
pub fn read<S>(file: Option<&Path>, overrides: &[String]) -> Result<S>
where
    S: Default + Serialize + DeserializeOwned,
{
    let mut table = Table::try_from(S::default()).context("cannot write the spec down")?;
    if let Some(file) = file {
        merge(&mut table, table_of(file)?, &Kinds::default())?;
    }
    changed(table, overrides, &Kinds::default())
}

/// The default spec changed by a table.
pub fn of_changes<S>(changes: Table) -> Result<S>
where
    S: Default + Serialize + DeserializeOwned,
{
    let mut table = Table::try_from(S::default()).context("cannot write the spec down")?;
    merge(&mut table, changes, &Kinds::default())?;
    parse(&table, &Kinds::default())
}

/// A spec changed by `key=value` pairs.
pub fn change<S>(spec: &S, overrides: &[String], kinds: &Kinds) -> Result<S>
where
    S: Serialize + DeserializeOwned,
{
    let table = Table::try_from(spec).context("cannot write the spec down")?;
    changed(table, overrides, kinds)
}

/// The table of a TOML file.
pub fn table_of(file: &Path) -> Result<Table> {
    let text = std::fs::read_to_string(file);
    let text = text.with_context(|| format!("cannot read {}", file.display()))?;
    let table = text.parse::<Table>().map_err(|error| brief(&error));
    table.with_context(|| format!("{} is not TOML", file.display()))
}

/// A spec as the text of its file.
pub fn write<S: Serialize>(spec: &S) -> Result<String> {
    toml::to_string(spec).context("cannot write the spec down")
}

/// Applies `change` to `base`, table by table. A word for a table with kinds is its kind; another kind replaces the table by
/// that kind's defaults.
pub fn merge(base: &mut Table, change: Table, kinds: &Kinds) -> Result<()> {
    for (key, value) in change {
        let value = match value {
            Value::String(kind) if !kinds.of(&key).is_empty() => {
                Value::Table(Table::from_iter([(KIND.to_owned(), Value::String(kind))]))
            }
            value => value,
        };
        if !value.is_table() && !kinds.of(&key).is_empty() {
            bail!(no_kind(&key, &value, base, kinds));
        }
        match (base.get_mut(&key), value) {
            (Some(Value::Table(old)), Value::Table(new)) => {
                if let Some(kind) = other_kind(old, &new) {
                    *old = kinds.defaults(&key, kind)?;
                }
                merge(old, new, kinds)?;
            }
            (None, Value::Table(new)) if !kinds.of(&key).is_empty() => {
                let kind = new.get(KIND).and_then(Value::as_str);
                let kind = kind.with_context(|| format!("{key} has no kind"))?;
                let mut table = kinds.defaults(&key, kind)?;
                merge(&mut table, new, kinds)?;
                base.insert(key, Value::Table(table));
            }
            (_, value) => {
                base.insert(key, value);
            }
        }
    }
    Ok(())
}

/// A number in the place of a kind, as `epsilon = 5` instead of `epsilon_steps = 5`.
fn no_kind(key: &str, value: &Value, beside: &Table, kinds: &Kinds) -> String {
    let kinds = kinds.of(key).join(", ");
    let meant = beside.iter().find(|(name, other)| {
        name.starts_with(&format!("{key}_")) && (other.is_float() || other.is_integer())
    });
    let advice = meant.map_or(String::new(), |(name, _)| {
        format!("; did you mean {name}={value}?")
    });
    format!("{key} is {value}; it must be one of the kinds {kinds}{advice}")
}

/// The kind that `new` asks for, if it is not the one that `old` has.
fn other_kind<'n>(old: &Table, new: &'n Table) -> Option<&'n str> {
    let kind = new.get(KIND)?.as_str()?;
    let is_other = old.get(KIND).and_then(Value::as_str) != Some(kind);
    is_other.then_some(kind)
}

/// Makes a spec of a table. A key that the spec does not have is refused.
pub fn parse<S>(table: &Table, kinds: &Kinds) -> Result<S>
where
    S: Serialize + DeserializeOwned,
{
    names::check_kinds(table, "", kinds)?;
    let spec = Value::Table(table.clone()).try_into::<S>();
    let spec = match spec {
        Ok(spec) => spec,
        Err(error) => {
            // The sentence about an unknown key is better than serde's about its consequences.
            names::check_unknown(&error, table)?;
            return Err(placed(&error));
        }
    };
    let known = Table::try_from(&spec).context("cannot write the spec down")?;
    names::check(table, &known, "", kinds)?;
    Ok(spec)
}

fn changed<S>(mut table: Table, overrides: &[String], kinds: &Kinds) -> Result<S>
where
    S: Serialize + DeserializeOwned,
{
    let pairs = overrides.iter().map(|pair| {
        let (key, value) = pair
            .split_once('=')
            .ok_or_else(|| anyhow!("{pair:?} is not of the form key=value"))?;
        Ok((key.trim().to_owned(), value_of(value.trim())))
    });
    let pairs: Vec<(String, Value)> = pairs.collect::<Result<_>>()?;
    // A kind first: its settings may stand before it.
    let (chosen, others): (Vec<_>, Vec<_>) =
        (pairs.into_iter()).partition(|(key, value)| sets_kind(key, value, kinds));
    for (key, value) in chosen.into_iter().chain(others) {
        let was_wrong = spec_error::<S>(&table).is_some();
        set(&mut table, &key, value, kinds)?;
        names::check_kinds(&table, "", kinds)?;
        if let Some(error) = spec_error::<S>(&table).filter(|_| !was_wrong) {
            names::check_unknown(&error, &table)?;
            return Err(brief(&error).context(key));
        }
    }
    parse(&table, kinds)
}

/// Why a table is not a spec.
fn spec_error<S: DeserializeOwned>(table: &Table) -> Option<toml::de::Error> {
    Value::Table(table.clone()).try_into::<S>().err()
}

fn sets_kind(key: &str, value: &Value, kinds: &Kinds) -> bool {
    let last = key.rsplit('.').next().unwrap_or(key);
    last == KIND || (value.is_str() && !kinds.of(last).is_empty())
}

fn set(table: &mut Table, key: &str, value: Value, kinds: &Kinds) -> Result<()> {
    let mut words = key.rsplit('.');
    let last = words.next().unwrap_or(key);
    let leaf = Table::from_iter([(last.to_owned(), value)]);
    let change = words.fold(leaf, |inner, word| {
        Table::from_iter([(word.to_owned(), Value::Table(inner))])
    });
    if let Some((first, _)) = key.split_once('.') {
        match table.get(first) {
            Some(Value::Table(_)) => {}
            Some(_) => bail!("{first} is a value, not a table: {key} cannot be set"),
            None => bail!(names::unknown(key, table, kinds)),
        }
    }
    merge(table, change, kinds)
}

/// The sentence of [`brief`] behind the setting that it is about, which serde tells in its long text alone.
fn placed(error: &toml::de::Error) -> anyhow::Error {
    let text = error.to_string();
    let setting = text
        .lines()
        .find_map(|line| line.strip_prefix("in `")?.strip_suffix('`'));
    match setting {
        Some(setting) => brief(error).context(setting.to_owned()),
        None => brief(error),
    }
}

/// What serde expects, and what a reader does.
const EXPECTED: [(&str, &str); 6] = [
    ("u64", "a whole number, 0 or more"),
    ("usize", "a whole number, 0 or more"),
    ("u32", "a whole number, 0 or more"),
    ("f64", "a number"),
    ("a boolean", "true or false"),
    ("a sequence", "a list, for example [64, 64]"),
];

/// The error's sentence without the drawing of the text round it, and without names of Rust's types.
fn brief(error: &toml::de::Error) -> anyhow::Error {
    let words: Vec<&str> = error.message().split_whitespace().collect();
    let sentence = words.join(" ");
    let known = sentence
        .rsplit_once(", expected ")
        .and_then(|(found, wanted)| {
            let (_, plain) = EXPECTED.iter().find(|(name, _)| *name == wanted)?;
            Some(format!("{found}, expected {plain}"))
        });
    anyhow!("{}", known.unwrap_or(sentence))
}

fn value_of(text: &str) -> Value {
    let line = format!("value = {text}");
    let table = line.parse::<Table>().ok();
    let value = table.and_then(|mut table| table.remove("value"));
    value.unwrap_or_else(|| Value::String(text.to_owned()))
}

fn did_you_mean(word: &str, known: &[&str]) -> Option<String> {
    let meant: Vec<String> = (meant(word, known).iter())
        .map(|name| format!("{name:?}"))
        .collect();
    (!meant.is_empty()).then(|| format!("did you mean {}?", meant.join(" or ")))
}
