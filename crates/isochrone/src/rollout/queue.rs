//! The queue of episodes of a batch.
//!
//! A batch grows in waves, and a wave's size depends on the lengths of earlier episodes. But most of it is known earlier,
//! because unfinished episodes cannot exceed the horizon. So the queue hands out the known part of the next wave early, and no
//! thread waits for the last episode of a wave. The batch is always the one that the rule of waves defines.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The smallest wave: with fewer episodes, threads would idle.
const LEAST_WAVE: usize = 8;

/// The next thing to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Run this episode.
    Run(u64),
    /// Wait until another episode has finished.
    Wait,
    /// The batch is complete.
    Done,
}

/// Episodes to run, handed out in order.
#[derive(Debug)]
pub struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    work: Work,
    /// Episodes handed out.
    handed: usize,
    is_broken_off: bool,
}

#[derive(Debug)]
enum Work {
    List(Vec<u64>),
    Waves(Waves),
}

/// A batch in waves: while steps are missing, the next wave has `max(8, ⌈missing ÷ horizon⌉)` episodes.
#[derive(Debug)]
struct Waves {
    missing_steps: usize,
    horizon_steps: usize,
    /// Episodes of all waves begun.
    planned: usize,
    /// The current wave: unfinished episodes, and the steps of finished ones.
    unfinished: usize,
    finished_steps: usize,
    /// Steps of episodes that finished before their wave began.
    ahead: Vec<(u64, usize)>,
    /// A wave without a single step.
    empty_wave: Option<usize>,
}

impl Waves {
    fn new(batch_steps: usize, horizon_steps: usize) -> Self {
        let mut waves = Self {
            missing_steps: batch_steps,
            horizon_steps,
            planned: 0,
            unfinished: 0,
            finished_steps: 0,
            ahead: Vec::new(),
            empty_wave: None,
        };
        waves.begin();
        waves
    }

    fn size(&self, missing_steps: usize) -> usize {
        match missing_steps {
            0 => 0,
            missing => wave_size(missing, self.horizon_steps),
        }
    }

    /// Starts waves until one has unfinished episodes.
    fn begin(&mut self) {
        while self.unfinished == 0 {
            let size = self.size(self.missing_steps);
            if size == 0 || self.empty_wave.is_some() {
                return;
            }
            self.planned += size;
            self.unfinished = size;
            self.finished_steps = 0;
            let planned = self.planned as u64;
            for (number, steps) in std::mem::take(&mut self.ahead) {
                if number < planned {
                    self.count(steps);
                } else {
                    self.ahead.push((number, steps));
                }
            }
            self.end_if_complete(size);
        }
    }

    fn count(&mut self, steps: usize) {
        self.unfinished -= 1;
        self.finished_steps += steps;
    }

    fn end_if_complete(&mut self, size: usize) {
        if self.unfinished == 0 {
            if self.finished_steps == 0 {
                self.empty_wave = Some(size);
            }
            self.missing_steps = self.missing_steps.saturating_sub(self.finished_steps);
        }
    }

    fn finished(&mut self, number: u64, steps: usize) {
        if number >= self.planned as u64 {
            self.ahead.push((number, steps));
            return;
        }
        self.count(steps);
        let size = self.size(self.missing_steps);
        self.end_if_complete(size);
        self.begin();
    }

    /// Episodes that are in the batch in any case.
    fn certain(&self) -> usize {
        if self.empty_wave.is_some() || self.unfinished == 0 {
            return self.planned;
        }
        let most = self.finished_steps + self.unfinished * self.horizon_steps;
        self.planned + self.size(self.missing_steps.saturating_sub(most))
    }

    const fn is_complete(&self) -> bool {
        self.unfinished == 0
    }
}

impl Queue {
    /// These episodes.
    pub fn of(episodes: &[u64]) -> Self {
        Self::new(Work::List(episodes.to_vec()))
    }

    /// A batch of at least `batch_steps` steps, in waves.
    pub fn of_batch(batch_steps: usize, horizon_steps: usize) -> Self {
        Self::new(Work::Waves(Waves::new(batch_steps, horizon_steps)))
    }

    const fn new(work: Work) -> Self {
        Self {
            state: Mutex::new(State {
                work,
                handed: 0,
                is_broken_off: false,
            }),
            changed: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next episode, without waiting.
    pub(super) fn next(&self) -> Next {
        self.lock().next()
    }

    /// The next episode; waits until one is known or the batch is complete.
    pub(super) fn wait(&self) -> Option<u64> {
        let mut state = self.lock();
        loop {
            match state.next() {
                Next::Run(number) => return Some(number),
                Next::Done => return None,
                Next::Wait => {
                    let woken = self.changed.wait(state);
                    state = woken.unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }

    /// An episode is over.
    pub(super) fn finished(&self, number: u64, policy_steps: usize) {
        if let Work::Waves(waves) = &mut self.lock().work {
            waves.finished(number, policy_steps);
        }
        self.changed.notify_all();
    }

    /// Hands out no further episode, because one has failed.
    pub(super) fn break_off(&self) {
        self.lock().is_broken_off = true;
        self.changed.notify_all();
    }

    /// The size of a wave without a single step, if there was one.
    pub(super) fn empty_wave(&self) -> Option<usize> {
        match &self.lock().work {
            Work::List(_) => None,
            Work::Waves(waves) => waves.empty_wave,
        }
    }
}

impl State {
    fn next(&mut self) -> Next {
        if self.is_broken_off {
            return Next::Done;
        }
        let next = match &self.work {
            Work::List(numbers) => numbers
                .get(self.handed)
                .map_or(Next::Done, |n| Next::Run(*n)),
            Work::Waves(waves) if self.handed < waves.certain() => Next::Run(self.handed as u64),
            Work::Waves(waves) if waves.is_complete() => Next::Done,
            Work::Waves(_) => Next::Wait,
        };
        if matches!(next, Next::Run(_)) {
            self.handed += 1;
        }
        next
    }
}

/// The size of the wave that follows when this many steps are missing.
pub(super) fn wave_size(missing_steps: usize, horizon_steps: usize) -> usize {
    LEAST_WAVE.max(missing_steps.div_ceil(horizon_steps.max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Seed};
    use rand::RngExt;

    /// Episodes finish in any order, several at a time: the batch is the one of plain waves.
    #[test]
    fn looking_ahead_changes_no_batch() {
        for seed in 0..300 {
            let mut rng = Seed(seed).stream(Purpose::Act, 0, 0);
            let horizon = rng.random_range(1..40);
            let batch = rng.random_range(0..3_000);
            let lengths: Vec<usize> = (0..5_000).map(|_| rng.random_range(1..=horizon)).collect();
            let (mut missing, mut expected) = (batch, 0);
            while missing > 0 {
                let wave = wave_size(missing, horizon);
                let steps: usize = lengths[expected..expected + wave].iter().sum();
                missing = missing.saturating_sub(steps);
                expected += wave;
            }
            let queue = Queue::of_batch(batch, horizon);
            let (mut running, mut run, threads) = (Vec::new(), 0, rng.random_range(1..20));
            loop {
                let next = queue.next();
                match next {
                    Next::Run(number) => {
                        assert_eq!(number, run);
                        run += 1;
                        running.push(number);
                    }
                    Next::Done => break,
                    Next::Wait => assert!(!running.is_empty(), "nobody is running"),
                }
                let is_full = running.len() >= threads || next == Next::Wait;
                if is_full {
                    let at = rng.random_range(0..running.len());
                    let number: u64 = running.swap_remove(at);
                    queue.finished(number, lengths[number as usize]);
                }
            }
            assert_eq!(run as usize, expected, "batch {batch}, horizon {horizon}");
        }
    }

    #[test]
    fn a_wave_without_a_step_ends_the_batch() {
        let queue = Queue::of_batch(100, 10);
        while let Next::Run(number) = queue.next() {
            queue.finished(number, 0);
        }
        assert_eq!(queue.empty_wave(), Some(10));
    }
}
