//! A chain with names for its states: a maze's cells, or plain numbers.

use crate::cli::{StateArgument, WorldOptions};
use crate::edges::{self, EdgesError};
use anyhow::{Context, Result, bail};
use isochrone::markov::{Chain, ChainError, Stationary, stationary};
use isochrone::maze::{Cell, Maze, Moves, WallRule};
use std::fs;
use std::path::Path;

/// What was read from a file.
#[derive(Debug)]
pub struct World {
    /// The transitions.
    pub chain: Chain,
    /// Where a long walk spends its time.
    pub stationary: Stationary,
    /// Where the states lie, if they lie anywhere.
    pub maze: Option<Maze>,
}

impl World {
    /// Reads a maze or an edge list; every error names the file and the place in it.
    pub fn read(options: &WorldOptions) -> Result<Self> {
        let path = &options.input;
        refuse_maze_options(options)?;
        let (chain, maze) = if is_edge_list(path) {
            let text = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
            let chain = edges::parse(&text)
                .map_err(advised)
                .with_context(|| path.display().to_string())?;
            (chain, None)
        } else {
            let text = read_text(path)?;
            let hint = if looks_like_edges(&text) {
                " (an edge list is a .csv file that begins with from,to,weight or from,to,probability)"
            } else {
                ""
            };
            let maze: Maze = text
                .parse()
                .with_context(|| format!("{}{hint}", path.display()))?;
            let chain = maze
                .chain(
                    options.moves.map_or(Moves::UNIFORM, |moves| moves.0),
                    options.walls.map_or(WallRule::Stay, WallRule::from),
                )
                .with_context(|| path.display().to_string())?;
            (chain, Some(maze))
        };
        let stationary = stationary(&chain).with_context(|| path.display().to_string())?;
        Ok(Self {
            chain,
            stationary,
            maze,
        })
    }

    /// The state a user named.
    pub fn state(&self, argument: StateArgument) -> Result<usize> {
        match (argument, &self.maze) {
            (StateArgument::Cell { column, row }, Some(maze)) => {
                let hint = || format!("--from {column},{row}");
                maze.state(Cell { column, row }).with_context(hint)
            }
            (StateArgument::Cell { column, row }, None) => {
                bail!("--from {column},{row}: an edge list has no cells; give a state's number")
            }
            (StateArgument::Number(state), _) if state < self.chain.n_states() => Ok(state),
            (StateArgument::Number(state), _) => bail!(
                "--from {state}: the states are numbered 0…{}",
                self.chain.n_states() - 1
            ),
        }
    }

    /// A state as a user would write it.
    pub fn name(&self, state: usize) -> String {
        match &self.maze {
            Some(maze) => maze.cell(state).to_string(),
            None => state.to_string(),
        }
    }
}

/// An edge list has its own probabilities: options that would change nothing are refused, not ignored.
fn refuse_maze_options(options: &WorldOptions) -> Result<()> {
    let is_default = options.moves.is_none() && options.walls.is_none();
    if is_edge_list(&options.input) && !is_default {
        bail!(
            "{}: an edge list has its own probabilities; --moves and --walls are for mazes",
            options.input.display()
        );
    }
    Ok(())
}

fn is_edge_list(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("csv"))
}

/// A number stands in no maze.
fn looks_like_edges(text: &str) -> bool {
    text.lines()
        .take(10)
        .any(|line| line.contains(|c: char| c == ',' || c.is_ascii_digit()))
}

/// Why an edge list is no chain, with what to do about it.
fn advised(error: EdgesError) -> anyhow::Error {
    match error {
        EdgesError::Chain(ChainError::NotStochastic { .. }) => {
            anyhow::anyhow!(
                "{error}; name the column `weight` to divide the values of each state by their sum"
            )
        }
        other => other.into(),
    }
}

/// A maze is text; anything else is told by where it stops being so.
fn read_text(path: &Path) -> Result<String> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        anyhow::anyhow!(
            "{}: byte {at} is not UTF-8 text; a maze has only `#` and `.`",
            path.display()
        )
    })?;
    Ok(text.trim_start_matches('\u{feff}').to_owned())
}
