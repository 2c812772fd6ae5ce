//! What is explained once, beneath all panels.

use super::bar;
use super::canvas::{Canvas, Rect};
use super::contour::as_units;
use super::curves::Legend;
use super::heat::{ColourBar, ColourScale};
use super::legend::{self, Look};
use super::{Figure, Panel};

/// Above each part of the foot.
const FOOT_GAP: f64 = 12.0;
/// The widest bar at the foot.
const WIDEST_BAR: f64 = 420.0;

/// What is explained once for all panels, beneath them.
pub(super) struct Foot {
    /// The looks that several panels of curves have in common.
    legend: Option<Vec<Look>>,
    /// The colour scales that panels share, each once.
    bars: Vec<ColourScale>,
}

impl Foot {
    /// What the panels of a figure have in common.
    pub(super) fn of(figure: &Figure) -> Self {
        let mut legends = Vec::new();
        let mut bars: Vec<ColourScale> = Vec::new();
        for panel in &figure.panels {
            match panel {
                Panel::Lines(lines) => legends.push(legend::looks(lines)),
                Panel::Heat(heat) => {
                    if heat.colour.bar == ColourBar::Shared && !bars.contains(&heat.colour) {
                        bars.push(heat.colour.clone());
                    }
                }
            }
        }
        let common = legends.len() > 1 && legends.windows(2).all(|pair| pair[0] == pair[1]);
        Self {
            legend: legends.pop().filter(|_| common),
            bars,
        }
    }

    /// Where panels of curves are explained.
    pub(super) fn legend_place(&self) -> Legend {
        if self.legend.is_some() {
            Legend::AtFoot
        } else {
            Legend::Own
        }
    }

    fn legend_height(&self, width: f64) -> f64 {
        self.legend
            .as_ref()
            .map_or(0.0, |looks| legend::height(looks, width) + FOOT_GAP)
    }

    /// The height of everything at the foot of a figure this wide.
    pub(super) fn height(&self, width: f64) -> f64 {
        let bars = as_units(self.bars.len()) * (bar::BAR_HEIGHT + FOOT_GAP);
        self.legend_height(width) + bars
    }

    /// Draws everything from the top of `area`.
    pub(super) fn draw(&self, canvas: &mut Canvas, area: Rect) {
        if let Some(looks) = &self.legend {
            legend::draw(
                canvas,
                looks,
                Rect {
                    y: area.y + FOOT_GAP,
                    ..area
                },
            );
        }
        let mut y = area.y + self.legend_height(area.width) + FOOT_GAP;
        let width = area.width.min(WIDEST_BAR);
        let x = area.x + (area.width - width) / 2.0;
        for scale in &self.bars {
            bar::draw(
                canvas,
                scale,
                &[],
                Rect {
                    x,
                    y,
                    width,
                    height: bar::BAR_HEIGHT,
                },
            );
            y += bar::BAR_HEIGHT + FOOT_GAP;
        }
    }
}
