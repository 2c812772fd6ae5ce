//! Writing: files whole or not at all, figures by their ending, text to the terminal.

use crate::figure::Figure;
use anyhow::{Context, Result, bail};
use std::fs;
use std::io::Write;
use std::path::Path;

/// Pixels per unit of length in PNG files: sharp in print.
const PNG_SCALE: f64 = 2.0;

/// Writes a file beside its place and moves it there, so that no half-written file is ever seen.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let context = || format!("cannot write {}", path.display());
    if let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        fs::create_dir_all(folder).with_context(context)?;
    }
    let mut name = path.file_name().with_context(context)?.to_owned();
    name.push(".partial");
    let partial = path.with_file_name(name);
    let mut file = fs::File::create(&partial).with_context(context)?;
    file.write_all(bytes).with_context(context)?;
    file.sync_all().with_context(context)?;
    fs::rename(&partial, path).with_context(context)
}

/// Draws to `.svg` or `.png`, as the name says.
pub(crate) fn draw(path: &Path, figure: &Figure) -> Result<()> {
    let ending = path
        .extension()
        .and_then(|e| e.to_str())
        .unwrap_or_default();
    let bytes = match ending {
        "svg" => figure.to_svg()?.into_bytes(),
        "png" => figure.to_png(PNG_SCALE)?,
        other => bail!(
            "{}: figures are written as .svg or .png, not `.{other}`",
            path.display()
        ),
    };
    write(path, &bytes)
}

/// Prints to standard output; a closed pipe is an error the caller can tell apart.
pub(crate) fn print(text: &str) -> Result<()> {
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(())
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
