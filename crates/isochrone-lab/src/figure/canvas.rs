//! The one place that talks to the plotting crate.
//!
//! Panels are drawn with a handful of shapes onto a [`Canvas`]; `kuva` turns
//! the same shapes into SVG text or, with its built-in font, into PNG bytes.
//! One unit is one CSS pixel of the SVG.

use kuva::RasterBackend;
use kuva::backend::svg::SvgBackend;
use kuva::render::color::Color;
use kuva::render::render::{PathData, Primitive, Scene, TextAnchor, TextSpan};

use super::colour::Rgb;
use super::error::FigureError;
use super::text::{self, Align, Tone, Weight};

/// The typefaces asked of an SVG viewer; the PNG always uses the built-in `DejaVu Sans`.
const FONT_FAMILY: &str = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif";

/// The largest picture drawn, in pixels: 400 MB of working memory.
const MOST_PIXELS: f64 = 1.0e8;

/// A rectangle in units, its corner at the top left.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rect {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Rect {
    /// The x of the right edge.
    pub(super) fn right(&self) -> f64 {
        self.x + self.width
    }

    /// The y of the lower edge.
    pub(super) fn bottom(&self) -> f64 {
        self.y + self.height
    }
}

/// What the shapes will become, for the few that differ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Medium {
    /// Scalable shapes; large grids become embedded images.
    Svg,
    /// Pixels; cells are aligned to them.
    Png { pixels_per_unit: f64 },
}

/// A sheet to draw on.
pub(super) struct Canvas {
    medium: Medium,
    scene: Scene,
    images: Vec<String>,
}

impl Canvas {
    pub(super) fn new(width: f64, height: f64, medium: Medium) -> Self {
        let mut scene = Scene::new(width.ceil(), height.ceil());
        scene.font_family = Some(FONT_FAMILY.to_owned());
        Self {
            medium,
            scene,
            images: Vec::new(),
        }
    }

    pub(super) fn medium(&self) -> Medium {
        self.medium
    }

    /// Fills many rectangles with hard edges, so that neighbours show no seam.
    pub(super) fn fill_crisp(&mut self, areas: impl IntoIterator<Item = (Rect, Rgb)>) {
        let (mut x, mut y, mut w, mut h, mut fills) = (vec![], vec![], vec![], vec![], vec![]);
        for (area, fill) in areas {
            x.push(area.x);
            y.push(area.y);
            w.push(area.width);
            h.push(area.height);
            fills.push(paint(fill));
        }
        self.group("shape-rendering=\"crispEdges\"".to_owned());
        self.scene.add(Primitive::RectBatch { x, y, w, h, fills });
        self.scene.add(Primitive::GroupEnd);
    }

    /// A pale area, seen through.
    pub(super) fn shade(&mut self, outline: &[(f64, f64)], fill: Rgb, opacity: f64) {
        let mut path = text::path(outline);
        path.push('Z');
        self.add_path(path, Some(fill), Color::None, 0.0, Some(opacity));
    }

    pub(super) fn polyline(&mut self, points: &[(f64, f64)], stroke: Rgb, width: f64) {
        if points.len() > 1 {
            self.scene.add(Primitive::PolyLine {
                points: points.to_vec(),
                stroke: paint(stroke),
                stroke_width: width,
                stroke_dasharray: None,
            });
        }
    }

    pub(super) fn segment(&mut self, from: (f64, f64), to: (f64, f64), stroke: Rgb, width: f64) {
        self.scene.add(Primitive::Line {
            x1: from.0,
            y1: from.1,
            x2: to.0,
            y2: to.1,
            stroke: paint(stroke),
            stroke_width: width,
            stroke_dasharray: None,
        });
    }

    /// Many unconnected strokes as one shape.
    pub(super) fn strokes(&mut self, pieces: &[[(f64, f64); 2]], stroke: Rgb, width: f64) {
        if !pieces.is_empty() {
            let path = pieces.iter().map(|piece| text::path(piece)).collect();
            self.add_path(path, None, paint(stroke), width, None);
        }
    }

    pub(super) fn frame(&mut self, area: Rect, stroke: Rgb, width: f64) {
        let Rect { x, y, .. } = area;
        let (right, bottom) = (area.right(), area.bottom());
        let corners = [(x, y), (right, y), (right, bottom), (x, bottom), (x, y)];
        self.polyline(&corners, stroke, width);
    }

    /// A round dot; `fill` of `None` leaves the inside as it is.
    pub(super) fn dot(
        &mut self,
        centre: (f64, f64),
        radius: f64,
        fill: Option<Rgb>,
        rim: Rgb,
        rim_width: f64,
    ) {
        self.scene.add(Primitive::Circle {
            cx: centre.0,
            cy: centre.1,
            r: radius,
            fill: fill.map_or(Color::None, paint),
            fill_opacity: None,
            stroke: Some(paint(rim)),
            stroke_width: Some(rim_width),
        });
    }

    /// Writes `content` with its baseline at `at`.
    pub(super) fn text(&mut self, at: (f64, f64), content: &str, tone: Tone, align: Align) {
        self.scene.add(Primitive::RichText {
            x: at.0,
            y: at.1,
            spans: vec![TextSpan {
                text: text::printable(content),
                bold: tone.weight == Weight::Bold,
                italic: false,
                underline: false,
                code: false,
                math: false,
            }],
            size: tone.size,
            anchor: anchor(align),
            color: Some(paint(tone.colour)),
        });
    }

    /// Places an already encoded image element; only an SVG can hold one.
    pub(super) fn image(&mut self, element: String) {
        self.group(format!("data-image=\"{}\"", self.images.len()));
        self.scene.add(Primitive::GroupEnd);
        self.images.push(element);
    }

    pub(super) fn into_svg(self) -> String {
        let mut svg = SvgBackend::new().render_scene(&self.scene);
        let size = format!(
            "width=\"{0}\" height=\"{1}\"",
            self.scene.width, self.scene.height
        );
        let view = format!(
            "{size} viewBox=\"0 0 {} {}\"",
            self.scene.width, self.scene.height
        );
        svg = svg.replacen(&size, &view, 1);
        for (index, element) in self.images.iter().enumerate() {
            let place = format!("<g data-image=\"{index}\">");
            svg = svg.replacen(&place, &format!("{place}{element}"), 1);
        }
        svg
    }

    pub(super) fn into_png(self, pixels_per_unit: f64) -> Result<Vec<u8>, FigureError> {
        let (width_units, height_units) = (self.scene.width, self.scene.height);
        let pixels = width_units * height_units * pixels_per_unit * pixels_per_unit;
        if !(1.0..=MOST_PIXELS).contains(&pixels) || pixels_per_unit <= 0.0 {
            return Err(FigureError::PixelCount {
                width_units,
                height_units,
                pixels_per_unit,
            });
        }
        #[expect(clippy::cast_possible_truncation, reason = "a scale needs few digits")]
        let scale = pixels_per_unit as f32;
        RasterBackend::new()
            .with_scale(scale)
            .render_scene(&self.scene)
            .map_err(|reason| FigureError::Encoding { reason })
    }

    fn group(&mut self, attributes: String) {
        self.scene.add(Primitive::GroupStart {
            transform: None,
            title: None,
            extra_attrs: Some(attributes),
        });
    }

    fn add_path(
        &mut self,
        d: String,
        fill: Option<Rgb>,
        stroke: Color,
        stroke_width: f64,
        opacity: Option<f64>,
    ) {
        self.scene.add(Primitive::Path(Box::new(PathData {
            d,
            fill: fill.map(paint),
            stroke,
            stroke_width,
            opacity,
            stroke_dasharray: None,
        })));
    }
}

fn paint(colour: Rgb) -> Color {
    Color::Rgb(colour.0, colour.1, colour.2)
}

fn anchor(align: Align) -> TextAnchor {
    match align {
        Align::Start => TextAnchor::Start,
        Align::Middle => TextAnchor::Middle,
        Align::End => TextAnchor::End,
    }
}
