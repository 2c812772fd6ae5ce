//! `isochrone episodes`: a score and a reason for every episode, the worst first.

use crate::cli::EpisodesOptions;
use crate::episode_reason::{Ends, LIKE_OTHERS, reason};
use crate::goals_argument::Goals;
use crate::labels;
use crate::report::{self, Subject};
use anyhow::Result;
use isochrone_files::data::DataSource;
use isochrone_files::path_kind;
use isochrone_runs::logs::{self, ScoredEpisode};
use isochrone_runs::output::{print, refuse_other_ending, refuse_same_file, table, write};
use isochrone_runs::progress::{NoObserver, Waiting};
use std::path::{Path, PathBuf};

/// Columns of the file.
const COLUMNS: [&str; 12] = [
    "file",
    "episode_index",
    "score",
    "reason",
    "steps",
    "predicted_steps",
    "steps_per_predicted",
    "end_steps",
    "stalled_steps",
    "reversed_steps",
    "loop_steps",
    "unfamiliar_steps",
];

/// Runs the command.
pub fn run(options: &EpisodesOptions) -> Result<()> {
    if let Some(output) = &options.output {
        refuse_other_ending(output, "csv")?;
    }
    report::check_name(options.report.as_deref())?;
    let model = path_kind::model(&options.model)?;
    let columns = model.about.states.columns().labelled();
    let source = DataSource::open(&options.files, columns)?;
    model.check_width(&source)?;
    let goals = Goals::read_if_named(&options.to, &model)?;
    let inputs = source.files().iter().chain([&options.model]);
    for input in inputs.chain(goals.iter().flat_map(|goals| &goals.files)) {
        refuse_same_file(&[Some(input), options.output.as_ref()])?;
    }
    let waiting = Waiting::new("measuring");
    let set = goals.as_ref().map(|goals| goals.embedded(&model));
    let set = set.transpose()?;
    let found = logs::scores(&model, &source, set.as_ref(), &NoObserver)?;
    let scored = &found.episodes;
    drop(waiting);
    let ends = if goals.is_some() {
        Ends::Goals
    } else {
        Ends::Usual
    };
    if let Some(output) = &options.output {
        write_table(output, scored, source.files(), ends)?;
    }
    print(&words(options, scored, source.files(), ends))?;
    if let Some(page) = &options.report {
        let subject = Subject {
            model: &model,
            name: &options.model.display().to_string(),
            source: &source,
            goals: set.as_ref(),
            scored: &found,
        };
        report::write_page(page, subject, &NoObserver)?;
        print(&format!("wrote {}\n", page.display()))?;
    }
    print(&labels::counted(&source)?)
}

fn write_table(
    output: &Path,
    scored: &[ScoredEpisode],
    files: &[PathBuf],
    ends: Ends,
) -> Result<()> {
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record(COLUMNS)?;
    for episode in scored {
        let measures = &episode.measures;
        let numbers = [
            measures.predicted_steps,
            measures.steps_per_predicted(),
            measures.end_steps,
            measures.stalled_steps,
            measures.reversed_steps,
            measures.loop_steps,
            measures.unfamiliar_steps,
        ];
        let mut line = vec![
            labels::file_name(files, episode.file),
            episode.episode.to_string(),
            format!("{:.4}", episode.score.score),
            reason(episode, ends),
            measures.steps.to_string(),
        ];
        line.extend(numbers.map(|number| format!("{number:.4}")));
        table.write_record(&line)?;
    }
    write(output, &table.into_inner()?)
}

fn words(
    options: &EpisodesOptions,
    scored: &[ScoredEpisode],
    files: &[PathBuf],
    ends: Ends,
) -> String {
    let mut worst: Vec<&ScoredEpisode> = scored.iter().collect();
    worst.sort_by(|a, b| a.score.score.total_cmp(&b.score.score));
    let shown = worst.iter().take(options.worst);
    let rows: Vec<Vec<String>> = shown
        .map(|episode| {
            let mut row = vec![
                format!("{:.2}", episode.score.score),
                episode.episode.to_string(),
                reason(episode, ends),
            ];
            row.extend((files.len() > 1).then(|| labels::file_name(files, episode.file)));
            row
        })
        .collect();
    let mut headings = vec!["score", "episode_index", "reason"];
    headings.extend((files.len() > 1).then_some("file"));
    let is_unusual = |episode: &&ScoredEpisode| episode.score.score < LIKE_OTHERS;
    let unusual = scored.iter().filter(is_unusual).count();
    let written = options.output.as_ref().map_or_else(String::new, |output| {
        format!(
            "wrote {}: all episodes with their measures\n",
            output.display()
        )
    });
    format!(
        "{}{unusual} of {} episodes are unlike the others (score below {LIKE_OTHERS}; 1 is usual)\n{written}",
        table(&headings, &rows),
        scored.len()
    )
}
