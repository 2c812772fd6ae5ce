//! Figures 3 (d) and 16: distances between images of Maze Ant over the floor, from references all over the maze.

use super::panels::csv;
use super::pixels::{
    self, BANDS_M, Method, NEAR_RANKS, POSTURE, Quality, RANKS, REFERENCES, Setting, WORST_RANKS,
    maze_floor,
};
use super::report::{Finding, Report, Verdict};
use super::{Effort, Reproduction, Results};
use anyhow::Result;
use isochrone_mujoco::WorldName;
use isochrone_runs::progress::Waiting;

const DIMS: usize = 32;
const METHODS: [Method; 2] = [
    Method::Images { dims: DIMS },
    Method::Numbers { dims: DIMS },
];
const NAMES: [&str; 2] = ["images", "41 numbers"];
/// A distance that ranks places this well has learned where they are.
const RANKS_WELL: f64 = 0.85;

pub(super) fn reproduce(effort: &Effort, waiting: &Waiting) -> Result<Reproduction> {
    let settings = METHODS.map(|method| Setting::new(method, effort.size));
    let (results, qualities) = pixels::judge(effort, &settings, waiting)?;
    let floor = maze_floor(&WorldName::MazeAnt.build()?);
    let (mut panels, mut rows) = (Vec::new(), Vec::new());
    for (name, (method, seeds)) in NAMES.iter().zip(METHODS.iter().zip(&qualities)) {
        let Some(first) = seeds.first() else { continue };
        for reference in 0..REFERENCES {
            let title = format!("{name}: ρ {:.2}", first.ranks[reference]);
            panels.push(first.panel(&floor, title, reference));
        }
        rows.extend(first.csv_rows(&floor, &method.name()));
    }
    let mut report = Report::learned(
        "Figures 3 (d) and 16: distances between images",
        vec![
            scales(&results),
            near(&results, &qualities),
            posture(&results),
        ],
        include_str!("pixel_heatmap.md"),
    );
    report.differences.extend(pixels::caveat(effort.size));
    Ok(Reproduction::learned(
        "Predicted distance of a standing ant to a reference (dot), seed 0; ρ over places with random postures",
        REFERENCES,
        panels,
        csv("case,reference_x_m,reference_y_m,x_m,y_m,distance", rows),
        report,
        results,
    ))
}

fn scales(results: &Results) -> Finding {
    let [images, numbers] = METHODS.map(Method::name);
    let found = results.mean(&images, RANKS);
    Finding {
        claim: "the method scales to high-dimensional inputs: images".to_owned(),
        found: format!(
            "rank correlation with the walkable distance, mean over references, seed by seed: images {}; 41 numbers {}. The \
             worst reference: images {}; 41 numbers {}",
            results.in_words(&images, RANKS, 3),
            results.in_words(&numbers, RANKS, 3),
            results.in_words(&images, WORST_RANKS, 3),
            results.in_words(&numbers, WORST_RANKS, 3),
        ),
        rule: "the mean over seeds is at least 0.85; *depends* above 0.5",
        verdict: match found {
            found if found >= RANKS_WELL => Verdict::Holds,
            found if found > 0.5 => Verdict::Depends,
            _ => Verdict::Fails,
        },
    }
}

fn near(results: &Results, qualities: &[Vec<Quality>]) -> Finding {
    let [images, numbers] = METHODS.map(Method::name);
    let found = results.mean(&images, NEAR_RANKS);
    let bands: Vec<String> = qualities
        .iter()
        .zip(NAMES)
        .map(|(seeds, name)| in_bands(name, seeds))
        .collect();
    Finding {
        claim:
            "closer states are darker: near the reference, the distance follows the walkable one"
                .to_owned(),
        found: format!(
            "rank correlation within a metre, mean over references, seed by seed: images {}; 41 numbers {}. Mean distance in steps, mean over \
             seeds: {}",
            results.in_words(&images, NEAR_RANKS, 3),
            results.in_words(&numbers, NEAR_RANKS, 3),
            bands.join("; "),
        ),
        rule: "above 0.5 for images, mean over seeds",
        verdict: Verdict::from(found > 0.5),
    }
}

/// The mean distance by walkable metres.
fn in_bands(name: &str, seeds: &[Quality]) -> String {
    let mean = |band: usize| {
        seeds
            .iter()
            .map(|quality| quality.by_band[band])
            .sum::<f64>()
            / seeds.len() as f64
    };
    let ends = BANDS_M.iter().enumerate();
    let mut words: Vec<String> = ends
        .map(|(band, end)| format!("to {end} m {:.0}", mean(band)))
        .collect();
    words.push(format!("beyond {:.0}", mean(BANDS_M.len())));
    format!("{name} {}", words.join(", "))
}

fn posture(results: &Results) -> Finding {
    let [images, numbers] = METHODS.map(Method::name);
    let (of_images, of_numbers) = (
        results.mean(&images, POSTURE),
        results.mean(&numbers, POSTURE),
    );
    Finding {
        claim: "the place counts, not the posture".to_owned(),
        found: format!(
            "share of posture in the variance of the distance to a reference: images {}; 41 numbers {}",
            results.in_words(&images, POSTURE, 3),
            results.in_words(&numbers, POSTURE, 3),
        ),
        rule: "below a tenth for both; *depends* if for one",
        verdict: Verdict::in_some(
            usize::from(of_images < 0.1) + usize::from(of_numbers < 0.1),
            2,
        ),
    }
}
