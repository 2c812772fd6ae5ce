//! Distances, policies and agents: all that a model file may hold but a roadmap.
#![no_main]

use isochrone::distance::Distance;
use isochrone_files::agent::SavedAgent;
use isochrone_files::model::DistanceModel;
use isochrone_files::policy::PolicyModel;
use std::path::Path;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let bytes = isochrone_fuzz::sealed(bytes);
    let file = Path::new("a.isochrone");
    match DistanceModel::of_bytes(&bytes, file) {
        Ok(model) => {
            let zeros = vec![0.0; model.distance.inputs()];
            let _ = model.distance.between(&zeros, &zeros);
        }
        Err(error) => assert_eq!(error.to_string().lines().count(), 1, "{error}"),
    }
    let _ = PolicyModel::of_bytes(&bytes, file);
    let _ = SavedAgent::of_bytes(&bytes, file);
});
