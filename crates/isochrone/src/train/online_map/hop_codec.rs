//! Hops as whole numbers: in checkpoints and between ranks.

use crate::comm::{CommError, Workers};
use crate::nn::{NamedArray, NamedArrayError, find_u64s};
use crate::roadmap::{Hop, combine};

/// Numbers of a hop.
const HOP_WORDS: usize = 7;

/// Hops for a checkpoint.
pub(super) fn encoded_hops(hops: &[Hop]) -> Vec<u64> {
    hops.iter().flat_map(encode).collect()
}

/// Hops of a checkpoint, between so many landmarks.
pub(super) fn decoded_hops(
    arrays: &[NamedArray],
    name: &str,
    landmarks: usize,
) -> Result<Vec<Hop>, NamedArrayError> {
    let words = find_u64s(arrays, name)?.as_chunks::<HOP_WORDS>().0;
    let hops: Vec<Hop> = words.iter().map(decode).collect();
    let is_landmark = |end: u32| (end as usize) < landmarks;
    match hops
        .iter()
        .find(|hop| !(is_landmark(hop.from) && is_landmark(hop.to)))
    {
        Some(hop) => Err(NamedArrayError::Layers {
            reason: format!(
                "a hop from landmark {} to {}, of {landmarks}",
                hop.from, hop.to
            ),
        }),
        None => Ok(hops),
    }
}

/// Hops of all ranks, in the order of [`combine`].
pub(super) fn of_all_ranks(mine: Vec<Hop>, workers: &Workers<'_>) -> Result<Vec<Hop>, CommError> {
    if workers.comm.size() == 1 {
        return Ok(mine);
    }
    let bytes: Vec<u8> = mine
        .iter()
        .flat_map(encode)
        .flat_map(u64::to_le_bytes)
        .collect();
    let mut hops = Vec::new();
    for bytes in workers.comm.all_gather_bytes(&bytes)? {
        let words = bytes.as_chunks::<8>().0.iter();
        let words: Vec<u64> = words.map(|word| u64::from_le_bytes(*word)).collect();
        hops.extend(words.as_chunks::<HOP_WORDS>().0.iter().map(decode));
    }
    Ok(combine(hops))
}

const fn encode(hop: &Hop) -> [u64; HOP_WORDS] {
    [
        hop.from as u64,
        hop.to as u64,
        hop.count as u64,
        hop.failures as u64,
        hop.total_steps,
        hop.fewest_steps as u64,
        hop.between_steps.to_bits() as u64,
    ]
}

const fn decode(words: &[u64; HOP_WORDS]) -> Hop {
    let [
        from,
        to,
        count,
        failures,
        total_steps,
        fewest_steps,
        between_steps,
    ] = *words;
    Hop {
        from: from as u32,
        to: to as u32,
        count: count as u32,
        failures: failures as u32,
        total_steps,
        fewest_steps: fewest_steps as u32,
        between_steps: f32::from_bits(between_steps as u32),
    }
}
