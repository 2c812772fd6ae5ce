//! `isochrone-experiments bench sac`: an update of soft actor-critic, beside the matrix products in it.

use super::turns::{Clock, Spread, Turns, timed};
use super::{tell_json, tell_table};
use crate::cli::BenchSacOptions;
use anyhow::Result;
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};
use isochrone::env::ActionSpec;
use isochrone::rng::{Purpose, Seed};
use isochrone::sac::{PlainSac, PlainSacSpec, SacSpec, Transition};
use isochrone_runs::progress::Waiting;
use rand::RngExt;
use serde::Serialize;

const SEED: Seed = Seed(0);
/// Transitions in the buffer.
const KEPT: usize = 10_000;

/// The result.
#[derive(Debug, Serialize)]
struct Measurement {
    /// Entries of a state.
    inputs: usize,
    /// Entries of an action.
    actions: usize,
    /// Units of each of two hidden layers.
    hidden: usize,
    /// Transitions of an update.
    batch: usize,
    rounds: u16,
    /// In each round.
    updates: usize,
    /// By CPU time.
    #[serde(flatten)]
    cpu: Times,
    /// By the clock on the wall.
    wall: Times,
}

/// What one update takes.
#[derive(Debug, Serialize)]
struct Times {
    update_us: Spread,
    /// Its matrix products alone.
    products_us: Spread,
}

/// Runs the command.
pub(super) fn run(options: &BenchSacOptions) -> Result<()> {
    let waiting = Waiting::new("training");
    let found = measure(options)?;
    drop(waiting);
    if options.json {
        return tell_json(&found);
    }
    tell_table(
        &[found],
        &[
            ("network", |m| {
                format!("{0} → {1} → {1}", m.inputs, m.hidden)
            }),
            ("transitions", |m| m.batch.to_string()),
            ("CPU µs per update", |m| {
                format!("{:.0}", m.cpu.update_us.median)
            }),
            ("its products alone", |m| {
                format!("{:.0}", m.cpu.products_us.median)
            }),
        ],
    )
}

fn measure(options: &BenchSacOptions) -> Result<Measurement> {
    let (inputs, actions) = (options.inputs as usize, options.actions as usize);
    let (hidden, batch) = (options.hidden as usize, options.batch as usize);
    let updates = options.updates as usize;
    let spec = PlainSacSpec {
        sac: SacSpec {
            batch,
            ..SacSpec::published(&[hidden, hidden])
        },
        discount: 0.99,
        capacity: KEPT,
    };
    let bounds = ActionSpec::symmetric(actions, 1.0);
    let mut learner = PlainSac::new(&spec, inputs, bounds, SEED)?;
    let mut rng = SEED.stream(Purpose::Act, 0, 0);
    for _ in 0..KEPT {
        let mut draw =
            |n: usize| -> Vec<f32> { (0..n).map(|_| 2.0 * rng.random::<f32>() - 1.0).collect() };
        let (state, action, next_state) = (draw(inputs), draw(actions), draw(inputs));
        learner.observe(&Transition {
            state: &state,
            action: &action,
            reward: state[0],
            next_state: &next_state,
            is_terminal: false,
        })?;
    }
    let mut products = Products::new(batch, inputs, actions, hidden);
    let mut turns = [(); 2].map(|()| Turns::default());
    // The first round warms up and is not counted.
    for round in 0..=options.rounds {
        let (report, taken) = timed(|| learner.learn(updates));
        report?;
        let (sum, bare) = timed(|| (0..updates).map(|_| products.update()).sum::<f32>());
        std::hint::black_box(sum);
        if round > 0 {
            turns[0].push(taken.per(updates));
            turns[1].push(bare.per(updates));
        }
    }
    Ok(Measurement {
        inputs,
        actions,
        hidden,
        batch,
        rounds: options.rounds,
        updates,
        cpu: times(&turns, |taken| taken.cpu_s),
        wall: times(&turns, |taken| taken.wall_s),
    })
}

/// By one clock.
fn times([update, products]: &[Turns; 2], clock: Clock) -> Times {
    Times {
        update_us: update.us(clock),
        products_us: products.us(clock),
    }
}

/// The products of an update, and nothing else.
struct Products {
    policy: Network,
    critic: Network,
}

impl Products {
    fn new(batch: usize, inputs: usize, actions: usize, hidden: usize) -> Self {
        Self {
            policy: Network::new(batch, [inputs, hidden, hidden, 2 * actions]),
            critic: Network::new(batch, [inputs + actions, hidden, hidden, 1]),
        }
    }

    /// All of them; one number of the last, so that they cannot be left out.
    fn update(&mut self) -> f32 {
        // Targets: the policy in the next state, both target critics.
        self.policy.forward();
        (0..2).for_each(|_| self.critic.forward());
        // Both critics learn.
        for _ in 0..2 {
            self.critic.forward();
            self.critic.backward(LastProduct::Parameters);
        }
        // The policy learns through both.
        self.policy.forward();
        for _ in 0..2 {
            self.critic.forward();
            self.critic.backward(LastProduct::Rows);
        }
        self.policy.backward(LastProduct::Parameters);
        self.policy.weight_gradients[0][(0, 0)] + self.critic.weight_gradients[0][(0, 0)]
    }
}

/// What a backward pass is for: the gradient of the parameters, or that of the rows.
#[derive(Clone, Copy)]
enum LastProduct {
    Parameters,
    Rows,
}

/// Matrices of three layers.
struct Network {
    /// Rows before each layer, and the results.
    rows: [Mat<f32>; 4],
    gradients: [Mat<f32>; 4],
    weights: [Mat<f32>; 3],
    weight_gradients: [Mat<f32>; 3],
}

impl Network {
    fn new(batch: usize, widths: [usize; 4]) -> Self {
        // Small enough that no product overflows, however often it is taken.
        let filled = |rows: usize, columns: usize| {
            Mat::from_fn(rows, columns, |i, j| ((i + j) % 7) as f32 * 1e-3)
        };
        let weights = || std::array::from_fn(|k| filled(widths[k], widths[k + 1]));
        Self {
            rows: widths.map(|width| filled(batch, width)),
            gradients: widths.map(|width| filled(batch, width)),
            weights: weights(),
            weight_gradients: weights(),
        }
    }

    fn forward(&mut self) {
        for layer in 0..3 {
            let (before, after) = self.rows.split_at_mut(layer + 1);
            product(
                &mut after[0],
                before[layer].as_ref(),
                self.weights[layer].as_ref(),
            );
        }
    }

    fn backward(&mut self, last: LastProduct) {
        for layer in (0..3).rev() {
            let (before, after) = self.gradients.split_at_mut(layer + 1);
            if let LastProduct::Parameters = last {
                let to = &mut self.weight_gradients[layer];
                product(to, self.rows[layer].transpose(), after[0].as_ref());
            }
            if layer > 0 || matches!(last, LastProduct::Rows) {
                let weights = self.weights[layer].transpose();
                product(&mut before[layer], after[0].as_ref(), weights);
            }
        }
    }
}

fn product(to: &mut Mat<f32>, a: MatRef<'_, f32>, b: MatRef<'_, f32>) {
    matmul(to, Accum::Replace, a, b, 1.0, Par::Seq);
}
