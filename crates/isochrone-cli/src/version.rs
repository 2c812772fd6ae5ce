//! What `isochrone --version` prints.

use std::sync::LazyLock;

/// Version, revision, MuJoCo, and what was compiled in.
pub static VERSION: LazyLock<String> = LazyLock::new(|| {
    format!(
        "{}\nrevision {REVISION}\nMuJoCo {}\nfeatures {}",
        env!("CARGO_PKG_VERSION"),
        mujoco().unwrap_or_else(|| "none".to_owned()),
        features().join(", ")
    )
});

/// The commit that was compiled.
pub const REVISION: &str = env!("ISOCHRONE_REVISION");

/// The version of the engine; `None` without the feature `worlds`.
pub fn mujoco() -> Option<String> {
    #[cfg(feature = "worlds")]
    return Some(isochrone_mujoco::engine_version());
    #[cfg(not(feature = "worlds"))]
    None
}

/// The features of this build.
pub fn features() -> Vec<&'static str> {
    let all = [
        ("worlds", cfg!(feature = "worlds")),
        ("gpu", cfg!(feature = "gpu")),
    ];
    let mut names: Vec<&str> = all
        .iter()
        .filter(|(_, is_in)| *is_in)
        .map(|of| of.0)
        .collect();
    if names.is_empty() {
        names.push("none");
    }
    names
}
