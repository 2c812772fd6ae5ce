//! Grids as pictures: one palette entry per cell, for grids too large to draw cell by cell.

use super::canvas::Rect;
use super::colour::{INK, PAPER, Rgb, SHADES, WALL, contrast, shade, shade_colour};
use super::contour::as_units;
use super::error::FigureError;
use super::heat::Heat;

/// The most cells drawn as single shapes; larger grids become an image.
const MOST_SHAPES: usize = 10_000;
/// The most cells kept along one side of an image; beyond it, every n-th is kept.
const MOST_SIDE: usize = 1500;

const WALL_ENTRY: u8 = SHADES;
const DARK_LINE_ENTRY: u8 = SHADES + 1;
const BRIGHT_LINE_ENTRY: u8 = SHADES + 2;

/// Whether the grid is drawn as an image rather than as single cells.
pub(super) fn is_image(heat: &Heat) -> bool {
    heat.values.len() > MOST_SHAPES
}

/// A grid with one palette entry per cell.
pub(super) struct Raster {
    pub(super) columns: usize,
    pub(super) rows: usize,
    entries: Vec<u8>,
}

impl Raster {
    /// The colours of the cells. In an image, isochrones are the cells just
    /// below the level that border a cell at or above it.
    pub(super) fn of(heat: &Heat) -> Self {
        let stride = heat.columns.max(heat.rows()).div_ceil(MOST_SIDE).max(1);
        let (columns, rows) = (heat.columns.div_ceil(stride), heat.rows().div_ceil(stride));
        let mut entries = Vec::with_capacity(columns * rows);
        for row in 0..rows {
            for column in 0..columns {
                entries.push(cell_entry(heat, column * stride, row * stride, stride));
            }
        }
        Self {
            columns,
            rows,
            entries,
        }
    }

    /// The colour of a cell.
    pub(super) fn colour(&self, column: usize, row: usize) -> Rgb {
        entry_colour(
            self.entries
                .get(row * self.columns + column)
                .copied()
                .unwrap_or(WALL_ENTRY),
        )
    }

    /// Runs of equal cells in a row: first column, column after the last, colour.
    pub(super) fn runs(&self, row: usize) -> impl Iterator<Item = (usize, usize, Rgb)> {
        let cells = &self.entries[row * self.columns..(row + 1) * self.columns];
        let mut start = 0;
        cells.chunk_by(|one, next| one == next).map(move |run| {
            let first = start;
            start += run.len();
            (first, start, entry_colour(run[0]))
        })
    }

    /// An SVG image element that fills `area` with one hard-edged pixel per cell.
    pub(super) fn svg_image(&self, area: Rect) -> Result<String, FigureError> {
        let Rect {
            x,
            y,
            width,
            height,
        } = area;
        let data = base64(&self.png()?);
        Ok(format!(
            "<image x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" \
             preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" \
             href=\"data:image/png;base64,{data}\" />"
        ))
    }

    fn png(&self) -> Result<Vec<u8>, FigureError> {
        let refuse = |reason: String| FigureError::Encoding { reason };
        let side = |cells: usize| u32::try_from(cells).map_err(|error| refuse(error.to_string()));
        let palette = (0..=BRIGHT_LINE_ENTRY).flat_map(|entry| {
            let Rgb(red, green, blue) = entry_colour(entry);
            [red, green, blue]
        });
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, side(self.columns)?, side(self.rows)?);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_palette(palette.collect::<Vec<u8>>());
        let written = encoder
            .write_header()
            .and_then(|mut writer| writer.write_image_data(&self.entries));
        written.map_err(|error| refuse(error.to_string()))?;
        Ok(bytes)
    }
}

fn cell_entry(heat: &Heat, column: usize, row: usize, stride: usize) -> u8 {
    let Some(value) = heat.value(column, row) else {
        return WALL_ENTRY;
    };
    let shade = shade(value, heat.colour.low, heat.colour.high);
    if !is_image(heat) || heat.contours.is_empty() {
        return shade;
    }
    let neighbours = [
        heat.value(column + stride, row),
        heat.value(column, row + stride),
        column
            .checked_sub(stride)
            .and_then(|column| heat.value(column, row)),
        row.checked_sub(stride)
            .and_then(|row| heat.value(column, row)),
    ];
    let highest = neighbours.into_iter().flatten().fold(value, f64::max);
    if heat
        .contours
        .iter()
        .any(|level| value < *level && highest >= *level)
    {
        if contrast(shade) == INK {
            DARK_LINE_ENTRY
        } else {
            BRIGHT_LINE_ENTRY
        }
    } else {
        shade
    }
}

fn entry_colour(entry: u8) -> Rgb {
    match entry {
        WALL_ENTRY => WALL,
        DARK_LINE_ENTRY => INK,
        BRIGHT_LINE_ENTRY => PAPER,
        shade => shade_colour(shade),
    }
}

/// The part of a length that `count` of `total` cells take.
pub(super) fn portion(length: f64, count: usize, total: usize) -> f64 {
    length * as_units(count) / as_units(total.max(1))
}

/// Bytes as text, six bits to a letter.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for triple in bytes.chunks(3) {
        let byte = |index: usize| u32::from(triple.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * place)) as usize & 63];
            text.push(if place <= triple.len() {
                char::from(letter)
            } else {
                '='
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::heat::tests::grid;
    use super::*;

    #[test]
    fn base64_pads_as_the_standard_says() {
        assert_eq!(base64(b"Man"), "TWFu");
        assert_eq!(base64(b"Ma"), "TWE=");
        assert_eq!(base64(b"M"), "TQ==");
        assert_eq!(base64(b""), "");
    }

    #[test]
    fn runs_cover_each_row_once() {
        let raster = Raster::of(&grid(4, vec![None, None, Some(1.0), Some(2.0)]));
        let runs: Vec<(usize, usize)> = raster.runs(0).map(|run| (run.0, run.1)).collect();
        assert_eq!(runs, [(0, 2), (2, 3), (3, 4)]);
    }

    #[test]
    fn a_large_grid_is_thinned_to_a_bounded_image() {
        let raster = Raster::of(&grid(4000, vec![Some(1.0); 8000]));
        assert!(raster.columns <= MOST_SIDE);
        assert!(raster.png().is_ok());
    }
}
