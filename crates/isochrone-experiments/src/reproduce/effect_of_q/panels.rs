//! The pictures: a map for each q, and what it comes down to.

use super::{
    EPSILON_STEPS, Map, OTHER_STEPS, POWERS, PROFILE_STEPS, RATES, area_name, case, profile_name,
    radius_m,
};
use crate::reproduce::asked::Rates;
use crate::reproduce::results::Results;
use isochrone_figures::{ColourBar, ColourScale, Figure, Lines, Panel, Scale, Series};

/// The brightest colour: distances beyond the longest lag look the same.
const BRIGHTEST_STEPS: f64 = 300.0;

pub(super) fn figure(maps: &[Map], results: &Results) -> Figure {
    let mut panels: Vec<Panel> = maps.iter().map(heat).collect();
    panels.push(against_q(
        &format!("area within {EPSILON_STEPS} steps"),
        "m², of 154",
        &[("", &area_name(EPSILON_STEPS))],
        Scale::Log,
        results,
    ));
    panels.push(profile(results));
    panels.push(against_q(
        "error on other trajectories",
        "RMSE (steps)",
        &[
            ("", "held_out_rmse_steps"),
            ("best constant", "best_constant_rmse_steps"),
        ],
        Scale::Linear,
        results,
    ));
    panels.push(against_q(
        "near told from far",
        "rank correlation with the lag",
        &[("", "held_out_spearman")],
        Scale::Linear,
        results,
    ));
    Figure {
        title: "Free Ant: predicted steps to the start, by the power q of the norm (seed 0 above, all seeds below)"
            .to_owned(),
        columns: POWERS.len(),
        panels,
    }
}

fn heat(map: &Map) -> Panel {
    let title = match map.rates {
        Rates::Printed => format!("q = {}, trained as printed", map.q),
        Rates::Settled => format!("q = {}, trained to the end", map.q),
    };
    let colour = ColourScale {
        label: "predicted steps to the start; lines at 30, 60, 120, 240; floor 12.4 m wide"
            .to_owned(),
        low: 0.0,
        high: BRIGHTEST_STEPS,
        bar: ColourBar::Shared,
    };
    let mut contours = OTHER_STEPS.to_vec();
    contours.push(EPSILON_STEPS);
    map.floor.panel(title, map.steps.clone(), colour, contours)
}

/// One curve per kind of training: the mean over seeds, in the band of all of them.
fn against_q(
    title: &str,
    y_label: &str,
    measures: &[(&str, &str)],
    y_scale: Scale,
    results: &Results,
) -> Panel {
    let mut series = Vec::new();
    for (name, measure) in measures {
        // The constant knows no training.
        let rates = if name.is_empty() {
            &RATES[..]
        } else {
            &RATES[..1]
        };
        series.extend(rates.iter().map(|&rates| {
            let name = if name.is_empty() { word(rates) } else { name };
            let cases = POWERS.map(|q| (f64::from(q), case(rates, q)));
            curve(name, &cases, |case| results.values(case, measure))
        }));
    }
    Panel::Lines(Lines {
        title: title.to_owned(),
        x_label: "q".to_owned(),
        y_label: y_label.to_owned(),
        series,
        y_scale,
        ..Lines::default()
    })
}

const fn word(rates: Rates) -> &'static str {
    match rates {
        Rates::Printed => "as printed",
        Rates::Settled => "to the end",
    }
}

fn profile(results: &Results) -> Panel {
    let of = |q: f32| {
        let name = format!("q = {q}");
        let case = case(Rates::Settled, q);
        let places: Vec<(f64, String)> = (0..=PROFILE_STEPS)
            .map(|at| (radius_m(at), profile_name(at)))
            .collect();
        curve(&name, &places, |measure| results.values(&case, measure))
    };
    Panel::Lines(Lines {
        title: "away from the start, to the end".to_owned(),
        x_label: "metres".to_owned(),
        y_label: "predicted steps".to_owned(),
        series: POWERS.map(of).to_vec(),
        ..Lines::default()
    })
}

fn curve(name: &str, at: &[(f64, String)], values: impl Fn(&str) -> Vec<f64>) -> Series {
    let (mut points, mut band) = (Vec::new(), Vec::new());
    for (x, key) in at {
        let values = values(key);
        points.push((*x, values.iter().sum::<f64>() / values.len() as f64));
        band.push(ends(&values));
    }
    Series {
        name: name.to_owned(),
        points,
        band: Some(band),
        ..Series::default()
    }
}

/// The least and the greatest.
pub(super) fn ends(values: &[f64]) -> (f64, f64) {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (low, high)
}
