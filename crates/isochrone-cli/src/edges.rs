//! Edge lists: a chain as a CSV table of transitions.
//!
//! ```text
//! from,to,probability        or        from,to,weight
//! 0,1,1.0                              0,1,12
//! 1,0,1.0                              1,0,12
//! ```
//!
//! States are numbered from 0 without gaps. With `probability` the rows of each state must sum to 1; with
//! `weight` (counts, conductances) they are divided by their sum. A transition named twice is added.

use isochrone::markov::{Chain, ChainError, Transition, Values};

/// Why a table is not a chain.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EdgesError {
    /// Nothing but white space.
    #[error("the edge list is empty")]
    Empty,
    /// A header, and nothing below it.
    #[error("the edge list has a header but no transitions")]
    NoTransitions,
    /// Other columns.
    #[error(
        "line {line}: the columns are {found:?}, but must be from,to,probability or from,to,weight"
    )]
    Header {
        /// From 1.
        line: u64,
        /// As written.
        found: String,
    },
    /// Bytes that are no text.
    #[error("line {line} is not UTF-8 text")]
    NotText {
        /// From 1.
        line: u64,
    },
    /// Too few or too many fields.
    #[error("line {line} has {found} fields, but there are three columns")]
    Fields {
        /// From 1.
        line: u64,
        /// How many.
        found: usize,
    },
    /// A state that is not a whole number.
    #[error("line {line}: {found:?} is not a state's number")]
    NotAState {
        /// From 1.
        line: u64,
        /// As written.
        found: String,
    },
    /// A value that is not a number.
    #[error("line {line}: {found:?} is not a number")]
    NotANumber {
        /// From 1.
        line: u64,
        /// As written.
        found: String,
    },
    /// NaN, infinite or negative.
    #[error("line {line}: the {column} is {value}")]
    BadValue {
        /// From 1.
        line: u64,
        /// `probability` or `weight`.
        column: &'static str,
        /// The value.
        value: f64,
    },
    /// Every state needs a transition out of it, so there are at most as many states as transitions.
    #[error(
        "line {line}: state {state} is named, but {transitions} transitions leave at most {transitions} states; number states from 0 without gaps, and give each of them a transition out of it"
    )]
    Gap {
        /// From 1.
        line: u64,
        /// The state.
        state: u64,
        /// Transitions in the list.
        transitions: usize,
    },
    /// No way out of a state.
    #[error("state {state} has no transition out of it")]
    NoWayOut {
        /// The state.
        state: usize,
    },
    /// A law of chains.
    #[error(transparent)]
    Chain(ChainError),
}

/// One line as read, before the number of states is known.
struct Line {
    number: u64,
    from: u64,
    to: u64,
    value: f64,
}

/// Reads an edge list. Lines are counted as an editor counts them; empty ones are skipped.
pub fn parse(text: &[u8]) -> Result<Chain, EdgesError> {
    let text = std::str::from_utf8(text).map_err(|error| {
        let before = &text[..error.valid_up_to()];
        EdgesError::NotText {
            line: before.split(|&byte| byte == b'\n').count() as u64,
        }
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut rows = text
        .lines()
        .zip(1..)
        .filter(|(row, _)| !row.trim().is_empty());
    let (header, line) = rows.next().ok_or(EdgesError::Empty)?;
    let values = values_of(header, line)?;
    let lines: Result<Vec<Line>, EdgesError> = rows
        .map(|(row, number)| read(row, number, values))
        .collect();
    chain(&lines?, values)
}

/// The header tells what the third column is. Some programs write it in quotes.
fn values_of(header: &str, line: u64) -> Result<Values, EdgesError> {
    let name = |field: &str| field.trim().trim_matches('"').to_owned();
    let columns: Vec<String> = header.split(',').map(name).collect();
    match columns.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["from", "to", "probability"] => Ok(Values::Probabilities),
        ["from", "to", "weight"] => Ok(Values::Weights),
        _ => Err(EdgesError::Header {
            line,
            found: header.trim().to_owned(),
        }),
    }
}

fn read(row: &str, number: u64, values: Values) -> Result<Line, EdgesError> {
    let fields: Vec<&str> = row.split(',').map(str::trim).collect();
    let [from, to, value] = fields[..] else {
        return Err(EdgesError::Fields {
            line: number,
            found: fields.len(),
        });
    };
    let state = |found: &str| {
        found.parse::<u64>().map_err(|_| EdgesError::NotAState {
            line: number,
            found: found.to_owned(),
        })
    };
    let parsed = value.parse::<f64>().map_err(|_| EdgesError::NotANumber {
        line: number,
        found: value.to_owned(),
    })?;
    if !parsed.is_finite() || parsed < 0.0 {
        return Err(EdgesError::BadValue {
            line: number,
            column: match values {
                Values::Probabilities => "probability",
                Values::Weights => "weight",
            },
            value: parsed,
        });
    }
    Ok(Line {
        number,
        from: state(from)?,
        to: state(to)?,
        value: parsed,
    })
}

fn chain(lines: &[Line], values: Values) -> Result<Chain, EdgesError> {
    let transitions = lines.len();
    if transitions == 0 {
        return Err(EdgesError::NoTransitions);
    }
    for line in lines {
        let state = line.from.max(line.to);
        if state >= transitions as u64 {
            return Err(EdgesError::Gap {
                line: line.number,
                state,
                transitions,
            });
        }
    }
    let highest = lines.iter().map(|l| l.from.max(l.to)).max().unwrap_or(0);
    let states = highest as usize + 1;
    let mut has_way_out = vec![false; states];
    for line in lines {
        has_way_out[line.from as usize] = true;
    }
    if let Some(state) = has_way_out.iter().position(|&way| !way) {
        return Err(EdgesError::NoWayOut { state });
    }
    let list: Vec<Transition> = lines
        .iter()
        .map(|line| Transition {
            from: line.from as usize,
            to: line.to as usize,
            value: line.value,
        })
        .collect();
    Chain::from_transitions(states, values, &list).map_err(EdgesError::Chain)
}
