//! Why processes cannot share a run.

use super::launcher::Family;
use isochrone::comm::CommError;
use std::path::PathBuf;

/// Why processes cannot share a run.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    /// `--mpi` without a launcher.
    #[error(
        "--mpi, but this process was not launched by MPI. Launch it, for example on four ranks:\n  mpirun -n 4 isochrone … --mpi"
    )]
    NoLauncher,
    /// A launcher without `--mpi`.
    #[error(
        "this is one of {ranks} processes that a launcher started, and each would do the whole work and write over the \
         others. To share it, add --mpi; to keep them apart, unset OMPI_COMM_WORLD_SIZE, PMI_SIZE and SLURM_STEP_NUM_TASKS"
    )]
    NotAsked {
        /// Processes of the job.
        ranks: usize,
    },
    /// No plugin for this MPI.
    #[error(
        "there is no plugin for {family}: {} {}. Build it with scripts/build-mpi.sh FOLDER, the folder of the isochrone that is launched, or name it with --mpi-plugin; under srun, --mpi=pmix starts processes of Open MPI",
        looked.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" and "),
        if looked.len() == 1 { "does not exist" } else { "do not exist" }
    )]
    NoPlugin {
        /// The MPI of the launcher.
        family: Family,
        /// Files that do not exist.
        looked: Vec<PathBuf>,
    },
    /// The plugin cannot be loaded.
    #[error("cannot open {}: {reason}. Is {family} installed on this machine?", plugin.display())]
    Unopened {
        /// Its file.
        plugin: PathBuf,
        /// The MPI it links.
        family: Family,
        /// The linker's words.
        reason: String,
    },
    /// The plugin was built from another revision.
    #[error(
        "{} speaks interface {got}, this program {expected}; build both from one revision", plugin.display()
    )]
    OtherInterface {
        /// Its file.
        plugin: PathBuf,
        /// Version of its interface.
        got: u32,
        /// Version of ours.
        expected: u32,
    },
    /// Plugin and launcher belong to different MPIs.
    #[error(
        "the launcher started {launched} processes, but {library} counts {counted}: {} does not belong to this launcher \
         ({launcher}). Use the mpirun of the same MPI, or another --mpi-plugin", plugin.display()
    )]
    OtherLauncher {
        /// Processes by the launcher.
        launched: usize,
        /// Processes by the library.
        counted: usize,
        /// What the library calls itself.
        library: String,
        /// The MPI of the launcher.
        launcher: Family,
        /// The plugin's file.
        plugin: PathBuf,
    },
    /// MPI can be started once per process.
    #[error("MPI runs in this process already")]
    Running,
    /// Ranks hold different parameters.
    #[error(
        "rank {rank} holds other numbers than rank 0: the machines do not compute alike. The last checkpoint, which all \
         agreed on, is kept; resume it on machines of one kind"
    )]
    RanksDiffer {
        /// The first that differs from rank 0.
        rank: usize,
    },
    /// In communication.
    #[error(transparent)]
    Comm(#[from] CommError),
}

impl ClusterError {
    /// What the process exits with: scripts tell these apart.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::NoPlugin { .. } | Self::Unopened { .. } | Self::OtherInterface { .. } => 2,
            Self::NoLauncher | Self::NotAsked { .. } | Self::OtherLauncher { .. } => 3,
            Self::Running | Self::RanksDiffer { .. } | Self::Comm(_) => 1,
        }
    }
}
