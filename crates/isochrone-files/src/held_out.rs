//! Episodes that nothing is learned from.

use isochrone::rng::{Seed, Stream};
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// Which episodes are held out: each by a draw of its own, so that it does not matter how many there are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeldOut {
    /// Of the draws.
    pub seed: u64,
    /// How many of them, on average.
    pub share: f64,
    /// An episode that is held out although no draw says so: with few episodes there may be none.
    pub also: Option<u64>,
    /// An episode that is learned from although a draw says otherwise: with few episodes there may be no other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub never: Option<u64>,
}

impl HeldOut {
    /// Is this episode, by its number in file order, held out?
    pub fn contains(&self, episode: u64) -> bool {
        let mut rng = Seed(self.seed).of(Stream::HeldOut { episode });
        let is_drawn = rng.random::<f64>() < self.share;
        self.never != Some(episode) && (is_drawn || self.also == Some(episode))
    }
}
