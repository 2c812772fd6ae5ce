//! Words on a figure: how they are set, how wide they are, and what is left out of them.

use std::fmt::Write as _;

use super::colour::{INK, Rgb};

/// Where a text's given point lies along its baseline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Align {
    Start,
    Middle,
    End,
}

/// How heavy the letters are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Weight {
    Regular,
    Bold,
}

/// How a text is set.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tone {
    /// Letter size in units.
    pub(super) size: u32,
    pub(super) weight: Weight,
    pub(super) colour: Rgb,
}

/// The figure's own title.
pub(super) const FIGURE_TITLE: Tone = bold(17);
/// The title of one panel.
pub(super) const PANEL_TITLE: Tone = bold(13);
/// The title of one of many small panels.
pub(super) const NARROW_TITLE: Tone = bold(11);
/// The name of an axis or a colour bar.
pub(super) const LABEL: Tone = regular(12);
/// Numbers at ticks, names in a legend, and marks.
pub(super) const SMALL: Tone = regular(11);

/// The smallest letters still read in print.
const SMALLEST_SIZE: u32 = 8;

const fn bold(size: u32) -> Tone {
    Tone {
        size,
        weight: Weight::Bold,
        colour: INK,
    }
}

const fn regular(size: u32) -> Tone {
    Tone {
        size,
        weight: Weight::Regular,
        colour: INK,
    }
}

/// The text without the characters that XML forbids or a line cannot show.
pub(super) fn printable(content: &str) -> String {
    content
        .chars()
        .map(|letter| if letter.is_whitespace() { ' ' } else { letter })
        .filter(|letter| !letter.is_control() && !matches!(letter, '\u{fffe}' | '\u{ffff}'))
        .collect()
}

/// The width of a text in units: never much less than `DejaVu Sans` needs.
///
/// An estimate from letter classes, because the crate keeps its own metrics private.
pub(super) fn width(content: &str, tone: Tone) -> f64 {
    let ems: f64 = content.chars().map(letter_width_em).sum();
    let heavier = if tone.weight == Weight::Bold {
        1.1
    } else {
        1.0
    };
    ems * heavier * f64::from(tone.size)
}

fn letter_width_em(letter: char) -> f64 {
    match letter {
        'i' | 'j' | 'l' | '\'' | '|' => 0.29,
        ' ' | '.' | ',' | ':' | ';' | 'f' | 't' | 'r' | 'I' | '(' | ')' | '[' | ']' | '-' | '/' => {
            0.39
        }
        'm' | 'w' | 'M' | 'W' | '%' | '@' => 0.98,
        'A'..='Z' | '−' | '+' | '=' | '<' | '>' | '×' | '&' => 0.78,
        '⁰'..='⁹' | '¹' | '²' | '³' | '⁻' => 0.42,
        _ => 0.63,
    }
}

/// The text and tone changed as little as needed to fit `room` units:
/// smaller letters first, then an ellipsis.
pub(super) fn fit(content: &str, tone: Tone, room: f64) -> (String, Tone) {
    let mut tone = tone;
    while width(content, tone) > room && tone.size > SMALLEST_SIZE {
        tone.size -= 1;
    }
    if width(content, tone) <= room {
        return (content.to_owned(), tone);
    }
    let mut kept = String::new();
    for letter in content.chars() {
        if width(&kept, tone)
            + letter_width_em(letter) * f64::from(tone.size)
            + f64::from(tone.size)
            > room
        {
            break;
        }
        kept.push(letter);
    }
    (format!("{}…", kept.trim_end()), tone)
}

/// The drawing commands of a line through `points`, to a hundredth of a unit.
pub(super) fn path(points: &[(f64, f64)]) -> String {
    let mut commands = String::with_capacity(points.len() * 16);
    for (index, (x, y)) in points.iter().enumerate() {
        let command = if index == 0 { 'M' } else { 'L' };
        // Writing to a `String` cannot fail.
        let _ = write!(commands, "{command}{} {} ", hundredths(*x), hundredths(*y));
    }
    commands
}

fn hundredths(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_fits_is_left_alone() {
        let (text, tone) = fit("short", PANEL_TITLE, 200.0);
        assert_eq!((text.as_str(), tone.size), ("short", PANEL_TITLE.size));
    }

    #[test]
    fn text_that_cannot_fit_ends_in_an_ellipsis_within_its_room() {
        let (text, tone) = fit(&"long ".repeat(100), PANEL_TITLE, 80.0);
        assert!(text.ends_with('…'));
        assert!(width(&text, tone) <= 80.0);
        assert_eq!(fit("anything", LABEL, 0.0).0, "…");
    }

    #[test]
    fn characters_forbidden_in_xml_are_left_out() {
        assert_eq!(printable("a\u{0}b\nc\u{1b}d\u{fffe}"), "ab cd");
    }
}
