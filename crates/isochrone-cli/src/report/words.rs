//! The sentences of a report.

use super::{Curve, Subject, short};
use crate::episode_reason::Ends;
use isochrone_runs::logs::{ScoredEpisode, SeenEpisode};
use std::path::Path;

impl Subject<'_> {
    pub(super) const fn ends(&self) -> Ends {
        match self.goals {
            Some(_) => Ends::Goals,
            None => Ends::Usual,
        }
    }

    pub(super) fn files(&self) -> String {
        let name = |file: &Path| {
            let name = file.file_name().unwrap_or_default();
            name.to_string_lossy().into_owned()
        };
        match self.source.files() {
            [one] => name(one),
            files => format!("{} files", files.len()),
        }
    }

    pub(super) fn facts(&self) -> String {
        let frames = self.scored.n_states();
        let training = &self.model.about.training;
        format!(
            "{} episodes, {frames} frames of {} numbers. Learned from {} steps of {} episodes.",
            self.scored.episodes.len(),
            self.model.distance.inputs(),
            training.transitions,
            training.episodes
        )
    }

    pub(super) fn episode_name(&self, episode: &ScoredEpisode) -> String {
        let files = self.source.files();
        if files.len() < 2 {
            return episode.episode.to_string();
        }
        let file = files
            .get(episode.file as usize)
            .and_then(|file| file.file_name());
        let file = file.unwrap_or_default().to_string_lossy();
        format!("{} of {file}", episode.episode)
    }

    pub(super) fn curve(&self, seen: &SeenEpisode, scored: &ScoredEpisode, what: &str) -> Curve {
        let points = seen.points.iter();
        let points = points.map(|point| short(self.model.distance.in_steps(point)));
        let (name, score) = (self.episode_name(scored), scored.score.score);
        Curve {
            name: format!("episode {name}, {what} (score {score:.2})"),
            frames: seen.frames.clone(),
            steps: seen
                .steps
                .iter()
                .map(|steps| (1e3 * steps).round() / 1e3)
                .collect(),
            points: points.collect(),
        }
    }

    pub(super) fn trust(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let Some(found) = &self.model.about.calibration else {
            return lines;
        };
        if let Some(error) = found.error_steps {
            lines.push(format!("Predicted steps are off by {error:.1} on average."));
        }
        if let Some(progress) = found.within_episodes.and_then(|within| within.progress) {
            lines.push(format!(
                "Within an episode, the distance to its end falls as frames run out: rank correlation {:.2} in the median, at least {:.2} \
                 in 90 % of the held-out episodes.",
                progress.median, progress.low
            ));
        }
        if let Some(curve) = &found.steps_to_go {
            lines.push(format!(
                "Intervals of the steps to go are for {:.0} % of frames, by {} held-out episodes.",
                100.0 * curve.coverage,
                curve.episodes
            ));
        }
        if let Some(test) = &self.model.about.reached {
            lines.push(format!(
                "Done means fewer than {:.1} steps to the nearest of {} goals; {:.1} % of frames that are not done count as done.",
                test.epsilon_steps,
                test.goals,
                100.0 * test.false_positives
            ));
        }
        lines
    }

    pub(super) fn suggestions(&self, worst: &[&ScoredEpisode], unusual: usize) -> Vec<String> {
        let mut lines = Vec::new();
        if unusual > 0 {
            let names = worst
                .iter()
                .take(unusual.min(5))
                .map(|episode| self.episode_name(episode));
            let names: Vec<String> = names.collect();
            lines.push(format!(
                "Look at these episodes first: {}.",
                names.join(", ")
            ));
        }
        let found = self.model.about.calibration.as_ref();
        if found.is_none_or(|found| found.steps_to_go.is_none()) {
            lines.push(
                "Hold out more episodes to get intervals of the steps to go: isochrone fit … --set held_out=0.2".to_owned(),
            );
        }
        if self.model.about.reached.is_none() {
            lines.push(format!(
                "Say when the task is done: isochrone reached {} --goals FILE:good-ends",
                self.name
            ));
        }
        if self.goals.is_none() {
            lines.push(
                "Ends are compared with the ends of other episodes. If most episodes fail in the same way, name goals with --to."
                    .to_owned(),
            );
        }
        lines
    }
}
