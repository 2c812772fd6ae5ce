//! Optimisers: rules that turn a gradient into a step, on plain numbers.
//!
//! | rule | what it moves |
//! |---|---|
//! | [`Adam`] | the embedding of a distance; policy and critics of SAC |
//! | [`RmsProp`] | the goal GAN, as its reference does |
//! | [`lbfgs`] | the value network, one batch at a time; metric MDS |

mod adam;
pub(crate) mod lbfgs;
mod rmsprop;

pub(crate) use adam::{Adam, Moments};
pub(crate) use rmsprop::RmsProp;
