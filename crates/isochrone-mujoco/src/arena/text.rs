//! Reading and writing an arena's text.

use super::edges::Edges;
use super::{Arena, ArenaError, CELL_M, Cell, Way};
use std::fmt;
use std::str::FromStr;

const THICKNESS: &str = "wall_thickness_m";
const PUSH: &str = "push_n";
const CELLS: &str = "wall `#`, floor `.`, start `r` and floor that pushes, `<`, `>`, `^`, `v`";
const START: char = 'r';

/// What stands before the plan.
#[derive(Default)]
struct Settings {
    thickness_m: Option<f64>,
    push_n: Option<f64>,
}

impl Settings {
    /// Takes one line.
    fn read(&mut self, line: usize, text: &str) -> Result<(), ArenaError> {
        let refused = || ArenaError::Setting {
            line,
            text: text.to_owned(),
        };
        let (name, value) = text.split_once('=').ok_or_else(refused)?;
        let value: f64 = value.trim().parse().map_err(|_| refused())?;
        let (setting, limit) = match name.trim() {
            THICKNESS => (&mut self.thickness_m, CELL_M),
            PUSH => (&mut self.push_n, f64::INFINITY),
            _ => return Err(refused()),
        };
        if setting.is_some() || !(value > 0.0 && value < limit) {
            return Err(refused());
        }
        *setting = Some(value);
        Ok(())
    }
}

/// The plan's lines, all of one length, and the number of the first in the text.
struct Plan {
    marks: Vec<Vec<char>>,
    first_line: usize,
}

impl Plan {
    fn new(lines: &[&str], first_line: usize) -> Result<Self, ArenaError> {
        let marks: Vec<Vec<char>> = lines.iter().map(|line| line.chars().collect()).collect();
        let expected = marks.first().map_or(0, Vec::len);
        if expected == 0 {
            return Err(ArenaError::Empty);
        }
        match marks.iter().position(|line| line.len() != expected) {
            Some(at) => Err(ArenaError::Ragged {
                line: first_line + at,
                marks: marks[at].len(),
                expected,
            }),
            None => Ok(Self { marks, first_line }),
        }
    }

    fn unknown(&self, (row, column): (usize, usize), expected: &'static str) -> ArenaError {
        ArenaError::UnknownMark {
            line: self.first_line + row,
            column: column + 1,
            found: self.marks[row][column],
            expected,
        }
    }

    /// Characters at every `step`-th row and column from `first` on, read one by one.
    fn each<T>(
        &self,
        first: (usize, usize),
        step: usize,
        expected: &'static str,
        read: impl Fn(char) -> Option<T>,
    ) -> Result<Vec<T>, ArenaError> {
        let columns = self.marks[0].len();
        let places = (first.0..self.marks.len())
            .step_by(step)
            .flat_map(|row| (first.1..columns).step_by(step).map(move |c| (row, c)));
        places
            .map(|at| read(self.marks[at.0][at.1]).ok_or_else(|| self.unknown(at, expected)))
            .collect()
    }

    /// Walls between cells, if this plan has them: posts, and between them the edges of cells.
    fn edges(&self, thickness_m: f64) -> Result<Edges, ArenaError> {
        let (lines, columns) = (self.marks.len(), self.marks[0].len());
        if [lines, columns].iter().any(|n| *n < 3 || n % 2 == 0) {
            return Err(ArenaError::Even { lines, columns });
        }
        self.each((0, 0), 2, "post `+`", |mark| (mark == '+').then_some(()))?;
        let wall = |wall: char| {
            move |mark| match mark {
                ' ' => Some(false),
                mark => (mark == wall).then_some(true),
            }
        };
        Ok(Edges {
            thickness_m,
            level: self.each((0, 1), 2, "wall `-` and opening ` `", wall('-'))?,
            upright: self.each((1, 0), 2, "wall `|` and opening ` `", wall('|'))?,
        })
    }
}

fn cell(mark: char) -> Option<Cell> {
    match mark {
        '#' => Some(Cell::Wall),
        '.' | START => Some(Cell::Floor),
        mark => Way::ALL
            .into_iter()
            .find(|way| way.mark() == mark)
            .map(Cell::Pushes),
    }
}

impl FromStr for Arena {
    type Err = ArenaError;

    fn from_str(text: &str) -> Result<Self, ArenaError> {
        let lines: Vec<&str> = text.trim_end_matches(['\n', '\r']).lines().collect();
        let n_settings = lines.iter().take_while(|line| line.contains('=')).count();
        let mut settings = Settings::default();
        for (at, line) in lines[..n_settings].iter().enumerate() {
            settings.read(at + 1, line)?;
        }
        let plan = Plan::new(&lines[n_settings..], n_settings + 1)?;
        let edges = settings.thickness_m.map(|t| plan.edges(t)).transpose()?;
        let (first, step) = if edges.is_some() { (1, 2) } else { (0, 1) };
        let cells = plan.each((first, first), step, CELLS, cell)?;
        let is_start = plan.each((first, first), step, CELLS, |mark| Some(mark == START))?;
        let starts: Vec<usize> = (0..cells.len()).filter(|&at| is_start[at]).collect();
        let [start] = starts[..] else {
            return Err(ArenaError::Starts {
                found: starts.len(),
            });
        };
        if cells.iter().any(|cell| matches!(cell, Cell::Pushes(_))) != settings.push_n.is_some() {
            return Err(ArenaError::Push);
        }
        let columns = plan.marks[0].len() / step;
        Ok(Self::new(columns, cells, start, edges, settings.push_n))
    }
}

/// The text it was read from.
impl fmt::Display for Arena {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(edges) = &self.edges {
            writeln!(f, "{THICKNESS} = {}", edges.thickness_m)?;
        }
        if let Some(push_n) = self.push_n {
            writeln!(f, "{PUSH} = {push_n}")?;
        }
        self.write_plan(f)
    }
}

impl Arena {
    /// The drawing without its settings.
    pub fn plan(&self) -> String {
        let mut text = String::new();
        // Writing to a String cannot fail.
        let _ = self.write_plan(&mut text);
        text
    }

    fn mark(&self, column: usize, row: usize) -> char {
        match self.cells[row * self.columns + column] {
            Cell::Wall => '#',
            Cell::Pushes(way) => way.mark(),
            Cell::Floor if (column, row) == self.start => START,
            Cell::Floor => '.',
        }
    }

    fn write_plan(&self, f: &mut impl fmt::Write) -> fmt::Result {
        for row in 0..self.rows() {
            self.write_edges(f, row)?;
            for column in 0..self.columns {
                if let Some(edges) = &self.edges {
                    let is_wall = edges.upright[row * (self.columns + 1) + column];
                    f.write_char(if is_wall { '|' } else { ' ' })?;
                }
                f.write_char(self.mark(column, row))?;
            }
            if let Some(edges) = &self.edges {
                let is_wall = edges.upright[row * (self.columns + 1) + self.columns];
                f.write_char(if is_wall { '|' } else { ' ' })?;
            }
            f.write_char('\n')?;
        }
        self.write_edges(f, self.rows())
    }

    /// The line above a row of cells.
    fn write_edges(&self, f: &mut impl fmt::Write, row: usize) -> fmt::Result {
        let Some(edges) = &self.edges else {
            return Ok(());
        };
        for is_wall in &edges.level[row * self.columns..(row + 1) * self.columns] {
            f.write_str(if *is_wall { "+-" } else { "+ " })?;
        }
        f.write_str("+\n")
    }
}
