//! Sums over ranks, in shard order or in MPI's.
//!
//! A sum in shard order, on R ranks with V/R shards each, n numbers long: rank r adds the r-th part of the numbers.
//!
//! ```text
//! exchange   my shards' numbers of part r to rank r            n V/R numbers out, n V/R in
//! add        ((p₀ + p₁) + …) + p_{V−1} of my part, in f64      n V/R additions
//! gather     every rank's part of the sums                      n numbers
//! ```
//!
//! Gathering all partials everywhere would bring n V numbers to every rank, and leave all n V additions to it.

use super::ranks::{MpiRanks, Scratch};
use super::word::Word;
use crate::arguments::Reduction;
use isochrone::comm::{Comm, CommError};
use std::ops::Range;

impl MpiRanks {
    /// The same sum through everything that is ours.
    pub fn fast_sum(&self, mut mine: Vec<f64>) -> Result<Vec<f64>, CommError> {
        let total = &mut self.scratch().sums;
        total.resize(mine.len(), 0.0);
        self.call(8 * mine.len(), |plugin| plugin.sum(&mine, total))?;
        std::mem::swap(&mut mine, total);
        Ok(mine)
    }

    /// The part of n numbers that a rank adds up.
    fn part(&self, rank: usize, n: usize) -> Range<usize> {
        let ranks = self.size();
        n * rank / ranks..n * (rank + 1) / ranks
    }

    /// The sum in shard order, as the module's page says. Every part begins with the length of the partials: a rank with
    /// others would be noticed.
    pub fn exact_sum<W: Word>(&self, partials: &[Vec<W>]) -> Result<Vec<f64>, CommError> {
        let (ranks, each, rank) = (self.size(), partials.len(), self.rank());
        let n = partials.first().map_or(0, Vec::len);
        let refuse = |shard, got| {
            let error = CommError::UnequalPartials {
                shard,
                got,
                expected: n,
            };
            self.abort(&error.to_string());
            error
        };
        if let Some(at) = partials.iter().position(|p| p.len() != n) {
            return Err(refuse(rank * each + at, partials[at].len()));
        }
        let my_part = self.part(rank, n).len();
        let from = vec![(8 + W::BYTES * each * my_part) as u64; ranks];
        let Scratch { sent, got, sums } = &mut *self.scratch();
        let to = self.pack(partials, n, sent);
        got.resize(from.iter().sum::<u64>() as usize, 0);
        self.call(sent.len(), |plugin| plugin.exchange(sent, &to, got, &from))?;
        sums.clear();
        sums.resize(my_part, 0.0);
        for (rank, message) in got.chunks_exact(from[0] as usize).enumerate() {
            let (head, numbers) = message.split_at(8);
            let length = head
                .first_chunk()
                .map_or(0, |head| u64::from_le_bytes(*head));
            if length != n as u64 {
                return Err(refuse(rank * each, length as usize));
            }
            let partials = numbers.chunks_exact((W::BYTES * my_part).max(1));
            partials.for_each(|partial| W::add(partial, sums));
        }
        sent.clear();
        f64::push(sums, sent);
        let lengths = (0..ranks).map(|r| 8 * self.part(r, n).len() as u64);
        let lengths: Vec<u64> = lengths.collect();
        let all = self.call(sent.len(), |plugin| plugin.gather(sent, &lengths))?;
        let mut total = vec![0.0; n];
        f64::add(&all, &mut total);
        Ok(total)
    }

    /// To every rank the length of the partials and its part of each; how many bytes each of these is.
    fn pack<W: Word>(&self, partials: &[Vec<W>], n: usize, sent: &mut Vec<u8>) -> Vec<u64> {
        sent.clear();
        let pack_one = |rank| {
            let (part, before) = (self.part(rank, n), sent.len());
            sent.extend((n as u64).to_le_bytes());
            let parts = partials.iter().map(|partial| &partial[part.clone()]);
            parts.for_each(|part| W::push(part, sent));
            (sent.len() - before) as u64
        };
        (0..self.size()).map(pack_one).collect()
    }

    /// This rank's shards added up here, the ranks by MPI: fewer bytes, and the same result only for the same ranks.
    pub(super) fn sum<W: Word>(&self, partials: &[Vec<W>]) -> Result<Vec<f64>, CommError> {
        match self.reduction() {
            Reduction::Exact => self.exact_sum(partials),
            Reduction::Fast => self.fast_sum(sum_own(partials)),
        }
    }
}

/// This rank's shards, added up in their order.
pub fn sum_own<W: Word>(partials: &[Vec<W>]) -> Vec<f64> {
    let mut sums = vec![0.0; partials.first().map_or(0, Vec::len)];
    for partial in partials {
        let adds = sums.iter_mut().zip(partial);
        adds.for_each(|(sum, x)| *sum += x.number());
    }
    sums
}
