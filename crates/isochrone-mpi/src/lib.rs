//! MPI behind a C interface. The `isochrone` command loads this library at run time (`cluster/plugin.rs` in
//! `isochrone-runs`), so that it is not linked to MPI. One such library is built for each MPI family, because families share
//! no ABI (`scripts/build-mpi.sh`).
//!
//! Every function except [`isochrone_mpi_abort`] is collective, and is called from one thread. MPI's own errors end the job
//! (`MPI_ERRORS_ARE_FATAL`, its default): a process cannot recover without its peers.
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

/// Version of this interface; isochrone-runs loads no other.
const INTERFACE: u32 = 1;

/// Success.
const DONE: i32 = 0;
/// MPI is already running in this process.
const RUNNING: i32 = 1;
/// More bytes than MPI can count.
const TOO_LONG: i32 = 2;

/// The version of the interface.
#[unsafe(no_mangle)]
pub extern "C" fn isochrone_mpi_interface() -> u32 {
    INTERFACE
}

/// Starts MPI; returns rank and number of ranks.
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

/// Writes MPI's name and version, truncated to `room` bytes; returns their number.
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

/// Gathers one number of every rank on all ranks.
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

/// Gathers every rank's bytes on all ranks, in rank order; `lengths` are their lengths.
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
    // Open MPI refuses an empty buffer, and all ranks know that there is nothing to gather.
    if total == 0 {
        return DONE;
    }
    // SAFETY: the caller's promise.
    let (mine, all) = unsafe { (read(mine, length as usize), write(all, total as usize)) };
    world.all_gather_varcount_into(mine, &mut PartitionMut::new(all, counts, at));
    DONE
}

/// All-to-all: sends each rank its part of `mine` and receives its part for this rank; `to` and `from` are the lengths.
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

/// Sums over ranks in MPI's order; every rank gets the sums in `total`.
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

/// The same, and the nanoseconds that MPI took: a lower bound for any reduction.
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

/// Broadcasts `root`'s bytes to every rank.
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

/// A barrier.
#[unsafe(no_mangle)]
pub extern "C" fn isochrone_mpi_barrier() -> i32 {
    SimpleCommunicator::world().barrier();
    DONE
}

/// Aborts the job on every rank. Does not return.
#[unsafe(no_mangle)]
pub extern "C" fn isochrone_mpi_abort(code: i32) {
    SimpleCommunicator::world().abort(code);
}

/// Finalises MPI in this process; every rank calls it, as the last call.
#[unsafe(no_mangle)]
pub extern "C" fn isochrone_mpi_finish() {
    // SAFETY: MPI was started by `isochrone_mpi_start`, whose universe was forgotten, and this is the last call.
    unsafe { mpi::ffi::MPI_Finalize() };
}
