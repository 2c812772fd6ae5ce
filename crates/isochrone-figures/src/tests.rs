//! Laws that hold for every figure.

use super::heat::tests::grid;
use super::*;

fn alone(panel: Panel) -> Figure {
    Figure {
        title: "a <&> \"b\" 'c' $d$ \u{0}".into(),
        columns: 1,
        panels: vec![panel],
    }
}

fn lines(points: &[(f64, f64)], y_scale: Scale) -> Panel {
    let style = [Stroke::Solid, Stroke::Dashed, Stroke::PointsOnly];
    let series = style.map(|style| Series {
        name: "<&>".into(),
        points: points.to_vec(),
        band: Some(points.iter().map(|(_, y)| (*y, *y)).collect()),
        style,
        colour: None,
    });
    Panel::Lines(Lines {
        title: "<&>".into(),
        series: series.into(),
        y_scale,
        ..Lines::default()
    })
}

/// Every element opened is closed in order, and no bare `&` or `<` is left.
fn assert_well_formed(svg: &str) {
    let mut open: Vec<&str> = Vec::new();
    for part in svg.split('<').skip(1) {
        let (tag, text) = part.split_once('>').expect("every tag ends");
        assert!(!text.contains('\u{0}'));
        for entity in text.split('&').skip(1) {
            let known = ["amp;", "lt;", "gt;", "quot;", "apos;"];
            assert!(
                known.iter().any(|name| entity.starts_with(name)),
                "&{entity}"
            );
        }
        if tag.starts_with("!--") || tag.ends_with('/') {
            continue;
        }
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name)),
            None => open.push(tag.split(' ').next().unwrap_or(tag)),
        }
    }
    assert!(open.is_empty(), "{open:?} left open");
}

fn assert_drawn(figure: &Figure) {
    let svg = figure.to_svg().expect("drawable as SVG");
    assert_well_formed(&svg);
    assert!(svg.starts_with("<svg viewBox=\"0 0 "), "{svg}");
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    assert!(!svg.contains(" x=\"-"), "left of its panel: {svg}");
    let png = figure.to_png(0.5).expect("drawable as PNG");
    assert!(png.starts_with(b"\x89PNG"));
}

#[test]
fn extreme_curves_are_drawn() {
    let extremes: [&[(f64, f64)]; 6] = [
        &[],
        &[(0.0, 0.0)],
        &[(1.0, 5.0), (1.0, 5.0)],
        &[(-1e100, -1e100), (1e100, 1e100)],
        &[(0.0, 1e-300), (1e-300, 0.0)],
        &[(1.0, 1.0), (1.0 + f64::EPSILON, 1.0 + f64::EPSILON)],
    ];
    for points in extremes {
        assert_drawn(&alone(lines(points, Scale::Linear)));
    }
    assert_drawn(&alone(lines(&[(1.0, 1e-10), (2.0, 1e100)], Scale::Log)));
    assert_drawn(&alone(lines(&[(1.0, 3.0)], Scale::Log)));
}

#[test]
fn extreme_grids_are_drawn() {
    for (columns, values) in [
        (1, vec![Some(0.0)]),
        (3, vec![None; 6]),
        (2, vec![Some(7.5); 4]),
        (1, vec![Some(1.0); 300]),
        (2, vec![Some(-1e100), Some(1e100)]),
        (200, vec![Some(1.0); 200 * 60]),
    ] {
        let mut heat = grid(columns, values);
        heat.contours = vec![0.0, 1.0, 2.0];
        heat.marker = Some((0, 0));
        assert_drawn(&alone(Panel::Heat(heat.clone())));
        heat.colour.bar = ColourBar::Shared;
        assert_drawn(&alone(Panel::Heat(heat)));
    }
}

#[test]
fn every_wall_is_drawn() {
    let values = (0..49).map(|index| (index % 3 != 0).then(|| f64::from(index)));
    let svg = alone(Panel::Heat(grid(7, values.collect())))
        .to_svg()
        .expect("drawable");
    assert_eq!(svg.matches("fill=\"#4a4a4a\"").count(), 17);
}

#[test]
fn a_large_grid_is_one_image() {
    let values =
        (0..300 * 300_u32).map(|index| Some(f64::from(index.wrapping_mul(2_654_435_761) >> 8)));
    let svg = alone(Panel::Heat(grid(300, values.collect())))
        .to_svg()
        .expect("drawable");
    assert_eq!(svg.matches("<image ").count(), 1);
    assert!(svg.len() < 300_000, "{}", svg.len());
}

#[test]
fn the_same_data_gives_the_same_bytes() {
    let heat = grid(3, vec![Some(1.0), None, Some(2.0)]);
    let figure = Figure {
        title: "twice".into(),
        columns: 2,
        panels: vec![
            lines(&[(1.0, 2.0), (2.0, 3.0)], Scale::Linear),
            Panel::Heat(heat),
        ],
    };
    assert_eq!(figure.to_svg(), figure.to_svg());
    assert_eq!(figure.to_png(1.0), figure.to_png(1.0));
}

#[test]
fn panels_of_the_same_lines_share_one_legend() {
    let panel = lines(&[(1.0, 2.0), (2.0, 3.0)], Scale::Linear);
    let names = |panels: Vec<Panel>| {
        let svg = Figure {
            title: String::new(),
            columns: 2,
            panels,
        }
        .to_svg()
        .expect("drawable");
        svg.matches("&lt;&amp;&gt;").count()
    };
    assert_eq!(names(vec![panel.clone()]), 1 + 3);
    assert_eq!(names(vec![panel.clone(), panel]), 2 + 3);
}

#[test]
fn a_shared_colour_scale_is_explained_once() {
    let mut heat = grid(2, vec![Some(1.0), Some(2.0)]);
    heat.colour.bar = ColourBar::Shared;
    let panels = vec![Panel::Heat(heat.clone()), Panel::Heat(heat)];
    let svg = Figure {
        title: String::new(),
        columns: 2,
        panels,
    }
    .to_svg()
    .expect("drawable");
    assert_eq!(svg.matches("time (steps)").count(), 1);
}

#[test]
fn figures_without_shape_or_size_are_refused() {
    let panel = lines(&[], Scale::Linear);
    let empty = Figure {
        title: String::new(),
        columns: 1,
        panels: vec![],
    };
    assert_eq!(empty.to_svg(), Err(FigureError::NoPanels));
    let no_columns = Figure {
        columns: 0,
        ..alone(panel.clone())
    };
    assert_eq!(no_columns.to_svg(), Err(FigureError::NoFigureColumns));
    for pixels_per_unit in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e9, 1e-9] {
        let refused = alone(panel.clone()).to_png(pixels_per_unit);
        assert!(
            matches!(refused, Err(FigureError::PixelCount { .. })),
            "{pixels_per_unit}"
        );
    }
}
