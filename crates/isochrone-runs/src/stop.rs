//! Ctrl-C and SIGTERM: the first asks for an end, the second insists.

use crate::cluster::{Answer, Ranks};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Raised by whoever wants an end: stop where everything can be kept.
pub struct StopFlag {
    /// By a signal to this process: the second one insists.
    pressed: Arc<AtomicBool>,
    /// By anybody.
    raised: AtomicBool,
    /// Who else is asked.
    ask: Option<Box<dyn Fn() -> bool + Send + Sync>>,
    /// Who stops together.
    ranks: Ranks,
}

impl std::fmt::Debug for StopFlag {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StopFlag")
            .field("raised", &self.raised)
            .finish_non_exhaustive()
    }
}

impl StopFlag {
    /// From now on Ctrl-C and SIGTERM raise it.
    pub fn install() -> Self {
        Self::install_for(Ranks::Single)
    }

    /// The same for several processes: raised on one, it is on all. They look at it equally often.
    pub fn install_for(ranks: Ranks) -> Self {
        let pressed = Arc::new(AtomicBool::new(false));
        let sign = Arc::clone(&pressed);
        // Without a handler Ctrl-C ends the process, and the last checkpoint is what is left: no reason to refuse.
        let _ = ctrlc::set_handler(move || {
            if sign.swap(true, Ordering::Relaxed) {
                leave();
            }
        });
        Self {
            pressed,
            raised: AtomicBool::new(false),
            ask: None,
            ranks,
        }
    }

    /// Raised once `ask` says so: for hosts with signal handlers of their own.
    pub fn asking(ask: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self {
            pressed: Arc::default(),
            raised: AtomicBool::new(false),
            ask: Some(Box::new(ask)),
            ranks: Ranks::Single,
        }
    }

    /// Has somebody asked for an end?
    pub fn poll_all_ranks(&self) -> bool {
        let is_asked = self.ask.as_ref().is_some_and(|ask| ask());
        let is_pressed = self.pressed.load(Ordering::Relaxed);
        let mine = if is_asked || is_pressed || self.raised.load(Ordering::Relaxed) {
            Answer::Yes
        } else {
            Answer::No
        };
        let poll_all_ranks = self.ranks.any(mine) == Answer::Yes;
        if poll_all_ranks {
            self.raised.store(true, Ordering::Relaxed);
        }
        poll_all_ranks
    }
}

/// Asked twice: at once, with the code that shells know.
#[expect(clippy::exit, reason = "the user insists")]
fn leave() {
    std::process::exit(130);
}
