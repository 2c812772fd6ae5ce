//! The Rust of the book and the README, compiled and run as doctests: what readers paste works.

#[doc = include_str!("../../../docs/quickstart.md")]
struct Quickstart;

#[doc = include_str!("../../../README.md")]
struct Readme;
