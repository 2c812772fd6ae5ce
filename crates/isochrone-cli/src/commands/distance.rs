//! `isochrone distance`: steps between two states, or from every state of a file to a goal or the nearest of several.

use crate::cli::DistanceOptions;
use crate::goals_argument::{FarStates, Goals, warn_of_far};
use crate::labels;
use anyhow::{Context, Result, bail};
use isochrone::distance::Distance;
use isochrone_files::data::DataSource;
use isochrone_files::model::DistanceModel;
use isochrone_files::path_kind;
use isochrone_runs::output::{Unfinished, human, print, refuse_other_ending, refuse_same_file};
use isochrone_runs::progress::Waiting;
use std::io::BufWriter;
use std::num::NonZeroUsize;

/// Rows read at a time.
const PIECE_ROWS: NonZeroUsize = NonZeroUsize::new(10_000).expect("not zero");

/// Runs the command.
pub fn run(options: &DistanceOptions) -> Result<()> {
    if let Some(output) = &options.output {
        refuse_other_ending(output, "csv")?;
    }
    let model = path_kind::model(&options.model)?;
    match (&options.from, options.files.is_empty()) {
        (Some(_), true) if options.output.is_some() => {
            bail!("-o is for the table of data files; the steps between two states are printed")
        }
        (Some(from), true) => {
            let (width, columns) = (model.distance.inputs(), model.about.states.columns());
            let from = from.state(width, &columns).context("--from")?;
            let goals = Goals::read(&options.to, &model)?;
            warn_of_far(&model, &from, "states");
            print(&between(&model, &from, &goals)?)
        }
        (None, false) => of_files(options, &model),
        (None, true) => bail!("from where? give a state with --from, or data files"),
        (Some(_), false) => bail!("--from is one state, the files are many: give one of them"),
    }
}

fn between(model: &DistanceModel, from: &[f32], goals: &Goals) -> Result<String> {
    let set = goals.embedded(model)?;
    let Some(nearest) = set.nearest(from)? else {
        return Ok(String::new());
    };
    let there = human(nearest.steps);
    if goals.count > 1 {
        return Ok(format!(
            "{there} steps to the nearest of {} goals, number {} from 0\n",
            goals.count, nearest.goal
        ));
    }
    if model.about.spec.encoder.head.is_symmetric() {
        return Ok(format!("{there} steps\n"));
    }
    let back = model.distance.between(&goals.states, from)?;
    Ok(format!("{there} steps there, {} back\n", human(back)))
}

/// A table with the distance of every state, under the numbers that its file has for it.
fn of_files(options: &DistanceOptions, model: &DistanceModel) -> Result<()> {
    let Some(output) = &options.output else {
        bail!("name a .csv file to write with -o");
    };
    let columns = model.about.states.columns().labelled();
    let source = DataSource::open(&options.files, columns)?;
    model.check_width(&source)?;
    let goals = Goals::read(&options.to, model)?;
    let inputs = source.files().iter().chain([&options.model]);
    for input in inputs.chain(&goals.files) {
        refuse_same_file(&[Some(input), Some(output)])?;
    }
    let waiting = Waiting::new("measuring");
    let set = goals.embedded(model)?;
    let mut table = csv::Writer::from_writer(BufWriter::new(Unfinished::create(output)?));
    let mut heading = vec!["file"];
    heading.extend(labels::COLUMNS);
    heading.push("distance_steps");
    heading.extend((goals.count > 1).then_some("nearest_goal"));
    table.write_record(&heading).map_err(system_error)?;
    let mut far = FarStates::new("states");
    let mut rows = 0_u64;
    for piece in source.pieces(PIECE_ROWS) {
        let piece = piece?;
        let file = labels::file_name(source.files(), piece.file);
        let states = piece.states.numbers();
        for (row, state) in labels::rows(&piece, &states) {
            let Some(nearest) = set.nearest(state)? else {
                continue;
            };
            far.look_at(model, state);
            let mut line = vec![file.clone()];
            line.extend(row.fields());
            line.push(nearest.steps.to_string());
            line.extend((goals.count > 1).then(|| nearest.goal.to_string()));
            table.write_record(&line).map_err(system_error)?;
            rows += 1;
        }
    }
    let file = table
        .into_inner()
        .map_err(csv::IntoInnerError::into_error)?;
    let file = file
        .into_inner()
        .map_err(std::io::IntoInnerError::into_error)?;
    file.finish()?;
    drop(waiting);
    far.warn();
    print(&format!(
        "wrote {}: {rows} states\n{}",
        output.display(),
        labels::counted(&source)?
    ))
}

/// The error of the system behind one of a table: a closed pipe must be seen as such.
fn system_error(error: csv::Error) -> std::io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => std::io::Error::other(format!("{other:?}")),
    }
}
