//! Every number with where it comes from: revision of the program, hash of what was asked for, seed.

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
            spec: spec_hash(spec),
            case: case.to_owned(),
            seed,
            measure: measure.to_owned(),
            value,
        });
    }

    /// Another's numbers behind these.
    pub(super) fn append(&mut self, other: Self) {
        self.rows.extend(other.rows);
    }

    /// The values of a measure of a case, seed by seed.
    pub(super) fn values(&self, case: &str, measure: &str) -> Vec<f64> {
        let wanted = |row: &&Row| row.case == case && row.measure == measure;
        self.rows.iter().filter(wanted).map(|r| r.value).collect()
    }

    /// Their mean; NaN of none.
    pub(super) fn mean(&self, case: &str, measure: &str) -> f64 {
        let values = self.values(case, measure);
        values.iter().sum::<f64>() / values.len() as f64
    }

    pub(super) fn to_csv(&self) -> String {
        let mut text = "revision,spec,case,seed,measure,value\n".to_owned();
        for row in &self.rows {
            let Row {
                spec,
                case,
                seed,
                measure,
                value,
            } = row;
            let revision = &self.revision;
            let _ = writeln!(text, "{revision},{spec},{case},{seed},{measure},{value}");
        }
        text
    }
}

/// Twelve digits that tell specs apart.
fn spec_hash(spec: &impl Serialize) -> String {
    fingerprint::of_text(&serde_json::to_string(spec).unwrap_or_default())
}
