//! `isochrone sweep status`: how far a sweep is.

use super::units::{Progress, Sweep};
use crate::cli::SweepStatusOptions;
use anyhow::Result;
use isochrone_runs::output::{print, table};
use serde::Serialize;
use std::fmt::Write as _;

/// Units of a variant.
#[derive(Debug, Default, Serialize)]
struct Standing {
    variant: String,
    done: usize,
    half_done: usize,
    waiting: usize,
    iterations_kept: u64,
    damaged: usize,
}

/// Runs the command.
pub(super) fn run(options: &SweepStatusOptions) -> Result<()> {
    let sweep = Sweep::open(&options.sweep)?;
    let (mut standings, mut complaints): (Vec<Standing>, String) = Default::default();
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
        match sweep.progress(unit) {
            Ok(Progress::Waiting) => standing.waiting += 1,
            Ok(Progress::HalfDone(kept)) => {
                standing.half_done += 1;
                standing.iterations_kept += kept;
            }
            Ok(Progress::Done) => standing.done += 1,
            Err(error) => {
                standing.damaged += 1;
                let _ = writeln!(complaints, "{}: {error:#}", unit.name);
            }
        }
    }
    if options.json {
        return print(&(serde_json::to_string_pretty(&standings)? + "\n"));
    }
    let rows: Vec<Vec<String>> = standings.iter().map(row).collect();
    let headings = ["variant", "done", "half done", "waiting", "damaged"];
    print(&(table(&headings, &rows) + &complaints))
}

fn row(standing: &Standing) -> Vec<String> {
    vec![
        standing.variant.clone(),
        standing.done.to_string(),
        standing.half_done.to_string(),
        standing.waiting.to_string(),
        standing.damaged.to_string(),
    ]
}
