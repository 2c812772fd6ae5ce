//! Why processes cannot share a run.

use super::launcher::Family;
use isochrone::comm::CommError;
use std::path::PathBuf;

/// Why processes cannot share a run, or go on with it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ClusterError {
    #[error(
        "--mpi, but nobody launched this process. Launch it, for example on four ranks:\n  mpirun -n 4 isochrone … --mpi"
    )]
    NoLauncher,
    #[error(
        "this is one of {ranks} processes that a launcher started, and each would do the whole work and write over the \
         others. To share it, add --mpi; to keep them apart, unset OMPI_COMM_WORLD_SIZE, PMI_SIZE and SLURM_STEP_NUM_TASKS"
    )]
    NotAsked { ranks: usize },
    #[error(
        "there is no plugin for {family}: {} {}. Build it with scripts/build-mpi.sh FOLDER, the folder of the isochrone that is launched, or name it with --mpi-plugin; under srun, --mpi=pmix starts processes of Open MPI",
        looked.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" and "),
        if looked.len() == 1 { "is not there" } else { "are not there" }
    )]
    NoPlugin {
        family: Family,
        looked: Vec<PathBuf>,
    },
    #[error("cannot open {}: {reason}. Is {family} installed on this machine?", plugin.display())]
    Unopened {
        plugin: PathBuf,
        family: Family,
        reason: String,
    },
    #[error(
        "{} speaks interface {got}, this program {expected}; build both from one revision", plugin.display()
    )]
    OtherInterface {
        plugin: PathBuf,
        got: u32,
        expected: u32,
    },
    #[error(
        "the launcher started {launched} processes, but {library} counts {counted}: {} does not belong to this launcher \
         ({launcher}). Use the mpirun of the same MPI, or another --mpi-plugin", plugin.display()
    )]
    OtherLauncher {
        launched: usize,
        counted: usize,
        library: String,
        launcher: Family,
        plugin: PathBuf,
    },
    #[error("MPI runs in this process already")]
    Running,
    #[error(
        "rank {rank} holds other numbers than rank 0: the machines do not compute alike. The last checkpoint, which all \
         agreed on, is kept; go on with it on machines of one kind"
    )]
    RanksDiffer { rank: usize },
    #[error(transparent)]
    Comm(#[from] CommError),
}

impl ClusterError {
    /// What the process exits with: scripts tell these apart.
    pub(crate) const fn exit_code(&self) -> u8 {
        match self {
            Self::NoPlugin { .. } | Self::Unopened { .. } | Self::OtherInterface { .. } => 2,
            Self::NoLauncher | Self::NotAsked { .. } | Self::OtherLauncher { .. } => 3,
            Self::Running | Self::RanksDiffer { .. } | Self::Comm(_) => 1,
        }
    }
}
