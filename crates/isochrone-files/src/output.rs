//! Atomic writes, and checks of output names.

mod unfinished;

pub use unfinished::{PARTIAL, Unfinished};

use anyhow::{Context, Result, bail};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Writes a file atomically: whole or not at all.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = Unfinished::create(path)?;
    let written = file.write_all(bytes);
    written.with_context(|| format!("cannot write {}", path.display()))?;
    file.finish()
}

/// Returns an error for a file extension that does not match the content. Pipes and devices may have any name.
pub fn refuse_other_ending(path: &Path, ending: &str) -> Result<()> {
    if path.is_dir() {
        bail!("cannot write {}: it is a folder", path.display());
    }
    // What standard output is redirected to has a name of its own.
    let is_device = ["/dev", "/proc"].iter().any(|root| path.starts_with(root));
    if is_device || path.exists() && !path.is_file() {
        return Ok(());
    }
    let is_right = path
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case(ending));
    if !is_right {
        bail!(
            "{} does not end in .{ending}, which is what is written; name it {}",
            path.display(),
            with_ending(path, ending).display()
        );
    }
    Ok(())
}

/// The same name with this ending, in the place of one that names a kind of file, else behind the name.
fn with_ending(path: &Path, ending: &str) -> PathBuf {
    const KINDS: &str = "isochrone onnx csv tsv txt json parquet npz npy pt pth bin svg png toml safetensors pdf htm html";
    let old = path.extension().and_then(|old| old.to_str());
    if old.is_some_and(|old| KINDS.split(' ').any(|kind| kind == old)) {
        return path.with_extension(ending);
    }
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}

/// Checks that a file can be written there, before anything is computed for it.
pub fn refuse_unwritable(path: &Path) -> Result<()> {
    if path.is_dir() {
        bail!("cannot write {}: it is a folder", path.display());
    }
    if path.exists() && !path.is_file() {
        return Ok(());
    }
    Unfinished::create(path).map(drop)
}

/// Returns an error if an output would overwrite an input or another output.
pub fn refuse_same_file(paths: &[Option<&PathBuf>]) -> Result<()> {
    let real = |path: &PathBuf| real_path(path).unwrap_or_else(|| path.clone());
    let named: Vec<&PathBuf> = paths.iter().copied().flatten().collect();
    for (at, path) in named.iter().enumerate() {
        if named[..at]
            .iter()
            .any(|earlier| real(earlier) == real(path))
        {
            bail!("{} is named twice: it would be overwritten", path.display());
        }
    }
    Ok(())
}

/// The canonical form of a path; for a file that does not exist yet, by its folder.
fn real_path(path: &Path) -> Option<PathBuf> {
    if let Ok(real) = fs::canonicalize(path) {
        return Some(real);
    }
    let folder = match path.parent()? {
        folder if folder.as_os_str().is_empty() => Path::new("."),
        folder => folder,
    };
    Some(fs::canonicalize(folder).ok()?.join(path.file_name()?))
}

/// Formats a number for people: five significant digits, no exponent in the usual range.
pub fn human(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        "0".to_owned()
    } else if !(1e-4..1e9).contains(&size) {
        format!("{value:.3e}")
    } else {
        let decimals = (4 - size.log10().floor() as i32).clamp(0, 8) as usize;
        format!("{value:.decimals$}")
    }
}
