//! The experiments as a user meets them.
#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

mod bench;
#[expect(
    dead_code,
    reason = "the command's tests, which own this file, use all of it"
)]
#[path = "../../../isochrone-cli/tests/it/desk.rs"]
mod desk;
mod reproductions;

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_isochrone-experiments");
