//! Distances in steps: how many actions lie between any two states.
//!
//! The pipeline, in reading order (what is not built yet is absent, not stubbed):
//!
//! | stage | module | checked against |
//! |---|---|---|
//! | randomness | [`rng`] | pinned first words |
//! | sums over workers | [`comm`] | equal bytes for 1, 2, 4 and 8 workers |
//! | worlds with known answers | [`maze`] | `markov` |
//! | environments: dynamics and nothing else | [`mod@env`] | a conformance list; `markov` |
//! | what was seen, in order | [`trajectory`] | |
//! | goals, distances to them, the test of "reached" | [`goal`], [`distance`], [`task`] | |
//! | frozen networks, row by row | [`kernel`] | the network as plain loops |
//! | policies as rollouts see them | [`policy`] | |
//! | environment × policy → trajectories | [`rollout`] | equal bytes for any number of threads and lanes |
//! | trajectories → training pairs | [`pairs`] | `markov::window_target` |
//! | networks that learn | [`nn`] | [`kernel`]; finite differences |
//! | the embedding in which a norm counts steps | [`embedding`] | exact targets; equal bytes after a resume |
//! | networks with written-out derivatives | [`trpo`] (inside) | finite differences; automatic derivatives |
//! | the policy's steps, in shard order | [`batch`] | |
//! | what states are worth, how good actions were | [`baseline`], [`advantage`] | closed forms; probe worlds |
//! | one trust-region update of the policy | [`trpo`] | its promises; five mutants; probe worlds |
//! | how a policy learns from trajectories | [`learner`] | probe worlds; the loop |
//! | which goals are worth trying now | [`curriculum`] | brute force |
//! | where new goals come from | [`goal_generator`] | the step of a small GAN in plain loops; laws |
//! | exact quantities of a Markov chain | [`markov`] | reference numbers, laws, closed forms |
//! | how far a distance can be trusted | [`evaluate`] | `markov`, SciPy, simulation |
//! | the paper's loop | [`train`] | equal bytes for any number of threads and ranks, and after a resume |
//! | an agent in an environment of one's own | [`agent`] | the loop |
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
mod normaliser;
mod optim;

pub mod nn;

pub mod embedding;

mod layers;

pub mod batch;

pub mod baseline;

pub mod advantage;

pub mod trpo;

pub mod learner;

pub mod curriculum;

pub mod goal_generator;

pub mod markov;

pub mod evaluate;

pub mod train;

pub mod agent;
