//! Figures by their ending, text to the terminal; files by [`isochrone_files::output`].

pub use isochrone_files::output::{
    Unfinished, human, refuse_other_ending, refuse_same_file, refuse_unwritable, write,
};

use anyhow::{Context, Result, bail};
use isochrone_figures::Figure;
use std::io::Write;
use std::path::Path;

/// Pixels per unit of length in PNG files: sharp in print.
const PNG_SCALE: f64 = 2.0;

/// How a figure is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FigureFormat {
    /// Vector graphics.
    Svg,
    /// Pixels.
    Png,
}

impl FigureFormat {
    /// As the file's name says.
    pub fn of(path: &Path) -> Result<Self> {
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
pub fn draw(path: &Path, figure: &Figure) -> Result<()> {
    let bytes = match FigureFormat::of(path)? {
        FigureFormat::Svg => figure.to_svg()?.into_bytes(),
        FigureFormat::Png => figure.to_png(PNG_SCALE)?,
    };
    write(path, &bytes)
}

/// Prints to standard output; a closed pipe is an error the caller can tell apart.
pub fn print(text: &str) -> Result<()> {
    let mut terminal = std::io::stdout().lock();
    let written = terminal
        .write_all(text.as_bytes())
        .and_then(|()| terminal.flush());
    written.context("cannot write to standard output")
}

/// Prints a warning to standard error. A failed write is ignored.
pub fn warn(text: &str) {
    let _ = std::io::stderr().write_all(format!("isochrone: warning: {text}\n").as_bytes());
}

/// Prints a message; a closed terminal does not stop the work.
pub fn say(text: &str) {
    let _ = print(text);
}

/// Lines of columns under their headings: words start at the left, numbers end at the right.
pub fn table(headings: &[&str], rows: &[Vec<String>]) -> String {
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
