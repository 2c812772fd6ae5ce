//! Frontier goals: visited states of lowest density, as in MEGA (Pitis et al. 2020).
//!
//! ```text
//! density of visits at s  ∝  1 ÷ d_k(s)        d_k(s): distance to s from the k-th nearest other visited state
//! ```
//!
//! MEGA estimates densities with a kernel in goal space. Here d is the training's own distance, so a state behind a thin
//! wall is not near. There is no bandwidth, and the dimension does not matter: only the order of the densities is used.

use super::{Feedback, GanReport, GoalGenerator, ProposalDistance};
use crate::curriculum::{CurriculumError, refuse};
use crate::distance::DistanceError;
use crate::goal::GoalRange;
use crate::nn::{NamedArray, NamedArrayError, find_rows, find_u64};
use crate::rng::Rng;
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// Settings of [`Frontier`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrontierSpec {
    /// k of the k-th nearest visited state.
    pub neighbours: usize,
    /// Candidates drawn per goal; the one of lowest density is proposed. 1 ignores densities.
    pub candidates: usize,
    /// Visited states kept: a uniform sample of the whole run.
    pub kept_states: usize,
}

/// Limits that catch typing errors: a proposal computes candidates × kept states distances.
const MOST_CANDIDATES: usize = 100_000;
const MOST_STATES: usize = 1_000_000;

impl FrontierSpec {
    /// Checks the ranges of all settings.
    pub fn check(&self) -> Result<(), CurriculumError> {
        if !(2..=MOST_STATES).contains(&self.kept_states) {
            let rule = "at least 2 and at most a million";
            return refuse("kept_states", self.kept_states as f64, rule);
        }
        if !(1..self.kept_states).contains(&self.neighbours) {
            let rule = "at least 1 and below kept_states";
            return refuse("neighbours", self.neighbours as f64, rule);
        }
        if !(1..=MOST_CANDIDATES).contains(&self.candidates) {
            let rule = "at least 1 and at most 100,000";
            return refuse("candidates", self.candidates as f64, rule);
        }
        Ok(())
    }
}

/// Proposes visited states of lowest density.
#[derive(Clone, Debug, PartialEq)]
pub struct Frontier {
    spec: FrontierSpec,
    range: GoalRange,
    /// Kept states, row by row.
    states: Vec<f32>,
    /// States offered so far.
    seen: u64,
}

/// Names of its arrays.
const STATES: &str = "frontier";
const SEEN: &str = "frontier_seen";

impl Frontier {
    /// No visited states yet. Until there are some, goals are drawn uniformly from `range`.
    pub fn new(spec: FrontierSpec, range: &GoalRange) -> Result<Self, CurriculumError> {
        spec.check()?;
        if range.centre().is_empty() {
            return refuse("the number of goal dimensions", 0.0, "at least 1");
        }
        Ok(Self {
            spec,
            range: range.clone(),
            states: Vec::new(),
            seen: 0,
        })
    }

    fn dims(&self) -> usize {
        self.range.centre().len()
    }

    fn len(&self) -> usize {
        self.states.len() / self.dims()
    }

    fn state(&self, place: usize) -> &[f32] {
        &self.states[place * self.dims()..(place + 1) * self.dims()]
    }

    /// Reservoir sampling: every state of the run is kept with the same probability. States with NaN or infinity are
    /// ignored.
    fn visit(&mut self, states: &[Vec<f32>], rng: &mut Rng) {
        let dims = self.dims();
        let is_state =
            |state: &&Vec<f32>| state.len() == dims && state.iter().all(|x| x.is_finite());
        for state in states.iter().filter(is_state) {
            self.seen += 1;
            if self.len() < self.spec.kept_states {
                self.states.extend_from_slice(state);
                continue;
            }
            let place = rng.random_range(0..self.seen) as usize;
            if place < self.spec.kept_states {
                self.states[place * dims..(place + 1) * dims].copy_from_slice(state);
            }
        }
    }
}

/// d_k of kept states, each computed once.
struct Rarity<'a> {
    points: Vec<Vec<f32>>,
    distance: &'a dyn ProposalDistance,
    neighbours: usize,
    known: Vec<Option<f64>>,
}

impl<'a> Rarity<'a> {
    fn new(frontier: &Frontier, distance: &'a dyn ProposalDistance) -> Result<Self, DistanceError> {
        let places = 0..frontier.len();
        let points = places.map(|k| distance.embed(frontier.state(k)));
        Ok(Self {
            points: points.collect::<Result<_, _>>()?,
            distance,
            neighbours: frontier.spec.neighbours,
            known: vec![None; frontier.len()],
        })
    }

    /// Distance to a kept state from its k-th nearest other one, or from the farthest if there are fewer than k.
    fn of(&mut self, place: usize) -> Result<f64, DistanceError> {
        if let Some(known) = self.known[place] {
            return Ok(known);
        }
        let (here, others) = (&self.points[place], self.points.iter().enumerate());
        let others = others.filter(|(other, _)| *other != place);
        let mut distances: Vec<f64> = others
            .map(|(_, from)| self.distance.between(from, here))
            .collect::<Result<_, _>>()?;
        let rarity = match self.neighbours.min(distances.len()) {
            0 => 0.0,
            k => *distances.select_nth_unstable_by(k - 1, f64::total_cmp).1,
        };
        self.known[place] = Some(rarity);
        Ok(rarity)
    }
}

impl GoalGenerator for Frontier {
    /// For each goal, the candidate of lowest density; no state twice.
    fn propose(
        &self,
        count: usize,
        distance: &dyn ProposalDistance,
        rng: &mut Rng,
    ) -> Result<Vec<Vec<f32>>, DistanceError> {
        let kept = self.len();
        if kept == 0 {
            return Ok((0..count).map(|_| self.range.sample(rng)).collect());
        }
        let mut rarity = Rarity::new(self, distance)?;
        let (mut is_taken, mut goals) = (vec![false; kept], Vec::new());
        for _ in 0..count {
            let mut rarest: Option<(f64, usize)> = None;
            for _ in 0..self.spec.candidates {
                let place = rng.random_range(0..kept);
                let found = rarity.of(place)?;
                if !is_taken[place] && rarest.is_none_or(|(most, _)| found > most) {
                    rarest = Some((found, place));
                }
            }
            if let Some((_, place)) = rarest {
                is_taken[place] = true;
                goals.push(self.state(place).to_vec());
            }
        }
        Ok(goals)
    }

    fn begin(&mut self, states: &[Vec<f32>], rng: &mut Rng) -> Result<(), CurriculumError> {
        self.visit(states, rng);
        Ok(())
    }

    fn learn(
        &mut self,
        feedback: &Feedback<'_>,
        rng: &mut Rng,
    ) -> Result<Option<GanReport>, CurriculumError> {
        self.visit(feedback.visited, rng);
        Ok(None)
    }

    fn save(&self) -> Vec<NamedArray> {
        let shape = [self.len(), self.dims()];
        vec![
            NamedArray::f32(STATES, shape, self.states.clone()),
            NamedArray::u64(SEEN, [self.seen]),
        ]
    }

    fn restore(&mut self, arrays: &[NamedArray]) -> Result<(), NamedArrayError> {
        let states = find_rows(arrays, STATES, self.dims())?;
        let got = states.len() / self.dims();
        if got > self.spec.kept_states {
            return Err(NamedArrayError::Shape {
                name: STATES.to_owned(),
                got: vec![got, self.dims()],
                expected: vec![self.spec.kept_states, self.dims()],
            });
        }
        [self.seen] = find_u64(arrays, SEEN)?;
        self.states = states.to_vec();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::{Distance, Euclidean};
    use crate::rng::{Purpose, Seed};

    const SPEC: FrontierSpec = FrontierSpec {
        neighbours: 5,
        candidates: 10,
        kept_states: 1_000,
    };

    struct Plane;

    impl ProposalDistance for Plane {
        fn embed(&self, proposal: &[f32]) -> Result<Vec<f32>, DistanceError> {
            Ok(proposal.to_vec())
        }
        fn between(&self, from: &[f32], to: &[f32]) -> Result<f64, DistanceError> {
            Euclidean.between(from, to)
        }
    }

    /// The right half is a thousand times narrower than it looks.
    struct Squeezed;

    impl ProposalDistance for Squeezed {
        fn embed(&self, proposal: &[f32]) -> Result<Vec<f32>, DistanceError> {
            let scale = if proposal[0] > 0.0 { 1e-3 } else { 1.0 };
            Ok(proposal.iter().map(|x| scale * x).collect())
        }
        fn between(&self, from: &[f32], to: &[f32]) -> Result<f64, DistanceError> {
            Euclidean.between(from, to)
        }
    }

    fn stream(number: u64) -> Rng {
        Seed(5).stream(Purpose::Goals, 0, number)
    }

    fn frontier(spec: FrontierSpec) -> Frontier {
        let range = GoalRange::new(vec![0.0; 2], vec![9.0; 2]).unwrap();
        Frontier::new(spec, &range).unwrap()
    }

    /// A square of side 1 at x = −1, and one of side 3 at x = 3.
    fn visits(left: usize, right: usize, rng: &mut Rng) -> Vec<Vec<f32>> {
        let squares = [([-1.0, 0.0], 0.5, left), ([3.0, 0.0], 1.5, right)];
        let mut states = Vec::new();
        for (centre, half, count) in squares {
            let square = GoalRange::new(centre.to_vec(), vec![half; 2]).unwrap();
            states.extend((0..count).map(|_| square.sample(rng)));
        }
        states
    }

    fn share_right(goals: &[Vec<f32>]) -> f64 {
        let right = goals.iter().filter(|goal| goal[0] > 0.0).count();
        right as f64 / goals.len() as f64
    }

    #[test]
    fn proposals_are_visited_states_each_once() {
        let mut rng = stream(0);
        let states = visits(300, 100, &mut rng);
        let mut frontier = frontier(SPEC);
        frontier.begin(&states, &mut rng).unwrap();
        let goals = frontier.propose(200, &Plane, &mut rng).unwrap();
        assert!(goals.len() > 150, "{}", goals.len());
        for (at, goal) in goals.iter().enumerate() {
            assert!(
                states.contains(goal) && !goals[..at].contains(goal),
                "{goal:?}"
            );
        }
    }

    #[test]
    fn rare_regions_are_proposed_more_often() {
        let mut rng = stream(1);
        let mut frontier = frontier(SPEC);
        frontier
            .begin(&visits(900, 100, &mut rng), &mut rng)
            .unwrap();
        let goals = frontier.propose(50, &Plane, &mut rng).unwrap();
        // A tenth of the visits. All of ten candidates are on the left with probability 0.9¹⁰ ≈ 0.35.
        assert!(share_right(&goals) > 0.5, "{}", share_right(&goals));
        let random = FrontierSpec {
            candidates: 1,
            ..SPEC
        };
        let mut even = super::tests::frontier(random);
        even.states.clone_from(&frontier.states);
        let share = share_right(&even.propose(200, &Plane, &mut rng).unwrap());
        assert!((0.03..0.2).contains(&share), "{share}");
    }

    /// Rare in the training's own distance, not in metres.
    #[test]
    fn the_given_distance_decides_what_is_rare() {
        let mut rng = stream(2);
        let mut frontier = frontier(SPEC);
        frontier
            .begin(&visits(500, 500, &mut rng), &mut rng)
            .unwrap();
        let [plane, squeezed] = [&Plane as &dyn ProposalDistance, &Squeezed]
            .map(|distance| share_right(&frontier.propose(100, distance, &mut stream(3)).unwrap()));
        assert!(plane > 0.8 && squeezed < 0.2, "{plane}, {squeezed}");
    }

    /// A full sample keeps old and new visits with equal probability, and a restored one goes on to the same bytes.
    #[test]
    fn a_restored_sample_goes_on_as_the_unbroken_one() {
        let spec = FrontierSpec {
            kept_states: 200,
            ..SPEC
        };
        let mut rng = stream(4);
        let mut whole = frontier(spec);
        whole.begin(&visits(400, 0, &mut rng), &mut rng).unwrap();
        let mut resumed = frontier(spec);
        resumed.restore(&whole.save()).unwrap();
        assert_eq!(whole, resumed);
        let visited = visits(0, 400, &mut stream(5));
        for generator in [&mut whole, &mut resumed] {
            let feedback = Feedback {
                labelled: &[],
                tails: &[],
                visited: &visited,
            };
            generator.learn(&feedback, &mut stream(6)).unwrap();
        }
        assert_eq!(whole.save(), resumed.save());
        let [goals, others] = [&whole, &resumed]
            .map(|generator| generator.propose(50, &Plane, &mut stream(7)).unwrap());
        assert_eq!(goals, others);
        let kept: Vec<Vec<f32>> = whole.states.chunks(2).map(<[f32]>::to_vec).collect();
        // Half of the visits; 5 standard deviations of a binomial are 0.18.
        assert!(
            (share_right(&kept) - 0.5).abs() < 0.18,
            "{}",
            share_right(&kept)
        );
        let small = FrontierSpec {
            kept_states: 100,
            ..SPEC
        };
        assert!(frontier(small).restore(&whole.save()).is_err());
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        for (bad, rule) in [
            (
                FrontierSpec {
                    neighbours: 0,
                    ..SPEC
                },
                "neighbours is 0",
            ),
            (
                FrontierSpec {
                    neighbours: 1_000,
                    ..SPEC
                },
                "below kept_states",
            ),
            (
                FrontierSpec {
                    candidates: 0,
                    ..SPEC
                },
                "candidates is 0",
            ),
            (
                FrontierSpec {
                    kept_states: 1,
                    ..SPEC
                },
                "kept_states is 1",
            ),
        ] {
            let error = bad.check().unwrap_err().to_string();
            assert!(error.contains(rule), "{error}");
        }
    }
}
