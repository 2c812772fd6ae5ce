//! The C libraries that have no safe wrapper. All `unsafe` of this crate is below here.

pub(super) mod egl;
pub(super) mod osmesa;
