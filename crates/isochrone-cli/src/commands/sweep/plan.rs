//! `isochrone sweep plan`: a sweep file → units.

use super::units::{List, Sweep, Unit};
use crate::cli::SweepPlanOptions;
use anyhow::{Context, Result, bail};
use isochrone::rng::Seed;
use isochrone_files::fingerprint;
use isochrone_files::run_spec::RunSpec;
use isochrone_files::settings;
use isochrone_runs::output::print;
use isochrone_runs::train::base;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// A sweep file.
///
/// ```toml
/// base = "point-2d"                    # a preset, or a spec that ends in .toml
/// seeds = 5                            # 0 to 4; or a list
/// set = ["iterations=20"]              # for all
/// [variants]
/// gan = []
/// uniform = ["generator=uniform"]
/// ```
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SweepFile {
    base: String,
    seeds: Seeds,
    #[serde(default)]
    set: Vec<String>,
    #[serde(default)]
    variants: BTreeMap<String, Vec<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "seeds is a count or a list of whole numbers, 0 or above"
)]
enum Seeds {
    Count(u64),
    List(Vec<u64>),
}

impl Seeds {
    fn all(&self) -> Vec<u64> {
        match self {
            Self::Count(count) => (0..*count).collect(),
            Self::List(seeds) => seeds.clone(),
        }
    }

    fn count(&self) -> usize {
        match self {
            Self::Count(count) => usize::try_from(*count).unwrap_or(usize::MAX),
            Self::List(seeds) => seeds.len(),
        }
    }
}

/// More units than any scheduler has taken.
const MOST_UNITS: usize = 1_000_000;

/// Runs the command.
pub(super) fn run(options: &SweepPlanOptions) -> Result<()> {
    let name = options.sweep.display();
    let text = std::fs::read_to_string(&options.sweep);
    let text = text.with_context(|| format!("cannot read {name}"))?;
    let file: SweepFile = toml::from_str(&text)
        .map_err(|error| anyhow::anyhow!("{}", error.message()))
        .with_context(|| format!("{name} is not a sweep"))?;
    let (list, specs) = units(&file, &options.sweep).with_context(|| format!("in {name}"))?;
    let sweep = Sweep::create(&options.out, list, &specs)?;
    let folder = sweep.folder.display();
    print(&format!(
        "{folder}: {} units\n  isochrone sweep run {folder}\n",
        sweep.list.units.len()
    ))
}

/// Every variant with every seed, each checked before anything is written.
fn units(file: &SweepFile, at: &Path) -> Result<(List, Vec<RunSpec>)> {
    let variants: Vec<(String, Vec<String>)> = if file.variants.is_empty() {
        vec![("all".to_owned(), Vec::new())]
    } else {
        file.variants.clone().into_iter().collect()
    };
    let count = variants.len().saturating_mul(file.seeds.count());
    if !(1..=MOST_UNITS).contains(&count) {
        bail!("these are {count} units; there must be at least 1 and at most {MOST_UNITS}");
    }
    let seeds = file.seeds.all();
    if let Some(twice) = (1..seeds.len()).find(|&k| seeds[..k].contains(&seeds[k])) {
        bail!("seed {} is given twice", seeds[twice]);
    }
    let mut words = file
        .set
        .iter()
        .chain(variants.iter().flat_map(|(_, set)| set));
    if let Some(word) = words.find(|word| is_of_seed(word)) {
        bail!("{word:?} says what `seeds` says; leave it out");
    }
    let beside = at.parent().unwrap_or_else(|| Path::new(""));
    let is_file = Path::new(&file.base)
        .extension()
        .is_some_and(|e| e == "toml");
    let spec = if is_file {
        base(&beside.join(&file.base).display().to_string())?
    } else {
        base(&file.base)?
    };
    let (mut units, mut specs) = (Vec::new(), Vec::new());
    for (variant, set) in variants {
        check_name(&variant)?;
        let changed: RunSpec = spec
            .changed(&[file.set.clone(), set].concat())
            .with_context(|| format!("variant {variant}"))?;
        for &seed in &seeds {
            let mut spec = changed.clone();
            spec.agent.seed = Seed(seed);
            spec.check().with_context(|| format!("variant {variant}"))?;
            units.push(Unit {
                name: format!("{:05}-{variant}-seed{seed}", units.len()),
                variant: variant.clone(),
                seed,
                spec_hash: fingerprint::of_text(&settings::write(&spec)?),
            });
            specs.push(spec);
        }
    }
    let list = List {
        written_by: concat!("isochrone ", env!("CARGO_PKG_VERSION")).to_owned(),
        base: file.base.clone(),
        units,
    };
    Ok((list, specs))
}

fn is_of_seed(word: &str) -> bool {
    word.split_once('=')
        .is_some_and(|(key, _)| key.trim() == "seed")
}

/// Names become names of files.
fn check_name(variant: &str) -> Result<()> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if variant.is_empty() || !variant.chars().all(is_plain) || variant.starts_with('.') {
        bail!("a variant is called {variant:?}; names have letters, digits, -, _ and . only");
    }
    Ok(())
}
