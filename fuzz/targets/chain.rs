//! Edge lists and mazes.
#![no_main]

use isochrone::maze::Maze;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = isochrone_cli::edges::parse(bytes);
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = text.parse::<Maze>();
    }
});
