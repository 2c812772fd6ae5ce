//! One array inside a `.npz`, read from its first row to its last.

use super::block::MAX_WIDTH;
use super::error::{DataError, Role, one_line};
use super::files::Format;
use super::npy::{Header, HeaderError, Layout};
use flate2::CrcReader;
use flate2::read::DeflateDecoder;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use zip::{CompressionMethod, ZipArchive};

/// The container's list of contents.
pub(super) struct Archive {
    file: PathBuf,
    zip: ZipArchive<BufReader<File>>,
    /// Names of the arrays, by place.
    pub(super) names: Vec<String>,
}

/// An array, somewhere between its rows.
pub(super) struct Member {
    file: PathBuf,
    pub(super) name: String,
    pub(super) header: Header,
    pub(super) rows: u64,
    /// Entries of a row.
    pub(super) width: usize,
    stream: CrcReader<Box<dyn Read>>,
    checksum: u32,
    rows_left: u64,
}

pub(super) fn broken(file: &Path, reason: impl std::fmt::Display) -> DataError {
    DataError::Broken {
        file: file.to_owned(),
        format: Format::Npz.name(),
        reason: one_line(reason),
    }
}

impl Archive {
    /// Reads the list of contents.
    pub(super) fn open(file: &Path) -> Result<Self, DataError> {
        let opened = File::open(file).map_err(|source| DataError::Unreadable {
            file: file.to_owned(),
            source,
        })?;
        let zip = ZipArchive::new(BufReader::new(opened)).map_err(|error| broken(file, error))?;
        let mut names = Vec::new();
        for name in zip.file_names() {
            let name = name.map_err(|error| broken(file, error))?;
            names.push(name.strip_suffix(".npy").unwrap_or(&name).to_owned());
        }
        Ok(Self {
            file: file.to_owned(),
            zip,
            names,
        })
    }

    /// Opens the array of this name, with a file handle of its own: two arrays are read side by side.
    pub(super) fn member(&mut self, name: &str, role: Role) -> Result<Member, DataError> {
        let file = self.file.clone();
        let place = self.names.iter().position(|found| found == name);
        let place = place.ok_or_else(|| DataError::NoColumn {
            file: file.clone(),
            wanted: name.to_owned(),
            role,
            found: self.names.clone(),
        })?;
        let entry = self.zip.by_index_raw(place).map_err(|e| broken(&file, e))?;
        let start = entry.data_start().unwrap_or(0);
        let raw = section(&file, start, entry.compressed_size())?;
        let stream: Box<dyn Read> = match entry.compression() {
            _ if entry.encrypted() => return Err(broken(&file, "it is encrypted")),
            CompressionMethod::Stored => Box::new(raw),
            CompressionMethod::Deflated => Box::new(DeflateDecoder::new(raw)),
            method => {
                return Err(broken(
                    &file,
                    format!("{method:?} is not a compression method of NumPy"),
                ));
            }
        };
        let stream = CrcReader::new(stream);
        Member::begin(&file, name, stream, entry.size(), entry.crc32())
    }
}

fn section(file: &Path, start: u64, bytes: u64) -> Result<impl Read + 'static, DataError> {
    let open = || {
        let mut opened = File::open(file)?;
        opened.seek(SeekFrom::Start(start))?;
        Ok(BufReader::with_capacity(1 << 16, opened.take(bytes)))
    };
    open().map_err(|source| DataError::Unreadable {
        file: file.to_owned(),
        source,
    })
}

impl Member {
    fn begin(
        file: &Path,
        name: &str,
        mut stream: CrcReader<Box<dyn Read>>,
        size: u64,
        checksum: u32,
    ) -> Result<Self, DataError> {
        let header = Header::read(&mut stream).map_err(|error| match error {
            HeaderError::Read(error) => broken(file, format!("array {name:?}: {error}")),
            HeaderError::Format(reason) => broken(file, format!("{name:?}: {reason}")),
            HeaderError::Type(found) => DataError::WrongType {
                file: file.to_owned(),
                column: name.to_owned(),
                found: format!("NumPy's type {found:?}"),
                wanted: "numbers",
            },
        })?;
        let Some((&rows, entries)) = header.shape.split_first() else {
            let reason = format!("{name:?} is one number, not an array");
            return Err(broken(file, reason));
        };
        let width = entries.iter().try_fold(1_u64, |w, &n| w.checked_mul(n));
        let width = width.filter(|&w| w > 0 && w <= MAX_WIDTH as u64);
        let width =
            width.ok_or_else(|| broken(file, format!("{name:?} has rows of no usable width")))?;
        let bytes = rows
            .checked_mul(width * header.item_bytes as u64)
            .and_then(|bytes| bytes.checked_add(header.length));
        if bytes != Some(size) {
            return Err(broken(
                file,
                format!("{name:?} has {size} bytes, which is not what its shape needs"),
            ));
        }
        if header.layout == Layout::Columns && width > 1 {
            return Err(DataError::WrongType {
                file: file.to_owned(),
                column: name.to_owned(),
                found: "values stored column by column".to_owned(),
                wanted: "rows (np.ascontiguousarray)",
            });
        }
        Ok(Self {
            file: file.to_owned(),
            name: name.to_owned(),
            header,
            rows,
            width: width as usize,
            stream,
            checksum,
            rows_left: rows,
        })
    }

    /// The bytes of the next rows, at most this many. After the last row the checksum must be right.
    pub(super) fn read(&mut self, rows: usize) -> Result<Vec<u8>, DataError> {
        let rows = self.rows_left.min(rows as u64);
        let mut bytes = vec![0_u8; rows as usize * self.width * self.header.item_bytes];
        let read = self.stream.read_exact(&mut bytes);
        read.map_err(|error| broken(&self.file, format!("array {:?}: {error}", self.name)))?;
        self.rows_left -= rows;
        if self.rows_left == 0 && self.stream.crc().sum() != self.checksum {
            return Err(broken(
                &self.file,
                format!("array {:?} is damaged: its checksum is wrong", self.name),
            ));
        }
        Ok(bytes)
    }
}
