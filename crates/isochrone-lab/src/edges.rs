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
    #[error("line 1: the columns are `{found}`, but must be from,to,probability or from,to,weight")]
    Header {
        /// As written.
        found: String,
    },
    /// Too few or too many fields, or bytes that are no text.
    #[error("line {line}: {reason}")]
    Row {
        /// From 1.
        line: u64,
        /// What is wrong.
        reason: String,
    },
    /// A state that is not a whole number.
    #[error("line {line}: `{found}` is not a state's number")]
    NotAState {
        /// From 1.
        line: u64,
        /// As written.
        found: String,
    },
    /// A value that is not a number.
    #[error("line {line}: `{found}` is not a number")]
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
        "line {line}: state {state} is named, but {transitions} transitions leave at most {transitions} states; number states from 0 without gaps"
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

/// Reads an edge list.
pub fn parse(text: &[u8]) -> Result<Chain, EdgesError> {
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    if text.trim_ascii().is_empty() {
        return Err(EdgesError::Empty);
    }
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .flexible(true)
        .from_reader(text);
    let values = header(&mut reader)?;
    let mut lines = Vec::new();
    let mut record = csv::StringRecord::new();
    while read(&mut reader, &mut record)? {
        lines.push(line(&record, values)?);
    }
    chain(&lines, values)
}

fn read(
    reader: &mut csv::Reader<&[u8]>,
    record: &mut csv::StringRecord,
) -> Result<bool, EdgesError> {
    let line = reader.position().line();
    reader.read_record(record).map_err(|error| EdgesError::Row {
        line: error.position().map_or(line, csv::Position::line),
        reason: match error.kind() {
            csv::ErrorKind::Utf8 { .. } => "is not UTF-8 text".to_owned(),
            _ => error.to_string(),
        },
    })
}

fn header(reader: &mut csv::Reader<&[u8]>) -> Result<Values, EdgesError> {
    let found = reader.headers().map_err(|error| EdgesError::Row {
        line: 1,
        reason: error.to_string(),
    })?;
    let columns: Vec<&str> = found.iter().collect();
    match columns[..] {
        ["from", "to", "probability"] => Ok(Values::Probabilities),
        ["from", "to", "weight"] => Ok(Values::Weights),
        _ => Err(EdgesError::Header {
            found: columns.join(","),
        }),
    }
}

fn line(record: &csv::StringRecord, values: Values) -> Result<Line, EdgesError> {
    let number = record.position().map_or(0, csv::Position::line);
    let fields: Vec<&str> = record.iter().collect();
    let [from, to, value] = fields[..] else {
        return Err(EdgesError::Row {
            line: number,
            reason: format!("{} fields where there should be 3", fields.len()),
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
