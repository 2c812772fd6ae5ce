//! Progress events of long work, and progress bars that appear after two seconds.

use crate::cluster::Ranks;
use crate::exit::Stopped;
use crate::output::{say, warn};
use crate::stop::StopFlag;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use isochrone::markov::Progress;
use std::fmt::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Receives progress events of long work and may stop it.
pub trait Observer: Sync {
    /// Work of this many units begins; 0 if the number is unknown.
    fn begins(&self, what: &str, units: u64);

    /// This many units were done before (on resume).
    fn skips(&self, units: u64);

    /// This many more units are done; `detail` is a status text.
    fn advances(&self, units: u64, detail: &str);

    /// Whether to continue. Called between pieces of work.
    fn goes_on(&self) -> bool;

    /// An error once the work is to stop.
    fn check(&self) -> Result<(), Stopped> {
        if self.goes_on() {
            Ok(())
        } else {
            Err(Stopped("stopped".to_owned()))
        }
    }

    /// Reports a choice that was made for the user, and why.
    fn notes(&self, text: &str);

    /// Warns about something that may make the result useless.
    fn warns(&self, text: &str);
}

/// Shows nothing and never stops the work.
#[derive(Clone, Copy, Debug)]
pub struct NoObserver;

impl Observer for NoObserver {
    fn begins(&self, _what: &str, _units: u64) {}

    fn skips(&self, _units: u64) {}

    fn advances(&self, _units: u64, _detail: &str) {}

    fn goes_on(&self) -> bool {
        true
    }

    fn notes(&self, _text: &str) {}

    fn warns(&self, _text: &str) {}
}

/// Shows progress on a terminal and stops on Ctrl-C.
#[derive(Debug)]
pub struct TerminalObserver {
    stop: StopFlag,
    shown: Mutex<Option<Waiting>>,
}

impl TerminalObserver {
    /// Installs the signal handler, for all ranks.
    pub fn for_ranks(ranks: &Ranks) -> Self {
        Self {
            stop: StopFlag::install_for(ranks.clone()),
            shown: Mutex::new(None),
        }
    }

    fn shown(&self) -> MutexGuard<'_, Option<Waiting>> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hides the bar while something else is written to the terminal.
    fn aside(&self, write: impl FnOnce()) {
        match &*self.shown() {
            Some(Waiting { bar }) => bar.suspend(write),
            None => write(),
        }
    }
}

impl Observer for TerminalObserver {
    fn begins(&self, what: &str, units: u64) {
        *self.shown() = Some(match units {
            0 => Waiting::new(what),
            units => Waiting { bar: bar(units) },
        });
    }

    fn skips(&self, units: u64) {
        if let Some(Waiting { bar }) = &*self.shown() {
            bar.set_position(bar.position() + units);
            bar.reset_eta();
        }
    }

    fn advances(&self, units: u64, detail: &str) {
        if let Some(Waiting { bar }) = &*self.shown() {
            bar.inc(units);
            bar.set_message(detail.to_owned());
        }
    }

    fn goes_on(&self) -> bool {
        !self.stop.poll_all_ranks()
    }

    fn notes(&self, text: &str) {
        self.aside(|| say(&format!("{text}\n")));
    }

    fn warns(&self, text: &str) {
        self.aside(|| warn(text));
    }
}

/// Stops together with the other ranks, and shows nothing.
#[derive(Debug)]
pub struct RankObserver {
    stop: StopFlag,
}

impl RankObserver {
    /// Installs the signal handler.
    pub fn new(ranks: &Ranks) -> Self {
        Self {
            stop: StopFlag::install_for(ranks.clone()),
        }
    }
}

impl Observer for RankObserver {
    fn begins(&self, _what: &str, _units: u64) {}

    fn skips(&self, _units: u64) {}

    fn advances(&self, _units: u64, _detail: &str) {}

    fn goes_on(&self) -> bool {
        !self.stop.poll_all_ranks()
    }

    fn notes(&self, _text: &str) {}

    fn warns(&self, _text: &str) {}
}

/// A progress bar over this many states.
fn bar(units: u64) -> ProgressBar {
    let per_s = |state: &ProgressState, out: &mut dyn Write| {
        let _ = write!(out, "{:.0} states/s", state.per_sec());
    };
    let style = "{bar:24} {percent:>3} %  {msg}  {per_sec}  {eta} left";
    let style = ProgressStyle::with_template(style);
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(units).with_style(style.with_key("per_sec", per_s))
}

/// Delay before a bar is shown.
const PATIENCE: Duration = Duration::from_secs(2);

/// A progress bar, shown after two seconds and only on a terminal.
#[derive(Debug)]
pub struct Waiting {
    bar: ProgressBar,
}

impl Waiting {
    /// Work of unknown length.
    pub fn new(what: &str) -> Self {
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

    /// Sets the length: the spinner becomes a bar.
    pub fn advance(&self, progress: Progress) {
        if self.bar.length().is_none() {
            let style =
                ProgressStyle::with_template("{spinner} {msg} {bar:30} {pos}/{len} ({elapsed})");
            self.bar
                .set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        }
        self.bar.set_length(progress.total as u64);
        self.bar.set_position(progress.done as u64);
    }

    /// Names the next stage of the same work.
    pub fn now(&self, what: &str) {
        self.bar.set_message(what.to_owned());
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
