//! Where MuJoCo's messages go: errors, which end the program, to the terminal as one sentence; warnings nowhere.
//!
//! Left to itself the engine writes `MUJOCO_LOG.TXT` wherever the user stands when physics break. Here that is an
//! event of one episode, counted by whoever rolls it out, and this crate writes no files.
//!
//! The handler is one for the whole process, and is set before the first model of this crate is made. A program
//! in which others use MuJoCo too says [`leave_alone`] before that.
#![expect(
    unsafe_code,
    reason = "the engine's log handler is process-wide, and can be set in no other way"
)]

use mujoco_rs::prelude::{MjLogMessage, MjtLogLevel};
use std::io::Write as _;
use std::sync::OnceLock;

/// Who hears what the engine says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Listener {
    /// This module.
    Ours,
    /// Whoever the host has set, or the engine's own habits.
    Hosts,
}

static LISTENER: OnceLock<Listener> = OnceLock::new();

/// The handler is ours already, because a world or a renderer has been made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("MuJoCo's messages are routed already; say so before the first world is made")]
pub struct AlreadyRouted;

/// Leaves MuJoCo's log handler as it is, for programs in which this crate is not the only one that uses
/// libmujoco: Python's `mujoco` package, for one, shares the library once it is loaded. Its handler may then not
/// be replaced while the other is inside MuJoCo, nor should its messages be taken away. Call this before
/// the first world; errors and warnings then go where the host sends them.
pub fn leave_alone() -> Result<(), AlreadyRouted> {
    match LISTENER.get_or_init(|| Listener::Hosts) {
        Listener::Hosts => Ok(()),
        Listener::Ours => Err(AlreadyRouted),
    }
}

/// Routes the messages, the first time. Called before any model is made.
pub(crate) fn route() {
    LISTENER.get_or_init(|| {
        // SAFETY: no other thread may use MuJoCo during the call. This crate uses it only through models, every
        // model is made after this function has returned, and `get_or_init` lets no second caller return before
        // the first. Other users of the library in this process are not seen from here: their hosts are asked to
        // call `leave_alone` first, which keeps us from getting here.
        unsafe { mujoco_rs::logging::set_log_handler(hear) }
        Listener::Ours
    });
}

/// Tells what ends the program; the caller does so on return. Nothing in here may panic: C is below.
fn hear(message: &MjLogMessage) {
    if message.level() == MjtLogLevel::mjLOG_ERROR {
        let sentence = sentence(message.func(), message.subject(), message.body());
        // A closed stderr is no reason to stop.
        let _ = writeln!(std::io::stderr(), "{sentence}");
    }
}

/// What MuJoCo said, on one line.
fn sentence(function: Option<&str>, subject: &str, body: Option<&str>) -> String {
    let parts = [function, Some(subject), body];
    let lines = parts.into_iter().flatten().flat_map(str::lines);
    let said: Vec<&str> = lines.map(str::trim).filter(|s| !s.is_empty()).collect();
    format!("isochrone: MuJoCo ended the program: {}", said.join(": "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_line() {
        let said = sentence(Some("mj_step"), "Not enough\n memory\n", Some(""));
        assert_eq!(
            said,
            "isochrone: MuJoCo ended the program: mj_step: Not enough: memory"
        );
    }
}
