//! The bar that explains a colour scale.

use super::axis::{Axis, Tick};
use super::canvas::{Canvas, Rect};
use super::colour::{INK, SHADES, contrast, shade, shade_colour};
use super::heat::ColourScale;
use super::layout::{LINE_HEIGHT, TICK_LENGTH};
use super::number::written;
use super::text::{self, Align, LABEL, SMALL};

const THICKNESS: f64 = 12.0;
/// The height of a bar with its numbers and its label.
pub(super) const BAR_HEIGHT: f64 = THICKNESS + TICK_LENGTH + 2.0 * LINE_HEIGHT + 2.0;
/// One number for about this many units of bar.
const TICK_EVERY: f64 = 60.0;

/// Draws the bar along the top of `area`, numbers and label beneath; each
/// isochrone is a line across it.
pub(super) fn draw(canvas: &mut Canvas, scale: &ColourScale, contours: &[f64], area: Rect) {
    let bar = Rect {
        height: THICKNESS,
        ..area
    };
    let step = bar.width / f64::from(SHADES);
    canvas.fill_crisp((0..SHADES).map(|shade| {
        let x = bar.x + f64::from(shade) * step;
        // Each shade reaches under the next, so that no seam shows.
        let width = (step * 2.0).min(bar.right() - x);
        (
            Rect { x, width, ..bar },
            shade_colour(if scale.high > scale.low {
                shade
            } else {
                SHADES / 2
            }),
        )
    }));
    let (axis, ticks) = axis(scale, bar.width);
    for level in contours
        .iter()
        .filter(|level| (scale.low..=scale.high).contains(*level))
    {
        let x = bar.x + axis.share(*level) * bar.width;
        let colour = contrast(shade(*level, scale.low, scale.high));
        canvas.segment((x, bar.y), (x, bar.bottom()), colour, 1.2);
    }
    canvas.frame(bar, INK, 1.0);
    for Tick { value, label } in ticks {
        let x = bar.x + axis.share(value) * bar.width;
        canvas.segment((x, bar.bottom()), (x, bar.bottom() + TICK_LENGTH), INK, 1.0);
        canvas.text(
            (x, bar.bottom() + TICK_LENGTH + 12.0),
            &label,
            SMALL,
            Align::Middle,
        );
    }
    let base = bar.bottom() + TICK_LENGTH + LINE_HEIGHT + 12.0;
    let (label, tone) = text::fit(&scale.label, LABEL, bar.width);
    canvas.text((bar.x + bar.width / 2.0, base), &label, tone, Align::Middle);
}

/// The scale as an axis; a scale of no width has its one value in the middle.
fn axis(scale: &ColourScale, width: f64) -> (Axis, Vec<Tick>) {
    if scale.high > scale.low {
        let axis = Axis::exactly(scale.low, scale.high);
        let wanted = if width > 4.0 * TICK_EVERY { 6 } else { 3 };
        return (axis, axis.ticks(wanted));
    }
    let around = scale.low.abs().max(1.0);
    let digits = if scale.low.fract().abs() < f64::EPSILON {
        1.0
    } else {
        0.01
    };
    let only = Tick {
        value: scale.low,
        label: written(scale.low, digits),
    };
    (
        Axis::exactly(scale.low - around, scale.low + around),
        vec![only],
    )
}
