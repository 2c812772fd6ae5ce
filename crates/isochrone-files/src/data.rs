//! Trajectories in files: whole episodes, read in bounded memory and shuffled; and a Parquet writer.
//!
//! ```text
//! patterns ─ DataSource ─ EpisodeReader ─ ShuffledStreams ─ the trainer
//!            files, names  pieces in file   V bounded buffers
//!                          order
//! ```
//!
//! | file | an episode is |
//! |---|---|
//! | `.parquet` | a run of rows with equal `episode_index`; states in `observation.state` (LeRobot v3's names) |
//! | `.npz` | the rows of `observations` up to and including the one whose `terminals` is 1 (OGBench's meaning), or D4RL's `timeouts` |
//! | `.csv` | a run of lines with equal `episode_index`; states in columns named one by one or by a prefix |
//!
//! Arrays in memory ([`Memory`]) are read the same way.
//!
//! Every row is one step: distances are counted in rows. So anything that could distort time is an error: episodes that
//! resume after they ended, frames with gaps, NaN and infinity. An episode ends with its file even if the next file begins
//! with the same index. LeRobot never splits an episode over files; a wrong join would add a step that never happened,
//! while a missed join loses only one.
//!
//! Memory does not grow with the data: a reader holds one block of rows, one page of each Parquet column and
//! one piece of an episode; [`ShuffledStreams`] holds at most the bytes it is given.

mod advice;
mod batch;
mod block;
mod columns;
mod csv_table;
mod episodes;
mod error;
mod files;
mod guard;
mod lerobot;
mod memory;
mod npy;
mod npz_member;
mod npz_table;
mod parquet_file;
mod parquet_images;
mod parquet_leaf;
mod parquet_pages;
mod parquet_rows;
mod parquet_schema;
mod parquet_table;
mod piece;
mod progress_writer;
mod streams;
pub mod synthetic;
mod writer;

pub use advice::Interface;
pub use batch::Batch;
pub use columns::Columns;
pub use episodes::{DataSource, EpisodeReader};
pub use error::one_line;
pub use error::{DataError, Place};
pub use files::Format;
pub use memory::Memory;
pub use piece::{Piece, PieceEnd, RowLabels};
pub use progress_writer::{FrameProgress, ProgressWriter};
pub use streams::{ShuffledStreams, StreamOptions};
pub use writer::{Entries, EpisodeWriter};
