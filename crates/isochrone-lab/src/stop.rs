//! Ctrl-C and SIGTERM: the first asks for an end, the second insists.

use crate::cluster::{Answer, Crew};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Raised by whoever wants an end: stop where everything can be kept.
pub struct StopSign {
    /// By a signal to this process: the second one insists.
    pressed: Arc<AtomicBool>,
    /// By anybody.
    raised: AtomicBool,
    /// Who else is asked.
    ask: Option<Box<dyn Fn() -> bool + Send + Sync>>,
    /// Who stops together.
    crew: Crew,
}

/// Somebody asked for an end, and it came; says how to go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Stopped(pub String);

impl std::fmt::Debug for StopSign {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StopSign")
            .field("raised", &self.raised)
            .finish_non_exhaustive()
    }
}

impl StopSign {
    /// From now on Ctrl-C and SIGTERM raise it.
    pub(crate) fn hang_out() -> Self {
        Self::hang_out_for(Crew::Alone)
    }

    /// The same for several processes: raised on one, it is on all. They look at it equally often.
    pub(crate) fn hang_out_for(crew: Crew) -> Self {
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
            crew,
        }
    }

    /// Raised once `ask` says so: for hosts with signal handlers of their own.
    pub fn asking(ask: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self {
            pressed: Arc::default(),
            raised: AtomicBool::new(false),
            ask: Some(Box::new(ask)),
            crew: Crew::Alone,
        }
    }

    /// Has somebody asked for an end?
    pub fn is_raised(&self) -> bool {
        let is_asked = self.ask.as_ref().is_some_and(|ask| ask());
        let is_pressed = self.pressed.load(Ordering::Relaxed);
        let mine = if is_asked || is_pressed || self.raised.load(Ordering::Relaxed) {
            Answer::Yes
        } else {
            Answer::No
        };
        let is_raised = self.crew.any(mine) == Answer::Yes;
        if is_raised {
            self.raised.store(true, Ordering::Relaxed);
        }
        is_raised
    }
}

/// Asked twice: at once, with the code that shells know.
#[expect(clippy::exit, reason = "the user insists")]
fn leave() {
    std::process::exit(130);
}
