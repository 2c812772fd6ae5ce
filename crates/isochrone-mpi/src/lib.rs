//! MPI behind a C interface. The `isochrone` command opens this library at run time (`cluster/plugin.rs` of the
//! command), so that it needs no MPI itself; one such library is built for each MPI family, because families share
//! no binary interface (`scripts/build-mpi.sh`).
//!
//! Every function but [`isochrone_mpi_abort`] is collective, and is called from one thread. MPI's own errors end the
//! job (`MPI_ERRORS_ARE_FATAL`, its default): there is nothing to recover in a process whose partner is gone.
#![expect(unsafe_code, reason = "a C interface speaks in pointers")]

mod slices;

use mpi::Threading;
use mpi::collective::SystemOperation;
use mpi::datatype::{Partition, PartitionMut};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Root};
use slices::{offsets, read, write};
use std::ffi::{c_char, c_int};
use std::time::Instant;

/// Raised when the functions below change; isochrone-runs opens no other.
const INTERFACE: u32 = 1;

/// Done.
const DONE: i32 = 0;
/// MPI runs in this process already.
const RUNNING: i32 = 1;
/// More bytes than MPI counts.
const TOO_LONG: i32 = 2;

/// Which interface this is.
#[unsafe(no_mangle)]
pub extern "C" fn isochrone_mpi_interface() -> u32 {
    INTERFACE
}

/// Starts MPI: who am I, and how many are we?
///
/// # Safety
/// Both pointers must be valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isochrone_mpi_start(rank: *mut u32, size: *mut u32) -> i32 {
    // Aborting comes from another thread.
    let Some((universe, _)) = mpi::initialize_with_threading(Threading::Multiple) else {
        return RUNNING;
    };
    // Ended by `isochrone_mpi_finish`, not by a destructor.
    std::mem::forget(universe);
    let world = SimpleCommunicator::world();
    // SAFETY: the caller's promise.
    unsafe {
        rank.write(world.rank() as u32);
        size.write(world.size() as u32);
    }
    DONE
}

/// Writes what MPI calls itself, cut to `room` bytes; how many there are.
///
/// # Safety
/// `text` must be valid for `room` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isochrone_mpi_describe(text: *mut c_char, room: usize) -> usize {
    let version = mpi::environment::library_version().unwrap_or_default();
    // The name is padded with zeros, and followed by who packaged it or lines of copyright.
    let name = version.split(['\0', '\n', ',']).next().unwrap_or_default();
    let length = name.len().min(room);
    // SAFETY: the caller's promise; `length` is at most `room`.
    unsafe { write(text.cast::<u8>(), length) }.copy_from_slice(&name.as_bytes()[..length]);
    length
}

/// Every rank's number.
///
/// # Safety
/// `all` must be valid for as many numbers as there are ranks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isochrone_mpi_gather_number(mine: u64, all: *mut u64) -> i32 {
    let world = SimpleCommunicator::world();
    // SAFETY: the caller's promise.
    let all = unsafe { write(all, world.size() as usize) };
    world.all_gather_into(&mine, all);
    DONE
}

/// Every rank's bytes, one behind the other; `lengths` says how many each has.
///
/// # Safety
/// `mine` must be valid for this rank's length, `lengths` for as many numbers as there are ranks, `all` for their sum.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isochrone_mpi_gather(
    mine: *const u8,
    lengths: *const u64,
    all: *mut u8,
) -> i32 {
    let world = SimpleCommunicator::world();
    // SAFETY: the caller's promise.
    let lengths = unsafe { read(lengths, world.size() as usize) };
    let Some((counts, at)) = offsets(lengths) else {
        return TOO_LONG;
    };
    let (length, total) = (lengths[world.rank() as usize], lengths.iter().sum::<u64>());
    // SAFETY: the caller's promise.
    let (mine, all) = unsafe { (read(mine, length as usize), write(all, total as usize)) };
    world.all_gather_varcount_into(mine, &mut PartitionMut::new(all, counts, at));
    DONE
}

/// To every rank its part of `mine`, from every rank its part for us; the parts have these lengths.
///
/// # Safety
/// `to` and `from` must be valid for as many numbers as there are ranks, `mine` and `all` for their sums.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isochrone_mpi_exchange(
    mine: *const u8,
    to: *const u64,
    all: *mut u8,
    from: *const u64,
) -> i32 {
    let world = SimpleCommunicator::world();
    let ranks = world.size() as usize;
    // SAFETY: the caller's promise.
    let (to, from) = unsafe { (read(to, ranks), read(from, ranks)) };
    let (Some((sent, sent_at)), Some((got, got_at))) = (offsets(to), offsets(from)) else {
        return TOO_LONG;
    };
    let (out, in_) = (to.iter().sum::<u64>(), from.iter().sum::<u64>());
    // SAFETY: the caller's promise.
    let (mine, all) = unsafe { (read(mine, out as usize), write(all, in_ as usize)) };
    world.all_to_all_varcount_into(
        &Partition::new(mine, sent, sent_at),
        &mut PartitionMut::new(all, got, got_at),
    );
    DONE
}

/// Adds up, in whatever order MPI likes; every rank gets the sums in `total`.
///
/// # Safety
/// Both must be valid for `length` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isochrone_mpi_sum(
    mine: *const f64,
    total: *mut f64,
    length: usize,
) -> i32 {
    if c_int::try_from(length).is_err() {
        return TOO_LONG;
    }
    // SAFETY: the caller's promise.
    let (mine, total) = unsafe { (read(mine, length), write(total, length)) };
    SimpleCommunicator::world().all_reduce_into(mine, total, SystemOperation::sum());
    DONE
}

/// The same, and how many nanoseconds MPI took for it: the least that any reduction can take here.
///
/// # Safety
/// As [`isochrone_mpi_sum`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isochrone_mpi_time_sum(
    mine: *const f64,
    total: *mut f64,
    length: usize,
) -> u64 {
    // SAFETY: the caller's promise.
    let (mine, total) = unsafe { (read(mine, length), write(total, length)) };
    let start = Instant::now();
    SimpleCommunicator::world().all_reduce_into(mine, total, SystemOperation::sum());
    start.elapsed().as_nanos() as u64
}

/// `root`'s bytes to every rank.
///
/// # Safety
/// `bytes` must be valid for `length` bytes, and `root` a rank.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isochrone_mpi_broadcast(root: u32, bytes: *mut u8, length: usize) -> i32 {
    if c_int::try_from(length).is_err() {
        return TOO_LONG;
    }
    // SAFETY: the caller's promise.
    let bytes = unsafe { write(bytes, length) };
    let world = SimpleCommunicator::world();
    world
        .process_at_rank(root.cast_signed())
        .broadcast_into(bytes);
    DONE
}

/// Waits for every rank.
#[unsafe(no_mangle)]
pub extern "C" fn isochrone_mpi_barrier() -> i32 {
    SimpleCommunicator::world().barrier();
    DONE
}

/// Ends the job on every rank. Does not return.
#[unsafe(no_mangle)]
pub extern "C" fn isochrone_mpi_abort(code: i32) {
    SimpleCommunicator::world().abort(code);
}

/// Ends MPI in this process; every rank calls it, and nothing after it.
#[unsafe(no_mangle)]
pub extern "C" fn isochrone_mpi_finish() {
    // SAFETY: MPI was started by `isochrone_mpi_start`, whose universe was forgotten, and this is the last call.
    unsafe { mpi::ffi::MPI_Finalize() };
}
