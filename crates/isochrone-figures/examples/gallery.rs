//! Every kind of figure, to be looked at: `cargo run --example gallery -- FOLDER` writes each as SVG and PNG.

use std::error::Error;
use std::path::Path;

use isochrone_figures::{
    ColourBar, ColourScale, Figure, Heat, Lines, Mark, Panel, Scale, Series, Stroke,
};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: gallery FOLDER")?;
    std::fs::create_dir_all(&folder)?;
    let figures = [
        (
            "curve",
            figure("Error of three estimates", 1, vec![curve()]),
        ),
        (
            "decades",
            figure("Two scales", 2, vec![decades("first"), decades("second")]),
        ),
        ("small", figure("", 4, (0..4).map(|_| curve()).collect())),
        (
            "rooms",
            figure(
                "Four rooms",
                1,
                vec![heat(13, ColourBar::Below, "First-passage time")],
            ),
        ),
        (
            "shared",
            figure("One scale", 6, (0..6).map(shared).collect()),
        ),
        (
            "mixed",
            figure("Coverage and maps of two methods", 3, mixed()),
        ),
        (
            "large",
            figure(
                "A large grid",
                1,
                vec![heat(301, ColourBar::Below, "302 steps")],
            ),
        ),
        (
            "legends",
            figure("Legends of their own", 2, vec![curve(), named()]),
        ),
        (
            "odd",
            figure(
                &"A very long title that goes on and on ".repeat(4),
                3,
                odd(),
            ),
        ),
    ];
    for (name, figure) in figures {
        let path = |ending: &str| Path::new(&folder).join(format!("{name}.{ending}"));
        std::fs::write(path("svg"), figure.to_svg()?)?;
        std::fs::write(path("png"), figure.to_png(2.0)?)?;
    }
    Ok(())
}

fn figure(title: &str, columns: usize, panels: Vec<Panel>) -> Figure {
    Figure {
        title: title.into(),
        columns,
        panels,
    }
}

fn series(name: &str, style: Stroke, y: impl Fn(f64) -> f64) -> Series {
    Series {
        name: name.into(),
        points: (0..60).map(|x| (f64::from(x), y(f64::from(x)))).collect(),
        style,
        ..Series::default()
    }
}

fn curve() -> Panel {
    let mut learned = series("learned (5 seeds)", Stroke::Solid, |x| {
        20.0 - (x + 1.0).sqrt() * 2.0
    });
    learned.band = Some(
        learned
            .points
            .iter()
            .map(|(x, y)| (y - 1.0, y + 1.0 + x / 40.0))
            .collect(),
    );
    let picked = Series {
        name: "kept".into(),
        points: learned.points.iter().step_by(12).copied().collect(),
        style: Stroke::PointsOnly,
        ..Series::default()
    };
    Panel::Lines(Lines {
        title: "Root mean squared error".into(),
        x_label: "dimensions".into(),
        y_label: "error (steps)".into(),
        marks: vec![Mark {
            x: 40.0,
            y: 20.0 - 41_f64.sqrt() * 2.0,
            label: "5 % off".into(),
        }],
        series: vec![
            learned,
            picked,
            series("exact", Stroke::Dashed, |x| 4.0 + (x / 6.0).sin()),
        ],
        ..Lines::default()
    })
}

fn named() -> Panel {
    let names = [
        "straight line (5 seeds)",
        "learned, on-policy (5 seeds)",
        "a third",
    ];
    let rising =
        |(index, name): (u32, &str)| series(name, Stroke::Solid, move |x| x * f64::from(index + 1));
    Panel::Lines(Lines {
        title: "Coverage".into(),
        x_label: "million steps".into(),
        series: (0..).zip(names).map(rising).collect(),
        ..Lines::default()
    })
}

fn decades(title: &str) -> Panel {
    Panel::Lines(Lines {
        title: title.into(),
        x_label: "iteration".into(),
        y_label: "gradient norm".into(),
        series: vec![
            series("falling", Stroke::Solid, |x| 1000.0 * (-x / 8.0).exp()),
            series("rising", Stroke::Dashed, |x| 0.01 * (1.0 + x)),
        ],
        y_scale: Scale::Log,
        ..Lines::default()
    })
}

/// Four rooms of a square with odd sides: distance around the walls, roughly.
fn heat(side: u32, bar: ColourBar, title: &str) -> Panel {
    let half = side / 2;
    let door = |at: u32| at == half / 2 || at == half + half / 2 + 1;
    let wall =
        |column: u32, row: u32| (column == half && !door(row)) || (row == half && !door(column));
    let values: Vec<Option<f64>> = (0..side * side)
        .map(|index| (index % side, index / side))
        .map(|(column, row)| {
            (!wall(column, row))
                .then(|| f64::from(column).hypot(f64::from(row)) + f64::from(column.max(row)))
        })
        .collect();
    let colour = ColourScale::over("time to the mark (steps)", &values, bar);
    Panel::Heat(Heat {
        title: title.into(),
        x_label: "column".into(),
        y_label: "row".into(),
        columns: side as usize,
        contours: (1..8).map(|level| f64::from(level * side) / 3.0).collect(),
        marker: Some((1, 1)),
        values,
        colour,
    })
}

fn shared(index: u32) -> Panel {
    let Panel::Heat(mut heat) = heat(15, ColourBar::Shared, &format!("q = {index}, n = 1000"))
    else {
        unreachable!("a heat map");
    };
    (heat.x_label, heat.y_label) = (String::new(), String::new());
    heat.contours = vec![];
    Panel::Heat(heat)
}

fn mixed() -> Vec<Panel> {
    let map = |title: &str| heat(20, ColourBar::Below, title);
    vec![
        curve(),
        map("point-mass"),
        shared(1),
        curve(),
        map("point-mass-off-policy, 5 seeds"),
        shared(2),
    ]
}

fn odd() -> Vec<Panel> {
    let lines = |points: &[(f64, f64)]| {
        Panel::Lines(Lines {
            title: "A panel's title that is too long for its panel by far and further".into(),
            x_label: "x".into(),
            series: vec![Series {
                name: "a name in the legend that is longer than its panel is wide, surely".into(),
                points: points.to_vec(),
                ..Series::default()
            }],
            ..Lines::default()
        })
    };
    let grid = |columns: usize, values: Vec<Option<f64>>| {
        Panel::Heat(Heat {
            title: "odd".into(),
            x_label: "column".into(),
            y_label: "row".into(),
            columns,
            colour: ColourScale::over("steps", &values, ColourBar::Below),
            values,
            contours: vec![],
            marker: Some((0, 0)),
        })
    };
    vec![
        lines(&[]),
        lines(&[(3.0, 5.0)]),
        lines(&[(0.0, -1.0e8), (1.0e7, 3.0e8)]),
        grid(1, vec![Some(1.5)]),
        grid(30, (0..30).map(|x| Some(f64::from(x))).collect()),
        grid(3, vec![None; 6]),
        lines(&[(0.0, 1.0e-7), (1.0e-5, 3.0e-7)]),
        lines(&[(1.0, 1000.001), (4.0, 1000.002)]),
        grid(2, (0..60).map(|x| Some(f64::from(x) * 1.0e5)).collect()),
    ]
}
