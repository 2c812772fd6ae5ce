//! Distances in steps: how many actions lie between any two states.
//!
//! The pipeline, in reading order:
//!
//! | stage | module | checked against |
//! |---|---|---|
//! | random streams | [`rng`] | pinned first words |
//! | sums over ranks | [`comm`] | equal bytes for 1, 2, 4 and 8 workers |
//! | mazes: chains with known answers | [`maze`] | `markov` |
//! | environments: dynamics only | [`mod@env`] | conformance tests; `markov` |
//! | trajectories: observations and actions of whole episodes | [`trajectory`] | |
//! | goals, distances to them, the "reached" test | [`goal`], [`distance`], [`task`] | |
//! | inference of frozen networks, row by row | [`kernel`] | the network as plain loops |
//! | policies for rollouts | [`policy`] | |
//! | environment × policy → trajectories | [`rollout`] | equal bytes for any number of threads and lanes |
//! | trajectories → training pairs | [`pairs`] | `markov::window_target` |
//! | trainable networks | [`nn`] | [`kernel`]; finite differences |
//! | the embedding in which a norm counts steps | [`embedding`] | exact targets; equal bytes after a resume |
//! | networks with hand-written derivatives | [`trpo`] (inside) | finite differences; automatic differentiation |
//! | a batch of policy steps, in shard order | [`batch`] | |
//! | value baselines, advantages | [`baseline`], [`advantage`] | closed forms; probe worlds |
//! | one trust-region update of the policy | [`trpo`] | its guarantees; five mutants; probe worlds |
//! | one update of soft actor-critic | [`sac`] | finite differences; laws; five mutants; probe worlds |
//! | policy learners | [`learner`] | probe worlds; the loop |
//! | goals by difficulty | [`curriculum`] | brute force |
//! | goal generators | [`goal_generator`] | the step of a small GAN in plain loops; laws |
//! | exact quantities of a Markov chain | [`markov`] | reference numbers, laws, closed forms |
//! | tests of a distance, coverage of a policy | [`evaluate`] | `markov`, SciPy, simulation |
//! | measures and scores of logged episodes | [`episode_score`] | episodes with known faults |
//! | the paper's loop | [`train`] | equal bytes for any number of threads and ranks, and after a resume |
//! | logged actions → a policy for goals nearby | [`cloning`] | a known controller |
//! | landmarks, hops that were made between them, routes | [`roadmap`] | brute force; shortest paths of mazes |
//! | an agent in your own environment | [`agent`] | the loop |
//!
//! This crate is pure: it reads no file, clock, environment variable or process-wide random number
//! generator, and contains no `unsafe`. A lint list (`clippy.toml`) keeps it so.
#![forbid(unsafe_code)]
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod rng;

pub mod comm;

pub mod maze;

pub mod env;

pub mod trajectory;

pub mod goal;

pub mod distance;

pub mod task;

pub mod kernel;

pub mod policy;

pub mod rollout;

pub mod pairs;

mod distance_spec;
mod fourier;
mod normaliser;
mod optim;

pub mod nn;

pub mod embedding;

mod layers;
mod named_array;

pub mod batch;

pub mod baseline;

pub mod advantage;

pub mod trpo;

pub mod sac;

pub mod learner;

pub mod curriculum;

pub mod goal_generator;

pub mod markov;

pub mod evaluate;

pub mod episode_score;

pub mod train;

pub mod cloning;

pub mod roadmap;

pub mod agent;
