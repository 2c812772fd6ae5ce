//! No input makes a parser panic, and what a parser accepts keeps the laws.
//!
//! A million inputs each: `PROPTEST_CASES=1000000 cargo nextest run -p isochrone-cli fuzz` (minutes).

use crate::desk::maze_text;
use isochrone::markov::{Chain, stationary};
use isochrone::maze::{Maze, MazeError, Moves, WallRule};
use isochrone_cli::cli::{MovesArgument, StateArgument};
use isochrone_cli::edges;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// What edge lists are made of, and what they are not.
const PIECES: [&str; 24] = [
    "from,to,probability\n",
    "from,to,weight\n",
    "from",
    "to",
    "weight",
    ",",
    ",",
    "\n",
    "\r\n",
    "\"",
    "0",
    "1",
    "2",
    "9",
    "-",
    "+",
    ".5",
    "NaN",
    "inf",
    "1e309",
    "1e-320",
    " ",
    "\u{feff}",
    "\0",
];
/// Values of a row: usual ones, and those at the edges of what an f64 holds.
const VALUES: [&str; 10] = [
    "0.5", "0.5", "1", "1", "0.25", "0", "3e2", "1e308", "1e-320", "NaN",
];

/// Bytes that a failure shows as text.
#[derive(Clone)]
struct Bytes(Vec<u8>);

impl std::fmt::Debug for Bytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "b\"{}\"", self.0.escape_ascii())
    }
}

/// Any bytes; pieces in any order; and lists good enough to be accepted now and then.
fn edge_lists() -> impl Strategy<Value = Bytes> {
    let pieces = vec(select(&PIECES[..]), 0..24).prop_map(|p| p.concat().into_bytes());
    let row = (0..3_u8, 0..3_u8, select(&VALUES[..]));
    let list = (select(&PIECES[..2]), vec(row, 1..9)).prop_map(|(header, rows)| {
        let lines = rows
            .iter()
            .map(|(from, to, value)| format!("{from},{to},{value}\n"));
        (header.to_owned() + &lines.collect::<String>()).into_bytes()
    });
    prop_oneof![vec(any::<u8>(), 0..100), pieces, list].prop_map(Bytes)
}

fn mazes() -> impl Strategy<Value = String> {
    let grid = (1..6_usize).prop_flat_map(|columns| {
        let line = vec(select(&['.', '.', '.', '#'][..]), columns);
        vec(line, 1..6).prop_map(|lines| {
            let lines: Vec<String> = lines.into_iter().map(String::from_iter).collect();
            lines.join("\n")
        })
    });
    prop_oneof![
        "(?s).{0,40}",
        "[.#\r\n x]{0,60}",
        "([.#]{3}\r?\n){0,5}",
        grid
    ]
}

fn moves() -> impl Strategy<Value = Moves> {
    let p = || select(&[0.0, 0.25, 0.5, 1.0, -0.25, f64::NAN, f64::INFINITY][..]);
    let any = (p(), p(), p(), p()).prop_map(|(north, south, east, west)| Moves {
        north,
        south,
        east,
        west,
    });
    prop_oneof![Just(Moves::UNIFORM), Just(Moves::NORTH_EAST), any]
}

/// Rows are distributions, and so is ρ where it can be computed.
fn check_chain(chain: &Chain) -> Result<(), TestCaseError> {
    for state in 0..chain.n_states() {
        let sum: f64 = chain.row(state).map(|(_, p)| p).sum();
        prop_assert!((sum - 1.0).abs() <= 1e-9, "row {} sums to {}", state, sum);
        for (to, p) in chain.row(state) {
            prop_assert!(to < chain.n_states() && p > 0.0 && p <= 1.0 + 1e-9);
        }
    }
    if let Ok(found) = stationary(chain) {
        prop_assert!((found.rho.iter().sum::<f64>() - 1.0).abs() <= 1e-9);
        prop_assert!(found.rho.iter().all(|&p| p > 0.0));
    }
    Ok(())
}

/// A refusal is told in one line, whatever was in the file.
fn check_words(error: &impl ToString) -> Result<(), TestCaseError> {
    let words = error.to_string();
    prop_assert!(
        !words.is_empty() && words.lines().count() == 1,
        "{:?}",
        words
    );
    Ok(())
}

/// Whether all floor hangs together, found by spreading from the first floor cell until nothing changes.
fn is_connected(text: &str) -> bool {
    let mut cells: Vec<Vec<char>> = text.lines().map(|line| line.chars().collect()).collect();
    let (rows, columns) = (cells.len(), cells[0].len());
    let at = |n: usize| (n / columns, n % columns);
    let first = (0..rows * columns).find(|&n| cells[n / columns][n % columns] == '.');
    let (r, c) = at(first.unwrap_or(0));
    cells[r][c] = '*';
    for _ in 0..rows * columns {
        for (r, c) in (0..rows * columns).map(at) {
            let near = [
                (r.wrapping_sub(1), c),
                (r + 1, c),
                (r, c.wrapping_sub(1)),
                (r, c + 1),
            ];
            let reached =
                |&(r, c): &(usize, usize)| cells.get(r).and_then(|row| row.get(c)) == Some(&'*');
            if cells[r][c] == '.' && near.iter().any(reached) {
                cells[r][c] = '*';
            }
        }
    }
    !cells.iter().flatten().any(|&cell| cell == '.')
}

fn check_walk(maze: &Maze, moves: Moves, walls: WallRule) -> Result<(), TestCaseError> {
    match maze.chain(moves, walls) {
        Ok(chain) => {
            prop_assert_eq!(chain.n_states(), maze.n_states());
            check_chain(&chain)
        }
        Err(MazeError::CutOff { from, to }) => {
            prop_assert!(maze.state(from).is_ok() && maze.state(to).is_ok() && from != to);
            Ok(())
        }
        Err(error) => check_words(&error),
    }
}

proptest! {
    #[test]
    fn edge_lists_never_panic(Bytes(text) in edge_lists()) {
        match edges::parse(&text) {
            Ok(chain) => check_chain(&chain)?,
            Err(error) => check_words(&error)?,
        }
    }

    #[test]
    fn mazes_never_panic(text in mazes(), moves in moves()) {
        match text.parse::<Maze>() {
            Ok(maze) => {
                let read: Vec<&str> = text.trim_end_matches(['\r', '\n']).lines().collect();
                prop_assert_eq!(maze_text(&maze), read.join("\n"));
                let walk = maze.chain(Moves::UNIFORM, WallRule::Stay);
                prop_assert_eq!(walk.is_ok(), is_connected(&maze_text(&maze)));
                check_walk(&maze, moves, WallRule::Stay)?;
                check_walk(&maze, moves, WallRule::Renormalise)?;
            }
            Err(error) => check_words(&error)?,
        }
    }

    /// What is read can be written and read again.
    #[test]
    fn states_never_panic(text in prop_oneof!["(?s).{0,30}", "[0-9, +-]{0,24}", "[0-9]{1,3},[0-9]{1,3}"]) {
        match text.parse::<StateArgument>() {
            Ok(state) => {
                let again = match state {
                    StateArgument::Cell { column, row } => format!("{column},{row}"),
                    StateArgument::Number(number) => number.to_string(),
                };
                prop_assert_eq!(again.parse::<StateArgument>(), Ok(state));
                prop_assert_eq!(again.contains(','), text.contains(','));
            }
            Err(error) => prop_assert!(error.contains("is not a whole number"), "{}", error),
        }
    }

    #[test]
    fn moves_never_panic(text in prop_oneof!["(?s).{0,30}", "[0-9,.eEnaif +-]{0,30}", "([0-9.e-]{1,4},){3}[0-9]"]) {
        match text.parse::<MovesArgument>() {
            Ok(MovesArgument(Moves { north, south, east, west })) => {
                let again = format!("{north},{south},{east},{west}").parse::<MovesArgument>();
                let MovesArgument(again) = again.map_err(TestCaseError::fail)?;
                let pairs = [(north, again.north), (south, again.south), (east, again.east), (west, again.west)];
                prop_assert!(pairs.iter().all(|(a, b)| a.total_cmp(b).is_eq() || a.is_nan() && b.is_nan()));
                // What is no distribution is refused by the maze, whatever it is.
                check_walk(&Maze::open(3, 2).unwrap(), again, WallRule::Stay)?;
            }
            Err(error) => check_words(&error)?,
        }
    }
}
