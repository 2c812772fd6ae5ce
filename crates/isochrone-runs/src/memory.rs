//! Work that cannot fit is refused before it starts: the system would end the process without a word.

use anyhow::{Result, bail};
use std::fs;

/// Refuses what needs more memory than the machine has free, where the system tells (Linux).
pub fn refuse_beyond(what: &str, bytes: f64) -> Result<()> {
    match available_bytes() {
        Some(free) if bytes > free => bail!(
            "{what} needs about {:.1} GB of memory, {:.1} GB are free",
            bytes / 1e9,
            free / 1e9
        ),
        _ => Ok(()),
    }
}

fn available_bytes() -> Option<f64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: f64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some(1024.0 * kilobytes)
}
