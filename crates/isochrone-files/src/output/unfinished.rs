//! Files whole or not at all.

use anyhow::{Context, Result, bail};
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// How names of unfinished files end.
pub const PARTIAL: &str = ".partial";

/// A file that is written beside its place and gets its name when it is whole, so that no half-written file is ever
/// seen. Dropped before that, nothing is left of it. Two that are written at once do not meet: the later one stays. What
/// is there and is no file (a pipe, a device) is written to as it is.
#[derive(Debug)]
pub struct Unfinished {
    file: File,
    path: PathBuf,
    /// Where it is as yet; `None` if that is its place.
    partial: Option<PathBuf>,
}

impl Unfinished {
    /// Begins a file.
    pub fn create(path: &Path) -> Result<Self> {
        let context = || format!("cannot write {}", path.display());
        if path.exists() && !path.is_file() {
            let file = OpenOptions::new().write(true).open(path);
            return Ok(Self {
                file: file.with_context(context)?,
                path: path.to_owned(),
                partial: None,
            });
        }
        if path.file_name().is_none() {
            bail!("cannot write {}: it names no file", path.display());
        }
        make_folder(path)?;
        // A link stays one, and what it leads to is replaced.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let (file, partial) = beside(&path).with_context(context)?;
        Ok(Self {
            file,
            path,
            partial: Some(partial),
        })
    }

    /// Moves the file to its place.
    pub fn finish(mut self) -> Result<()> {
        let Some(partial) = &self.partial else {
            return Ok(self.file.flush()?);
        };
        let moved = self.file.sync_all();
        let moved = moved.and_then(|()| fs::rename(partial, &self.path));
        moved.with_context(|| format!("cannot write {}", self.path.display()))?;
        self.partial = None;
        Ok(())
    }
}

/// A new temporary file beside this one, with a unique name.
fn beside(path: &Path) -> std::io::Result<(File, PathBuf)> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    loop {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}-{count}{PARTIAL}", std::process::id()));
        let partial = path.with_file_name(name);
        let opened = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&partial);
        match opened {
            // Left by a process that had this number before, or by one on another machine.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            opened => return opened.map(|file| (file, partial)),
        }
    }
}

impl Write for Unfinished {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(partial) = &self.partial {
            // Removes the temporary file of a failed write; a second error here is ignored.
            let _ = fs::remove_file(partial);
        }
    }
}

fn make_folder(path: &Path) -> Result<()> {
    let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    else {
        return Ok(());
    };
    if folder.exists() && !folder.is_dir() {
        bail!(
            "cannot write {}: {} is not a folder",
            path.display(),
            folder.display()
        );
    }
    fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    #[test]
    fn writers_of_one_file_do_not_meet() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        fs::write(folder.path().join("a.csv.partial"), "somebody's").unwrap();
        let [mut one, mut other, broken] = [0; 3].map(|_| Unfinished::create(&path).unwrap());
        one.write_all(b"first, and longer").unwrap();
        other.write_all(b"second").unwrap();
        other.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        one.write_all(b" than the other").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        one.finish().unwrap();
        assert_eq!(
            fs::read(&path).unwrap(),
            b"first, and longer than the other"
        );
        drop(broken);
        assert_eq!(names(folder.path()), ["a.csv", "a.csv.partial"]);
        assert_eq!(
            fs::read(folder.path().join("a.csv.partial")).unwrap(),
            b"somebody's"
        );
    }

    #[cfg(unix)]
    #[test]
    fn links_and_pipes_stay_what_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let [real, link, pipe] =
            ["real.csv", "link.csv", "pipe.csv"].map(|name| folder.path().join(name));
        fs::write(&real, "old").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let mut file = Unfinished::create(&link).unwrap();
        file.write_all(b"new").unwrap();
        file.finish().unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read(&real).unwrap(), b"new");
        assert!(
            Command::new("mkfifo")
                .arg(&pipe)
                .status()
                .unwrap()
                .success()
        );
        let reader = {
            let pipe = pipe.clone();
            std::thread::spawn(move || fs::read(pipe).unwrap())
        };
        let mut file = Unfinished::create(&pipe).unwrap();
        file.write_all(b"through").unwrap();
        file.finish().unwrap();
        assert_eq!(reader.join().unwrap(), b"through");
        assert!(pipe.exists() && !pipe.is_file());
    }
}
