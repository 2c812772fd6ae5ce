//! What pieces of work took, in turns: medians, ranges, and ratios of neighbours in time.

use super::cpu_s;
use isochrone::evaluate::median;
use serde::Serialize;
use std::time::Instant;

/// What a piece of work took.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    pub(super) wall_s: f64,
    pub(super) cpu_s: f64,
}

impl Taken {
    /// The time of one of so many.
    pub(super) fn per(self, count: usize) -> Self {
        Self {
            wall_s: self.wall_s / count as f64,
            cpu_s: self.cpu_s / count as f64,
        }
    }
}

/// Times a piece of work.
pub(super) fn timed<R>(work: impl FnOnce() -> R) -> (R, Taken) {
    let (start, cpu_start) = (Instant::now(), cpu_s());
    let result = work();
    let (wall_s, cpu_s) = (start.elapsed().as_secs_f64(), cpu_s() - cpu_start);
    (result, Taken { wall_s, cpu_s })
}

/// The median of the rounds; NaN (JSON null) without any.
pub(super) fn middle(rounds: &[f64]) -> f64 {
    median(rounds).unwrap_or(f64::NAN)
}

/// The middle of the rounds, and how far they lie apart; NaN (JSON null) without any.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Spread {
    pub(super) median: f64,
    pub(super) min: f64,
    pub(super) max: f64,
}

impl Spread {
    fn of(rounds: &[f64]) -> Self {
        Self {
            median: middle(rounds),
            min: rounds.iter().copied().fold(f64::NAN, f64::min),
            max: rounds.iter().copied().fold(f64::NAN, f64::max),
        }
    }

    /// The median, and the range in brackets.
    pub(super) fn in_words(self) -> String {
        format!("{:.2} ({:.2}–{:.2})", self.median, self.min, self.max)
    }
}

/// The same work, round by round.
#[derive(Debug, Default)]
pub(super) struct Turns {
    rounds: Vec<Taken>,
}

impl Turns {
    pub(super) fn push(&mut self, taken: Taken) {
        self.rounds.push(taken);
    }

    /// Microseconds, by one of the two clocks.
    pub(super) fn us(&self, clock: Clock) -> Spread {
        let times: Vec<f64> = self.rounds.iter().map(|t| 1e6 * clock(t)).collect();
        Spread::of(&times)
    }

    /// These times over those of the same rounds.
    pub(super) fn ratio(&self, to: &Self, clock: Clock) -> Spread {
        let pairs = self.rounds.iter().zip(&to.rounds);
        let ratios: Vec<f64> = pairs.map(|(a, b)| clock(a) / clock(b)).collect();
        Spread::of(&ratios)
    }
}

/// Which of the two times.
pub(super) type Clock = fn(&Taken) -> f64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_of_neighbours() {
        let turns = |times: [f64; 3]| Turns {
            rounds: times.map(|wall_s| Taken { wall_s, cpu_s: 2.0 }).to_vec(),
        };
        let (a, b) = (turns([1.0, 2.0, 30.0]), turns([2.0, 2.0, 10.0]));
        let spread = |median, min, max| Spread { median, min, max };
        assert_eq!(a.ratio(&b, |t| t.wall_s), spread(1.0, 0.5, 3.0));
        assert_eq!(a.ratio(&b, |t| t.cpu_s), spread(1.0, 1.0, 1.0));
        assert_eq!(a.us(|t| t.wall_s), spread(2e6, 1e6, 3e7));
        assert!(Turns::default().us(|t| t.cpu_s).median.is_nan());
    }
}
