//! `isochrone doctor`: what this machine has of what some commands need, and what to install.

use crate::version::{REVISION, features, mujoco};
use anyhow::{Result, bail};
use isochrone_runs::cluster::{Family, plugin_file};
use isochrone_runs::output::{print, table};
use std::fmt::Write as _;
#[cfg(unix)]
use std::path::Path;
use std::process::Command;

/// Free space below which long runs end soon.
const LITTLE_BYTES: u64 = 2_000_000_000;

/// How a check went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Ok,
    /// Something optional is not there.
    Missing,
    /// What is there does not work, or hardly.
    Bad,
}

impl Outcome {
    const fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Missing => "missing",
            Self::Bad => "BAD",
        }
    }
}

/// One line.
struct Check {
    what: &'static str,
    outcome: Outcome,
    /// What was found.
    found: String,
    /// What to do about it, and which commands need it; empty if nothing is to be done.
    remedy: &'static str,
}

impl Check {
    fn ok(what: &'static str, found: impl Into<String>) -> Self {
        Self {
            what,
            outcome: Outcome::Ok,
            found: found.into(),
            remedy: "",
        }
    }

    fn missing(what: &'static str, found: impl Into<String>, remedy: &'static str) -> Self {
        Self {
            what,
            outcome: Outcome::Missing,
            found: found.into(),
            remedy,
        }
    }

    fn bad(what: &'static str, found: impl Into<String>, remedy: &'static str) -> Self {
        Self {
            outcome: Outcome::Bad,
            ..Self::missing(what, found, remedy)
        }
    }
}

/// Runs the command.
pub fn run() -> Result<()> {
    let checks = [
        program(),
        cores(),
        disk(),
        physics(),
        pictures(),
        mpi(Family::OpenMpi, "Open MPI", "mpirun.openmpi"),
        mpi(Family::Mpich, "MPICH", "mpirun.mpich"),
        gpu(),
    ];
    let rows: Vec<Vec<String>> = checks
        .iter()
        .map(|check| {
            [check.what, check.outcome.word(), &check.found]
                .map(str::to_owned)
                .to_vec()
        })
        .collect();
    let mut text = table(&["check", "result", "found"], &rows);
    let remedies = checks.iter().filter(|check| !check.remedy.is_empty());
    for check in remedies {
        writeln!(text, "\n{}: {}", check.what, check.remedy)?;
    }
    print(&text)?;
    let n_bad = checks.iter().filter(|c| c.outcome == Outcome::Bad).count();
    if n_bad > 0 {
        bail!("{n_bad} of {} checks failed", checks.len());
    }
    Ok(())
}

fn program() -> Check {
    let version = env!("CARGO_PKG_VERSION");
    let found = format!(
        "{version}, revision {REVISION}, features {}",
        features().join(", ")
    );
    Check::ok("isochrone", found)
}

fn cores() -> Check {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    Check::ok("cores", cores.to_string())
}

/// Free space where run folders go.
#[cfg(unix)]
fn disk() -> Check {
    const WHAT: &str = "disk";
    match rustix::fs::statvfs(Path::new(".")) {
        Ok(found) => {
            let free = found.f_bavail.saturating_mul(found.f_frsize);
            let words = format!("{:.0} GB free in this folder", free as f64 / 1e9);
            if free < LITTLE_BYTES {
                Check::bad(
                    WHAT,
                    words,
                    "long runs and large data sets need more; a full disk stops a run, which can be resumed",
                )
            } else {
                Check::ok(WHAT, words)
            }
        }
        Err(error) => Check::bad(WHAT, error.to_string(), "go to a folder that can be read"),
    }
}

#[cfg(not(unix))]
fn disk() -> Check {
    Check::missing("disk", "not measured on this system", "")
}

fn physics() -> Check {
    match mujoco() {
        Some(version) => Check::ok("MuJoCo", version),
        None => Check::missing(
            "MuJoCo",
            "built without worlds",
            "`train` in the paper's worlds, `worlds` and `render` need it: run scripts/setup-mujoco.sh, then install without \
             --no-default-features",
        ),
    }
}

/// Draws a small picture.
#[cfg(feature = "worlds")]
fn pictures() -> Check {
    use isochrone_mujoco::WorldName;
    use isochrone_mujoco::render::{Renderer, View};
    let world = match WorldName::PointMass.build() {
        Ok(world) => world,
        Err(error) => {
            return Check::bad(
                "pictures",
                error.to_string(),
                "the world cannot be built: reinstall",
            );
        }
    };
    let drawn = Renderer::new(&world, View::TopDown, 8, 8);
    let drawn = drawn.and_then(|mut renderer| renderer.draw(&world, None));
    match drawn {
        Ok(_) => Check::ok("pictures", "a test picture was drawn"),
        Err(error) => Check::missing(
            "pictures",
            error.to_string(),
            "`render`, `collect --image` and the pixel world need it: install libegl1 and libgl1-mesa-dri, or libosmesa6",
        ),
    }
}

#[cfg(not(feature = "worlds"))]
fn pictures() -> Check {
    Check::missing("pictures", "built without worlds", "")
}

/// The launcher, and the plugin beside this command.
fn mpi(family: Family, name: &'static str, launcher: &str) -> Check {
    let launchers = [launcher, "mpirun"];
    let version = launchers.iter().find_map(|launcher| {
        let out = Command::new(launcher).arg("--version").output().ok()?;
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        // MPICH's launcher is Hydra.
        let is_its = match family {
            Family::OpenMpi => text.contains("Open MPI"),
            Family::Mpich => text.contains("HYDRA") || text.contains("MPICH"),
        };
        is_its.then(|| (*launcher).to_owned())
    });
    let remedy = "`--mpi` needs both; scripts/setup-mpi.sh installs MPI, scripts/build-mpi.sh builds the plugins";
    match (version, plugin_file(family)) {
        (Some(launcher), Ok(plugin)) => {
            Check::ok(name, format!("{launcher}, {}", plugin.display()))
        }
        (Some(launcher), Err(_)) => Check::missing(name, format!("{launcher}, no plugin"), remedy),
        (None, Ok(_)) => Check::missing(name, "a plugin, no launcher", remedy),
        (None, Err(_)) => Check::missing(name, "neither launcher nor plugin", ""),
    }
}

fn gpu() -> Check {
    use isochrone::nn::{GpuError, use_gpu};
    match use_gpu() {
        Ok(()) => Check::ok("GPU", "a device for `fit --device gpu`"),
        Err(GpuError::NotBuilt) => Check::missing("GPU", "built without the feature gpu", ""),
        Err(error) => Check::missing(
            "GPU",
            error.to_string(),
            "`--device gpu` needs a Vulkan driver; everything runs on the CPU without",
        ),
    }
}
