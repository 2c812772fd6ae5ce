//! Limited-memory BFGS: the minimiser of metric MDS and of the value network.

use std::collections::VecDeque;

/// Pairs of steps and gradient changes remembered. Ten is the usual choice; more gains little.
const MEMORY: usize = 10;
/// Armijo's constant: an accepted step gains at least this share of the decrease that the gradient predicts.
const SUFFICIENT: f64 = 1e-4;
/// Halvings before a search direction is given up: 2⁻⁴⁰ of a step moves no digit.
const MAX_HALVINGS: usize = 40;

/// A step that gains less than this share of the value has reached the bottom of what f64 resolves.
const NO_GAIN: f64 = 1e-15;

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stop {
    pub(crate) max_iterations: usize,
    /// The largest gradient entry, relative to the value at the start, at which x counts as a minimum.
    pub(crate) gradient: f64,
}

/// Minimises `objective(x, gradient) -> value` from `x`, in place; returns the last value.
pub(crate) fn minimise(
    x: &mut Vec<f64>,
    mut objective: impl FnMut(&[f64], &mut [f64]) -> f64,
    stop: Stop,
) -> f64 {
    let mut gradient = vec![0.0; x.len()];
    let mut value = objective(x, &mut gradient);
    let target = stop.gradient * value.max(f64::MIN_POSITIVE);
    let mut history: VecDeque<Pair> = VecDeque::new();
    for _ in 0..stop.max_iterations {
        if gradient.iter().all(|g| g.abs() <= target) {
            break;
        }
        let mut direction = two_loop(&gradient, &history);
        if dot(&direction, &gradient) >= 0.0 {
            history.clear();
            direction = gradient.iter().map(|g| -g).collect();
        }
        let Some(next) = search(x, value, &gradient, &direction, &mut objective) else {
            if history.is_empty() {
                break;
            }
            history.clear();
            continue;
        };
        let gain = value - next.value;
        remember(&mut history, x, &gradient, &next);
        (*x, gradient, value) = (next.x, next.gradient, next.value);
        if gain <= NO_GAIN * value {
            break;
        }
    }
    value
}

struct Pair {
    step: Vec<f64>,
    change: Vec<f64>,
    /// `1 / (step · change)`.
    rho: f64,
}

struct Point {
    x: Vec<f64>,
    gradient: Vec<f64>,
    value: f64,
}

/// `−H g` with H the inverse Hessian implied by the remembered pairs.
fn two_loop(gradient: &[f64], history: &VecDeque<Pair>) -> Vec<f64> {
    let mut q: Vec<f64> = gradient.iter().map(|g| -g).collect();
    let mut alphas = Vec::with_capacity(history.len());
    for pair in history.iter().rev() {
        let alpha = pair.rho * dot(&pair.step, &q);
        add(&mut q, -alpha, &pair.change);
        alphas.push(alpha);
    }
    match history.back() {
        Some(last) => {
            let scale = 1.0 / (last.rho * dot(&last.change, &last.change));
            q.iter_mut().for_each(|v| *v *= scale);
        }
        // The first step has no scale yet: one unit along the gradient.
        None => {
            let norm = dot(gradient, gradient).sqrt();
            q.iter_mut().for_each(|v| *v /= norm);
        }
    }
    for (pair, alpha) in history.iter().zip(alphas.iter().rev()) {
        let beta = pair.rho * dot(&pair.change, &q);
        add(&mut q, alpha - beta, &pair.step);
    }
    q
}

/// Halves the step until it gains enough.
fn search(
    x: &[f64],
    value: f64,
    gradient: &[f64],
    direction: &[f64],
    objective: &mut impl FnMut(&[f64], &mut [f64]) -> f64,
) -> Option<Point> {
    let slope = dot(direction, gradient);
    let mut length = 1.0;
    let mut next_gradient = vec![0.0; x.len()];
    for _ in 0..MAX_HALVINGS {
        let mut next = x.to_vec();
        add(&mut next, length, direction);
        let next_value = objective(&next, &mut next_gradient);
        if next_value <= value + SUFFICIENT * length * slope {
            return Some(Point {
                x: next,
                gradient: next_gradient,
                value: next_value,
            });
        }
        length *= 0.5;
    }
    None
}

/// Keeps the pair if the curvature along it is positive.
fn remember(history: &mut VecDeque<Pair>, x: &[f64], gradient: &[f64], next: &Point) {
    let minus = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>();
    let (step, change) = (minus(&next.x, x), minus(&next.gradient, gradient));
    let curvature = dot(&step, &change);
    if curvature > f64::EPSILON * dot(&change, &change) {
        if history.len() == MEMORY {
            history.pop_front();
        }
        history.push_back(Pair {
            step,
            change,
            rho: 1.0 / curvature,
        });
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(x: &mut [f64], factor: f64, y: &[f64]) {
    x.iter_mut().zip(y).for_each(|(x, y)| *x += factor * y);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_minimum_of_rosenbrock() {
        let mut x = vec![-1.2, 1.0];
        let rosenbrock = |x: &[f64], g: &mut [f64]| {
            let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
            g[0] = -2.0 * a - 400.0 * x[0] * b;
            g[1] = 200.0 * b;
            a * a + 100.0 * b * b
        };
        let stop = Stop {
            max_iterations: 200,
            gradient: 1e-12,
        };
        let value = minimise(&mut x, rosenbrock, stop);
        assert!(value < 1e-16, "{value}");
        assert!(
            (x[0] - 1.0).abs() < 1e-7 && (x[1] - 1.0).abs() < 1e-7,
            "{x:?}"
        );
    }
}
