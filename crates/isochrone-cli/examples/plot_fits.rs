//! Draws what `isochrone-experiments bench fit --json` measured: time per sample and memory against the size of the data.
//!
//! ```bash
//! cargo run -p isochrone-cli --example plot_fits -- benches/records/fit.json docs/images/fits.svg
//! ```

use anyhow::{Context, Result, bail};
use isochrone_figures::{Figure, Lines, Panel, Series, Stroke};
use serde_json::Value;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [record, figure] = &arguments[..] else {
        bail!("two arguments are needed: the record and the figure to write");
    };
    let rows: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(record)?)?;
    let panels = [
        ("Time per sample", "CPU µs", "cpu_us_per_sample"),
        ("Peak memory", "MB", "peak_mb"),
    ];
    let mut drawn_panels = Vec::new();
    for (title, label, field) in panels {
        let mut series = vec![
            series(&rows, "window", field)?,
            series(&rows, "bootstrapped", field)?,
        ];
        // What is flat must look flat.
        let floor = series[0]
            .points
            .iter()
            .map(|point| (point.0, 0.0))
            .collect();
        series.push(Series {
            name: "zero".to_owned(),
            points: floor,
            style: Stroke::Dashed,
            colour: Some(5),
            ..Series::default()
        });
        drawn_panels.push(Panel::Lines(Lines {
            title: title.to_owned(),
            x_label: "transitions (power of ten)".to_owned(),
            y_label: label.to_owned(),
            series,
            ..Lines::default()
        }));
    }
    let drawn = Figure {
        title: "One pass over growing data".to_owned(),
        columns: 2,
        panels: drawn_panels,
    };
    std::fs::write(figure, drawn.to_svg()?)?;
    Ok(())
}

/// A field of all rows of one target, by size.
fn series(rows: &[Value], target: &str, field: &str) -> Result<Series> {
    let mut points = Vec::new();
    for row in rows.iter().filter(|row| row["target"] == target) {
        let size = row["transitions"].as_f64().context("no transitions")?;
        let value = row[field].as_f64().with_context(|| format!("no {field}"))?;
        points.push((size.log10(), value));
    }
    Ok(Series {
        name: target.to_owned(),
        points,
        ..Series::default()
    })
}
