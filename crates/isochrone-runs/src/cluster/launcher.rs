//! Who started this process, and as one of how many: what launchers leave in the environment.

use std::env::var;
use std::fmt;

/// Libraries that share a binary interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Open MPI.
    OpenMpi,
    /// MPICH, and what descends from it.
    Mpich,
}

impl Family {
    /// As the plugin's file is called.
    pub(super) const fn file_name(self) -> &'static str {
        match self {
            Self::OpenMpi => "libisochrone_mpi_openmpi.so",
            Self::Mpich => "libisochrone_mpi_mpich.so",
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OpenMpi => "Open MPI",
            Self::Mpich => "MPICH",
        })
    }
}

/// How this process was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Launch {
    pub(super) family: Family,
    /// Processes of the job.
    pub(super) ranks: usize,
}

/// What the environment says; `None` if this process stands alone.
pub(super) fn launch() -> Option<Launch> {
    launched_by(|name| var(name).ok())
}

/// `srun` starts processes for whatever library its PMI plugin serves: PMIx is Open MPI's.
fn launched_by(variable: impl Fn(&str) -> Option<String>) -> Option<Launch> {
    let slurm = match variable("PMIX_RANK") {
        Some(_) => Family::OpenMpi,
        None => Family::Mpich,
    };
    let known = [
        ("OMPI_COMM_WORLD_SIZE", Family::OpenMpi),
        ("PMI_SIZE", Family::Mpich),
        ("SLURM_STEP_NUM_TASKS", slurm),
    ];
    known.into_iter().find_map(|(name, family)| {
        let ranks = variable(name)?.trim().parse().ok()?;
        Some(Launch { family, ranks })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Option<(Family, usize)> {
        let variable = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        launched_by(variable).map(|launch| (launch.family, launch.ranks))
    }

    #[test]
    fn launchers_are_known_by_what_they_leave() {
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[("SLURM_NTASKS", "4")]), None);
        let open_mpi = Some((Family::OpenMpi, 4));
        assert_eq!(of(&[("OMPI_COMM_WORLD_SIZE", "4")]), open_mpi);
        assert_eq!(of(&[("PMI_SIZE", "2")]), Some((Family::Mpich, 2)));
        let step = ("SLURM_STEP_NUM_TASKS", "4");
        assert_eq!(of(&[step]), Some((Family::Mpich, 4)));
        assert_eq!(of(&[step, ("PMIX_RANK", "0")]), open_mpi);
        assert_eq!(of(&[("PMI_SIZE", "many")]), None);
    }
}
