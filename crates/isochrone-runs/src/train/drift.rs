//! Warns when a learned distance has changed so much that a fixed ε is another ball.

use super::records::{DISTANCE, DistanceRecord};
use isochrone::train::{EpsilonSpec, PredictorReport};
use isochrone_files::run_folder::RunFolder;
use isochrone_files::run_spec::RunSpec;

/// ε is another ball when it holds so many times more, or fewer, of the probe pairs than at the beginning.
const FACTOR: f64 = 2.0;

/// Compares the share of probe pairs within a fixed ε with that of the beginning.
pub(super) struct DriftMonitor {
    epsilon_steps: f64,
    first_share: Option<f64>,
    has_warned: bool,
}

impl DriftMonitor {
    /// For a run that begins, or goes on in this folder; `None` if the distance is not learned or ε follows it.
    pub(super) fn new(spec: &RunSpec, folder: &RunFolder) -> Option<Self> {
        let distance = &spec.agent.distance;
        let is_fixed = distance.epsilon() == EpsilonSpec::Steps {};
        (distance.predictor().is_some() && is_fixed).then(|| Self {
            epsilon_steps: distance.radius(),
            first_share: first_share(folder),
            has_warned: false,
        })
    }

    /// What to say after an iteration; once in a run.
    pub(super) fn warning(&mut self, report: &PredictorReport) -> Option<String> {
        let first = *self.first_share.get_or_insert(report.sphere_share);
        let now = report.sphere_share;
        let is_same = now <= FACTOR * first && first <= FACTOR * now;
        if is_same || self.has_warned {
            return None;
        }
        self.has_warned = true;
        Some(format!(
            "the distance has changed: {:.1} % of pairs of states are nearer than ε = {} steps, {:.1} % were when training \
             began. distance.epsilon=share keeps the share instead of the steps",
            100.0 * now,
            self.epsilon_steps,
            100.0 * first
        ))
    }
}

fn first_share(folder: &RunFolder) -> Option<f64> {
    let text = std::fs::read_to_string(folder.file(DISTANCE)).ok()?;
    let first: DistanceRecord = serde_json::from_str(text.lines().next()?).ok()?;
    Some(first.sphere_share)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(sphere_share: f64) -> PredictorReport {
        PredictorReport {
            pairs: 1,
            loss: 0.0,
            mean_target_steps: 1.0,
            sphere_share,
            goal_sphere_share: 0.0,
            mean_distance_steps: 1.0,
            epsilon_steps: None,
            drift: 0.0,
        }
    }

    #[test]
    fn a_ball_that_doubles_or_halves_is_told_once() {
        for (moved, said) in [(0.09, "9.0 %"), (0.019, "1.9 %")] {
            let mut monitor = DriftMonitor {
                epsilon_steps: 20.0,
                first_share: None,
                has_warned: false,
            };
            assert_eq!(monitor.warning(&report(0.04)), None);
            assert_eq!(monitor.warning(&report(0.07)), None);
            let warning = monitor.warning(&report(moved)).unwrap();
            assert!(warning.contains(said) && warning.contains("ε = 20 steps, 4.0 %"));
            assert_eq!(monitor.warning(&report(moved)), None);
        }
    }
}
