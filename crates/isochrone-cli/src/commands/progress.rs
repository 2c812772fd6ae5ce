//! `isochrone progress`: how far along every frame is, as a file that LeRobot's sample weighting reads.

use crate::cli::ProgressOptions;
use crate::goals_argument::Goals;
use crate::{labels, report, shard};
use anyhow::Result;
use isochrone_files::data::ProgressWriter;
use isochrone_files::model::DistanceModel;
use isochrone_files::path_kind;
use isochrone_runs::logs;
use isochrone_runs::output::{print, refuse_other_ending, refuse_same_file};
use isochrone_runs::progress::{NoObserver, Waiting};

/// Runs the command.
pub fn run(options: &ProgressOptions) -> Result<()> {
    let model = path_kind::model(&options.model)?;
    refuse_other_ending(&options.output, "parquet")?;
    report::check_name(options.report.as_deref())?;
    let (source, output) = shard::open(&options.files, options.shard, &model, &options.output)?;
    let goals = Goals::read_if_named(&options.to, &model)?;
    let inputs = source.files().iter().chain([&options.model]);
    for input in inputs.chain(goals.iter().flat_map(|goals| &goals.files)) {
        refuse_same_file(&[Some(input), Some(&output)])?;
    }
    let waiting = Waiting::new("measuring");
    let mut writer = ProgressWriter::create(&output)?;
    let (mut episodes, mut frames) = (0_u64, 0_usize);
    let set = goals.as_ref().map(|goals| goals.embedded(&model));
    let set = set.transpose()?;
    logs::progress(
        &model,
        &source,
        set.as_ref(),
        &NoObserver,
        |episode, found| {
            let file = labels::file_name(source.files(), episode.file);
            writer.push(found, &episode.labels, &file)?;
            episodes += 1;
            frames += found.len();
            Ok(())
        },
    )?;
    writer.finish()?;
    drop(waiting);
    let goal = match &goals {
        None => "the end of its own episode, also in failures (--to FILE:good-ends: towards the ends of good episodes)"
            .to_owned(),
        Some(goals) if goals.count == 1 => "the goal".to_owned(),
        Some(goals) => format!("the nearest of {} goals", goals.count),
    };
    print(&format!(
        "wrote {}: progress of {frames} frames in {episodes} episodes, towards {goal}\n{}\n{}",
        output.display(),
        interval(&model),
        labels::counted(&source)?
    ))?;
    let model = (&model, options.model.as_path());
    report::write_if_wanted(options.report.as_deref(), model, &source, set.as_ref())
}

/// What is known of the interval.
fn interval(model: &DistanceModel) -> String {
    let found = model.about.calibration.as_ref();
    match found.and_then(|found| found.steps_to_go.as_ref()) {
        Some(curve) => format!(
            "steps_to_go_low … steps_to_go_high hold {:.0} % of frames, by {} held-out episodes",
            100.0 * curve.coverage,
            curve.episodes
        ),
        None => "steps_to_go is the distance itself, without an interval: fewer than 5 episodes were held out when it was fitted \
                 (--set held_out=0.2 holds out more)"
            .to_owned(),
    }
}
