//! Text with a header: one line is one row.
//!
//! Fields are numbers, so a comma always ends one; quotes round a whole field are taken off, as some programs
//! put them round names. Lines are counted as an editor counts them; empty ones are skipped.

use super::block::{Block, OwnLabels, Places, Table, Values, block_rows};
use super::columns::{self, Columns};
use super::error::{DataError, Place};
use super::files::Format;
use isochrone::env::ObservationSpec;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// A longer line is no table of states, and must not fill the memory.
const LINE_BYTES: u64 = 1 << 24;

/// An open file, behind its header.
pub(super) struct CsvTable {
    file: PathBuf,
    reader: BufReader<File>,
    line: u64,
    text: Vec<u8>,
    names: Vec<String>,
    at: columns::Places,
    /// Has a row been read?
    has_begun: bool,
}

impl CsvTable {
    /// Reads the header.
    pub(super) fn open(file: &Path, wanted: &Columns) -> Result<Self, DataError> {
        let unreadable = |source| DataError::Unreadable {
            file: file.to_owned(),
            source,
        };
        let mut table = Self {
            file: file.to_owned(),
            reader: BufReader::new(File::open(file).map_err(unreadable)?),
            line: 0,
            text: Vec::new(),
            names: Vec::new(),
            at: columns::Places {
                state: Vec::new(),
                actions: 0,
                episode: 0,
                frame: None,
                index: None,
            },
            has_begun: false,
        };
        if !table.read_line()? {
            return Err(DataError::Empty {
                file: file.to_owned(),
            });
        }
        let header = table.words()?;
        let header = header.strip_prefix('\u{feff}').unwrap_or(header);
        table.names = fields(header).map(str::to_owned).collect();
        table.at = columns::find(wanted, Format::Csv, file, &table.names)?;
        Ok(table)
    }

    /// The next line that is not empty, without its end; `false` if there is none.
    fn read_line(&mut self) -> Result<bool, DataError> {
        loop {
            self.text.clear();
            self.line += 1;
            let mut limited = (&mut self.reader).take(LINE_BYTES);
            let read = limited.read_until(b'\n', &mut self.text);
            let read = read.map_err(|source| DataError::Unreadable {
                file: self.file.clone(),
                source,
            })?;
            if read as u64 == LINE_BYTES && self.text.last() != Some(&b'\n') {
                return Err(self.broken(&format!("it is longer than {LINE_BYTES} bytes")));
            }
            if read == 0 || !self.text.trim_ascii().is_empty() {
                return Ok(read > 0);
            }
        }
    }

    fn words(&self) -> Result<&str, DataError> {
        let text = std::str::from_utf8(&self.text);
        text.map_err(|_| self.broken("it is not UTF-8 text"))
    }

    fn broken(&self, reason: &str) -> DataError {
        DataError::Broken {
            file: self.file.clone(),
            format: Format::Csv.name(),
            reason: format!("line {}: {reason}", self.line),
        }
    }

    /// Puts the numbers of the line just read where they belong.
    fn parse_line(
        &self,
        states: &mut Vec<f32>,
        episodes: &mut Vec<i64>,
        [frames, indices]: [&mut Option<Vec<i64>>; 2],
    ) -> Result<(), DataError> {
        let fields: Vec<&str> = fields(self.words()?).collect();
        if fields.len() != self.names.len() {
            return Err(DataError::Fields {
                file: self.file.clone(),
                place: Place::Line(self.line),
                got: fields.len(),
                expected: self.names.len(),
            });
        }
        for &at in &self.at.state {
            states.push(self.number(at, fields[at], "number")?);
        }
        episodes.push(self.number(self.at.episode, fields[self.at.episode], "whole number")?);
        for (numbers, at) in [(frames, self.at.frame), (indices, self.at.index)] {
            if let (Some(numbers), Some(at)) = (numbers, at) {
                numbers.push(self.number(at, fields[at], "whole number")?);
            }
        }
        Ok(())
    }

    /// A column named `index` may hold anything; only whole numbers are labels, as its first row tells.
    fn drop_other_index(&mut self) -> Result<(), DataError> {
        let is_whole = |at: usize| -> Result<bool, DataError> {
            let field = fields(self.words()?).nth(at);
            Ok(field.is_some_and(|field| field.parse::<i64>().is_ok()))
        };
        if let Some(at) = self.at.index
            && !is_whole(at)?
        {
            self.at.index = None;
        }
        Ok(())
    }

    fn number<T: std::str::FromStr>(
        &self,
        column: usize,
        found: &str,
        wanted: &'static str,
    ) -> Result<T, DataError> {
        let (file, place) = (&self.file, Place::Line(self.line));
        found.parse().map_err(|_| match found {
            "" => DataError::Null {
                file: file.clone(),
                place,
                column: self.names[column].clone(),
            },
            _ => DataError::NotANumber {
                file: file.clone(),
                place,
                column: self.names[column].clone(),
                found: found.chars().take(80).collect(),
                wanted,
            },
        })
    }
}

impl Table for CsvTable {
    fn next_block(&mut self) -> Result<Option<Block>, DataError> {
        let width = self.at.state.len();
        let (mut states, mut episodes, mut lines) = (Vec::new(), Vec::new(), Vec::new());
        let mut frames = self.at.frame.map(|_| Vec::new());
        let mut indices = self.at.index.map(|_| Vec::new());
        while lines.len() < block_rows(4 * width) && self.read_line()? {
            if !self.has_begun {
                self.has_begun = true;
                self.drop_other_index()?;
                indices = self.at.index.map(|_| Vec::new());
            }
            self.parse_line(&mut states, &mut episodes, [&mut frames, &mut indices])?;
            lines.push(self.line);
        }
        Ok((!lines.is_empty()).then_some(Block {
            spec: ObservationSpec::vector(width),
            states: Values::F32(states),
            episodes,
            frames,
            indices,
            places: Places::Lines(lines),
        }))
    }

    fn column(&self, entry: usize) -> String {
        self.names[self.at.state[entry]].clone()
    }

    fn own_labels(&self) -> OwnLabels {
        OwnLabels {
            episode: true,
            frame: self.at.frame.is_some(),
            index: self.at.index.is_some(),
        }
    }
}

fn fields(line: &str) -> impl Iterator<Item = &str> {
    line.split(',').map(|field| {
        let field = field.trim();
        let inner = field.strip_prefix('"').and_then(|f| f.strip_suffix('"'));
        inner.unwrap_or(field)
    })
}
