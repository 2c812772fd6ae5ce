//! What goes between ranks, counted.

use serde::Serialize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What went between ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Traffic {
    /// Collective calls.
    pub calls: u64,
    /// Bytes that this rank handed in.
    pub bytes: u64,
    /// Seconds inside them: sending, and waiting for others.
    pub seconds: f64,
}

/// Counts it.
#[derive(Debug, Default)]
pub(super) struct Meter {
    calls: AtomicU64,
    bytes: AtomicU64,
    nanos: AtomicU64,
}

impl Meter {
    /// One more call.
    pub(super) fn count(&self, bytes: usize, took: Duration) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        self.nanos
            .fetch_add(took.as_nanos() as u64, Ordering::Relaxed);
    }

    /// What there was since the last time.
    pub(super) fn take(&self) -> Traffic {
        Traffic {
            calls: self.calls.swap(0, Ordering::Relaxed),
            bytes: self.bytes.swap(0, Ordering::Relaxed),
            seconds: 1e-9 * self.nanos.swap(0, Ordering::Relaxed) as f64,
        }
    }
}
