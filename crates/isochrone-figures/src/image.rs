//! Large grids in an SVG: one embedded image instead of a rectangle per cell.
//!
//! The plotting crate draws rectangles only, a hundred bytes each.

use kuva::RasterBackend;
use kuva::render::color::Color;
use kuva::render::render::{Primitive, Scene};

use crate::error::FigureError;

/// A fill for a rectangle: these colours row by row, one hard-edged pixel each.
pub(crate) fn pattern(id: &str, columns: usize, colours: &[String]) -> Result<String, FigureError> {
    let rows = colours.len() / columns;
    let mut scene = Scene::new(columns as f64, rows as f64);
    scene.add(Primitive::RectBatch {
        x: (0..colours.len())
            .map(|cell| (cell % columns) as f64)
            .collect(),
        y: (0..colours.len())
            .map(|cell| (cell / columns) as f64)
            .collect(),
        w: vec![1.0; colours.len()],
        h: vec![1.0; colours.len()],
        fills: colours.iter().map(Color::from).collect(),
    });
    let png = RasterBackend::new()
        .with_scale(1.0)
        .render_scene(&scene)
        .map_err(|reason| FigureError::Encoding { reason })?;
    Ok(format!(
        "<pattern id=\"{id}\" width=\"1\" height=\"1\" patternContentUnits=\"objectBoundingBox\">\
         <image width=\"1\" height=\"1\" preserveAspectRatio=\"none\" \
         style=\"image-rendering:pixelated\" href=\"data:image/png;base64,{}\"/></pattern>",
        base64(&png)
    ))
}

/// Bytes as text, six bits to a letter.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for triple in bytes.chunks(3) {
        let byte = |index: usize| u32::from(triple.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * place)) as usize & 63];
            text.push(if place <= triple.len() {
                char::from(letter)
            } else {
                '='
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_pads_as_the_standard_says() {
        assert_eq!(base64(b"Man"), "TWFu");
        assert_eq!(base64(b"Ma"), "TWE=");
        assert_eq!(base64(b"M"), "TQ==");
        assert_eq!(base64(b""), "");
    }
}
