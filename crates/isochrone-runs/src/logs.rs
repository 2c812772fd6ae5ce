//! What a distance says of logged episodes: how far along every frame is, and which episodes are bad.
//!
//! Logs are read episode by episode, in bounded memory; a batch of episodes is embedded by all cores, and results come in
//! the order of the files, whatever the number of cores.

mod embedded;
mod frames;
mod look;
mod scores;

pub use embedded::EmbeddedEpisode;
pub use frames::progress;
pub use look::{Look, SeenEpisode, SeenState, look};
pub use scores::{LEAST_EPISODES, Scored, ScoredEpisode, scores};
