//! Ends a job that hangs. A rank that hangs (a dead node, an unresponsive file system) would leave the others busy-waiting for
//! ever.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Measures how long this process has been waiting in a collective call.
#[derive(Debug)]
pub(super) struct Watchdog {
    start: Instant,
    /// Nanoseconds from the start at which a wait began; 0 between waits.
    waiting_since: Arc<AtomicU64>,
    is_over: Arc<AtomicBool>,
}

impl Watchdog {
    /// Calls `bark` from another thread, with the seconds waited, once a wait takes longer than `patience`.
    pub(super) fn new(patience: Duration, bark: impl Fn(u64) + Send + 'static) -> Self {
        let start = Instant::now();
        let waiting_since = Arc::new(AtomicU64::new(0));
        let is_over = Arc::new(AtomicBool::new(false));
        let (since, over) = (Arc::clone(&waiting_since), Arc::clone(&is_over));
        let look_every = (patience / 20).clamp(Duration::from_millis(5), Duration::from_secs(1));
        std::thread::spawn(move || {
            // Counts polls instead of clock time: a job that was suspended as a whole has not waited.
            let (mut last, mut looks) = (0, 0);
            while !over.load(Ordering::Relaxed) {
                std::thread::sleep(look_every);
                let began = since.load(Ordering::Relaxed);
                looks = if began > 0 && began == last {
                    looks + 1
                } else {
                    0
                };
                last = began;
                if look_every * looks > patience {
                    bark((look_every * looks).as_secs());
                    return;
                }
            }
        });
        Self {
            start,
            waiting_since,
            is_over,
        }
    }

    /// Runs a blocking call; returns how long it took.
    pub(super) fn during<T>(&self, wait: impl FnOnce() -> T) -> (T, Duration) {
        let began = self.start.elapsed();
        let nanos = (began.as_nanos() as u64).max(1);
        self.waiting_since.store(nanos, Ordering::Relaxed);
        let result = wait();
        self.waiting_since.store(0, Ordering::Relaxed);
        (result, self.start.elapsed().saturating_sub(began))
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn long_waits_are_noticed_and_long_work_is_not() {
        let (sender, barks) = mpsc::channel();
        let patience = Duration::from_millis(100);
        let dog = Watchdog::new(patience, move |seconds| sender.send(seconds).unwrap());
        for _ in 0..20 {
            dog.during(|| std::thread::sleep(Duration::from_millis(10)));
        }
        std::thread::sleep(3 * patience);
        assert!(barks.try_recv().is_err());
        dog.during(|| std::thread::sleep(3 * patience));
        assert_eq!(barks.recv_timeout(patience), Ok(0));
    }
}
