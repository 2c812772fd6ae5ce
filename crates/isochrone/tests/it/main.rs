//! One integration binary: laws (what must hold for every chain) and oracles (known numbers).
#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

mod calibration;
mod claims;
mod cloning;
mod comm;
mod curriculum;
mod distances;
mod embedding;
mod env;
mod evaluate;
mod goal_gan;
mod laws;
mod maze;
mod one_way;
mod oracle;
mod probe;
mod probes;
mod roadmap;
mod rollout;
mod sac;
mod sampling;
mod scale;
mod separated_window;
mod specs;
mod thread_comm;
mod train;
mod trpo;
mod worlds;
