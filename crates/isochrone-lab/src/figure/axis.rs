//! From values to places: ranges and ticks.

use super::number::written;

/// How values are spread along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scale {
    /// Equal differences take equal room.
    #[default]
    Linear,
    /// Equal ratios take equal room; every value must be positive.
    Log,
}

/// The largest magnitude an axis carries; beyond it differences overflow.
pub(super) const LARGEST: f64 = 1.0e100;

/// Whether an axis can carry the value.
pub(super) fn drawable(value: f64) -> bool {
    value.is_finite() && value.abs() <= LARGEST
}

/// An axis from one value to a larger one, mapped onto a stretch of the sheet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Axis {
    scale: Scale,
    low: f64,
    high: f64,
}

/// A place on an axis that is written out.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tick {
    pub(super) value: f64,
    pub(super) label: String,
}

impl Axis {
    /// An axis over exactly these values, which must be distinct.
    pub(super) fn exactly(low: f64, high: f64) -> Self {
        Self {
            scale: Scale::Linear,
            low,
            high,
        }
    }

    /// An axis a little wider than the values; one that starts at 0 when the
    /// values are positive and come near it. `None` when there are no values.
    pub(super) fn around(values: impl Iterator<Item = f64> + Clone, scale: Scale) -> Option<Self> {
        let low = values.clone().reduce(f64::min)?;
        let high = values.reduce(f64::max)?;
        if scale == Scale::Log {
            let stretch = if high > low * 1.001 {
                (high / low).powf(0.05)
            } else {
                2.0
            };
            return Some(Self {
                scale,
                low: low / stretch,
                high: high * stretch,
            });
        }
        let pad = padding(low, high, 0.05);
        let low = if low >= 0.0 && low < 0.4 * high {
            0.0
        } else {
            low - pad
        };
        Some(Self {
            scale,
            low,
            high: high + pad,
        })
    }

    /// A linear axis a little wider than the values at both ends.
    pub(super) fn along(values: impl Iterator<Item = f64> + Clone) -> Option<Self> {
        let low = values.clone().reduce(f64::min)?;
        let high = values.reduce(f64::max)?;
        let pad = padding(low, high, 0.03);
        Some(Self::exactly(low - pad, high + pad))
    }

    /// The share of the axis, from 0 to 1, that lies below the value.
    pub(super) fn share(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Log => (value / self.low).ln() / (self.high / self.low).ln(),
        }
    }

    /// Round numbers on the axis, about `wanted` of them, never beyond its ends.
    pub(super) fn ticks(&self, wanted: usize) -> Vec<Tick> {
        match self.scale {
            Scale::Linear => self.linear_ticks(wanted),
            Scale::Log => self.log_ticks(wanted),
        }
    }

    /// Whole numbers on the axis, for counts of rows and columns.
    pub(super) fn whole_ticks(&self, wanted: usize) -> Vec<Tick> {
        self.stepped(round_step((self.high - self.low) / count(wanted)).max(1.0))
    }

    fn linear_ticks(&self, wanted: usize) -> Vec<Tick> {
        self.stepped(round_step((self.high - self.low) / count(wanted)))
    }

    fn stepped(&self, step: f64) -> Vec<Tick> {
        let slack = step * 1.0e-6;
        let first = ((self.low - slack) / step).ceil();
        (0..64_u32)
            .map(|index| (first + f64::from(index)) * step)
            .take_while(|value| *value <= self.high + slack)
            .map(|value| Tick {
                value,
                label: written(value, step),
            })
            .collect()
    }

    fn log_ticks(&self, wanted: usize) -> Vec<Tick> {
        let decades = (self.high / self.low).log10();
        if decades < 1.0 {
            return self.linear_ticks(wanted);
        }
        let stride = (decades / count(wanted)).ceil().max(1.0);
        let steps: &[f64] = if decades < 2.5 {
            &[1.0, 2.0, 5.0]
        } else {
            &[1.0]
        };
        let first = (self.low.log10() / stride).floor() * stride;
        (0..64_u32)
            .map(|index| first + f64::from(index) * stride)
            .flat_map(|exponent| steps.iter().map(move |step| step * 10_f64.powf(exponent)))
            .filter(|value| (self.low..=self.high).contains(value))
            .map(|value| Tick {
                value,
                label: written(value, value),
            })
            .collect()
    }
}

/// The room left beyond the values: a part of their span, or enough to see equal ones.
fn padding(low: f64, high: f64, part: f64) -> f64 {
    let span = high - low;
    if span <= 1.0e-9 * high.abs().max(low.abs()) {
        (high.abs() * 0.1).max(0.5)
    } else {
        span * part
    }
}

fn count(wanted: usize) -> f64 {
    f64::from(u32::try_from(wanted.max(1)).unwrap_or(u32::MAX))
}

/// The smallest of 1, 2 or 5 times a power of ten that is at least `step`.
fn round_step(step: f64) -> f64 {
    let power = 10_f64.powf(step.log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * power)
        .find(|candidate| *candidate >= step * 0.999)
        .unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(low: f64, high: f64, wanted: usize) -> Vec<String> {
        Axis::exactly(low, high)
            .ticks(wanted)
            .into_iter()
            .map(|tick| tick.label)
            .collect()
    }

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(
            labels(0.0, 1.0, 5),
            ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]
        );
        assert_eq!(labels(-10.0, 10.0, 4), ["−10", "−5", "0", "5", "10"]);
        assert_eq!(labels(0.0, 4.0e6, 2), ["0", "2×10⁶", "4×10⁶"]);
    }

    #[test]
    fn equal_extreme_and_tiny_values_still_give_a_short_axis() {
        for values in [
            vec![0.0],
            vec![7.0, 7.0],
            vec![-LARGEST, LARGEST],
            vec![1.0e-90, 2.0e-90],
        ] {
            for scale in [Scale::Linear, Scale::Log] {
                if scale == Scale::Log && values[0] <= 0.0 {
                    continue;
                }
                let axis = Axis::around(values.iter().copied(), scale).expect("values");
                assert!(
                    values
                        .iter()
                        .all(|value| (0.0..=1.0).contains(&axis.share(*value)))
                );
                assert!(axis.ticks(5).len() < 64);
            }
        }
    }

    #[test]
    fn decades_are_written_as_powers_only_when_long() {
        let axis = Axis::around([0.01, 100.0].into_iter(), Scale::Log).expect("values");
        let labels: Vec<String> = axis.ticks(6).into_iter().map(|tick| tick.label).collect();
        assert_eq!(labels, ["0.01", "0.1", "1", "10", "100"]);
    }
}
