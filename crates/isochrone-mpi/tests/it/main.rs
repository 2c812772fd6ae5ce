//! Jobs of several ranks, launched as a user would: with both MPI families, and with faults.
#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

mod equality;
mod faults;
mod jobs;
mod refusals;
