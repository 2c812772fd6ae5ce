//! Rows → episodes, and long episodes → pieces.
//!
//! An episode of at most `max_rows` rows is one piece. A longer one is cut after every `max_rows` rows, counted
//! from its beginning; only its last piece is shorter. Pieces share no row, so the one step across a cut is in
//! neither: one step in `max_rows` is lost. Where the cuts are depends on nothing but the episode's length.

use super::block::{Block, Values};
use super::error::DataError;
use isochrone::trajectory::Rows;
use std::collections::VecDeque;
use std::ops::Range;
use std::path::Path;

/// How a piece ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceEnd {
    /// Where its episode does.
    Episode,
    /// Where its episode was cut: it goes on in the next piece.
    Cut,
}

/// A whole episode, or as much of it as may be in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// Its number in file order, over all files.
    pub number: u64,
    /// The number of its episode in file order, over all files. Where nothing is cut the two are equal.
    pub episode: u64,
    /// Rows of the episode before this piece.
    pub first_step: u64,
    /// How it ends.
    pub end: PieceEnd,
    /// Which file it is from, in reading order.
    pub file: u32,
    /// Its states.
    pub states: Rows,
    /// The source's own numbers of its rows, if they were asked for ([`Columns::labelled`](super::Columns::labelled)).
    pub labels: Option<Box<RowLabels>>,
}

/// What the source calls the rows of a piece. What it has no number for is counted: episodes and rows from 0 within
/// their file, frames from 0 within their episode ([`DataSource::counted_labels`](super::DataSource::counted_labels)
/// says which those are).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowLabels {
    /// `episode_index` of all rows.
    pub episode: i64,
    /// `frame_index` of the first row; the others follow one by one.
    pub first_frame: i64,
    /// `index` of each row.
    pub indices: Vec<i64>,
}

impl Piece {
    /// What it takes in memory, at most.
    pub fn bytes(&self) -> usize {
        let entries = self.states.len() * self.states.width();
        let entry_bytes = if self.states.as_f32().is_some() { 4 } else { 1 };
        Self::OVERHEAD_BYTES + entry_bytes * entries
    }

    /// What a piece takes beside its states, at most: itself, as much again where a growing list of pieces has
    /// room in reserve, and what the allocator adds. A fixed number, because the shuffled order depends on it.
    pub(super) const OVERHEAD_BYTES: usize = 256;
}

const _: () = assert!(2 * size_of::<Piece>() + 32 <= Piece::OVERHEAD_BYTES);

/// The piece being put together.
struct Current {
    /// What its file calls its episode.
    index: i64,
    /// The last row's, where the file has it.
    frame: Option<i64>,
    first_step: u64,
    rows: usize,
    width: usize,
    states: Values,
    /// Of the first row of the piece.
    first_frame: Option<i64>,
    indices: Vec<i64>,
}

/// Whether pieces carry the source's numbers of their rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Labelling {
    Off,
    On,
}

/// Takes blocks, gives pieces.
pub(super) struct Cutter {
    max_rows: usize,
    current: Option<Current>,
    ready: VecDeque<Piece>,
    pieces: u64,
    episodes: u64,
    labelling: Labelling,
    /// The file being read, in reading order.
    file: u32,
    /// Rows of it so far.
    rows_of_file: i64,
}

impl Cutter {
    pub(super) const fn new(max_rows: usize, labelling: Labelling) -> Self {
        Self {
            max_rows,
            current: None,
            ready: VecDeque::new(),
            pieces: 0,
            episodes: 0,
            labelling,
            file: 0,
            rows_of_file: 0,
        }
    }

    /// The rows that follow are of this file.
    pub(super) const fn begin_file(&mut self, file: u32) {
        self.file = file;
        self.rows_of_file = 0;
    }

    /// The next complete piece.
    pub(super) fn pop(&mut self) -> Option<Piece> {
        self.ready.pop_front()
    }

    /// Adds the rows of a block, run by run of equal episodes.
    pub(super) fn push(&mut self, file: &Path, block: &Block) -> Result<(), DataError> {
        let mut row = 0;
        while row < block.episodes.len() {
            let index = block.episodes[row];
            let same = block.episodes[row..].iter().take_while(|&&e| e == index);
            let run = row..row + same.count();
            let before = match &self.current {
                Some(current) if current.index == index => current.frame,
                Some(current) if current.index > index => {
                    return Err(DataError::Order {
                        file: file.to_owned(),
                        place: block.places.of(row),
                        episode: index,
                        before: current.index,
                    });
                }
                _ => {
                    self.end_of_episode();
                    None
                }
            };
            let frame = check_frames(file, block, run.clone(), before)?;
            row = run.end;
            self.add(block, index, run);
            if let Some(current) = &mut self.current {
                current.frame = frame;
            }
        }
        Ok(())
    }

    /// No row that follows belongs to the episode being read: it ends with its file at the latest.
    pub(super) fn end_of_episode(&mut self) {
        if let Some(last) = self.current.take() {
            self.finish(last, PieceEnd::Episode);
        }
    }

    fn add(&mut self, block: &Block, index: i64, mut run: Range<usize>) {
        let width = block.spec.len();
        let mut current = self.current.take().unwrap_or_else(|| Current {
            index,
            frame: None,
            first_step: 0,
            rows: 0,
            width,
            states: Values::new(block.spec.dtype),
            first_frame: None,
            indices: Vec::new(),
        });
        loop {
            let rows = run.len().min(self.max_rows - current.rows);
            let range = run.start * width..(run.start + rows) * width;
            current.states.extend(&block.states, range);
            if self.labelling == Labelling::On {
                self.label(&mut current, block, run.start..run.start + rows);
            }
            current.rows += rows;
            run.start += rows;
            if run.is_empty() {
                break;
            }
            let rest = Current {
                first_step: current.first_step + current.rows as u64,
                rows: 0,
                states: Values::new(block.spec.dtype),
                first_frame: None,
                indices: Vec::new(),
                ..current
            };
            self.finish(std::mem::replace(&mut current, rest), PieceEnd::Cut);
        }
        self.current = Some(current);
    }

    /// Keeps the numbers of some rows of a block.
    fn label(&mut self, current: &mut Current, block: &Block, rows: Range<usize>) {
        if current.rows == 0 {
            let frames = block.frames.as_ref();
            current.first_frame = frames.map(|frames| frames[rows.start]);
        }
        let counted = self.rows_of_file..;
        self.rows_of_file += rows.len().cast_signed() as i64;
        match &block.indices {
            Some(indices) => current.indices.extend_from_slice(&indices[rows]),
            None => current.indices.extend(counted.take(rows.len())),
        }
    }

    fn finish(&mut self, piece: Current, end: PieceEnd) {
        let states = piece.states.into_rows(piece.width);
        let labels = (self.labelling == Labelling::On).then(|| {
            Box::new(RowLabels {
                episode: piece.index,
                first_frame: piece.first_frame.unwrap_or(piece.first_step.cast_signed()),
                indices: piece.indices,
            })
        });
        self.ready.push_back(Piece {
            number: self.pieces,
            episode: self.episodes,
            first_step: piece.first_step,
            end,
            file: self.file,
            states: states.expect("only whole rows are added"),
            labels,
        });
        self.pieces += 1;
        self.episodes += u64::from(end == PieceEnd::Episode);
    }
}

/// Every frame follows the one before it; the last one of the run.
fn check_frames(
    file: &Path,
    block: &Block,
    run: Range<usize>,
    before: Option<i64>,
) -> Result<Option<i64>, DataError> {
    let Some(frames) = &block.frames else {
        return Ok(None);
    };
    let mut before = before;
    for row in run {
        let frame = frames[row];
        match before {
            Some(before) if before.checked_add(1) != Some(frame) => {
                return Err(DataError::Frame {
                    file: file.to_owned(),
                    place: block.places.of(row),
                    episode: block.episodes[row],
                    frame,
                    before,
                });
            }
            _ => before = Some(frame),
        }
    }
    Ok(before)
}
