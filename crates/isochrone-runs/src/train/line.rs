//! The live line: how far a training is, how good, how fast, and where the time goes. On a terminal only.

use super::clock::Spent;
use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use std::time::{Duration, Instant};

/// A line that is written over.
#[derive(Debug)]
pub struct Line {
    bar: ProgressBar,
    began: Instant,
    first: u64,
}

impl Line {
    /// A run of `iterations`, of which `done` were done before.
    pub fn new(done: u64, iterations: u64) -> Result<Self> {
        let bar = ProgressBar::new(iterations);
        bar.set_style(ProgressStyle::with_template(
            "{bar:12} {pos}/{len} {prefix:18} {wide_msg}",
        )?);
        bar.set_position(done);
        bar.enable_steady_tick(Duration::from_millis(500));
        Ok(Self {
            bar,
            began: Instant::now(),
            first: done,
        })
    }

    /// What is being done.
    pub fn now(&self, doing: &'static str) {
        self.bar.set_prefix(doing);
    }

    /// Says something while the line is away.
    pub fn aside(&self, say: impl FnOnce()) {
        self.bar.suspend(say);
    }

    /// An iteration is done. A narrow terminal cuts the end off, so what matters least comes last.
    pub fn advance(&self, state: &State, spent: &Spent) {
        self.bar.set_position(state.iteration);
        let coverage = state.coverage.map_or("…".to_owned(), |c| format!("{c:.3}"));
        self.bar.set_message(format!(
            "coverage {coverage}  success {:.2}  {} left  {:.0} steps/s: {}",
            state.success,
            self.left(state.iteration),
            state.steps_per_s,
            spent.in_words()
        ));
    }

    /// As long as the iterations so far took, for those that are missing.
    fn left(&self, iteration: u64) -> String {
        let done = iteration.saturating_sub(self.first).max(1);
        let missing = self.bar.length().unwrap_or(0).saturating_sub(iteration);
        let seconds = self.began.elapsed().as_secs_f64() * missing as f64 / done as f64;
        in_words(seconds)
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// What the line tells.
#[derive(Clone, Copy, Debug)]
pub struct State {
    pub iteration: u64,
    pub coverage: Option<f64>,
    pub success: f64,
    pub steps_per_s: f64,
}

/// A time for people.
fn in_words(seconds: f64) -> String {
    let minutes = seconds / 60.0;
    if minutes < 1.0 {
        format!("{seconds:.0} s")
    } else if minutes < 100.0 {
        format!("{minutes:.0} min")
    } else {
        format!("{:.1} h", minutes / 60.0)
    }
}

#[cfg(test)]
mod tests {
    use super::in_words;

    #[test]
    fn times_are_rounded_to_what_matters() {
        let told = [12.3, 90.0, 7_200.0].map(in_words);
        assert_eq!(told, ["12 s", "2 min", "2.0 h"]);
    }
}
