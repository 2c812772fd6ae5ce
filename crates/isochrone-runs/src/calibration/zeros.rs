//! Different states at distance 0.

use super::episodes::ObservedEpisodes;
use crate::progress::Observer;
use anyhow::Result;
use isochrone::distance::{Distance, Euclidean};
use isochrone::pairs::{SAME_STATE, Target};
use isochrone::rng::{Seed, Stream};
use isochrone_files::model::{AtZero, DistanceModel};
use rand::RngExt;

/// Pairs drawn.
const PAIRS: usize = 20_000;

/// How many pairs of different states, drawn evenly, are at distance 0. States within the radius of the target are one.
/// The observer may stop it.
pub fn at_zero(
    model: &DistanceModel,
    observed: &ObservedEpisodes,
    seed: Seed,
    observer: &dyn Observer,
) -> Result<AtZero> {
    let mut rng = seed.of(Stream::AssessZeros);
    let radius = f64::from(model.target().map_or(SAME_STATE, Target::radius));
    let mut found = AtZero {
        pairs: 0,
        at_zero: 0,
    };
    let n = observed.n_states();
    if n < 2 {
        return Ok(found);
    }
    for _ in 0..PAIRS {
        observer.check()?;
        let [a, b] = [(); 2].map(|()| observed.state(rng.random_range(0..n)));
        if Euclidean.between(a, b)? > radius {
            found.pairs += 1;
            found.at_zero += u64::from(model.distance.between(a, b)? <= 0.0);
        }
    }
    Ok(found)
}
