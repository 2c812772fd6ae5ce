//! The colours of every figure: chosen once, readable in print and by colour-blind readers.

use kuva::plot::colormap::ColorMap;

/// Text, axes, and what is drawn on bright cells.
pub(crate) const INK: &str = "#222222";
/// The sheet, and what is drawn on dark cells.
pub(crate) const PAPER: &str = "#ffffff";
/// Lines that guide the eye from an axis into the plot.
pub(crate) const GRID: &str = "#e2e2e2";
/// Cells that no state occupies.
pub(crate) const WALL: &str = "#4a4a4a";

/// Line colours after Okabe and Ito, distinct under every common colour blindness,
/// ordered so that neighbours also differ in lightness.
const LINE_COLOURS: [&str; 7] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#222222", "#e69f00",
];

/// The index of the colour of a line that others are held against: black.
pub const FLOOR_COLOUR: usize = 5;

/// The colour of the line with this index; they repeat after seven.
pub(crate) fn line_colour(index: usize) -> &'static str {
    LINE_COLOURS[index % LINE_COLOURS.len()]
}

/// The share of a scale, from 0 to 1, below a value.
///
/// Values beyond an end take that end; on a scale of no width every value is in the middle.
pub(crate) fn share(value: f64, low: f64, high: f64) -> f64 {
    if high > low {
        ((value - low) / (high - low)).clamp(0.0, 1.0)
    } else {
        0.5
    }
}

/// The colour of a share: viridis, even in lightness from dark violet to yellow. NaN is a wall.
pub(crate) fn shade(share: f64) -> String {
    match ColorMap::Viridis.map_rgb(share) {
        Some((red, green, blue)) if !share.is_nan() => format!("#{red:02x}{green:02x}{blue:02x}"),
        _ => WALL.to_owned(),
    }
}

/// The colour that stands out on a share.
pub(crate) fn contrast(share: f64) -> &'static str {
    if share > 0.6 { INK } else { PAPER }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_beyond_the_scale_take_its_ends() {
        let shares = [-5.0, 5.0].map(|value| share(value, 0.0, 1.0).to_bits());
        assert_eq!(shares, [0.0_f64, 1.0].map(f64::to_bits));
    }

    #[test]
    fn a_scale_of_no_width_shows_its_middle() {
        assert_eq!(shade(share(3.0, 3.0, 3.0)), shade(0.5));
    }

    #[test]
    fn shades_run_from_dark_to_bright() {
        let lightness = |step: i32| {
            let colour = shade(f64::from(step) / 100.0);
            let part = |at: usize| i32::from_str_radix(&colour[at..at + 2], 16).expect("hex");
            part(1) * 3 + part(3) * 6 + part(5)
        };
        assert!((1..=100).all(|step| lightness(step) + 20 >= lightness(step - 1)));
        assert!(lightness(100) > 3 * lightness(0));
        assert_eq!(shade(f64::NAN), WALL);
    }
}
