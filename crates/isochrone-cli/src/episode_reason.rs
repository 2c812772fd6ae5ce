//! Why an episode has its score, in words.

use isochrone::episode_score::{EpisodeScore, Finding};
use isochrone_runs::logs::ScoredEpisode;

/// A score from which on an episode is like the others: nothing in it is more than twice as large as usual.
pub(crate) const LIKE_OTHERS: f64 = 0.5;
/// What ends are compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// The ends of other episodes.
    Usual,
    /// Goals.
    Goals,
}

/// Why an episode has its score, in words.
pub fn reason(scored: &ScoredEpisode, ends: Ends) -> String {
    let EpisodeScore {
        score,
        finding,
        measured,
        usual,
    } = scored.score;
    let Some(finding) = finding.filter(|_| score < LIKE_OTHERS) else {
        return "like the others".to_owned();
    };
    let steps = scored.measures.steps;
    match (finding, ends) {
        (Finding::End, Ends::Usual) => {
            format!("ends {measured:.0} steps from where episodes usually end (usually {usual:.0})")
        }
        (Finding::End, Ends::Goals) => {
            format!("ends {measured:.0} steps from the nearest goal (usually {usual:.0})")
        }
        (Finding::Unfamiliar, _) => format!(
            "its states are {measured:.1} steps from those of other episodes (usually {usual:.1})"
        ),
        (Finding::Detour, _) => {
            let predicted = scored.measures.predicted_steps;
            format!(
                "takes {steps} steps where {predicted:.0} are predicted (usually {usual:.1} times the prediction)"
            )
        }
        (Finding::Stall, _) => {
            format!("stands still for {measured:.0} of {steps} steps (usually {usual:.0})")
        }
        (Finding::Reversal, Ends::Usual) => format!(
            "moves away from the usual ends by {measured:.0} steps in all (usually {usual:.0})"
        ),
        (Finding::Reversal, Ends::Goals) => {
            format!("moves away from the goals by {measured:.0} steps in all (usually {usual:.0})")
        }
        (Finding::Loop, _) => format!(
            "comes back after {measured:.0} of {steps} steps to where it was (usually {usual:.0})"
        ),
    }
}
