//! Heat maps of a maze with lines of equal time.

use isochrone::maze::{Cell, Maze};
use isochrone_figures::{ColourBar, ColourScale, Figure, Heat, Panel};

/// Lines between the darkest and the brightest colour.
const N_LINES: usize = 8;

/// Whether lines of equal value are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isochrones {
    /// At round values.
    Round,
    /// Not at all.
    Never,
}

/// Values by state, seen from above, with isochrones at round values.
pub fn heat_map(
    title: &str,
    label: &str,
    maze: &Maze,
    values: &[f64],
    centre: usize,
    lines: Isochrones,
) -> Figure {
    let cells = maze.lay_out(values);
    let Cell { column, row } = maze.cell(centre);
    let largest = values.iter().copied().fold(0.0, f64::max);
    let contours = match lines {
        Isochrones::Round => round_levels(largest),
        Isochrones::Never => Vec::new(),
    };
    Figure {
        title: title.to_owned(),
        columns: 1,
        panels: vec![Panel::Heat(Heat {
            title: String::new(),
            x_label: "column".to_owned(),
            y_label: "row".to_owned(),
            columns: maze.columns(),
            colour: ColourScale {
                label: label.to_owned(),
                low: 0.0,
                high: if largest > 0.0 { largest } else { 1.0 },
                bar: ColourBar::Below,
            },
            values: cells,
            contours,
            marker: Some((column, row)),
        })],
    }
}

/// Multiples of 1, 2 or 5 times a power of ten, about eight of them below `largest`.
pub fn round_levels(largest: f64) -> Vec<f64> {
    if !largest.is_finite() || largest <= 0.0 {
        return Vec::new();
    }
    let rough = largest / N_LINES as f64;
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .map(|m| m * power)
        .into_iter()
        .find(|step| *step >= rough)
        .unwrap_or(rough);
    (1..=2 * N_LINES)
        .map(|k| k as f64 * step)
        .take_while(|level| *level < largest)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::round_levels;

    #[test]
    fn levels_are_round_and_few() {
        assert_eq!(round_levels(126.7), [20.0, 40.0, 60.0, 80.0, 100.0, 120.0]);
        assert_eq!(round_levels(0.9).len(), 4);
        assert!(round_levels(0.0).is_empty() && round_levels(f64::NAN).is_empty());
        for largest in [1e-300, 3.0, 7e12, 1e300] {
            assert!((2..=10).contains(&round_levels(largest).len()), "{largest}");
        }
    }
}
