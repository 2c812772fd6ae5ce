//! A panic inside a reader of foreign bytes is an error about the file, not the end of the process.

use super::error::{DataError, one_line};
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::Once;

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Runs what reads a file through other people's code. After a panic the reader must not be used again: callers
/// drop it, which is why what it was in the middle of does not matter.
pub(super) fn guard<T>(
    file: &Path,
    format: &'static str,
    read: impl FnOnce() -> Result<T, DataError>,
) -> Result<T, DataError> {
    static HOOK: Once = Once::new();
    HOOK.call_once(silence_guarded_panics);
    let outer = GUARDED.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(read));
    GUARDED.set(outer);
    result.unwrap_or_else(|panic| {
        let words = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("no reason given");
        Err(DataError::Broken {
            file: file.to_owned(),
            format,
            reason: format!("its reader gave up: {}", one_line(words)),
        })
    })
}

/// The usual report of a panic would stand beside our sentence; all other panics are reported as before.
fn silence_guarded_panics() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if !GUARDED.get() {
            usual(info);
        }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_told_as_an_error() {
        let result: Result<(), DataError> = guard(Path::new("a.npz"), "npz", || panic!("index\n7"));
        let words = result.unwrap_err().to_string();
        assert_eq!(
            words,
            "a.npz is not a whole npz file: its reader gave up: index 7"
        );
        assert!(!GUARDED.get());
    }
}
