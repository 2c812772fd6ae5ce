//! One module per command, each with a `run`.

pub mod assess;
pub mod clone;
pub mod collect;
pub mod completions;
pub mod distance;
pub mod doctor;
pub mod embed;
pub mod episodes;
pub mod evaluate;
pub mod exact;
pub mod export;
pub mod fit;
pub mod info;
pub mod map;
pub mod nearest;
pub mod plot;
pub mod progress;
pub mod reached;
#[cfg(feature = "worlds")]
pub mod render;
pub mod route;
pub mod spectral;
pub mod sweep;
pub mod train;
#[cfg(feature = "worlds")]
pub mod worlds;
