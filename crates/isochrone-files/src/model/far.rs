//! States far outside the data that a distance was fitted to: there it extrapolates without bound.

use super::distance::DistanceModel;
use crate::output::human;
use isochrone::nn::{NamedArray, NamedArrayError, find};
use std::fmt;

/// The smallest value of each entry in the data.
pub const RANGE_LOW: &str = "range.low";
/// The greatest.
pub const RANGE_HIGH: &str = "range.high";
/// An entry that never changed may differ by this share of its size.
const ROUNDING: f32 = 1e-6;

/// The range of each entry in the data.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ranges {
    low: Vec<f32>,
    high: Vec<f32>,
}

impl Ranges {
    /// As a file has them; `None` if it has none.
    pub(super) fn of_arrays(
        arrays: &[NamedArray],
        width: usize,
    ) -> Result<Option<Self>, NamedArrayError> {
        match find(arrays, RANGE_LOW, [1, width]) {
            Err(NamedArrayError::Missing { .. }) => Ok(None),
            low => Ok(Some(Self {
                low: low?.to_vec(),
                high: find(arrays, RANGE_HIGH, [1, width])?.to_vec(),
            })),
        }
    }
}

/// An entry of a state that is farther outside the data than the data are wide.
#[derive(Clone, Debug, PartialEq)]
pub struct FarEntry {
    /// What the data call it.
    pub name: String,
    /// Its value.
    pub value: f32,
    /// The smallest value in the data.
    pub low: f32,
    /// The greatest.
    pub high: f32,
}

impl fmt::Display for FarEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [value, low, high] = [self.value, self.low, self.high].map(|x| human(f64::from(x)));
        write!(
            f,
            "{} is {value}, in the training data {low} … {high}",
            self.name
        )
    }
}

impl DistanceModel {
    /// Does it know the ranges of its data? An agent's distance does not.
    pub const fn knows_ranges(&self) -> bool {
        self.ranges.is_some()
    }

    /// The first entry of a state that is far outside the data: beyond its range by more than the whole range, or
    /// different from a constant column. `None` if there is no such entry, or if the ranges are not known.
    pub fn far_entry(&self, state: &[f32]) -> Option<FarEntry> {
        let Ranges { low, high } = self.ranges.as_ref()?;
        let each = state.iter().zip(low.iter().zip(high)).enumerate();
        let mut far = each.filter(|(_, (value, (low, high)))| {
            let room = match *high - *low {
                width if width > 0.0 => width,
                _ => ROUNDING * low.abs().max(1.0),
            };
            !(*low - room..=*high + room).contains(*value)
        });
        let (at, (&value, (&low, &high))) = far.next()?;
        Some(FarEntry {
            name: self.entry_name(at),
            value,
            low,
            high,
        })
    }

    /// What the data call an entry of a state, as far as the file knows.
    fn entry_name(&self, at: usize) -> String {
        let columns = &self.about.states.state;
        match &columns[..] {
            [] => format!("entry {at} of the state"),
            [one] if self.distance.inputs() > 1 => format!("{one}[{at}]"),
            several if several.len() == self.distance.inputs() => several[at].clone(),
            _ => format!("entry {at} of the state"),
        }
    }
}
