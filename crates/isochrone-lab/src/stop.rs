//! Ctrl-C and SIGTERM: the first asks for an end, the second insists.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Raised by Ctrl-C or SIGTERM: stop where everything can be kept.
#[derive(Debug)]
pub(crate) struct StopSign(Arc<AtomicBool>);

impl StopSign {
    /// From now on signals raise it.
    pub(crate) fn hang_out() -> Self {
        let sign = Arc::new(AtomicBool::new(false));
        let raised = Arc::clone(&sign);
        // Without a handler Ctrl-C ends the process, and the last checkpoint is what is left: no reason to refuse.
        let _ = ctrlc::set_handler(move || {
            if raised.swap(true, Ordering::Relaxed) {
                leave();
            }
        });
        Self(sign)
    }

    /// Has somebody asked?
    pub(crate) fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Asked twice: at once, with the code that shells know.
#[expect(clippy::exit, reason = "the user insists")]
fn leave() {
    std::process::exit(130);
}
