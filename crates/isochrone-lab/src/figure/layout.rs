//! Where panels go: equal columns and rows, plots aligned within them.

use super::canvas::{Canvas, Rect};
use super::text::{self, Align, LABEL, NARROW_TITLE, PANEL_TITLE};

/// The height of a line of small text.
pub(super) const LINE_HEIGHT: f64 = 16.0;
/// The length of the short line at a tick.
pub(super) const TICK_LENGTH: f64 = 4.0;
/// Plots narrower than this have smaller titles, so that those of a row are alike.
const NARROW: f64 = 200.0;
/// Between neighbouring panels.
const GAP: f64 = 14.0;

/// The room a panel takes: its plot and the margins around it, in units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Room {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Room {
    /// The height of the title and of the name of the y axis.
    pub(super) fn heading(title: &str, y_label: &str) -> f64 {
        let title = if title.is_empty() { 0.0 } else { 20.0 };
        title + Self::line(y_label) + 6.0
    }

    /// The height of a line of text: nothing when it is empty.
    pub(super) fn line(content: &str) -> f64 {
        if content.is_empty() { 0.0 } else { LINE_HEIGHT }
    }
}

/// How large plots are, in units: smaller the more of them share a row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    /// Width and height of a panel of curves.
    pub(super) lines: (f64, f64),
    /// The longer side of a grid.
    pub(super) heat: f64,
}

impl Sizes {
    /// The sizes for this many panels in a row.
    pub(super) fn of(columns: usize) -> Self {
        match columns {
            0 | 1 => Self {
                lines: (540.0, 320.0),
                heat: 500.0,
            },
            2 => Self {
                lines: (380.0, 250.0),
                heat: 360.0,
            },
            3 => Self {
                lines: (300.0, 210.0),
                heat: 260.0,
            },
            4 => Self {
                lines: (250.0, 180.0),
                heat: 190.0,
            },
            _ => Self {
                lines: (220.0, 160.0),
                heat: 130.0,
            },
        }
    }
}

/// The title above a plot and the name of its y axis above the axis.
pub(super) fn draw_headings(
    canvas: &mut Canvas,
    title: &str,
    y_label: &str,
    plot: Rect,
    room: Room,
) {
    let label_base = plot.y - 8.0;
    let title_base = label_base - Room::line(y_label) - if y_label.is_empty() { 0.0 } else { 2.0 };
    let whole = room.left + plot.width + room.right;
    let title_tone = if plot.width < NARROW {
        NARROW_TITLE
    } else {
        PANEL_TITLE
    };
    let (words, tone) = text::fit(
        title,
        title_tone,
        plot.width + 2.0 * room.left.min(room.right),
    );
    canvas.text(
        (plot.x + plot.width / 2.0, title_base),
        &words,
        tone,
        Align::Middle,
    );
    let (words, tone) = text::fit(y_label, LABEL, whole);
    canvas.text((plot.x - room.left, label_base), &words, tone, Align::Start);
}

/// The places of all plots and the size of the block they form.
pub(super) struct Layout {
    /// The plot of each panel, in reading order.
    pub(super) plots: Vec<Rect>,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Layout {
    /// Lays panels out in rows of `columns`, the block's corner at the origin.
    pub(super) fn of(rooms: &[Room], columns: usize) -> Self {
        let columns = columns.clamp(1, rooms.len().max(1));
        let in_column = |column: usize| rooms.iter().skip(column).step_by(columns);
        let across = (0..columns).map(|column| {
            let panels = in_column(column);
            let before = panels.clone().map(|room| room.left).fold(0.0, f64::max);
            (
                before,
                panels
                    .map(|room| room.width + room.right)
                    .fold(0.0, f64::max),
            )
        });
        let down = rooms.chunks(columns).map(|panels| {
            let before = panels.iter().map(|room| room.top).fold(0.0, f64::max);
            (
                before,
                panels
                    .iter()
                    .map(|room| room.height + room.bottom)
                    .fold(0.0, f64::max),
            )
        });
        let (lefts, width) = stacked(across);
        let (tops, height) = stacked(down);
        let plot = |(index, room): (usize, &Room)| Rect {
            x: lefts[index % columns],
            y: tops[index / columns],
            width: room.width,
            height: room.height,
        };
        Self {
            plots: rooms.iter().enumerate().map(plot).collect(),
            width,
            height,
        }
    }
}

/// Where each plot starts when strips of (margin before, rest) follow one another,
/// and the length of all. Starts are whole units, so that plots keep sharp edges.
fn stacked(strips: impl Iterator<Item = (f64, f64)>) -> (Vec<f64>, f64) {
    let mut end = 0.0;
    let mut starts = Vec::new();
    for (before, rest) in strips {
        let gap = if starts.is_empty() { 0.0 } else { GAP };
        let start = (end + gap + before).ceil();
        starts.push(start);
        end = start + rest;
    }
    (starts, end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room(left: f64, height: f64) -> Room {
        Room {
            left,
            right: 1.0,
            top: 5.0,
            bottom: 2.0,
            width: 10.0,
            height,
        }
    }

    #[test]
    fn plots_align_within_columns_and_rows_and_never_overlap() {
        let rooms = [
            room(3.0, 10.0),
            room(30.0, 20.0),
            room(8.0, 10.0),
            room(2.0, 10.0),
            room(1.0, 1.0),
        ];
        let layout = Layout::of(&rooms, 2);
        let x = |index: usize| layout.plots[index].x;
        assert!((x(0) - x(2)).abs() < 1e-9 && (x(1) - x(3)).abs() < 1e-9);
        assert!(x(1) - 30.0 >= x(0) + 11.0);
        assert!(layout.plots[2].y >= layout.plots[1].bottom() + 7.0);
        assert!(layout.width >= x(1) + 11.0);
    }

    #[test]
    fn more_columns_than_panels_take_no_room() {
        let alone = Layout::of(&[room(1.0, 1.0)], usize::MAX);
        assert!((alone.width - 12.0).abs() < 1e-9);
    }
}
