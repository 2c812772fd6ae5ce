//! The coverage that claims are about.

/// One evaluation of a policy that still learns moves by several hundredths; the mean of three moves less.
pub const LAST_EVALUATIONS: usize = 3;

/// The mean of the last three evaluations, or of all if there are fewer; `None` of none.
pub fn last_coverage(coverages: &[f64]) -> Option<f64> {
    let first = coverages.len().saturating_sub(LAST_EVALUATIONS);
    let last = &coverages[first..];
    (!last.is_empty()).then(|| last.iter().sum::<f64>() / last.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::last_coverage;

    #[test]
    fn three_count() {
        assert_eq!(last_coverage(&[]), None);
        assert_eq!(last_coverage(&[0.5]), Some(0.5));
        assert_eq!(last_coverage(&[9.0, 0.25, 0.5, 0.75]), Some(0.5));
    }
}
