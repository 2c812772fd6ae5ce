//! Pointers and lengths as slices, and lengths as MPI counts them.

use std::ffi::c_int;

/// What stands there. Nothing at all may come with a null pointer.
///
/// # Safety
/// `at` must be valid for `length` values for as long as the slice lives.
pub(crate) unsafe fn read<'a, T>(at: *const T, length: usize) -> &'a [T] {
    if length == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(at, length) }
}

/// Room to write to.
///
/// # Safety
/// As [`read`], and nobody else may look at it.
pub(crate) unsafe fn write<'a, T>(at: *mut T, length: usize) -> &'a mut [T] {
    if length == 0 {
        return &mut [];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts_mut(at, length) }
}

/// Lengths and where each part begins; `None` where MPI cannot count so far.
pub(crate) fn offsets(lengths: &[u64]) -> Option<(Vec<c_int>, Vec<c_int>)> {
    let (mut counts, mut starts, mut end) = (Vec::new(), Vec::new(), 0_u64);
    for length in lengths {
        counts.push(c_int::try_from(*length).ok()?);
        starts.push(c_int::try_from(end).ok()?);
        end += length;
    }
    // All of it together is one buffer to MPI.
    c_int::try_from(end).ok()?;
    Some((counts, starts))
}
