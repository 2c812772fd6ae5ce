//! results.csv: every number with its revision of the program, hash of its spec, case and seed.

use isochrone_files::fingerprint;
use serde::Serialize;
use std::fmt::Write as _;

/// Rows of results.csv: one number each.
pub(super) struct Results {
    revision: String,
    rows: Vec<Row>,
}

struct Row {
    spec: String,
    case: String,
    seed: u64,
    measure: String,
    value: f64,
}

impl Results {
    pub(super) const fn new(revision: String) -> Self {
        Self {
            revision,
            rows: Vec::new(),
        }
    }

    /// One number: what was run (its spec and a name for people), with which seed, and what of it was measured.
    pub(super) fn push(
        &mut self,
        spec: &impl Serialize,
        case: &str,
        seed: u64,
        measure: &str,
        value: f64,
    ) {
        self.rows.push(Row {
            spec: fingerprint::of_text(&serde_json::to_string(spec).unwrap_or_default()),
            case: case.to_owned(),
            seed,
            measure: measure.to_owned(),
            value,
        });
    }

    /// Several numbers of one run.
    pub(super) fn push_all(
        &mut self,
        spec: &impl Serialize,
        case: &str,
        seed: u64,
        measures: impl IntoIterator<Item = (&'static str, f64)>,
    ) {
        for (measure, value) in measures {
            self.push(spec, case, seed, measure, value);
        }
    }

    /// Appends another's numbers.
    pub(super) fn append(&mut self, other: Self) {
        self.rows.extend(other.rows);
    }

    /// The values of a measure of a case, seed by seed.
    pub(super) fn values(&self, case: &str, measure: &str) -> Vec<f64> {
        let wanted = |row: &&Row| row.case == case && row.measure == measure;
        self.rows.iter().filter(wanted).map(|r| r.value).collect()
    }

    /// Their mean; NaN if there are none.
    pub(super) fn mean(&self, case: &str, measure: &str) -> f64 {
        let values = self.values(case, measure);
        values.iter().sum::<f64>() / values.len() as f64
    }

    /// The values in words, seed by seed.
    pub(super) fn in_words(&self, case: &str, measure: &str, decimals: usize) -> String {
        let values = self.values(case, measure).into_iter();
        let words: Vec<String> = values.map(|x| format!("{x:.decimals$}")).collect();
        words.join(", ")
    }

    pub(super) fn to_csv(&self) -> String {
        let mut text = "revision,spec,case,seed,measure,value\n".to_owned();
        for row in &self.rows {
            let (spec, case, measure) = (&row.spec, &row.case, &row.measure);
            let (revision, seed, value) = (&self.revision, row.seed, row.value);
            let _ = writeln!(text, "{revision},{spec},{case},{seed},{measure},{value}");
        }
        text
    }
}
