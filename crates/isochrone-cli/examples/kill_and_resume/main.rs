//! Kills a training again and again, at random moments and without warning, and compares what is left in the end with
//! a training that was left alone. Prints a JSON record; fails if any byte differs.
//!
//! ```bash
//! cargo run -p isochrone-cli --example kill_and_resume -- 100 point-2d iterations=20 batch_steps=2000
//! ```

mod kills;

use anyhow::{Context, Result, bail};
use kills::Trial;
use std::io::Write;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let kills = arguments.next().and_then(|n| n.parse().ok());
    let kills = kills.context("how many kills? Then a preset, then key=value …")?;
    let arguments: Vec<String> = arguments.collect();
    let here = std::env::current_exe()?;
    let binary = here.parent().and_then(|examples| examples.parent());
    let binary = binary.context("no target folder")?.join("isochrone");
    let desk = std::env::temp_dir().join(format!("kill-and-resume-{}", std::process::id()));
    std::fs::create_dir(&desk)?;
    let trial = Trial {
        binary: &binary,
        desk: &desk,
        arguments: &arguments,
        kills,
        seed: 0,
    };
    let record = trial.run()?;
    let text = serde_json::to_string_pretty(&record)? + "\n";
    std::io::stdout().write_all(text.as_bytes())?;
    if !record.different.is_empty() {
        bail!("not equal; see {}", desk.display());
    }
    std::fs::remove_dir_all(&desk)?;
    Ok(())
}
