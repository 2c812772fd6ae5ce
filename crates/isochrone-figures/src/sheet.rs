//! The sheet: panels in rows, what explains them beneath, and a title above.

use kuva::plot::LegendPlot;
use kuva::plot::legend::LegendEntry;
use kuva::render::figure::Figure as Grid;
use kuva::render::layout::Layout;
use kuva::render::plots::Plot;
use kuva::render::render::{Primitive, Scene};

use crate::drawing::{Drawing, Margins, SMALL_SIZE};
use crate::error::FigureError;
use crate::heat::{ColourBar, ColourScale};
use crate::{Figure, Medium, Panel, cells, curves, text};

const FIGURE_TITLE_SIZE: u32 = 18;
/// The smallest letters still read in print.
const SMALLEST_SIZE: u32 = 8;
/// Around everything, and between panels, in units.
const PADDING: f64 = 10.0;
const SPACING: f64 = 6.0;
/// A line of the legend, and the room around an entry's name.
const LEGEND_LINE: f64 = 16.5;
const LEGEND_SAMPLE: f64 = 45.0;
/// The widest bar at the foot, and the least width of a sheet that may need one.
const WIDEST_BAR: f64 = 420.0;
const NARROWEST: f64 = 240.0;

/// The whole figure as shapes.
pub(crate) fn scene(figure: &Figure, medium: Medium) -> Result<Scene, FigureError> {
    let columns = figure.columns.min(figure.panels.len());
    let legend = shared_legend(figure);
    let mut rows = Vec::new();
    for (row, panels) in figure.panels.chunks(columns).enumerate() {
        let (above, below) = panel_row(panels, columns, medium, row, legend.as_ref())?;
        rows.push(above);
        if below.iter().any(Option::is_some) {
            rows.push(below);
        }
    }
    let mut sheet = Sheet::of(columns, &rows);
    for row in rows {
        sheet.add_row(row);
    }
    if let Some(entries) = legend.filter(|entries| !entries.is_empty()) {
        sheet.add_foot(legend_drawing(entries, sheet.width()));
    }
    for scale in shared_scales(figure) {
        sheet.add_foot(cells::bar(scale, &[], WIDEST_BAR.min(sheet.width() - 60.0)));
    }
    Ok(sheet.finished(&figure.title))
}

/// A drawing for each panel of a row, and one beneath for what explains it alone.
type PanelRow = (Vec<Option<Drawing>>, Vec<Option<Drawing>>);

fn panel_row(
    panels: &[Panel],
    columns: usize,
    medium: Medium,
    row: usize,
    shared_legend: Option<&Vec<LegendEntry>>,
) -> Result<PanelRow, FigureError> {
    let (lines_size, heat_side) = sizes(columns);
    let (mut above, mut below) = (Vec::new(), Vec::new());
    for (column, panel) in panels.iter().enumerate() {
        let (drawing, explained) = match panel {
            Panel::Lines(lines) => {
                let entries = curves::legend(&curves::looks(lines));
                let legend = (shared_legend.is_none() && !entries.is_empty())
                    .then(|| legend_drawing(entries, lines_size.0));
                (curves::drawing(lines, lines_size), legend)
            }
            Panel::Heat(heat) => {
                let drawing =
                    cells::drawing(heat, heat_side, medium, &format!("grid-{row}-{column}"))?;
                let bar = (heat.colour.bar == ColourBar::Below)
                    .then(|| cells::bar(&heat.colour, &heat.contours, drawing.size.0));
                (drawing, bar)
            }
        };
        above.push(Some(drawing));
        below.push(explained);
    }
    Ok((above, below))
}

/// Width and height of a panel of curves, and the longer side of a grid, in
/// units: smaller the more panels share a row.
fn sizes(columns: usize) -> ((f64, f64), f64) {
    match columns {
        0 | 1 => ((540.0, 320.0), 500.0),
        2 => ((380.0, 250.0), 360.0),
        3 => ((300.0, 210.0), 260.0),
        4 => ((250.0, 180.0), 190.0),
        _ => ((220.0, 160.0), 130.0),
    }
}

/// The legend that all panels of curves have in common, if there are several.
fn shared_legend(figure: &Figure) -> Option<Vec<LegendEntry>> {
    let looks = figure.panels.iter().filter_map(|panel| match panel {
        Panel::Lines(lines) => Some(curves::looks(lines)),
        Panel::Heat(_) => None,
    });
    let looks: Vec<_> = looks.collect();
    let common = looks.len() > 1 && looks.windows(2).all(|pair| pair[0] == pair[1]);
    common.then(|| curves::legend(&looks[0]))
}

/// The colour scales that panels share, each once.
fn shared_scales(figure: &Figure) -> Vec<&ColourScale> {
    let mut scales: Vec<&ColourScale> = Vec::new();
    for panel in &figure.panels {
        if let Panel::Heat(heat) = panel
            && heat.colour.bar == ColourBar::Shared
            && !scales.contains(&&heat.colour)
        {
            scales.push(&heat.colour);
        }
    }
    scales
}

/// Names in as many columns as fit the width.
fn legend_drawing(mut entries: Vec<LegendEntry>, width: f64) -> Drawing {
    for entry in &mut entries {
        entry.label = text::shortened(
            &entry.label,
            text::letters(width - LEGEND_SAMPLE, SMALL_SIZE),
        );
    }
    let name = |entry: &LegendEntry| text::width(&entry.label, SMALL_SIZE);
    let widest = entries.iter().map(name).fold(0.0, f64::max) + LEGEND_SAMPLE;
    let columns = ((width / widest) as usize).clamp(1, entries.len().max(1));
    let lines = entries.len().div_ceil(columns);
    let size = (widest * columns as f64, lines as f64 * LEGEND_LINE);
    let plot = LegendPlot::from_entries(entries)
        .with_cols(columns)
        .with_max_cols(columns)
        .without_box();
    Drawing::new(
        vec![Plot::LegendPlot(plot)],
        Layout::new((0.0, 1.0), (0.0, 1.0)),
        size,
    )
}

/// The drawings placed so far, row by row.
struct Sheet {
    /// For each column, the room left of its plots and its whole width.
    columns: Vec<(f64, f64)>,
    heights: Vec<f64>,
    structure: Vec<Vec<usize>>,
    drawings: Vec<Drawing>,
}

impl Sheet {
    /// Columns as wide as their widest drawings, whose plots all start at the same x.
    fn of(columns: usize, rows: &[Vec<Option<Drawing>>]) -> Self {
        let column = |index: usize| {
            let drawings = || rows.iter().filter_map(move |row| row.get(index)?.as_ref());
            let left = drawings()
                .map(|drawing| drawing.margins().0)
                .fold(0.0, f64::max)
                .ceil();
            let rest = drawings().map(|drawing| drawing.size.0 + drawing.margins().1);
            (left, left + rest.fold(0.0, f64::max).ceil())
        };
        let mut sheet = Self {
            columns: (0..columns).map(column).collect(),
            heights: Vec::new(),
            structure: Vec::new(),
            drawings: Vec::new(),
        };
        let missing = (NARROWEST - sheet.width()).max(0.0);
        if let Some((_, width)) = sheet.columns.last_mut() {
            *width += missing;
        }
        sheet
    }

    fn width(&self) -> f64 {
        let widths = self.columns.iter().map(|(_, width)| width);
        widths.sum::<f64>() + SPACING * (self.columns.len() as f64 - 1.0)
    }

    fn add_row(&mut self, row: Vec<Option<Drawing>>) {
        let margins = || {
            row.iter()
                .flatten()
                .map(|drawing| (drawing.size.1, drawing.margins()))
        };
        let top = margins()
            .map(|(_, Margins(_, _, top, _))| top)
            .fold(0.0, f64::max)
            .ceil();
        let rest = margins().map(|(height, Margins(.., bottom))| height + bottom);
        let height = top + rest.fold(0.0, f64::max).ceil();
        let first = self.heights.len() * self.columns.len();
        for (index, drawing) in row.into_iter().enumerate() {
            let Some(drawing) = drawing else { continue };
            let (left, width) = self.columns[index];
            self.structure.push(vec![first + index]);
            self.drawings
                .push(drawing.placed(left, top, (width, height)));
        }
        self.heights.push(height);
    }

    /// A drawing in the middle of a row of its own.
    fn add_foot(&mut self, drawing: Drawing) {
        let Margins(_, _, top, bottom) = drawing.margins();
        let cell = (self.width(), top + drawing.size.1 + bottom);
        let left = ((cell.0 - drawing.size.0) / 2.0).floor();
        let first = self.heights.len() * self.columns.len();
        self.structure
            .push((first..first + self.columns.len()).collect());
        self.drawings.push(drawing.placed(left, top, cell));
        self.heights.push(cell.1);
    }

    fn finished(self, title: &str) -> Scene {
        let width = self.width();
        let mut grid = Grid::new(self.heights.len(), self.columns.len())
            .with_structure(self.structure)
            .with_padding(PADDING)
            .with_spacing(SPACING);
        for (row, height) in self.heights.iter().enumerate() {
            grid = grid.with_row_height(row, *height);
        }
        for (column, (_, width)) in self.columns.iter().enumerate() {
            grid = grid.with_col_width(column, *width);
        }
        if !title.is_empty() {
            let title = text::printable(title);
            let fits = |size: &u32| text::width(&title, *size) <= width;
            let size = (SMALLEST_SIZE..=FIGURE_TITLE_SIZE)
                .rev()
                .find(fits)
                .unwrap_or(SMALLEST_SIZE);
            let title = text::shortened(&title, text::letters(width, size));
            grid = grid.with_title(title).with_title_size(size);
        }
        let (mut plots, mut layouts, mut images) = (Vec::new(), Vec::new(), Vec::new());
        for drawing in self.drawings {
            plots.push(drawing.plots);
            layouts.push(drawing.layout);
            images.extend(drawing.image);
        }
        let mut scene = grid.with_plots(plots).with_layouts(layouts).render();
        // Nothing reaches beyond its axes, and clips are numbered by a counter of the
        // process: the same figure would have other bytes the next time.
        let is_clip = |element: &Primitive| {
            matches!(element, Primitive::ClipStart { .. } | Primitive::ClipEnd)
        };
        scene.elements.retain(|element| !is_clip(element));
        scene.defs = images;
        (scene.width, scene.height) = (scene.width.ceil(), scene.height.ceil());
        scene
    }
}
