//! The MPI plugin, opened at run time: the only `unsafe` of this crate, and the only place that knows the C interface
//! of the crate `isochrone-mpi`.
#![expect(
    unsafe_code,
    reason = "functions of a library that is opened at run time"
)]

use super::error::ClusterError;
use super::launcher::Family;
use libloading::{Library, Symbol};
use std::ffi::c_char;
use std::path::{Path, PathBuf};

/// What this program speaks.
const INTERFACE: u32 = 1;
/// What the plugin answers when it is done.
const DONE: i32 = 0;

type Start = unsafe extern "C" fn(*mut u32, *mut u32) -> i32;
type Describe = unsafe extern "C" fn(*mut c_char, usize) -> usize;
type GatherNumber = unsafe extern "C" fn(u64, *mut u64) -> i32;
type Gather = unsafe extern "C" fn(*const u8, *const u64, *mut u8) -> i32;
type Exchange = unsafe extern "C" fn(*const u8, *const u64, *mut u8, *const u64) -> i32;
type Sum = unsafe extern "C" fn(*const f64, *mut f64, usize) -> i32;
type TimeSum = unsafe extern "C" fn(*const f64, *mut f64, usize) -> u64;
type Broadcast = unsafe extern "C" fn(u32, *mut u8, usize) -> i32;

/// A message is longer than MPI can count (2³¹ bytes or numbers).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooLong;

/// MPI, started.
#[derive(Debug)]
pub(super) struct Plugin {
    rank: usize,
    ranks: usize,
    gather_number: GatherNumber,
    gather: Gather,
    exchange: Exchange,
    sum: Sum,
    time_sum: TimeSum,
    broadcast: Broadcast,
    barrier: extern "C" fn() -> i32,
    abort: extern "C" fn(i32),
    finish: extern "C" fn(),
    describe: Describe,
    path: PathBuf,
}

impl Plugin {
    /// Opens the named file, or the one of this family that stands beside the command, and starts MPI.
    pub(super) fn start(named: Option<&Path>, family: Family) -> Result<Self, ClusterError> {
        let path = find(named, family)?;
        let unopened = |reason: String| ClusterError::Unopened {
            plugin: path.clone(),
            family,
            reason,
        };
        // SAFETY: running the library's initialisers is what the user asked for by naming it or building it.
        let library = unsafe { Library::new(&path) };
        let library = library.map_err(|error| unopened(error.to_string()))?;
        // The process ends with MPI in it: its threads must not find their code gone.
        let library: &'static Library = Box::leak(Box::new(library));
        let missing = |error: libloading::Error| unopened(error.to_string());
        // SAFETY: this one has the same signature in every interface.
        let interface = unsafe { library.get(b"isochrone_mpi_interface") };
        let interface: Symbol<'_, extern "C" fn() -> u32> = interface.map_err(missing)?;
        let got = interface();
        if got != INTERFACE {
            return Err(ClusterError::OtherInterface {
                plugin: path,
                got,
                expected: INTERFACE,
            });
        }
        macro_rules! function {
            ($name:literal) => {{
                // SAFETY: the signature is that of interface 1, which this library says it speaks.
                *unsafe { library.get(concat!("isochrone_mpi_", $name).as_bytes()) }
                    .map_err(missing)?
            }};
        }
        let start: Start = function!("start");
        let (mut rank, mut ranks) = (0, 0);
        // SAFETY: both are valid for a write.
        if unsafe { start(&raw mut rank, &raw mut ranks) } != DONE {
            return Err(ClusterError::Running);
        }
        Ok(Self {
            rank: rank as usize,
            ranks: ranks as usize,
            gather_number: function!("gather_number"),
            gather: function!("gather"),
            exchange: function!("exchange"),
            sum: function!("sum"),
            time_sum: function!("time_sum"),
            broadcast: function!("broadcast"),
            barrier: function!("barrier"),
            abort: function!("abort"),
            finish: function!("finish"),
            describe: function!("describe"),
            path,
        })
    }

    pub(super) const fn rank(&self) -> usize {
        self.rank
    }

    pub(super) const fn ranks(&self) -> usize {
        self.ranks
    }

    /// The file it came from.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// What MPI calls itself.
    pub(super) fn library(&self) -> String {
        let mut text = vec![0_u8; 256];
        // SAFETY: there is room for as many bytes as it is told.
        let length = unsafe { (self.describe)(text.as_mut_ptr().cast::<c_char>(), text.len()) };
        text.truncate(length);
        String::from_utf8_lossy(&text).into_owned()
    }

    /// Every rank's number.
    pub(super) fn gather_number(&self, mine: u64) -> Result<Vec<u64>, TooLong> {
        let mut all = vec![0; self.ranks];
        // SAFETY: there is room for a number of every rank.
        done(unsafe { (self.gather_number)(mine, all.as_mut_ptr()) })?;
        Ok(all)
    }

    /// Every rank's bytes, one behind the other; `lengths` has one for each, and this rank's is that of `mine`.
    pub(super) fn gather(&self, mine: &[u8], lengths: &[u64]) -> Result<Vec<u8>, TooLong> {
        let is_right = lengths.len() == self.ranks && lengths[self.rank] == mine.len() as u64;
        let mut all = vec![
            0;
            if is_right {
                total(lengths)
            } else {
                return Err(TooLong);
            }
        ];
        // SAFETY: lengths are one for each rank, ours is that of `mine`, and there is room for their sum.
        done(unsafe { (self.gather)(mine.as_ptr(), lengths.as_ptr(), all.as_mut_ptr()) })?;
        Ok(all)
    }

    /// To every rank its part of `mine`, which has these lengths; from every rank its part for us, which have those.
    pub(super) fn exchange(
        &self,
        mine: &[u8],
        to: &[u64],
        into: &mut [u8],
        from: &[u64],
    ) -> Result<(), TooLong> {
        let is_right = to.len() == self.ranks
            && from.len() == self.ranks
            && total(to) == mine.len()
            && total(from) == into.len();
        if !is_right {
            return Err(TooLong);
        }
        let (mine, into) = (mine.as_ptr(), into.as_mut_ptr());
        // SAFETY: lengths are one for each rank, and both buffers have as many bytes as theirs say.
        done(unsafe { (self.exchange)(mine, to.as_ptr(), into, from.as_ptr()) })
    }

    /// Sums over ranks, in MPI's order; both have one length.
    pub(super) fn sum(&self, mine: &[f64], total: &mut [f64]) -> Result<(), TooLong> {
        if mine.len() != total.len() {
            return Err(TooLong);
        }
        // SAFETY: both have this length.
        done(unsafe { (self.sum)(mine.as_ptr(), total.as_mut_ptr(), mine.len()) })
    }

    /// The nanoseconds that MPI takes for such sums, by a clock right before and after its call.
    pub(super) fn time_sum(&self, mine: &[f64], total: &mut [f64]) -> u64 {
        let length = mine.len().min(total.len());
        // SAFETY: both have at least this length.
        unsafe { (self.time_sum)(mine.as_ptr(), total.as_mut_ptr(), length) }
    }

    /// `root`'s bytes in everybody's, which are of one length.
    pub(super) fn broadcast(&self, root: usize, bytes: &mut [u8]) -> Result<(), TooLong> {
        // SAFETY: there is room for as many bytes as it is told.
        done(unsafe { (self.broadcast)(root as u32, bytes.as_mut_ptr(), bytes.len()) })
    }

    pub(super) fn barrier(&self) {
        (self.barrier)();
    }

    /// Ends the job. May be called from any thread.
    pub(super) const fn abort(&self) -> extern "C" fn(i32) {
        self.abort
    }

    /// Ends MPI; nothing may be called after it.
    pub(super) fn finish(&self) {
        (self.finish)();
    }
}

/// The named file, or the family's beside the command or in `lib/isochrone` above it.
pub(super) fn find(named: Option<&Path>, family: Family) -> Result<PathBuf, ClusterError> {
    let looked = match named {
        // By its full name: the system looks for a bare one everywhere but here.
        Some(path) => vec![std::path::absolute(path).unwrap_or_else(|_| path.to_owned())],
        None => {
            let command = std::env::current_exe().unwrap_or_default();
            let beside = command.with_file_name(family.file_name());
            let installed = command.parent().and_then(Path::parent);
            let installed =
                installed.map(|root| root.join("lib/isochrone").join(family.file_name()));
            [Some(beside), installed].into_iter().flatten().collect()
        }
    };
    let found = looked.iter().find(|path| path.is_file()).cloned();
    found.ok_or(ClusterError::NoPlugin { family, looked })
}

fn total(lengths: &[u64]) -> usize {
    lengths.iter().sum::<u64>() as usize
}

const fn done(answer: i32) -> Result<(), TooLong> {
    if answer == DONE { Ok(()) } else { Err(TooLong) }
}
