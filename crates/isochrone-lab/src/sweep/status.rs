//! `isochrone sweep status`: how far a sweep is.

use super::units::{Progress, Sweep};
use crate::cli::SweepStatusOptions;
use crate::output::{print, table};
use anyhow::Result;
use serde::Serialize;

/// Units of a variant.
#[derive(Debug, Default, Serialize)]
struct Standing {
    variant: String,
    done: usize,
    half_done: usize,
    waiting: usize,
    iterations_kept: u64,
}

/// Runs the command.
pub(super) fn run(options: &SweepStatusOptions) -> Result<()> {
    let sweep = Sweep::open(&options.sweep)?;
    let mut standings: Vec<Standing> = Vec::new();
    for unit in &sweep.list.units {
        if standings.last().is_none_or(|s| s.variant != unit.variant) {
            standings.push(Standing {
                variant: unit.variant.clone(),
                ..Standing::default()
            });
        }
        let Some(standing) = standings.last_mut() else {
            continue;
        };
        match sweep.progress(unit)? {
            Progress::Waiting => standing.waiting += 1,
            Progress::HalfDone(kept) => {
                standing.half_done += 1;
                standing.iterations_kept += kept;
            }
            Progress::Done => standing.done += 1,
        }
    }
    if options.json {
        return print(&(serde_json::to_string_pretty(&standings)? + "\n"));
    }
    let rows: Vec<Vec<String>> = standings.iter().map(row).collect();
    print(&table(&["variant", "done", "half done", "waiting"], &rows))
}

fn row(standing: &Standing) -> Vec<String> {
    vec![
        standing.variant.clone(),
        standing.done.to_string(),
        standing.half_done.to_string(),
        standing.waiting.to_string(),
    ]
}
