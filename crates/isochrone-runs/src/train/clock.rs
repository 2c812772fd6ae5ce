//! Shares of the time of a training.

use super::line::Line;
use super::meter::Meter;
use crate::stop::StopFlag;
use isochrone::train::{Observer, TrainPhase};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::time::Instant;

/// Seconds, or shares of a whole, by what they were spent on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spent {
    /// Inside the worlds.
    pub physics: f64,
    /// The rest of rollouts for updates and labels: acting, storing, waiting for other threads.
    pub policy: f64,
    /// Advantages, trust-region steps, baseline.
    pub update: f64,
    /// Learning a distance; zero for the Euclidean distance.
    pub distance: f64,
    /// Proposing goals and training the generator.
    pub goals: f64,
    /// Measuring coverage, its physics included.
    pub evaluation: f64,
}

impl Spent {
    const fn parts(&self) -> [f64; 6] {
        [
            self.physics,
            self.policy,
            self.update,
            self.distance,
            self.goals,
            self.evaluation,
        ]
    }

    /// All of it.
    pub fn total(&self) -> f64 {
        self.parts().iter().sum()
    }

    /// All of it but evaluation.
    pub fn training(&self) -> f64 {
        self.total() - self.evaluation
    }

    /// That, too.
    pub fn add(&mut self, other: &Self) {
        let sum = |k: usize| self.parts()[k] + other.parts()[k];
        *self = Self {
            physics: sum(0),
            policy: sum(1),
            update: sum(2),
            distance: sum(3),
            goals: sum(4),
            evaluation: sum(5),
        };
    }

    /// The same as shares of the whole, rounded to a thousandth: clocks tell no more.
    #[must_use]
    pub fn shares(&self) -> Self {
        let total = self.total();
        let share = |part: f64| {
            let share = if total > 0.0 { part / total } else { 0.0 };
            (1e3 * share).round() / 1e3
        };
        let [physics, policy, update, distance, goals, evaluation] = self.parts().map(share);
        Self {
            physics,
            policy,
            update,
            distance,
            goals,
            evaluation,
        }
    }

    /// For people: what takes a hundredth or more.
    pub fn in_words(&self) -> String {
        let names = [
            "physics",
            "policy",
            "update",
            "distance",
            "goals",
            "evaluation",
        ];
        let shares = self.shares().parts();
        let told = names.into_iter().zip(shares).filter(|(_, s)| *s >= 0.01);
        let told: Vec<String> = told.map(|(n, s)| format!("{n} {:.0} %", 1e2 * s)).collect();
        told.join(", ")
    }
}

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    Phase(TrainPhase),
    Evaluation,
}

/// An observer with a clock and a stop flag.
#[derive(Debug)]
pub struct Clock<'a> {
    meter: Meter,
    threads: usize,
    stop: Option<&'a StopFlag>,
    line: Option<&'a Line>,
    doing: Option<(Doing, Instant, f64)>,
    spent: Spent,
}

impl<'a> Clock<'a> {
    /// A clock for worlds on so many threads.
    pub fn new(meter: Meter, threads: usize) -> Self {
        Self {
            meter,
            threads,
            stop: None,
            line: None,
            doing: None,
            spent: Spent::default(),
        }
    }

    /// The same with a stop flag, and with a progress line if there is one.
    #[must_use]
    pub const fn for_run(mut self, stop: &'a StopFlag, line: Option<&'a Line>) -> Self {
        (self.stop, self.line) = (Some(stop), line);
        self
    }

    /// Coverage is measured from now on.
    pub fn evaluation_begins(&mut self) {
        self.switch(Some(Doing::Evaluation));
    }

    /// What was spent since the last call; nothing is being done from now on.
    pub fn take(&mut self) -> Spent {
        self.switch(None);
        std::mem::take(&mut self.spent)
    }

    fn switch(&mut self, next: Option<Doing>) {
        let (now, physics) = (Instant::now(), self.meter.seconds());
        if let Some((doing, since, physics_then)) = self.doing.take() {
            let wall = (now - since).as_secs_f64();
            // What threads do at the same time takes the time of one.
            let physics = ((physics - physics_then) / self.threads as f64).min(wall);
            self.book(doing, wall, physics);
        }
        self.doing = next.map(|doing| (doing, now, physics));
        if let (Some(line), Some(doing)) = (self.line, next) {
            line.now(match doing {
                Doing::Phase(TrainPhase::Rollout) => "rolling out",
                Doing::Phase(TrainPhase::Update) => "updating",
                Doing::Phase(TrainPhase::Distance) => "learning the distance",
                Doing::Phase(TrainPhase::Labels) => "labelling goals",
                Doing::Phase(TrainPhase::Goals) => "learning goals",
                Doing::Evaluation => "measuring coverage",
            });
        }
    }

    fn book(&mut self, doing: Doing, wall: f64, physics: f64) {
        let spent = &mut self.spent;
        let rest = match doing {
            Doing::Evaluation => {
                spent.evaluation += wall;
                return;
            }
            Doing::Phase(TrainPhase::Rollout | TrainPhase::Labels) => &mut spent.policy,
            Doing::Phase(TrainPhase::Update) => &mut spent.update,
            Doing::Phase(TrainPhase::Distance) => &mut spent.distance,
            Doing::Phase(TrainPhase::Goals) => &mut spent.goals,
        };
        *rest += wall - physics;
        spent.physics += physics;
    }
}

impl Observer for Clock<'_> {
    fn phase_begins(&mut self, phase: TrainPhase) {
        self.switch(Some(Doing::Phase(phase)));
    }

    fn poll(&mut self) -> ControlFlow<()> {
        match self.stop {
            Some(stop) if stop.poll_all_ranks() => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nothing is counted twice, and nothing is lost.
    #[test]
    fn parts_add_up_to_the_time_that_passed() {
        let mut clock = Clock::new(Meter::default(), 2);
        let start = Instant::now();
        for phase in [
            TrainPhase::Goals,
            TrainPhase::Rollout,
            TrainPhase::Update,
            TrainPhase::Labels,
        ] {
            clock.phase_begins(phase);
            std::thread::sleep(std::time::Duration::from_millis(3));
        }
        clock.evaluation_begins();
        std::thread::sleep(std::time::Duration::from_millis(3));
        let spent = clock.take();
        let passed = start.elapsed().as_secs_f64();
        assert!((spent.total() - passed).abs() < 1e-3, "{spent:?} {passed}");
        assert!(spent.evaluation > 2e-3 && spent.policy > 5e-3 && spent.physics == 0.0);
        assert!((spent.shares().total() - 1.0).abs() < 5e-3);
        assert_eq!(clock.take(), Spent::default());
    }
}
