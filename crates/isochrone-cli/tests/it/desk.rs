//! A user's desk: a folder of its own, and the command run in it.

use isochrone::maze::Maze;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// Files, and a place to run the command; gone when dropped.
pub(crate) struct Desk {
    folder: TempDir,
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self {
            folder: TempDir::new().unwrap(),
        }
    }

    /// A desk with one file on it.
    pub(crate) fn with(name: &str, contents: impl AsRef<[u8]>) -> Self {
        let desk = Self::new();
        desk.put(name, contents);
        desk
    }

    pub(crate) fn put(&self, name: &str, contents: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// What is in a folder of it.
    pub(crate) fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(folder)).unwrap();
        let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name();
        entries
            .map(|e| name(e).to_string_lossy().into_owned())
            .collect()
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    pub(crate) fn table(&self, name: &str) -> Table {
        Table::new(&self.read(name))
    }

    /// The command with its arguments, split at spaces as a shell would.
    pub(crate) fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(crate::PROGRAM);
        command.current_dir(self.folder.path());
        command.args(arguments.split_whitespace());
        command
    }

    pub(crate) fn run(&self, arguments: &str) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs what must succeed without a word of complaint; returns what it printed.
    pub(crate) fn ok(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments}: {complaint}");
        assert_eq!(complaint, "", "{arguments}");
        String::from_utf8(output.stdout).unwrap()
    }
}

impl Desk {
    /// Runs what must succeed with a warning; returns what it printed, and the warning.
    pub(crate) fn warned(&self, arguments: &str) -> (String, String) {
        let output = self.run(arguments);
        let warning = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{arguments}: {warning}");
        assert!(
            warning.starts_with("isochrone: warning: "),
            "{arguments}: {warning}"
        );
        (String::from_utf8(output.stdout).unwrap(), warning)
    }

    /// Runs until a file of records has a kilobyte, then sends a signal (`-INT`, `-TERM`); returns how that ended.
    pub(crate) fn signalled(&self, arguments: &str, records: &str, signal: &str) -> Output {
        let running = self.command(arguments).stderr(Stdio::piped()).spawn();
        let mut running = running.unwrap();
        let records = self.path(records);
        while fs::metadata(&records).map_or(0, |file| file.len()) < 1_000 {
            assert!(running.try_wait().unwrap().is_none(), "{arguments} ended");
            std::thread::sleep(Duration::from_millis(2));
        }
        let pid = running.id().to_string();
        let sent = Command::new("kill").args([signal, &pid]).status();
        assert!(sent.unwrap().success());
        running.wait_with_output().unwrap()
    }

    /// Runs what must be refused, and returns the complaint.
    pub(crate) fn refused(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        assert!(!output.status.success(), "{arguments} was not refused");
        String::from_utf8(output.stderr).unwrap()
    }
}

/// A CSV file.
pub(crate) struct Table {
    pub(crate) header: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Table {
    fn new(bytes: &[u8]) -> Self {
        let mut reader = csv::Reader::from_reader(bytes);
        let owned = |r: &csv::StringRecord| r.iter().map(str::to_owned).collect::<Vec<String>>();
        Self {
            header: owned(reader.headers().unwrap()),
            rows: reader.records().map(|row| owned(&row.unwrap())).collect(),
        }
    }

    pub(crate) fn column(&self, name: &str) -> Vec<f64> {
        let at = self.header.iter().position(|h| h == name);
        let at = at.unwrap_or_else(|| panic!("no {name} in {:?}", self.header));
        self.rows.iter().map(|r| r[at].parse().unwrap()).collect()
    }
}

/// Within 1e-9 relative, entry by entry (1e-9 absolute where the truth is zero).
pub(crate) fn assert_close(what: &str, found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (at, (f, e)) in found.iter().zip(expected).enumerate() {
        let allowed = if e.abs() < 1e-6 { 1e-9 } else { 1e-9 * e.abs() };
        assert!((f - e).abs() <= allowed, "{what}[{at}]: {f} instead of {e}");
    }
}

/// Numbers of the science crate's reference file.
pub(crate) fn reference(path: &[&str]) -> Vec<f64> {
    flatten(&reference_value(path))
}

pub(crate) fn reference_value(path: &[&str]) -> serde_json::Value {
    let text = include_str!("../../../isochrone/tests/data/tabular-reference.json");
    let mut value: serde_json::Value = serde_json::from_str(text).unwrap();
    for key in path {
        value = value[*key].take();
        assert!(!value.is_null(), "no {key} in {path:?}");
    }
    value
}

fn flatten(value: &serde_json::Value) -> Vec<f64> {
    match value {
        serde_json::Value::Array(items) => items.iter().flat_map(flatten).collect(),
        number => vec![number.as_f64().unwrap()],
    }
}

pub(crate) fn assert_png(bytes: &[u8]) {
    assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n"), "no PNG magic");
    assert!(bytes.ends_with(b"IEND\xaeB`\x82"), "PNG cut short");
}

/// Every element opened is closed, in order, and the root is `svg`.
pub(crate) fn assert_svg(text: &str) {
    let mut open = Vec::new();
    let mut elements = 0;
    for piece in text.trim().split('<').skip(1) {
        let (tag, _) = piece.split_once('>').expect("a tag without end");
        let name = tag.split([' ', '/']).find(|part| !part.is_empty());
        let name = name.unwrap_or_default();
        match tag.as_bytes() {
            [b'!' | b'?', ..] => {}
            [b'/', ..] => assert_eq!(open.pop(), Some(name), "closed out of order"),
            [.., b'/'] => elements += 1,
            _ => {
                assert!(name == "svg" || !open.is_empty(), "{name} outside the svg");
                elements += 1;
                open.push(name);
            }
        }
    }
    assert!(open.is_empty(), "left open: {open:?}");
    assert!(elements > 10, "only {elements} elements");
}

/// A maze as the text it would be read from.
pub(crate) fn maze_text(maze: &Maze) -> String {
    let floor = maze.lay_out(&vec![(); maze.n_states()]);
    let line = |row: &[Option<()>]| row.iter().map(|c| c.map_or('#', |()| '.')).collect();
    let lines: Vec<String> = floor.chunks(maze.columns()).map(line).collect();
    lines.join("\n")
}
