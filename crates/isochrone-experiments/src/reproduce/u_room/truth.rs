//! Ground truth of the room: shortest paths, and commute times measured by long walks.

use super::geodesic::shortest;
use super::walk::{Place, apart, free_places, walk};
use anyhow::Result;
use isochrone::evaluate::{median, spearman};
use isochrone::rng::{Purpose, Rng, Seed};

/// Places whose shortest ways are known, and the first of them, whose times are.
const PLACES: usize = 150;
const LANDMARKS: usize = 20;
/// A walk has arrived within this distance of its goal …
const GOAL_RADIUS_M: f64 = 0.2;
/// … and has set out within this of its source.
const SOURCE_RADIUS_M: f64 = 0.1;
const WALK_STEPS: usize = 60_000;
/// Pairs nearer than this, with the wall between them or not, are classified by the AUC.
const NEAR_M: f64 = 1.0;

/// A pair of places.
struct Pair {
    from: Place,
    to: Place,
    exact: f64,
}

/// Exact answers for one seed's places.
pub(super) struct Truth {
    /// All pairs, with the shortest way in metres.
    ways: Vec<Pair>,
    /// Pairs of landmarks, with half the commute time in steps.
    times: Vec<Pair>,
}

impl Truth {
    pub(super) fn of(seed: Seed, walks: u64) -> Result<Self> {
        let places = free_places(PLACES, &mut stream(seed, 0));
        let mut ways = Vec::new();
        for (at, &from) in places.iter().enumerate() {
            let metres = shortest(from, &places[..at]);
            let pair = |(&to, exact)| Pair { from, to, exact };
            ways.extend(places.iter().zip(metres).map(pair));
        }
        let times = half_commutes(&places[..LANDMARKS], seed, walks)?;
        Ok(Self { ways, times })
    }

    /// Half the commute time of each pair of landmarks beside a distance.
    pub(super) fn beside(&self, distance: impl Fn(Place, Place) -> f64) -> Vec<(f64, f64)> {
        let both = |pair: &Pair| (pair.exact, distance(pair.from, pair.to));
        self.times.iter().map(both).collect()
    }

    /// Spearman's ρ with half the commute time and with the shortest path (over all pairs, and over pairs whose shortest
    /// path is more than twice the straight line), the median of distance ÷ half the commute time, and how often a near
    /// pair with the wall between is farther than a near one without.
    pub(super) fn judge(
        &self,
        distance: impl Fn(Place, Place) -> f64,
    ) -> Result<[(&'static str, f64); 5]> {
        let of = |pairs: &[&Pair]| -> Result<f64> {
            let exact: Vec<f64> = pairs.iter().map(|p| p.exact).collect();
            let found: Vec<f64> = pairs.iter().map(|p| distance(p.from, p.to)).collect();
            Ok(spearman(&found, &exact)?.unwrap_or(f64::NAN))
        };
        let ways: Vec<&Pair> = self.ways.iter().collect();
        let is_walled = |pair: &&Pair| pair.exact > 2.0 * apart(pair.from, pair.to);
        let (walled, open): (Vec<&Pair>, Vec<&Pair>) = ways.iter().partition(|p| is_walled(p));
        let near = |pairs: &[&Pair]| -> Vec<f64> {
            let near = pairs.iter().filter(|p| apart(p.from, p.to) < NEAR_M);
            near.map(|p| distance(p.from, p.to)).collect()
        };
        let times: Vec<&Pair> = self.times.iter().collect();
        let ratios = self.beside(&distance).into_iter().map(|(t, d)| d / t);
        let ratio = median(&ratios.collect::<Vec<_>>()).unwrap_or(f64::NAN);
        Ok([
            ("commute", of(&times)?),
            ("commute ratio", ratio),
            ("geodesic", of(&ways)?),
            ("wall pairs", of(&walled)?),
            ("auc", auc(&near(&walled), &near(&open))),
        ])
    }
}

fn stream(seed: Seed, number: u64) -> Rng {
    // Beyond the iterations that the library's evaluators draw from.
    seed.stream(Purpose::Assess, 1_000, number)
}

/// How often one of the first is greater than one of the second; ties count half.
fn auc(high: &[f64], low: &[f64]) -> f64 {
    let wins = high.iter().flat_map(|h| {
        low.iter().map(move |l| match h.total_cmp(l) {
            std::cmp::Ordering::Greater => 1.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Less => 0.0,
        })
    });
    wins.sum::<f64>() / (high.len() * low.len()) as f64
}

/// Means over all visits of the walks to the sources; pairs that no walk joined both ways are left out, and those so
/// near that a source lies within its goal.
fn half_commutes(places: &[Place], seed: Seed, walks: u64) -> Result<Vec<Pair>> {
    let n = places.len();
    let (mut steps, mut visits) = (vec![0.0; n * n], vec![0.0; n * n]);
    for number in 0..walks {
        let path = walk(WALK_STEPS, &mut stream(seed, 1 + number))?;
        for (goal, &place) in places.iter().enumerate() {
            // Backwards, so that the next arrival is known at every step.
            let mut arrival = None;
            for (now, &at) in path.iter().enumerate().rev() {
                if apart(at, place) <= GOAL_RADIUS_M {
                    arrival = Some(now);
                }
                let Some(arrival) = arrival else { continue };
                let sources = places.iter().enumerate();
                for (source, _) in sources.filter(|(_, s)| apart(at, **s) <= SOURCE_RADIUS_M) {
                    steps[source * n + goal] += (arrival - now) as f64;
                    visits[source * n + goal] += 1.0;
                }
            }
        }
    }
    let mean = |i: usize, j: usize| steps[i * n + j] / visits[i * n + j];
    let mut pairs = Vec::new();
    for i in 0..n {
        for j in 0..i {
            let exact = f64::midpoint(mean(i, j), mean(j, i));
            if exact > 0.0 {
                let (from, to) = (places[i], places[j]);
                pairs.push(Pair { from, to, exact });
            }
        }
    }
    Ok(pairs)
}
