//! Exit codes and the last line on standard error.

use std::io::Write as _;

/// The exit code of a stopped run that can be resumed: `EX_TEMPFAIL` of sysexits.h.
pub const RESUME_ME: u8 = 75;

/// A run stopped on request; says how to resume it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Stopped(pub String);

/// Prints an error to standard error. A failed write is ignored.
pub fn complain(error: &str) {
    // One write: another rank may end this process at any time, in the middle of a sentence.
    let _ = std::io::stderr().write_all(format!("isochrone: {error}\n").as_bytes());
}

/// Is the cause a closed pipe? `isochrone … | head` is not an error.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let io = cause.downcast_ref::<std::io::Error>();
        io.is_some_and(|io| io.kind() == std::io::ErrorKind::BrokenPipe)
    })
}
