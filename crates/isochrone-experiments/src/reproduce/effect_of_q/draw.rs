//! The panels of Figure 10: a map for each q, and measures against q.

use super::findings::range;
use super::{
    EPSILON_STEPS, Map, OTHER_STEPS, POWERS, PROFILE_STEPS, RATES, area_name, case, profile_name,
    radius_m,
};
use crate::reproduce::panels::{colours_to, lines};
use crate::reproduce::predictor_config::Rates;
use crate::reproduce::results::Results;
use isochrone_figures::{ColourBar, Panel, Scale, Series};

/// The brightest colour: distances beyond the longest lag look the same.
const BRIGHTEST_STEPS: f64 = 300.0;

pub(super) fn panels(maps: &[Map], results: &Results) -> Vec<Panel> {
    let against_q = |measure: &str, rates: &[Rates]| -> Vec<Series> {
        let curve = |&rates: &Rates| {
            let cases = POWERS.map(|q| (f64::from(q), case(rates, q)));
            let name = match rates {
                Rates::Printed => "as printed",
                Rates::Settled => "to the end",
            };
            curve(name, &cases, |case| results.values(case, measure))
        };
        rates.iter().map(curve).collect()
    };
    let mut panels: Vec<Panel> = maps.iter().map(heat).collect();
    let title = format!("area within {EPSILON_STEPS} steps");
    let areas = against_q(&area_name(EPSILON_STEPS), &RATES);
    let mut area = lines(title, ["q", "m², of 154"], areas);
    if let Panel::Lines(area) = &mut area {
        area.y_scale = Scale::Log;
    }
    panels.push(area);
    panels.push(profile(results));
    let mut errors = against_q("held_out_rmse_steps", &RATES);
    // The best constant knows no training.
    let constant = against_q("best_constant_rmse_steps", &RATES[..1]);
    errors.extend(constant.into_iter().map(|series| Series {
        name: "best constant".to_owned(),
        ..series
    }));
    let labels = ["q", "RMSE (steps)"];
    panels.push(lines("error on other trajectories", labels, errors));
    let ranks = against_q("held_out_spearman", &RATES);
    let labels = ["q", "rank correlation with the lag"];
    panels.push(lines("order on other trajectories", labels, ranks));
    panels
}

fn heat(map: &Map) -> Panel {
    let title = match map.rates {
        Rates::Printed => format!("q = {}, trained as printed", map.q),
        Rates::Settled => format!("q = {}, trained to the end", map.q),
    };
    let label = "predicted steps to the start; lines at 30, 60, 120, 240; floor 12.4 m wide";
    let colour = colours_to(BRIGHTEST_STEPS, label, ColourBar::Shared);
    let contours = [&OTHER_STEPS[..], &[EPSILON_STEPS]].concat();
    map.floor.panel(title, map.steps.clone(), colour, contours)
}

fn profile(results: &Results) -> Panel {
    let places: Vec<(f64, String)> = (0..=PROFILE_STEPS)
        .map(|at| (radius_m(at), profile_name(at)))
        .collect();
    let of = |q: f32| {
        let case = case(Rates::Settled, q);
        let values = |measure: &str| results.values(&case, measure);
        curve(&format!("q = {q}"), &places, values)
    };
    let (title, labels) = (
        "away from the start, to the end",
        ["metres", "predicted steps"],
    );
    lines(title, labels, POWERS.map(of).to_vec())
}

/// The mean over seeds, in the band of all of them.
fn curve(name: &str, at: &[(f64, String)], values: impl Fn(&str) -> Vec<f64>) -> Series {
    let (mut points, mut band) = (Vec::new(), Vec::new());
    for (x, key) in at {
        let values = values(key);
        points.push((*x, values.iter().sum::<f64>() / values.len() as f64));
        band.push(range(&values));
    }
    Series {
        name: name.to_owned(),
        points,
        band: Some(band),
        ..Series::default()
    }
}
