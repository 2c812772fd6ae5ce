//! Mazes: the text form, the wall rules, and every way to refuse.

use isochrone::markov::{Chain, ChainError, Values};
use isochrone::maze::{Cell, Maze, Moves, WallRule};
use proptest::prelude::*;

fn refusal(text: &str) -> String {
    let maze: Result<Maze, _> = text.parse();
    match maze.and_then(|maze| maze.chain(Moves::UNIFORM, WallRule::Stay)) {
        Ok(_) => "accepted".to_owned(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn bad_mazes_are_refused_by_place() {
    for (text, sentence) in [
        ("", "the maze is empty"),
        ("\n\n", "the maze is empty"),
        ("##\n##\n", "the maze has no floor: all 4 cells are wall"),
        (
            "..\n.x\n",
            "line 2, column 2: 'x' is neither wall `#` nor floor `.`",
        ),
        ("...\n..\n", "line 2 has 2 cells, line 1 has 3"),
        (".#.\n", "cell (2, 0) cannot be reached from cell (0, 0)"),
    ] {
        assert_eq!(refusal(text), sentence, "{text:?}");
    }
}

#[test]
fn cells_and_states() {
    let maze: Maze = "..#\r\n.#.\r\n...\r\n".parse().unwrap();
    assert_eq!((maze.columns(), maze.rows(), maze.n_states()), (3, 3, 7));
    for state in 0..maze.n_states() {
        assert_eq!(maze.state(maze.cell(state)).unwrap(), state);
    }
    let wall = maze.state(Cell { column: 1, row: 1 }).unwrap_err();
    assert_eq!(wall.to_string(), "cell (1, 1) is a wall");
    let outside = maze.state(Cell { column: 3, row: 0 }).unwrap_err();
    assert_eq!(outside.to_string(), "cell (3, 0) is outside the maze");
}

#[test]
fn moves_must_be_a_distribution() {
    let maze = Maze::open(2, 2).unwrap();
    let moves = Moves {
        north: 0.5,
        south: 0.5,
        east: 0.5,
        west: f64::NAN,
    };
    assert!(maze.chain(moves, WallRule::Stay).is_err());
    // Only north and south: the two columns are cut off from each other.
    let moves = Moves {
        north: 0.5,
        south: 0.5,
        east: 0.0,
        west: 0.0,
    };
    let error = maze.chain(moves, WallRule::Stay).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cell (1, 0) cannot be reached from cell (0, 0)"
    );
}

#[test]
fn a_trapped_cell_has_nothing_to_renormalise() {
    let error = Maze::open(1, 1)
        .unwrap()
        .chain(Moves::UNIFORM, WallRule::Renormalise)
        .unwrap_err();
    let sentence =
        "cell (0, 0) has no legal move to divide its probability among; use the wall rule `stay`";
    assert_eq!(error.to_string(), sentence);
}

#[test]
fn the_room_grid_has_the_promised_sizes() {
    for (wanted, states) in [(10_000, 10_879), (100_000, 98_703), (1_000_000, 1_000_323)] {
        assert_eq!(Maze::rooms(wanted).unwrap().n_states(), states);
    }
}

#[test]
fn bad_chains_are_refused_by_place() {
    let half = [vec![0.5, 0.4], vec![0.5, 0.5]];
    assert_eq!(
        Chain::from_rows(&half).unwrap_err().to_string(),
        "the probabilities out of state 0 sum to 0.9, not to 1 within 1e-9"
    );
    let nan = [vec![1.0, 0.0], vec![f64::NAN, 1.0]];
    let sentence = "the transition 1 → 0 has probability NaN";
    assert_eq!(Chain::from_rows(&nan).unwrap_err().to_string(), sentence);
    let cut = [vec![1.0, 0.0], vec![0.5, 0.5]];
    let sentence = "state 1 cannot be reached from state 0";
    assert_eq!(Chain::from_rows(&cut).unwrap_err().to_string(), sentence);
    let one_way = [vec![0.5, 0.5], vec![0.0, 1.0]];
    let sentence = "state 0 cannot be reached from state 1";
    assert_eq!(
        Chain::from_rows(&one_way).unwrap_err().to_string(),
        sentence
    );
    assert_eq!(
        Chain::from_rows::<Vec<f64>>(&[]).unwrap_err(),
        ChainError::Empty
    );
    let ragged = [vec![1.0], vec![0.5, 0.5]];
    assert!(matches!(
        Chain::from_rows(&ragged),
        Err(ChainError::NotSquare { row: 0, .. })
    ));
    let outside = Chain::build(2, Values::Weights, |_, row| row.push((5, 1.0)));
    let sentence = "the transition 0 → 5 names a state outside 0…1";
    assert_eq!(outside.unwrap_err().to_string(), sentence);
}

proptest! {
    #[test]
    fn no_text_makes_the_parser_panic(text in "[.#\\n\\r x]{0,60}") {
        if let Ok(maze) = text.parse::<Maze>() {
            let _ = maze.chain(Moves::NORTH_EAST, WallRule::Renormalise);
            prop_assert!(maze.n_states() > 0);
        }
    }

    #[test]
    fn what_is_laid_out_can_be_read_back(floor in proptest::collection::vec(any::<bool>(), 12)) {
        let row = |r: &[bool]| r.iter().map(|&f| if f { '.' } else { '#' }).collect::<String>();
        let text = floor.chunks(4).map(row).collect::<Vec<_>>().join("\n");
        let Ok(maze) = text.parse::<Maze>() else { return Ok(()) };
        let states: Vec<usize> = (0..maze.n_states()).collect();
        let laid = maze.lay_out(&states);
        prop_assert_eq!(laid.iter().map(Option::is_some).collect::<Vec<_>>(), floor);
        prop_assert_eq!(laid.into_iter().flatten().collect::<Vec<_>>(), states);
    }
}
