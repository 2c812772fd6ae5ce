//! Why something cannot be judged.

/// What was wrong with the numbers given. What merely has no answer (the correlation of constants) is `None`
/// in the report instead.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AssessError {
    /// Not enough to say anything.
    #[error("{what}: {got} given, at least {needed} needed")]
    TooFew {
        /// Of what.
        what: &'static str,
        /// How many there were.
        got: usize,
        /// How many there must be.
        needed: usize,
    },
    /// Two lists that should go together do not.
    #[error("{what}: {got} given, {expected} expected")]
    Lengths {
        /// Of what.
        what: &'static str,
        /// How many there were.
        got: usize,
        /// How many there should be.
        expected: usize,
    },
    /// A NaN or an infinity.
    #[error("{what} number {at} is {value}, which is no finite number")]
    NotFinite {
        /// What the number stands for.
        what: &'static str,
        /// Its place, from 0.
        at: usize,
        /// The number.
        value: f64,
    },
    /// A time or a share below zero.
    #[error("{what} number {at} is {value}: it must not be negative")]
    Negative {
        /// What the number stands for.
        what: &'static str,
        /// Its place, from 0.
        at: usize,
        /// The number.
        value: f64,
    },
    /// A setting that no setting can be.
    #[error("{what} is {value}: it must be {must}")]
    Setting {
        /// Which setting.
        what: &'static str,
        /// What it was.
        value: f64,
        /// What it may be.
        must: &'static str,
    },
    /// The caller stopped it.
    #[error("stopped")]
    Stopped,
}

impl AssessError {
    /// Refuses fewer than `needed`.
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

    /// Refuses the first NaN or infinity.
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
