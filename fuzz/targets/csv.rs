#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| isochrone_fuzz::read_data("csv", bytes));
