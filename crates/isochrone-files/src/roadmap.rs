//! A roadmap in its file: landmarks, hops, and the distance they are measured in.

use crate::model::{About, Contents, DistanceModel, FileFacts, Kind, ModelError};
use crate::output;
use anyhow::{Context, Result};
use isochrone::nn::{ArrayValues, NamedArray};
use isochrone::roadmap::{Hop, HopRule, Roadmap, Selection};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// How the name of a roadmap file ends.
pub const ENDING: &str = "roadmap";

const LANDMARKS: &str = "roadmap.landmarks";
/// A row per hop: from and to, count and failures, total steps, steps between landmarks (the bits of a float) and fewest
/// steps.
const HOPS: &str = "roadmap.hops";
const HOP_WORDS: usize = 4;

/// A roadmap with all that is known of it.
#[derive(Clone, Debug)]
pub struct RoadmapFile {
    /// Landmarks and hops.
    pub map: Roadmap,
    /// The distance they are measured in, as its own file has it.
    pub model: DistanceModel,
    /// How the map came about.
    pub facts: RoadmapFacts,
}

/// How a roadmap came about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoadmapFacts {
    /// What counts as a hop.
    pub hops: HopRule,
    /// How landmarks were chosen.
    pub selection: Selection,
    /// The root of that choice.
    pub seed: u64,
    /// The files whose trajectories made the hops, in reading order.
    pub files: Vec<FileFacts>,
    /// Their episodes.
    pub episodes: u64,
    /// Their states.
    pub states: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    distance: About,
    roadmap: RoadmapFacts,
}

impl RoadmapFile {
    /// The file's bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let (width, landmarks) = (self.map.distance().inputs(), self.map.len());
        let words = self.map.hops().iter().flat_map(|hop| {
            let pair = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
            [
                pair(hop.from, hop.to),
                pair(hop.count, hop.failures),
                hop.total_steps,
                pair(hop.between_steps.to_bits(), hop.fewest_steps),
            ]
        });
        let own = [
            NamedArray::number("scale", self.model.scale_steps),
            NamedArray::f32(LANDMARKS, [landmarks, width], self.map.states()),
            NamedArray {
                name: HOPS.to_owned(),
                shape: vec![self.map.hops().len(), HOP_WORDS],
                values: ArrayValues::U64(words.collect()),
            },
        ];
        let contents = Contents {
            kind: Kind::Roadmap,
            about: Header {
                distance: self.model.about.clone(),
                roadmap: self.facts.clone(),
            },
            arrays: self.model.arrays.iter().cloned().chain(own).collect(),
        };
        contents
            .to_bytes()
            .context("cannot put the roadmap together")
    }

    /// Writes a file, whole or not at all.
    pub fn write(&self, file: &Path) -> Result<()> {
        output::write(file, &self.to_bytes()?)
    }

    /// Reads a file.
    pub fn read(file: &Path) -> Result<Self, ModelError> {
        Self::of_contents(Contents::read(file, Kind::Roadmap)?, file)
    }

    /// The same from bytes; `file` is for the errors.
    pub fn of_bytes(bytes: &[u8], file: &Path) -> Result<Self, ModelError> {
        Self::of_contents(Contents::of_bytes(bytes, file, Kind::Roadmap)?, file)
    }

    fn of_contents(contents: Contents<Header>, file: &Path) -> Result<Self, ModelError> {
        let refuse = |reason: String| ModelError::Header {
            file: file.to_owned(),
            reason,
        };
        let Contents { about, arrays, .. } = contents;
        let Header { distance, roadmap } = about;
        let (own, arrays): (Vec<_>, Vec<_>) = arrays
            .into_iter()
            .partition(|array| [LANDMARKS, HOPS].contains(&array.name.as_str()));
        let contents = Contents {
            kind: Kind::Distance,
            about: distance,
            arrays,
        };
        let model = DistanceModel::of_contents(contents, file)?;
        let (mut landmarks, mut hops) = (None, None);
        for array in own {
            match (array.name.as_str(), array.values) {
                (LANDMARKS, ArrayValues::F32(values)) => landmarks = Some(values),
                (HOPS, ArrayValues::U64(values)) => hops = Some(values),
                (name, _) => return Err(refuse(format!("{name:?} is of another type"))),
            }
        }
        let missing = |name: &str| refuse(format!("there is no array {name:?}"));
        let landmarks = landmarks.ok_or_else(|| missing(LANDMARKS))?;
        if let Some(value) = landmarks.iter().find(|value| !value.is_finite()) {
            return Err(refuse(format!("a landmark has the entry {value}")));
        }
        let hops = hops_of(&hops.ok_or_else(|| missing(HOPS))?);
        let map = Roadmap::with_hops(model.distance.clone(), landmarks, roadmap.hops, hops);
        Ok(Self {
            map: map.map_err(|error| refuse(error.to_string()))?,
            model,
            facts: roadmap,
        })
    }
}

fn hops_of(words: &[u64]) -> Vec<Hop> {
    let low = |word: u64| (word & u64::from(u32::MAX)) as u32;
    let hop = |words: &[u64; HOP_WORDS]| Hop {
        from: low(words[0] >> 32),
        to: low(words[0]),
        count: low(words[1] >> 32),
        failures: low(words[1]),
        total_steps: words[2],
        fewest_steps: low(words[3]),
        between_steps: f32::from_bits(low(words[3] >> 32)),
    };
    words.as_chunks().0.iter().map(hop).collect()
}
