//! A drawing: plots on common axes with their titles, and the room they take.

use crate::colour::{GRID, INK};
use crate::text;
use kuva::render::layout::{ComputedLayout, Layout};
use kuva::render::plots::Plot;
use kuva::render::theme::Theme;

/// The typefaces asked of an SVG viewer; the PNG always uses the built-in `DejaVu Sans`.
const FONT_FAMILY: &str = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif";
const TITLE_SIZE: u32 = 13;
const LABEL_SIZE: u32 = 12;
pub(crate) const SMALL_SIZE: u32 = 11;
/// Titles and names may be longer than their plot by this much, in units.
const OVERHANG: f64 = 30.0;
/// No text is wrapped to less than this width, in units.
const MOST_WRAPPED: f64 = 120.0;

/// Plots on common axes, and the room they take in units.
pub(crate) struct Drawing {
    pub(crate) plots: Vec<Plot>,
    pub(crate) layout: Layout,
    /// Width and height of the plot inside its axes.
    pub(crate) size: (f64, f64),
    /// The definition of an image that the plots refer to.
    pub(crate) image: Option<String>,
}

/// The room around a plot: left, right, above, below.
#[derive(Clone, Copy)]
pub(crate) struct Margins(
    pub(crate) f64,
    pub(crate) f64,
    pub(crate) f64,
    pub(crate) f64,
);

impl Drawing {
    pub(crate) fn new(plots: Vec<Plot>, layout: Layout, size: (f64, f64)) -> Self {
        let theme = Theme {
            axis_color: INK.into(),
            tick_color: INK.into(),
            text_color: INK.into(),
            grid_color: GRID.into(),
            show_grid: layout.show_grid,
            ..Theme::light()
        };
        let layout = layout
            .with_theme(theme)
            .with_font_family(FONT_FAMILY)
            .with_label_size(LABEL_SIZE)
            .with_tick_size(SMALL_SIZE)
            .with_body_size(SMALL_SIZE);
        Self {
            plots,
            layout,
            size,
            image: None,
        }
    }

    /// With a title and the names of its axes, wrapped to its size; empty ones take no room.
    pub(crate) fn titled(self, title: &str, x_label: &str, y_label: &str) -> Self {
        let (width, height) = self.size;
        let room = |length: f64| (length + OVERHANG).max(MOST_WRAPPED);
        let mut layout = self
            .layout
            .with_title_size(TITLE_SIZE)
            .with_title_wrap(text::letters(room(width), TITLE_SIZE))
            .with_x_label_wrap(text::letters(room(width), LABEL_SIZE))
            .with_y_label_wrap(text::letters(room(height), LABEL_SIZE));
        let named = |name: &str| Some(text::printable(name)).filter(|name| !name.is_empty());
        layout.title = named(title);
        layout.x_label = named(x_label);
        layout.y_label = named(y_label);
        Self { layout, ..self }
    }

    pub(crate) fn margins(&self) -> Margins {
        if self
            .plots
            .iter()
            .all(|plot| matches!(plot, Plot::LegendPlot(_)))
        {
            return Margins(0.0, 0.0, 4.0, 4.0);
        }
        let room = ComputedLayout::from_layout(&self.layout);
        Margins(
            room.margin_left,
            room.margin_right,
            room.margin_top,
            // The plotting crate leaves more between the numbers and the name of the x axis.
            room.margin_bottom - 6.0,
        )
    }

    /// Fills a cell of the sheet, its plot at the given corner.
    pub(crate) fn placed(mut self, left: f64, top: f64, cell: (f64, f64)) -> Self {
        let Margins(.., below) = self.margins();
        let bottom = cell.1 - top - self.size.1;
        self.layout.force_margin_left = Some(left);
        self.layout.force_margin_right = Some(cell.0 - left - self.size.0);
        self.layout.force_margin_top = Some(top);
        self.layout.force_margin_bottom = Some(bottom);
        // The name of the x axis stands at the foot of the cell: back to the axis.
        self.layout.x_label_offset = (0.0, below - bottom);
        self
    }
}
