//! `isochrone distance`: steps between two states, or from every state of a file to one goal.

use crate::cli::DistanceOptions;
use crate::data::DataSource;
use crate::model::DistanceModel;
use crate::output::{Unfinished, human, print, refuse_same_file};
use crate::progress::Waiting;
use crate::state_argument::StateText;
use anyhow::{Context, Result, bail};
use isochrone::distance::Distance;
use isochrone::embedding::Head;
use std::io::{BufWriter, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Rows read at a time.
const PIECE_ROWS: NonZeroUsize = NonZeroUsize::new(10_000).expect("not zero");

/// Runs the command.
pub fn run(options: &DistanceOptions) -> Result<()> {
    let model = DistanceModel::read(&options.model)?;
    let columns = model.about.states.columns();
    let width = model.distance.inputs();
    let goal = options.to.state(width, &columns).context("--to")?;
    match (&options.from, options.files.is_empty()) {
        (Some(_), true) if options.output.is_some() => {
            bail!("-o is for the table of data files; the steps between two states are printed")
        }
        (Some(from), true) => {
            let from = from.state(width, &columns).context("--from")?;
            print(&between(&model, &from, &goal))
        }
        (None, false) => of_files(options, &model, &goal),
        (None, true) => bail!("from where? give a state with --from, or data files"),
        (Some(_), false) => bail!("--from is one state, the files are many: give one of them"),
    }
}

fn between(model: &DistanceModel, from: &[f32], goal: &[f32]) -> String {
    let there = human(model.distance.between(from, goal));
    match model.about.spec.encoder.head {
        Head::Symmetric => format!("{there} steps\n"),
        Head::Potential => format!(
            "{there} steps there, {} back\n",
            human(model.distance.between(goal, from))
        ),
    }
}

/// A table with the distance of every state.
fn of_files(options: &DistanceOptions, model: &DistanceModel, goal: &[f32]) -> Result<()> {
    let Some(output) = &options.output else {
        bail!("where to? name a .csv file to write with -o");
    };
    let source = DataSource::open(&options.files, model.about.states.columns())?;
    model.check_width(&source)?;
    let goal_file = match &options.to {
        StateText::Row { file, .. } => Some(PathBuf::from(file)),
        StateText::Entries(_) => None,
    };
    let inputs = source
        .files()
        .iter()
        .chain([&options.model])
        .chain(&goal_file);
    for input in inputs {
        refuse_same_file(&[Some(input), Some(output)])?;
    }
    let waiting = Waiting::new("measuring");
    let goal = model.distance.embed(goal);
    let mut file = BufWriter::new(Unfinished::create(output)?);
    writeln!(file, "episode,step,distance_steps")?;
    let mut rows = 0;
    for piece in source.pieces(PIECE_ROWS) {
        let piece = piece?;
        let states = piece.states.as_f32().unwrap_or_default();
        let states = states.chunks_exact(piece.states.width());
        for (state, step) in states.zip(piece.first_step..) {
            let point = model.distance.embed(state);
            let steps = model.distance.metric().one_way(&point, &goal);
            writeln!(file, "{},{step},{steps}", piece.episode)?;
            rows += 1;
        }
    }
    let file = file
        .into_inner()
        .map_err(std::io::IntoInnerError::into_error)?;
    file.finish()?;
    drop(waiting);
    print(&format!("wrote {}: {rows} states\n", output.display()))
}
