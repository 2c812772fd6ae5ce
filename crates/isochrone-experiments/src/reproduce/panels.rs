//! Panels, series, maps and tables that several figures have in common.

use isochrone_figures::{ColourBar, ColourScale, Heat, Lines, Panel, Series, Stroke};

/// A panel of curves; labels are those of x and y.
pub(super) fn lines(title: impl Into<String>, labels: [&str; 2], series: Vec<Series>) -> Panel {
    Panel::Lines(Lines {
        title: title.into(),
        x_label: labels[0].to_owned(),
        y_label: labels[1].to_owned(),
        series,
        ..Lines::default()
    })
}

pub(super) fn series(name: &str, points: Vec<(f64, f64)>, style: Stroke) -> Series {
    Series {
        name: name.to_owned(),
        points,
        style,
        ..Series::default()
    }
}

/// The diagonal on which a learned distance would be exact.
pub(super) fn diagonal(name: &str, low: f64, high: f64) -> Series {
    series(name, vec![(low, low), (high, high)], Stroke::Dashed)
}

/// Learned distances against the truth, with the diagonal.
pub(super) fn scatter(
    title: impl Into<String>,
    labels: [&str; 2],
    points: Vec<(f64, f64)>,
    equal: &str,
) -> Panel {
    let most = points.iter().map(|p| p.0).fold(0.0, f64::max);
    let cloud = series("", points, Stroke::PointsOnly);
    lines(title, labels, vec![cloud, diagonal(equal, 0.0, most)])
}

/// Values over a square grid of `columns` × `columns` cells, without axes; `marker` is a column and a row.
pub(super) fn map(
    title: impl Into<String>,
    columns: usize,
    values: Vec<Option<f64>>,
    colour: ColourScale,
    contours: Vec<f64>,
    marker: (usize, usize),
) -> Panel {
    Panel::Heat(Heat {
        title: title.into(),
        x_label: String::new(),
        y_label: String::new(),
        columns,
        values,
        colour,
        contours,
        marker: Some(marker),
    })
}

/// Colours from 0 to `high`.
pub(super) fn colours_to(high: f64, label: &str, bar: ColourBar) -> ColourScale {
    ColourScale {
        label: label.to_owned(),
        low: 0.0,
        high,
        bar,
    }
}

/// The levels that divide `low…high` into `parts` equal parts.
pub(super) fn levels(low: f64, high: f64, parts: u32) -> Vec<f64> {
    let level = |k| low + f64::from(k) * (high - low) / f64::from(parts);
    (1..parts).map(level).collect()
}

/// A table as CSV text: the header, and a line for each row.
pub(super) fn csv(header: &str, rows: impl IntoIterator<Item = String>) -> String {
    let lines = std::iter::once(header.to_owned()).chain(rows);
    lines.map(|line| line + "\n").collect()
}
