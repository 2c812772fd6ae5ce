//! Specs of fits and of trainings, of version 1 and of today.
#![no_main]

use isochrone_files::run_spec::RunSpec;
use isochrone_files::settings;
use isochrone_runs::fit::FitSpec;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    if let Ok(spec) = RunSpec::parse(text) {
        // What was read can be written, and read again.
        let written = settings::write(&spec).expect("written");
        let again = RunSpec::parse(&written).expect("read again");
        assert_eq!(settings::write(&again).expect("written again"), written);
    }
    if let Ok(table) = text.parse()
        && let Ok(spec) = settings::of_changes::<FitSpec>(table)
    {
        let _ = spec.check();
    }
});
