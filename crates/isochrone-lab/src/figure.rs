//! Figures: curves and grids laid out on one sheet, as SVG text or PNG bytes.
//!
//! A figure is plain data. Nothing here reads or writes files, and the same
//! data always gives the same picture: the PNG carries its own typeface.

mod axis;
mod bar;
mod canvas;
mod cells;
mod colour;
mod contour;
mod curves;
mod dash;
mod error;
mod foot;
mod heat;
mod layout;
mod legend;
mod lines;
mod number;
mod overlay;
mod raster;
mod text;

pub use axis::Scale;
pub use error::FigureError;
pub use heat::{CellText, ColourBar, ColourScale, Heat};
pub use lines::{Lines, Mark, Series, Stroke};

use canvas::{Canvas, Medium, Rect};
use foot::Foot;
use layout::{Layout, Room, Sizes};

/// Around everything, in units.
const MARGIN: f64 = 14.0;
/// The height of the figure's title.
const TITLE_HEIGHT: f64 = 30.0;

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

impl Figure {
    /// The figure as SVG text: shapes and words that scale, with grids of more
    /// than ten thousand cells as embedded images of one pixel per cell.
    ///
    /// # Errors
    ///
    /// When the data cannot be drawn; the error says which and why.
    pub fn to_svg(&self) -> Result<String, FigureError> {
        Ok(self.drawn(Medium::Svg)?.into_svg())
    }

    /// The figure as PNG bytes, `pixels_per_unit` pixels to one SVG pixel: 2 suits print.
    ///
    /// # Errors
    ///
    /// When the data cannot be drawn, or not at this scale; the error says which and why.
    pub fn to_png(&self, pixels_per_unit: f64) -> Result<Vec<u8>, FigureError> {
        self.drawn(Medium::Png { pixels_per_unit })?
            .into_png(pixels_per_unit)
    }

    fn drawn(&self, medium: Medium) -> Result<Canvas, FigureError> {
        self.check()?;
        let sizes = Sizes::of(self.columns.min(self.panels.len()));
        let foot = Foot::of(self);
        let rooms: Vec<Room> = self
            .panels
            .iter()
            .map(|panel| panel.room(sizes, &foot))
            .collect();
        let layout = Layout::of(&rooms, self.columns);
        let top = MARGIN
            + if self.title.is_empty() {
                0.0
            } else {
                TITLE_HEIGHT
            };
        let below = top + layout.height;
        let width = layout.width + 2.0 * MARGIN;
        let mut canvas = Canvas::new(width, below + foot.height(layout.width) + MARGIN, medium);
        let (title, tone) = text::fit(&self.title, text::FIGURE_TITLE, layout.width);
        canvas.text(
            (width / 2.0, MARGIN + 16.0),
            &title,
            tone,
            text::Align::Middle,
        );
        for ((panel, room), plot) in self.panels.iter().zip(rooms).zip(layout.plots) {
            let plot = Rect {
                x: plot.x + MARGIN,
                y: plot.y + top,
                ..plot
            };
            panel.draw(&mut canvas, plot, room, &foot)?;
        }
        foot.draw(
            &mut canvas,
            Rect {
                x: MARGIN,
                y: below,
                width: layout.width,
                height: 0.0,
            },
        );
        Ok(canvas)
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

impl Panel {
    fn room(&self, sizes: Sizes, foot: &Foot) -> Room {
        match self {
            Self::Lines(lines) => curves::room(lines, sizes, foot.legend_place()),
            Self::Heat(heat) => cells::room(heat, sizes),
        }
    }

    fn draw(
        &self,
        canvas: &mut Canvas,
        plot: Rect,
        room: Room,
        foot: &Foot,
    ) -> Result<(), FigureError> {
        match self {
            Self::Lines(lines) => {
                curves::draw(canvas, lines, plot, room, foot.legend_place());
                Ok(())
            }
            Self::Heat(heat) => cells::draw(canvas, heat, plot, room),
        }
    }
}

#[cfg(test)]
mod tests;
