//! Files of JSON lines that grow with a run, and are cut back to where its checkpoint knows them.

use anyhow::{Context, Result, bail};
use serde::Serialize;
use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::PathBuf;

/// What is kept of a file that is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Everything: what depends on the clock cannot be written again.
    All,
    /// As much as a checkpoint knows of: what a stopped run wrote after it is written again.
    Bytes(u64),
}

/// An open file.
#[derive(Debug)]
pub struct JsonLines {
    path: PathBuf,
    file: File,
}

impl JsonLines {
    /// Creates a file, or appends to it.
    pub fn open(path: PathBuf, keep: Keep) -> Result<Self> {
        let name = path.display();
        let options = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path);
        let mut file = options.with_context(|| format!("cannot write {name}"))?;
        if let Keep::Bytes(known) = keep {
            let there = file.metadata()?.len();
            if there < known {
                bail!(
                    "{name} has {there} bytes, the checkpoint knows of {known}: the folder is not as the run left it"
                );
            }
            file.set_len(known)?;
        }
        file.seek(SeekFrom::End(0))?;
        Ok(Self { path, file })
    }

    /// One more line, handed to the system at once.
    pub fn add(&mut self, line: &impl Serialize) -> Result<()> {
        let line = serde_json::to_string(line)? + "\n";
        let written = self.file.write_all(line.as_bytes());
        written.with_context(|| format!("cannot write {}", self.path.display()))
    }

    /// Makes sure that everything is on the disk; how many bytes that is.
    pub fn sync(&mut self) -> Result<u64> {
        self.file.sync_data()?;
        Ok(self.file.stream_position()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_checkpoint_knows_is_written_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let mut lines = JsonLines::open(path.clone(), Keep::Bytes(0)).unwrap();
        lines.add(&1).unwrap();
        let known = lines.sync().unwrap();
        lines.add(&2).unwrap();
        drop(lines);
        let mut lines = JsonLines::open(path.clone(), Keep::Bytes(known)).unwrap();
        lines.add(&3).unwrap();
        drop(lines);
        JsonLines::open(path.clone(), Keep::All)
            .unwrap()
            .add(&4)
            .unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "1\n3\n4\n");
        let refused = JsonLines::open(path, Keep::Bytes(7)).unwrap_err();
        assert!(refused.to_string().contains("has 6 bytes"), "{refused}");
    }
}
