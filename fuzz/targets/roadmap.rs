//! Roadmaps. One that is read is asked for a route.
#![no_main]

use isochrone_files::roadmap::RoadmapFile;
use std::path::Path;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let bytes = isochrone_fuzz::sealed(bytes);
    match RoadmapFile::of_bytes(&bytes, Path::new("a.roadmap")) {
        Ok(RoadmapFile { map, .. }) => {
            let zeros = vec![0.0; map.distance().inputs()];
            // A refusal is an answer, too.
            let _ = map.route(&zeros, map.landmark(map.len() - 1));
        }
        Err(error) => assert_eq!(error.to_string().lines().count(), 1, "{error}"),
    }
});
