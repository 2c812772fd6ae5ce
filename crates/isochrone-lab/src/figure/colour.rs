//! The colours of every figure: chosen once, readable in print and by colour-blind readers.

use kuva::plot::colormap::ColorMap;

/// Red, green and blue, each from 0 to 255.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rgb(pub(super) u8, pub(super) u8, pub(super) u8);

/// Text, axes, and what is drawn on bright cells.
pub(super) const INK: Rgb = Rgb(34, 34, 34);
/// The sheet, and what is drawn on dark cells.
pub(super) const PAPER: Rgb = Rgb(255, 255, 255);
/// Lines that guide the eye from an axis into the plot.
pub(super) const GRID: Rgb = Rgb(226, 226, 226);
/// Cells that no state occupies.
pub(super) const WALL: Rgb = Rgb(74, 74, 74);

/// Line colours after Okabe and Ito, distinct under every common colour blindness,
/// ordered so that neighbours also differ in lightness.
const LINE_COLOURS: [Rgb; 7] = [
    Rgb(0, 114, 178),
    Rgb(213, 94, 0),
    Rgb(0, 158, 115),
    Rgb(204, 121, 167),
    Rgb(86, 180, 233),
    Rgb(34, 34, 34),
    Rgb(230, 159, 0),
];

/// The colour of the line with this index; they repeat after seven.
pub(super) fn line_colour(index: usize) -> Rgb {
    LINE_COLOURS[index % LINE_COLOURS.len()]
}

/// How many shades of the colour map are told apart.
pub(super) const SHADES: u8 = 250;

/// The shade, below [`SHADES`], of a value on a scale from `low` to `high`.
///
/// Values beyond an end take that end's shade; on a scale of no width every
/// value takes the middle one.
pub(super) fn shade(value: f64, low: f64, high: f64) -> u8 {
    let part = if high > low {
        ((value - low) / (high - low)).clamp(0.0, 1.0)
    } else {
        0.5
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and SHADES - 1"
    )]
    let shade = (part * f64::from(SHADES - 1)).round() as u8;
    shade
}

/// The colour of a shade: viridis, even in lightness from dark violet to yellow.
pub(super) fn shade_colour(shade: u8) -> Rgb {
    let part = f64::from(shade) / f64::from(SHADES - 1);
    ColorMap::Viridis
        .map_rgb(part)
        .map_or(INK, |(red, green, blue)| Rgb(red, green, blue))
}

/// The colour that stands out on a shade.
pub(super) fn contrast(shade: u8) -> Rgb {
    if shade > SHADES / 5 * 3 { INK } else { PAPER }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_beyond_the_scale_take_its_ends() {
        assert_eq!(shade(-5.0, 0.0, 1.0), 0);
        assert_eq!(shade(5.0, 0.0, 1.0), SHADES - 1);
    }

    #[test]
    fn a_scale_of_no_width_shows_its_middle() {
        assert_eq!(shade(3.0, 3.0, 3.0), shade(0.5, 0.0, 1.0));
    }

    #[test]
    fn shades_run_from_dark_to_bright() {
        let lightness = |shade| {
            let Rgb(red, green, blue) = shade_colour(shade);
            u32::from(red) * 3 + u32::from(green) * 6 + u32::from(blue)
        };
        assert!((1..SHADES).all(|shade| lightness(shade) + 8 >= lightness(shade - 1)));
        assert!(lightness(SHADES - 1) > 3 * lightness(0));
    }
}
