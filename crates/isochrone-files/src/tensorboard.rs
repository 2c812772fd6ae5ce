//! Event files for TensorBoard: numbers by step.
//!
//! An event file is a list of records, and a record is a Protocol Buffers message in a frame:
//!
//! ```text
//! length: u64 | mask(crc32c(length)): u32 | message | mask(crc32c(message)): u32      all little-endian
//! mask(c) = (c ≫ 15 | c ≪ 17) + 0xa282ead8
//! ```
//!
//! This is the one kind of file that is read while it grows: what is flushed is there to see, and a reader waits at
//! a record that is not whole. A run that goes on begins a file of its own; TensorBoard reads the files of a folder
//! in the order of their names, which begin with the time. The clock is the caller's.

use crate::protobuf::Message;
use anyhow::{Context, Result, bail};
use std::fs::{self, File};
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// What the first event of a file has to say.
const FILE_VERSION: &str = "brain.Event:2";
/// Runs that may begin in one folder within one second.
const MOST_FILES: u32 = 1_000;

/// An event file that is being written.
#[derive(Debug)]
pub struct Events {
    path: PathBuf,
    file: BufWriter<File>,
}

impl Events {
    /// Begins a file in this folder, which is made if it is not there. Times are seconds since 1970.
    pub fn create(folder: &Path, started_s: f64) -> Result<Self> {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let (path, file) = new_file(folder, started_s as u64)?;
        let file = BufWriter::new(file);
        let mut events = Self { path, file };
        let version = Message::new()
            .double(1, started_s)
            .text(3, FILE_VERSION.as_bytes());
        events.record(&version)?;
        events.flush()?;
        Ok(events)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A number.
    pub fn scalar(&mut self, tag: &str, step: u64, value: f32, wall_s: f64) -> Result<()> {
        let value = Message::new().text(1, tag.as_bytes()).float(2, value);
        let event = Message::new()
            .double(1, wall_s)
            .number(2, step)
            .message(5, &Message::new().message(1, &value));
        self.record(&event)
    }

    /// Hands everything to the system: readers see it from now on.
    pub fn flush(&mut self) -> Result<()> {
        let Self { path, file } = self;
        file.flush()
            .with_context(|| format!("cannot write {}", path.display()))
    }

    fn record(&mut self, event: &Message) -> Result<()> {
        let Self { path, file } = self;
        file.write_all(&framed(event.bytes()))
            .with_context(|| format!("cannot write {}", path.display()))
    }
}

/// The time for an event.
pub fn now_s() -> f64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0.0, |now| now.as_secs_f64())
}

/// A file with a name that nothing there has.
fn new_file(folder: &Path, second: u64) -> Result<(PathBuf, File)> {
    for number in 0..MOST_FILES {
        let name = format!("events.out.tfevents.{second:010}.isochrone.{number:03}");
        let path = folder.join(name);
        match File::create_new(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            made => {
                let file = made.with_context(|| format!("cannot write {}", path.display()))?;
                return Ok((path, file));
            }
        }
    }
    bail!(
        "{} has {MOST_FILES} event files of second {second} already",
        folder.display()
    );
}

/// A message in its frame.
fn framed(message: &[u8]) -> Vec<u8> {
    let length = (message.len() as u64).to_le_bytes();
    let mut record = Vec::with_capacity(message.len() + 16);
    record.extend(length);
    record.extend(masked_crc(&length).to_le_bytes());
    record.extend_from_slice(message);
    record.extend(masked_crc(message).to_le_bytes());
    record
}

/// A checksum that is not that of bytes which hold one themselves.
fn masked_crc(bytes: &[u8]) -> u32 {
    let crc = crc32c::crc32c(bytes);
    crc.rotate_right(15).wrapping_add(0xa282_ead8)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every event file of TensorFlow begins with these bytes: a message of 24, and the checksum of that number.
    #[test]
    fn the_first_frame_is_tensorflows() {
        let folder = tempfile::tempdir().unwrap();
        let events = Events::create(folder.path(), 2.0).unwrap();
        let bytes = fs::read(events.path()).unwrap();
        assert_eq!(bytes[..12], *b"\x18\0\0\0\0\0\0\0\xa3\x7f\x4b\x22");
        assert_eq!(bytes[12..21], *b"\x09\0\0\0\0\0\0\0\x40");
        assert_eq!(bytes[21..36], *b"\x1a\x0dbrain.Event:2");
        assert_eq!(bytes.len(), 12 + 24 + 4);
    }

    /// The check value of CRC-32C is that of "123456789"; masked, it is what TensorBoard's own package says.
    #[test]
    fn checksums_are_turned_and_moved() {
        assert_eq!(crc32c::crc32c(b"123456789"), 0xE306_9283);
        assert_eq!(masked_crc(b"123456789"), 0xC78A_B0E5);
    }

    #[test]
    fn a_scalar_is_these_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let mut events = Events::create(folder.path(), 0.0).unwrap();
        events.scalar("a/b", 300, 0.5, 2.0).unwrap();
        events.flush().unwrap();
        let bytes = fs::read(events.path()).unwrap();
        let message =
            b"\x09\0\0\0\0\0\0\0\x40\x10\xac\x02\x2a\x0c\x0a\x0a\x0a\x03a/b\x15\0\0\0\x3f";
        assert_eq!(bytes[40..], framed(message));
    }

    #[test]
    fn a_run_that_goes_on_has_a_file_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("new/place");
        let names = [7.9, 7.1, 8.0].map(|second| {
            let events = Events::create(&place, second).unwrap();
            events.path().file_name().unwrap().to_owned()
        });
        let expected = ["0000000007.isochrone.000", "0000000007.isochrone.001"];
        assert_eq!(names[0], *format!("events.out.tfevents.{}", expected[0]));
        assert_eq!(names[1], *format!("events.out.tfevents.{}", expected[1]));
        assert!(names.is_sorted());
        fs::write(folder.path().join("file"), "").unwrap();
        let refused = Events::create(&folder.path().join("file"), 0.0).unwrap_err();
        assert!(refused.to_string().starts_with("cannot make "), "{refused}");
    }
}
