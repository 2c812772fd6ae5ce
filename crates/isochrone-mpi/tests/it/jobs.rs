//! A desk with launchers.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A tiny training with a distance that is learned; everything that a large one has is in it.
pub(crate) const TINY: &str = "point-2d iterations=6 batch_steps=300 horizon_steps=50 new_goals=12 old_goals=6 \
    initial_states=200 on_policy_states=100 generator.iterations=5 generator.initial_iterations=5 updates_per_iteration=2 \
    evaluation.rollouts=1 evaluation.horizon_steps=20 evaluate_every=2 distance=off_policy distance.epsilon_steps=8 \
    distance.tail_steps=20 distance.learning_rate=1e-3 distance.initial_samples=400 distance.initial_epochs=2";

/// The same with a planner, and an ε that follows the success rate.
pub(crate) const PLANNED: &str = "point-2d iterations=6 batch_steps=300 horizon_steps=50 new_goals=12 old_goals=6 \
    initial_states=200 on_policy_states=100 generator=frontier updates_per_iteration=2 evaluation.rollouts=1 \
    evaluation.horizon_steps=20 evaluation.long_horizon_steps=30 evaluate_every=2 distance=off_policy \
    distance.epsilon_steps=8 distance.tail_steps=20 distance.initial_samples=400 distance.initial_epochs=2 \
    distance.replay_states=1000 distance.epsilon=adaptive planner=waypoints planner.landmarks=20";

/// What repeats to the byte.
const RECORDS: [&str; 5] = [
    "checkpoint.isochrone",
    "metrics.jsonl",
    "eval.jsonl",
    "goals.jsonl",
    "distance.jsonl",
];

/// Whose launcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mpi {
    Open,
    Mpich,
}

impl Mpi {
    pub(crate) const BOTH: [Self; 2] = [Self::Open, Self::Mpich];

    fn launcher(self, ranks: usize) -> Command {
        let mut command = Command::new(match self {
            Self::Open => "mpirun.openmpi",
            Self::Mpich => "mpirun.mpich",
        });
        if self == Self::Open {
            // Tests run as root, and on fewer processors than there are ranks.
            command.args(["--allow-run-as-root", "--oversubscribe"]);
            command.args(["--mca", "mpi_yield_when_idle", "1"]);
        }
        command.args(["-n", &ranks.to_string()]);
        command
    }

    pub(crate) fn plugin(self) -> PathBuf {
        built(match self {
            Self::Open => "libisochrone_mpi_openmpi.so",
            Self::Mpich => "libisochrone_mpi_mpich.so",
        })
    }
}

/// Beside the command, where `cargo` and `scripts/build-mpi.sh` put things.
fn built(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test.ancestors().nth(2).unwrap().join(name);
    let what = path.display();
    assert!(
        path.exists(),
        "{what} is not there; cargo build --workspace and scripts/build-mpi.sh make it"
    );
    path
}

/// A folder to work in.
pub(crate) struct Desk(tempfile::TempDir);

impl Desk {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn prepared(&self, mut command: Command, arguments: &str) -> Command {
        command.args(arguments.split_whitespace());
        command.current_dir(self.0.path()).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// The command without a launcher.
    pub(crate) fn alone(&self, arguments: &str) -> Output {
        let command = Command::new(built("isochrone"));
        self.prepared(command, arguments).output().unwrap()
    }

    /// A job that has been started.
    pub(crate) fn start(&self, mpi: Mpi, ranks: usize, arguments: &str) -> Child {
        // Without the plugin everything below would fail in another way.
        mpi.plugin();
        let mut command = mpi.launcher(ranks);
        command.arg(built("isochrone"));
        self.prepared(command, arguments).spawn().unwrap()
    }

    pub(crate) fn job(&self, mpi: Mpi, ranks: usize, arguments: &str) -> Output {
        let job = self.start(mpi, ranks, arguments);
        job.wait_with_output().unwrap()
    }

    pub(crate) fn assert_equal(&self, runs: [&str; 2], what: &str) {
        for file in RECORDS {
            let [a, b] = runs.map(|run| std::fs::read(self.path(run).join(file)).unwrap());
            assert!(a == b && !a.is_empty(), "{file}: {what}");
        }
    }

    /// Waits until a run has so many iterations.
    pub(crate) fn wait_for(&self, run: &str, iterations: usize) {
        let metrics = self.path(run).join("metrics.jsonl");
        let deadline = Instant::now() + Duration::from_mins(1);
        while lines(&metrics) < iterations {
            assert!(
                Instant::now() < deadline,
                "{run} does not come to {iterations} iterations"
            );
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// The processes that work in this desk, ranks all of them.
    pub(crate) fn ranks(&self) -> Vec<String> {
        let command = built("isochrone");
        let is_ours = |pid: &str| {
            let of = |what: &str| std::fs::read_link(format!("/proc/{pid}/{what}"));
            let here = std::fs::canonicalize(self.0.path()).unwrap();
            of("exe").is_ok_and(|exe| exe == command) && of("cwd").is_ok_and(|cwd| cwd == here)
        };
        let all = std::fs::read_dir("/proc").unwrap();
        let names = all.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut pids: Vec<String> = names.filter(|name| is_ours(name)).collect();
        pids.sort_by_key(|pid| pid.parse::<u32>().unwrap_or(0));
        pids
    }
}

fn lines(path: &Path) -> usize {
    std::fs::read_to_string(path).map_or(0, |text| text.lines().count())
}

/// What a process said to whom it may concern.
pub(crate) fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
