//! Quantiles, and bands of equally many values.

/// The quantile at `share` of values in ascending order, interpolated linearly between neighbours (NumPy's
/// default, type 7 of Hyndman and Fan): 0 is the least, ½ the median, 1 the greatest. `None` of no values.
pub fn quantile(ascending: &[f64], share: f64) -> Option<f64> {
    let last = ascending.len().checked_sub(1)?;
    let place = share.clamp(0.0, 1.0) * last as f64;
    let below = (place.floor() as usize).min(last);
    let above = (below + 1).min(last);
    let part = place - below as f64;
    Some(ascending[below] + part * (ascending[above] - ascending[below]))
}

/// The median of values in any order; `None` of no values.
pub fn median(values: &[f64]) -> Option<f64> {
    quantile(&ascending(values), 0.5)
}

pub(super) fn ascending(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

pub(super) fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Values cut into at most `n_bands` bands at their quantiles, lowest first: the places of the values, band by
/// band. Equal values are never parted, so bands of heavily tied values are fewer and uneven; none is empty.
pub(super) fn bands(values: &[f64], n_bands: usize) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut bands: Vec<Vec<usize>> = Vec::new();
    let (mut at, mut current) = (0, None);
    for tied in order.chunk_by(|&a, &b| values[a].total_cmp(&values[b]).is_eq()) {
        // A run of equals belongs where its middle falls.
        let band = (2 * at + tied.len() - 1) * n_bands / (2 * values.len());
        at += tied.len();
        match bands.last_mut() {
            Some(last) if current == Some(band) => last.extend_from_slice(tied),
            _ => bands.push(tied.to_vec()),
        }
        current = Some(band);
    }
    bands
}

#[cfg(test)]
mod tests {
    use super::*;

    /// numpy.quantile of the same values.
    #[test]
    fn quantiles_are_numpys() {
        let values = ascending(&[3.5, 1.0, 2.0, 2.0, 8.0, 0.25, 7.0]);
        let known = [
            (0.0, 0.25),
            (0.1, 0.7),
            (0.5, 2.0),
            (0.77, 5.67),
            (1.0, 8.0),
        ];
        for (share, expected) in known {
            let found = quantile(&values, share).unwrap();
            assert!((found - expected).abs() < 1e-12, "{share}: {found}");
        }
        assert_eq!(quantile(&[], 0.5), None);
    }

    #[test]
    fn bands_hold_everything_once_and_never_part_equals() {
        let values: Vec<f64> = (0..100).map(|k| f64::from(k * k % 37)).collect();
        for n_bands in [1, 3, 10, 200] {
            let bands = bands(&values, n_bands);
            assert!(bands.len() <= n_bands && bands.iter().all(|band| !band.is_empty()));
            let mut all = bands.concat();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..100));
            for pair in bands.windows(2) {
                let greatest = pair[0].iter().map(|&at| values[at]).fold(0.0, f64::max);
                assert!(pair[1].iter().all(|&at| values[at] > greatest));
            }
        }
        let distinct: Vec<f64> = (0..100).map(f64::from).collect();
        assert!(bands(&distinct, 10).iter().all(|band| band.len() == 10));
    }
}
