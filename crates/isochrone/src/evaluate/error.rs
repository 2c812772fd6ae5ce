//! Errors of evaluations.

/// Invalid input. A quantity that is undefined for valid input (the correlation of constants) is `None` in the report
/// instead.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AssessError {
    /// Not enough data.
    #[error("{what}: {got} given, at least {needed} needed")]
    TooFew {
        /// What is counted.
        what: &'static str,
        /// Number given.
        got: usize,
        /// Number needed.
        needed: usize,
    },
    /// Two lists of different lengths.
    #[error("{what}: {got} given, {expected} expected")]
    Lengths {
        /// What is counted.
        what: &'static str,
        /// Number given.
        got: usize,
        /// Number expected.
        expected: usize,
    },
    /// A NaN or an infinity.
    #[error("{what} number {at} is {value}, which is not finite")]
    NotFinite {
        /// Name of the quantity.
        what: &'static str,
        /// Its index, from 0.
        at: usize,
        /// Its value.
        value: f64,
    },
    /// A negative time or share.
    #[error("{what} number {at} is {value}: it must not be negative")]
    Negative {
        /// Name of the quantity.
        what: &'static str,
        /// Its index, from 0.
        at: usize,
        /// Its value.
        value: f64,
    },
    /// A setting out of range.
    #[error("{what} is {value}: it must be {must}")]
    Setting {
        /// Name of the setting.
        what: &'static str,
        /// Value given.
        value: f64,
        /// Valid range.
        must: &'static str,
    },
    /// The caller stopped it.
    #[error("stopped")]
    Stopped,
}

impl AssessError {
    /// Returns an error if there are fewer than `needed`.
    pub(super) const fn at_least(
        needed: usize,
        got: usize,
        what: &'static str,
    ) -> Result<(), Self> {
        if got < needed {
            Err(Self::TooFew { what, got, needed })
        } else {
            Ok(())
        }
    }

    /// Returns an error for the first NaN or infinity.
    pub(super) fn all_finite(values: &[f64], what: &'static str) -> Result<(), Self> {
        match values.iter().position(|value| !value.is_finite()) {
            Some(at) => Err(Self::NotFinite {
                what,
                at,
                value: values[at],
            }),
            None => Ok(()),
        }
    }
}
