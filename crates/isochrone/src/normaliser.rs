//! Standardises states: subtracts the mean and divides by the standard deviation.

use crate::nn::{NamedArray, NamedArrayError, find};

/// `(x − mean) ÷ std` of every entry, as network input. The paper has no normaliser; logs that mix metres, radians and newtons
/// need one.
#[derive(Clone, Debug, PartialEq)]
pub struct Normaliser {
    mean: Vec<f32>,
    std: Vec<f32>,
}

impl Normaliser {
    /// From means and standard deviations; `None` unless there are equally many, all finite, and every standard deviation is above zero.
    pub fn new(mean: Vec<f32>, std: Vec<f32>) -> Option<Self> {
        let fits = mean.len() == std.len()
            && mean.iter().all(|m| m.is_finite())
            && std.iter().all(|s| s.is_finite() && *s > 0.0);
        fits.then_some(Self { mean, std })
    }

    /// That of a distance for states of `inputs` entries, as its arrays `normaliser.mean` and `normaliser.spread`; `None` if there are
    /// none.
    pub(crate) fn of_arrays(
        inputs: usize,
        arrays: &[NamedArray],
    ) -> Result<Option<Self>, NamedArrayError> {
        let mean = match find(arrays, "normaliser.mean", [1, inputs]) {
            Err(NamedArrayError::Missing { .. }) => return Ok(None),
            mean => mean?.to_vec(),
        };
        let name = "normaliser.spread";
        let std = find(arrays, name, [1, inputs])?.to_vec();
        let refuse = || NamedArrayError::NotAbove {
            name: name.to_owned(),
        };
        Self::new(mean, std).ok_or_else(refuse).map(Some)
    }

    /// The mean of every entry.
    pub fn mean(&self) -> &[f32] {
        &self.mean
    }

    /// The standard deviation of every entry.
    pub fn std(&self) -> &[f32] {
        &self.std
    }

    /// Appends a standardised state to a list of rows.
    pub fn push(&self, state: &[f32], rows: &mut Vec<f32>) {
        let scales = self.mean.iter().zip(&self.std);
        let seen = state.iter().zip(scales).map(|(x, (m, s))| (x - m) / s);
        rows.extend(seen);
    }
}

/// Running means and standard deviations of rows, by Welford's recurrence:
///
/// ```text
/// m ← m + (x − m)/n,      S ← S + (x − m_before)(x − m),      std = √(S/n)
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Moments {
    count: u64,
    mean: Vec<f64>,
    squares: Vec<f64>,
}

impl Moments {
    /// Before the first row.
    pub fn new(width: usize) -> Self {
        Self {
            count: 0,
            mean: vec![0.0; width],
            squares: vec![0.0; width],
        }
    }

    /// Adds a row.
    pub fn add(&mut self, row: &[f32]) {
        self.count += 1;
        let n = self.count as f64;
        for ((x, m), s) in row.iter().zip(&mut self.mean).zip(&mut self.squares) {
            let before = f64::from(*x) - *m;
            *m += before / n;
            *s += before * (f64::from(*x) - *m);
        }
    }

    /// The normaliser of these rows; `None` if a mean or standard deviation is NaN or infinite. A constant entry is not
    /// scaled.
    pub fn normaliser(&self) -> Option<Normaliser> {
        let n = self.count.max(1) as f64;
        let std = |s: &f64| {
            let std = (s / n).sqrt() as f32;
            let is_still = std.is_subnormal() || std == 0.0;
            if is_still { 1.0 } else { std }
        };
        let mean = self.mean.iter().map(|m| *m as f32).collect();
        Normaliser::new(mean, self.squares.iter().map(std).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_mean_zero_and_std_one() {
        let rows: Vec<[f32; 3]> = (0..1000)
            .map(|k| [1e6 + (k % 7) as f32, 5.0, (k as f32 / 100.0).sin() * 1e-4])
            .collect();
        let mut moments = Moments::new(3);
        rows.iter().for_each(|row| moments.add(row));
        let normaliser = moments.normaliser().unwrap();
        let mut seen = Vec::new();
        rows.iter().for_each(|row| normaliser.push(row, &mut seen));
        for entry in [0, 2] {
            let column = || seen.iter().skip(entry).step_by(3).map(|x| f64::from(*x));
            let mean = column().sum::<f64>() / 1000.0;
            let square = column().map(|x| x * x).sum::<f64>() / 1000.0;
            assert!(
                mean.abs() < 1e-2 && (square - 1.0).abs() < 1e-2,
                "{mean} {square}"
            );
        }
        // A constant entry is only shifted to zero.
        assert!(seen.iter().skip(1).step_by(3).all(|x| x.abs() < 1e-6));
        assert_eq!(normaliser.std()[1].to_bits(), 1.0_f32.to_bits());
    }

    #[test]
    fn what_is_not_finite_is_refused() {
        for value in [f32::NAN, f32::INFINITY] {
            let mut moments = Moments::new(1);
            moments.add(&[value]);
            moments.add(&[1.0]);
            assert_eq!(moments.normaliser(), None);
            assert_eq!(Normaliser::new(vec![0.0], vec![value]), None);
        }
    }
}
