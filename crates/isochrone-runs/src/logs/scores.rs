//! Which episodes are bad.

use super::embedded::each_episode;
use crate::progress::Observer;
use anyhow::{Result, bail};
use isochrone::distance::GoalSet;
use isochrone::episode_score::{
    EpisodeMeasures, EpisodeScore, Measurer, UsualEpisodes, episode_scores,
};
use isochrone::rng::Seed;
use isochrone_files::data::DataSource;
use isochrone_files::model::DistanceModel;

/// What is usual is drawn by a seed of its own: it must not depend on that of the training.
const SEED: Seed = Seed(0);
/// Fewer episodes have nothing usual.
pub const LEAST_EPISODES: usize = 4;

/// An episode with its score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoredEpisode {
    /// Its file, in reading order.
    pub file: u32,
    /// What its file calls it.
    pub episode: i64,
    /// What was measured.
    pub measures: EpisodeMeasures,
    /// What follows from it.
    pub score: EpisodeScore,
}

/// All episodes of some logs with their scores.
#[derive(Debug)]
pub struct Scored {
    /// The episodes, in reading order.
    pub episodes: Vec<ScoredEpisode>,
    /// What they were compared with.
    pub usual: UsualEpisodes,
}

impl Scored {
    /// States of all episodes.
    pub fn n_states(&self) -> usize {
        self.episodes
            .iter()
            .map(|episode| episode.measures.steps + 1)
            .sum()
    }
}

/// Measures and scores every episode, in reading order. Ends are compared with the goals if there are any, else with where
/// episodes usually end. Logs are read twice. The observer may stop it.
pub fn scores(
    model: &DistanceModel,
    source: &DataSource,
    goals: Option<&GoalSet<'_>>,
    observer: &dyn Observer,
) -> Result<Scored> {
    let mut usual = UsualEpisodes::new(*model.distance.metric(), SEED);
    each_episode(
        model,
        source,
        observer,
        |_| (),
        |episode, ()| {
            usual.add(episode.number, &episode.points);
            Ok(())
        },
    )?;
    if usual.len() < LEAST_EPISODES {
        bail!(
            "{} episodes are too few to say what is usual: at least {LEAST_EPISODES} are needed, and some dozens are better",
            usual.len()
        );
    }
    let measurer = Measurer::new(&usual, goals);
    let mut found: Vec<(u32, i64, EpisodeMeasures)> = Vec::new();
    let work = |episode: &super::EmbeddedEpisode| measurer.measure(episode.number, &episode.points);
    each_episode(model, source, observer, work, |episode, measures| {
        found.push((episode.file, episode.labels.episode, measures));
        Ok(())
    })?;
    let measures: Vec<EpisodeMeasures> = found.iter().map(|(.., measures)| *measures).collect();
    let scores = episode_scores(&measures);
    let each = found.into_iter().zip(scores);
    let scored = each.map(|((file, episode, measures), score)| ScoredEpisode {
        file,
        episode,
        measures,
        score,
    });
    Ok(Scored {
        episodes: scored.collect(),
        usual,
    })
}
