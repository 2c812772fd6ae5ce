//! This very test binary, run again as a new process for one test.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Tells a process that it is such a second one, and what for.
const ERRAND: &str = "ISOCHRONE_TEST_ERRAND";

/// What this process was started for by [`again`]; `None` in the tests' own process.
pub(crate) fn errand() -> Option<String> {
    std::env::var(ERRAND).ok()
}

/// A folder for what processes leave behind.
pub(crate) fn folder() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs one test, by its full name, in a new process that finds `errand` and works in [`folder`]. It must succeed,
/// and nothing in it may complain.
pub(crate) fn again(test: &str, errand: &str) {
    let complaint = again_in(&folder(), test, errand);
    assert_eq!(complaint, "", "{test} for {errand}");
}

/// The same in another folder; returns what it wrote to its standard error.
pub(crate) fn again_in(folder: &Path, test: &str, errand: &str) -> String {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test])
        .env(ERRAND, errand)
        .current_dir(folder)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    // A name that is not a test's would be a success of nothing.
    assert!(
        output.status.success() && told.contains("1 passed"),
        "{test} for {errand}: {}\n{told}",
        output.status
    );
    String::from_utf8_lossy(&output.stderr).into_owned()
}
