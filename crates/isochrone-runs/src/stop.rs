//! Ctrl-C and SIGTERM: the first requests a stop, the second ends the process.

use crate::cluster::{Answer, Ranks};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A request to stop at the next point where everything can be saved.
pub struct StopFlag {
    /// Set by a signal to this process; a second signal ends it.
    pressed: Arc<AtomicBool>,
    /// Set once any rank has requested a stop.
    raised: AtomicBool,
    /// A further source of requests.
    ask: Option<Box<dyn Fn() -> bool + Send + Sync>>,
    /// The ranks that stop together.
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
    /// Installs handlers of Ctrl-C and SIGTERM.
    pub fn install() -> Self {
        Self::install_for(Ranks::Single)
    }

    /// The same for several ranks: a request on one stops all. All ranks must poll equally often.
    pub fn install_for(ranks: Ranks) -> Self {
        let pressed = Arc::new(AtomicBool::new(false));
        let sign = Arc::clone(&pressed);
        // Without a handler, Ctrl-C ends the process and the last checkpoint remains: not an error.
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

    /// Polls `ask`: for host programs with their own signal handlers.
    pub fn polling(ask: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self {
            pressed: Arc::default(),
            raised: AtomicBool::new(false),
            ask: Some(Box::new(ask)),
            ranks: Ranks::Single,
        }
    }

    /// Whether any rank has requested a stop. A collective call.
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

/// The second signal: exits at once, with the shell's code for Ctrl-C.
#[expect(clippy::exit, reason = "the user insists")]
fn leave() {
    std::process::exit(130);
}
