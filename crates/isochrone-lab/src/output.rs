//! Writing: files whole or not at all, figures by their ending, text to the terminal.

mod unfinished;

pub(crate) use unfinished::{PARTIAL, Unfinished};

use crate::figure::Figure;
use anyhow::{Context, Result, bail};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Pixels per unit of length in PNG files: sharp in print.
const PNG_SCALE: f64 = 2.0;

/// Writes a file whole or not at all.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = Unfinished::create(path)?;
    let written = file.write_all(bytes);
    written.with_context(|| format!("cannot write {}", path.display()))?;
    file.finish()
}

/// Refuses a name that would lie about what is in the file. Pipes and devices have the names they have.
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
    const KINDS: &str =
        "isochrone onnx csv tsv txt json parquet npz npy pt pth bin svg png toml safetensors";
    let old = path.extension().and_then(|old| old.to_str());
    if old.is_some_and(|old| KINDS.split(' ').any(|kind| kind == old)) {
        return path.with_extension(ending);
    }
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}

/// Refuses a place where no file can be written, before anything is computed for it.
pub(crate) fn refuse_unwritable(path: &Path) -> Result<()> {
    if path.is_dir() {
        bail!("cannot write {}: it is a folder", path.display());
    }
    if path.exists() && !path.is_file() {
        return Ok(());
    }
    Unfinished::create(path).map(drop)
}

/// Refuses to write over what is read, or twice to the same place.
pub(crate) fn refuse_same_file(paths: &[Option<&PathBuf>]) -> Result<()> {
    let real = |path: &PathBuf| real_path(path).unwrap_or_else(|| path.clone());
    let named: Vec<&PathBuf> = paths.iter().copied().flatten().collect();
    for (at, path) in named.iter().enumerate() {
        if named[..at]
            .iter()
            .any(|earlier| real(earlier) == real(path))
        {
            bail!(
                "{} is named twice: it would be written over",
                path.display()
            );
        }
    }
    Ok(())
}

/// The one way to write a path: of a file that is not there yet, by its folder.
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

/// How a figure is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FigureFormat {
    Svg,
    Png,
}

impl FigureFormat {
    /// As the file's name says.
    pub(crate) fn of(path: &Path) -> Result<Self> {
        let ending = path
            .extension()
            .and_then(|e| e.to_str())
            .unwrap_or_default();
        match ending.to_ascii_lowercase().as_str() {
            "svg" => Ok(Self::Svg),
            "png" => Ok(Self::Png),
            _ => bail!(
                "cannot draw {}: the name must end in .svg or .png",
                path.display()
            ),
        }
    }
}

/// Draws to `.svg` or `.png`, as the name says.
pub(crate) fn draw(path: &Path, figure: &Figure) -> Result<()> {
    let bytes = match FigureFormat::of(path)? {
        FigureFormat::Svg => figure.to_svg()?.into_bytes(),
        FigureFormat::Png => figure.to_png(PNG_SCALE)?,
    };
    write(path, &bytes)
}

/// Prints to standard output; a closed pipe is an error the caller can tell apart.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut terminal = std::io::stdout().lock();
    let written = terminal
        .write_all(text.as_bytes())
        .and_then(|()| terminal.flush());
    written.context("cannot write to standard output")
}

/// Says on standard error what the user should know beside the result. The work goes on if nobody reads it.
pub(crate) fn warn(text: &str) {
    let _ = std::io::stderr().write_all(format!("isochrone: warning: {text}\n").as_bytes());
}

/// Says something beside the work, which goes on if nobody listens any more.
pub(crate) fn say(text: &str) {
    let _ = print(text);
}

/// Lines of columns under their headings: words start at the left, numbers end at the right.
pub(crate) fn table(headings: &[&str], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells
            .chain([headings[column].chars().count()])
            .max()
            .unwrap_or(0)
    };
    let has_words = |column: usize| {
        let letter = |c: char| c.is_alphabetic() && c != 'e';
        rows.iter().any(|row| row[column].contains(letter))
    };
    let columns: Vec<(usize, bool)> = (0..headings.len())
        .map(|c| (width(c), has_words(c)))
        .collect();
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let padded = cells.zip(&columns).map(|(cell, &(width, words))| {
            if words {
                format!("{cell:<width$}")
            } else {
                format!("{cell:>width$}")
            }
        });
        let line: Vec<String> = padded.collect();
        line.join("  ").trim_end().to_owned() + "\n"
    };
    let mut text = line(&mut headings.iter().copied());
    for row in rows {
        text += &line(&mut row.iter().map(String::as_str));
    }
    text
}

/// A number for people: five digits where they matter, no exponent in the usual range.
pub(crate) fn human(value: f64) -> String {
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
