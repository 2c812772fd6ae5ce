//! Where MuJoCo's messages go: to the `log` crate, instead of the terminal and a file in the current folder.
//!
//! The engine writes `MUJOCO_LOG.TXT` wherever the user stands when physics break. Here that is an event of one
//! episode, counted by whoever rolls it out, and only the laboratory writes files.
#![expect(
    unsafe_code,
    reason = "the engine's log handler is process-wide, and can be set in no other way"
)]

use std::sync::Once;

static ROUTED: Once = Once::new();

/// Routes the messages, the first time. Called before any model is made.
pub(crate) fn route() {
    ROUTED.call_once(|| {
        // SAFETY: no other thread may use MuJoCo during the call. This crate uses it only through models,
        // every model is made after this function has returned, and `call_once` lets no second caller
        // return before the first.
        unsafe { mujoco_rs::logging::install_logging_hook() }
    });
}
