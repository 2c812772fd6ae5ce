//! Figures: curves and grids laid out on one sheet, as SVG text or PNG bytes.
//!
//! A figure is plain data, drawn by the plots of the crate `kuva`. Nothing here
//! reads or writes files, and the same data always gives the same bytes: the PNG
//! carries its own typeface.

mod cells;
mod colour;
mod contour;
mod curves;
mod dash;
mod drawing;
mod error;
mod heat;
mod image;
mod lines;
mod sheet;
mod text;

pub use colour::FLOOR_COLOUR;
pub use error::FigureError;
pub use heat::{ColourBar, ColourScale, Heat};
pub use lines::{Lines, Mark, Scale, Series, Stroke};

use kuva::RasterBackend;
use kuva::backend::svg::SvgBackend;

/// The largest picture drawn, in pixels: 400 MB of working memory.
const MOST_PIXELS: f64 = 1.0e8;

/// One picture: panels laid out in rows of `columns`.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Written above all panels; empty leaves no room for it.
    pub title: String,
    /// How many panels stand side by side.
    pub columns: usize,
    /// The panels in reading order.
    pub panels: Vec<Panel>,
}

/// One part of a figure.
#[derive(Debug, Clone, PartialEq)]
pub enum Panel {
    /// Curves over a common x axis.
    Lines(Lines),
    /// A grid of values.
    Heat(Heat),
}

/// What the figure becomes, for the few shapes that differ.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Medium {
    /// Scalable shapes; large grids become embedded images.
    Svg,
    /// Pixels.
    Png,
}

impl Figure {
    /// The figure as SVG text: shapes and words that scale, with grids of more
    /// than ten thousand cells as embedded images of one pixel per cell.
    ///
    /// # Errors
    ///
    /// When the data cannot be drawn; the error says which and why.
    pub fn to_svg(&self) -> Result<String, FigureError> {
        self.check()?;
        let scene = sheet::scene(self, Medium::Svg)?;
        let svg = SvgBackend::new().render_scene(&scene);
        // Without a view box, a viewer clips the picture instead of scaling it.
        let view = format!("<svg viewBox=\"0 0 {} {}\" ", scene.width, scene.height);
        Ok(svg.replacen("<svg ", &view, 1))
    }

    /// The figure as PNG bytes, `pixels_per_unit` pixels to one SVG pixel: 2 suits print.
    ///
    /// # Errors
    ///
    /// When the data cannot be drawn, or not at this scale; the error says which and why.
    pub fn to_png(&self, pixels_per_unit: f64) -> Result<Vec<u8>, FigureError> {
        self.check()?;
        let mut scene = sheet::scene(self, Medium::Png)?;
        dash::cut(&mut scene);
        let (width_units, height_units) = (scene.width, scene.height);
        let pixels = width_units * height_units * pixels_per_unit * pixels_per_unit;
        if !(1.0..=MOST_PIXELS).contains(&pixels) || pixels_per_unit <= 0.0 {
            return Err(FigureError::PixelCount {
                width_units,
                height_units,
                pixels_per_unit,
            });
        }
        RasterBackend::new()
            .with_scale(pixels_per_unit as f32)
            .render_scene(&scene)
            .map_err(|reason| FigureError::Encoding { reason })
    }

    fn check(&self) -> Result<(), FigureError> {
        if self.panels.is_empty() {
            return Err(FigureError::NoPanels);
        }
        if self.columns == 0 {
            return Err(FigureError::NoFigureColumns);
        }
        self.panels
            .iter()
            .zip(1..)
            .try_for_each(|(panel, number)| match panel {
                Panel::Lines(lines) => lines.check(),
                Panel::Heat(heat) => heat.check(number),
            })
    }
}

#[cfg(test)]
mod tests;
