//! Rows of observations in their own type, stored contiguously.

use crate::env::{Dtype, Observation, ObservationSpec};
use std::borrow::Cow;

/// An observation or action that violates the environment's specification.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Misfit {
    /// An observation of another shape.
    #[error(
        "an observation of {got} entries of type {got_dtype:?} came where {expected} of {expected_dtype:?} were promised"
    )]
    Shape {
        /// Entries given.
        got: usize,
        /// Type given.
        got_dtype: Dtype,
        /// Entries expected.
        expected: usize,
        /// Type expected.
        expected_dtype: Dtype,
    },
    /// A NaN or infinity.
    #[error("entry {entry} of the observation is {value}")]
    NonFinite {
        /// Index of the entry.
        entry: usize,
        /// Its value.
        value: f32,
    },
    /// Actions of another length.
    #[error("actions of {got} entries came where {expected} were promised")]
    Actions {
        /// Entries given.
        got: usize,
        /// Entries expected.
        expected: usize,
    },
}

/// Rows of equal length. Pixels stay bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    width: usize,
    values: Values,
}

#[derive(Clone, Debug, PartialEq)]
enum Values {
    F32(Vec<f32>),
    U8(Vec<u8>),
}

impl Rows {
    /// An empty store for observations of this shape.
    pub fn new(observation: &ObservationSpec) -> Self {
        Self {
            width: observation.len(),
            values: match observation.dtype {
                Dtype::F32 => Values::F32(Vec::new()),
                Dtype::U8 => Values::U8(Vec::new()),
            },
        }
    }

    /// Rows of floats; an error if the last one is incomplete or a value is NaN or infinite.
    pub fn from_f32(width: usize, values: Vec<f32>) -> Result<Self, Misfit> {
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            return Err(Misfit::NonFinite {
                entry: at.checked_rem(width).unwrap_or(at),
                value: values[at],
            });
        }
        Self::whole(width, values.len(), Values::F32(values))
    }

    /// Rows of bytes; an error if the last one is incomplete.
    pub fn from_u8(width: usize, values: Vec<u8>) -> Result<Self, Misfit> {
        Self::whole(width, values.len(), Values::U8(values))
    }

    fn whole(width: usize, entries: usize, values: Values) -> Result<Self, Misfit> {
        let rows = Self { width, values };
        match entries.checked_rem(width) {
            Some(0) => Ok(rows),
            rest => Err(rows.misfit(rest.unwrap_or(entries), rows.dtype())),
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        let entries = match &self.values {
            Values::F32(values) => values.len(),
            Values::U8(values) => values.len(),
        };
        entries.checked_div(self.width).unwrap_or(0)
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Entries of a row.
    pub const fn width(&self) -> usize {
        self.width
    }

    /// Adds a row.
    pub fn push(&mut self, seen: &Observation) -> Result<(), Misfit> {
        match (&mut self.values, seen) {
            (Values::F32(rows), Observation::F32(row)) if row.len() == self.width => {
                if let Some(entry) = row.iter().position(|value| !value.is_finite()) {
                    let value = row[entry];
                    return Err(Misfit::NonFinite { entry, value });
                }
                rows.extend_from_slice(row);
                Ok(())
            }
            (Values::U8(rows), Observation::U8(row)) if row.len() == self.width => {
                rows.extend_from_slice(row);
                Ok(())
            }
            _ => Err(self.misfit(seen.len(), seen.dtype())),
        }
    }

    /// Adds another store's rows.
    pub fn append(&mut self, other: &Self) -> Result<(), Misfit> {
        if self.width != other.width {
            return Err(self.misfit(other.width, other.dtype()));
        }
        match (&mut self.values, &other.values) {
            (Values::F32(rows), Values::F32(more)) => rows.extend_from_slice(more),
            (Values::U8(rows), Values::U8(more)) => rows.extend_from_slice(more),
            _ => return Err(self.misfit(other.width, other.dtype())),
        }
        Ok(())
    }

    /// All entries, row by row, if they are floats.
    pub fn as_f32(&self) -> Option<&[f32]> {
        match &self.values {
            Values::F32(values) => Some(values),
            Values::U8(_) => None,
        }
    }

    /// All entries, row by row, if they are bytes.
    pub fn as_u8(&self) -> Option<&[u8]> {
        match &self.values {
            Values::F32(_) => None,
            Values::U8(values) => Some(values),
        }
    }

    /// All entries, row by row, as floats: those of images are the bytes' numbers, 0 to 255.
    pub fn numbers(&self) -> Cow<'_, [f32]> {
        match &self.values {
            Values::F32(values) => Cow::Borrowed(values),
            Values::U8(values) => Cow::Owned(values.iter().map(|byte| f32::from(*byte)).collect()),
        }
    }

    /// One row of floats; `None` for images.
    pub fn row_f32(&self, row: usize) -> Option<&[f32]> {
        let values = self.as_f32()?;
        Some(&values[row * self.width..(row + 1) * self.width])
    }

    const fn dtype(&self) -> Dtype {
        match self.values {
            Values::F32(_) => Dtype::F32,
            Values::U8(_) => Dtype::U8,
        }
    }

    const fn misfit(&self, got: usize, got_dtype: Dtype) -> Misfit {
        Misfit::Shape {
            got,
            got_dtype,
            expected: self.width,
            expected_dtype: self.dtype(),
        }
    }
}
