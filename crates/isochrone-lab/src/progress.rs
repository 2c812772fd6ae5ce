//! A sign of life for work that takes longer than two seconds, and none for work that does not.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use isochrone::markov::Progress;
use std::time::Duration;

/// How long a user waits without asking.
const PATIENCE: Duration = Duration::from_secs(2);

/// Shows what is going on, from the third second on, on a terminal only.
#[derive(Debug)]
pub(crate) struct Waiting {
    bar: ProgressBar,
}

impl Waiting {
    /// Work of unknown length.
    pub(crate) fn new(what: &str) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        bar.set_style(ProgressStyle::default_spinner());
        bar.set_message(what.to_owned());
        bar.enable_steady_tick(Duration::from_millis(120));
        let late = bar.clone();
        std::thread::spawn(move || {
            std::thread::sleep(PATIENCE);
            if !late.is_finished() {
                late.set_draw_target(ProgressDrawTarget::stderr());
            }
        });
        Self { bar }
    }

    /// The length became known: the spinner becomes a bar.
    pub(crate) fn advance(&self, progress: Progress) {
        if self.bar.length().is_none() {
            let style =
                ProgressStyle::with_template("{spinner} {msg} {bar:30} {pos}/{len} ({elapsed})");
            self.bar
                .set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        }
        self.bar.set_length(progress.total as u64);
        self.bar.set_position(progress.done as u64);
    }

    /// The next stage of the same work.
    pub(crate) fn now(&self, what: &str) {
        self.bar.set_message(what.to_owned());
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
