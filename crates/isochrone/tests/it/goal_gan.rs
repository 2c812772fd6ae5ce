//! The goal generator: its step in plain loops, resumes, and whether it learns.

use isochrone::goal::GoalRange;
use isochrone::goal_generator::{GanSpec, GoalGan, GoalGenerator};
use isochrone::nn::NamedArray;
use isochrone::rng::{Purpose, Rng, Seed};
use rand::RngExt;
use rand_distr::StandardNormal;

fn stream(seed: u64) -> Rng {
    Seed(seed).stream(Purpose::Goals, 0, 0)
}

/// A network and its optimiser in f64.
struct Plain {
    widths: Vec<usize>,
    parameters: Vec<f64>,
    mean_squares: Vec<f64>,
}

impl Plain {
    fn of(arrays: &[NamedArray], network: &str, widths: &[usize]) -> Self {
        let prefix = format!("gan.{network}.layer.");
        let of_network = arrays.iter().filter(|a| a.name.starts_with(&prefix));
        let parameters: Vec<f64> = of_network
            .flat_map(|array| array.as_f32().unwrap().iter().map(|x| f64::from(*x)))
            .collect();
        Self {
            widths: widths.to_vec(),
            mean_squares: vec![1.0; parameters.len()],
            parameters,
        }
    }

    /// One row through the layers.
    fn apply(&self, parameters: &[f64], row: &[f64], activation: fn(f64) -> f64) -> Vec<f64> {
        let (mut row, mut rest) = (row.to_vec(), parameters);
        for (layer, pair) in self.widths.windows(2).enumerate() {
            let (weights, after) = rest.split_at(pair[0] * pair[1]);
            let (bias, after) = after.split_at(pair[1]);
            rest = after;
            row = (0..pair[1])
                .map(|j| {
                    let products = row.iter().enumerate();
                    let sum: f64 = products.map(|(i, x)| x * weights[i * pair[1] + j]).sum();
                    let sum = sum + bias[j];
                    if layer + 2 == self.widths.len() {
                        sum
                    } else {
                        activation(sum)
                    }
                })
                .collect();
        }
        row
    }

    /// RMSProp's step down a loss, by central differences.
    fn descend(&mut self, loss: impl Fn(&Self, &[f64]) -> f64, rate: f64) {
        let slopes: Vec<f64> = (0..self.parameters.len())
            .map(|k| {
                let moved = |by: f64| {
                    let mut parameters = self.parameters.clone();
                    parameters[k] += by;
                    loss(self, &parameters)
                };
                (moved(1e-5) - moved(-1e-5)) / 2e-5
            })
            .collect();
        for ((value, square), slope) in self
            .parameters
            .iter_mut()
            .zip(&mut self.mean_squares)
            .zip(slopes)
        {
            *square = 0.9 * *square + 0.1 * slope * slope;
            *value -= rate * slope / (*square + 1e-10).sqrt();
        }
    }
}

const LEAKY: fn(f64) -> f64 = |x| if x < 0.0 { 0.1 * x } else { x };
const RELU: fn(f64) -> f64 = |x| x.max(0.0);

/// The small GAN in plain loops.
struct PlainGan {
    generator: Plain,
    discriminator: Plain,
}

const RATE: f64 = 0.05;

impl PlainGan {
    fn of(gan: &GoalGan) -> Self {
        let arrays = gan.save();
        Self {
            generator: Plain::of(&arrays, "generator", &[2, 3, 2]),
            discriminator: Plain::of(&arrays, "discriminator", &[2, 4, 1]),
        }
    }

    /// The discriminator's step on goals and on what is made, then the generator's on the same noise against the
    /// discriminator that has just learned.
    fn iterate(&mut self, goals: Vec<(Vec<f64>, f64)>, noise: &[Vec<f64>]) {
        let make = |net: &Plain, parameters: &[f64], noise: &[f64]| -> Vec<f64> {
            let made = net.apply(parameters, noise, RELU);
            made.into_iter().map(f64::tanh).collect()
        };
        let made = noise.iter();
        let made = made.map(|z| (make(&self.generator, &self.generator.parameters, z), -1.0));
        let shown: Vec<(Vec<f64>, f64)> = goals.into_iter().chain(made).collect();
        let loss = |net: &Plain, parameters: &[f64]| {
            let missed = shown
                .iter()
                .map(|(x, y)| net.apply(parameters, x, LEAKY)[0] - y);
            missed.map(|m| m * m).sum::<f64>() / shown.len() as f64
        };
        self.discriminator.descend(loss, RATE);
        let judge = &self.discriminator;
        let loss = |net: &Plain, parameters: &[f64]| {
            let missed = noise.iter().map(|z| {
                let made = make(net, parameters, z);
                judge.apply(&judge.parameters, &made, LEAKY)[0] - 1.0
            });
            missed.map(|m| m * m).sum::<f64>() / noise.len() as f64
        };
        self.generator.descend(loss, RATE);
    }

    /// Rounding in f32 is all that may differ.
    fn is_near(&self, other: &Self) -> bool {
        let parameters = |gan: &Self| {
            [
                gan.generator.parameters.clone(),
                gan.discriminator.parameters.clone(),
            ]
            .concat()
        };
        let (a, b) = (parameters(self), parameters(other));
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 2e-5)
    }
}

/// Slices of three of five goals, from the first again after the last, and the rule in plain loops.
#[test]
fn a_small_gan_steps_as_the_rule_says() {
    let spec = GanSpec {
        noise_dims: 2,
        generator_hidden: vec![3],
        discriminator_hidden: vec![4],
        learning_rate: RATE,
        batch: 3,
        ..GanSpec::reference()
    };
    let range = GoalRange::new(vec![1.0, -2.0], vec![4.0, 0.5]).unwrap();
    let mut gan = GoalGan::new(&spec, &range, Seed(9)).unwrap();
    let (mut plain, first) = (PlainGan::of(&gan), PlainGan::of(&gan));
    let goal = |k: usize| vec![k as f32 - 2.0, -2.3 + 0.1 * k as f32];
    let goals: Vec<Vec<f32>> = (0..5).map(goal).collect();
    let labels = [1.0, 0.0, 1.0, 0.0, 1.0];
    gan.train(&goals, &labels, 4, &mut stream(2)).unwrap();

    let mut rng = stream(2);
    for iteration in 0..4 {
        let mut draw = || f64::from(rng.sample::<f32, _>(StandardNormal));
        let noise: Vec<Vec<f64>> = (0..3).map(|_| vec![draw(), draw()]).collect();
        let slice = (3 * iteration..3 * iteration + 3).map(|k| k % 5);
        let seen = slice.map(|k| {
            let (x, y) = (f64::from(goals[k][0]), f64::from(goals[k][1]));
            (
                vec![(x - 1.0) / 8.0, y + 2.0],
                f64::from(2.0 * labels[k] - 1.0),
            )
        });
        plain.iterate(seen.collect(), &noise);
    }
    assert!(PlainGan::of(&gan).is_near(&plain));
    assert!(!first.is_near(&plain));
}

fn square() -> GoalRange {
    GoalRange::new(vec![0.0; 2], vec![1.0; 2]).unwrap()
}

/// Goals all over the square; those in one corner are of intermediate difficulty.
fn corner(count: usize, seed: u64) -> (Vec<Vec<f32>>, Vec<f32>) {
    let mut rng = stream(seed);
    let goals: Vec<Vec<f32>> = (0..count).map(|_| square().sample(&mut rng)).collect();
    let labels = goals
        .iter()
        .map(|g| f32::from(u8::from(is_in_corner(g, 0.3))));
    let labels = labels.collect();
    (goals, labels)
}

fn is_in_corner(goal: &[f32], from: f32) -> bool {
    goal.iter().all(|value| *value > from)
}

/// The corner is an eighth of the square. One training finds it, whatever the seed, and fills it: evenly spread goals
/// would have a standard deviation of 0.2.
#[test]
fn the_generator_finds_the_corner() {
    let spec = GanSpec {
        noise_std_m: 1e-3,
        ..GanSpec::reference()
    };
    for seed in 0..4 {
        let (goals, labels) = corner(300, seed);
        let mut gan = GoalGan::new(&spec, &square(), Seed(seed)).unwrap();
        let mut rng = stream(100 + seed);
        let share = |gan: &GoalGan, rng: &mut Rng| {
            let made = gan.sample(1_000, rng);
            made.iter().filter(|g| is_in_corner(g, 0.2)).count()
        };
        let before = share(&gan, &mut rng);
        let report = gan
            .train(&goals, &labels, spec.iterations, &mut rng)
            .unwrap();
        let after = share(&gan, &mut rng);
        assert!(
            before < 300 && after > 900,
            "{before} → {after}, {report:?}"
        );
        let made = gan.sample(1_000, &mut rng);
        for side in 0..2 {
            let mean = made.iter().map(|g| g[side]).sum::<f32>() / 1e3;
            let spread = made.iter().map(|g| (g[side] - mean).powi(2)).sum::<f32>() / 1e3;
            assert!(spread.sqrt() > 0.05, "seed {seed}: all in one place");
        }
    }
}

/// Stopped between two trainings and restored into another seed's, it goes on to the same bytes.
#[test]
fn a_restored_gan_resumes_to_the_same_bytes() {
    let spec = GanSpec {
        batch: 16,
        ..GanSpec::reference()
    };
    let (goals, labels) = corner(50, 1);
    let mut gan = GoalGan::new(&spec, &square(), Seed(1)).unwrap();
    gan.train(&goals, &labels, 20, &mut stream(1)).unwrap();
    let saved = gan.save();
    let mut other = GoalGan::new(&spec, &square(), Seed(2)).unwrap();
    assert_ne!(other.save(), saved);
    other.restore(&saved).unwrap();
    let go_on = |gan: &mut GoalGan| {
        let report = gan.train(&goals, &labels, 20, &mut stream(2)).unwrap();
        let samples = gan.sample(20, &mut stream(3)).concat();
        let arrays = gan.save().into_iter();
        let numbers = arrays
            .flat_map(|array| array.as_f32().unwrap().to_vec())
            .chain(samples);
        (report, numbers.map(f32::to_bits).collect::<Vec<u32>>())
    };
    assert_eq!(go_on(&mut gan), go_on(&mut other));
    // Without the optimiser's state it would be another run: all of it is asked for.
    let without = |what: &str| {
        let arrays = saved.iter().filter(|array| array.name != what).cloned();
        let told = other.clone().restore(&arrays.collect::<Vec<_>>());
        told.unwrap_err().to_string()
    };
    for name in [
        "gan.generator.layer.0.weight",
        "gan.discriminator.rms.layer.2.bias",
    ] {
        assert_eq!(without(name), format!("there is no array `{name}`"));
    }
}

/// Samples stay in the range, however far the generator and the noise would go; a side without width is its middle.
#[test]
fn samples_are_within_the_range() {
    let spec = GanSpec {
        noise_std_m: 10.0,
        ..GanSpec::reference()
    };
    let range = GoalRange::new(vec![0.1, 3.0, -7.7], vec![0.7, 0.0, 1e-3]).unwrap();
    let mut gan = GoalGan::new(&spec, &range, Seed(1)).unwrap();
    let goals = vec![vec![0.1, 3.0, -7.7]];
    gan.train(&goals, &[1.0], 3, &mut stream(1)).unwrap();
    let samples = gan.sample(500, &mut stream(2));
    assert_eq!(samples.len(), 500);
    assert!(samples.iter().all(|goal| range.contains(goal)));
    assert!(gan.sample(0, &mut stream(2)).is_empty());
}

#[test]
fn what_cannot_be_learned_from_is_refused() {
    let spec = GanSpec::reference();
    let mut gan = GoalGan::new(&spec, &square(), Seed(1)).unwrap();
    let before = gan.save();
    let report = gan.train(&[], &[], 10, &mut stream(1)).unwrap();
    assert_eq!((report.iterations, gan.save()), (0, before.clone()));
    let mut told = |goals: &[Vec<f32>], labels: &[f32]| {
        let refused = gan.train(goals, labels, 10, &mut stream(1));
        refused.unwrap_err().to_string()
    };
    assert_eq!(told(&[vec![0.0; 2]], &[]), "1 goals have 0 labels");
    assert_eq!(
        told(&[vec![0.0; 3]], &[1.0]),
        "goal 0 has 3 numbers where 2 were expected"
    );
    assert_eq!(
        told(&[vec![f32::INFINITY, 0.0]], &[1.0]),
        "number 0 of goal 0 is not finite"
    );
    assert_eq!(
        told(&[vec![0.0; 2]], &[f32::NAN]),
        "the loss of the discriminator is NaN in iteration 0; a smaller learning rate may help"
    );
    assert_eq!(gan.save(), before, "a refused training moved something");
    for bad in [
        GanSpec {
            noise_dims: 0,
            ..spec.clone()
        },
        GanSpec {
            generator_hidden: vec![8, 0],
            ..spec.clone()
        },
        GanSpec {
            learning_rate: 0.0,
            ..spec.clone()
        },
        GanSpec {
            batch: 0,
            ..spec.clone()
        },
        GanSpec {
            noise_std_m: f64::NAN,
            ..spec.clone()
        },
    ] {
        assert!(GoalGan::new(&bad, &square(), Seed(1)).is_err(), "{bad:?}");
    }
    let nowhere = GoalRange::new(vec![], vec![]).unwrap();
    assert!(GoalGan::new(&spec, &nowhere, Seed(1)).is_err());
}
