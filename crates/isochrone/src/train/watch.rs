//! Who looks on.

/// What the loop is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Rolling out: physics and policy.
    Rollout,
    /// Advantages, the trust-region step, the baseline.
    Update,
    /// Rolling out to label goals.
    Labels,
    /// Proposing goals and learning to.
    Goals,
}

/// Whether to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Go {
    /// Go on.
    On,
    /// Break off.
    Stop,
}

/// Somebody with a clock, and with a say.
pub trait Watch {
    /// A part begins, and the one before ends.
    fn begins(&mut self, part: Part);

    /// Asked after every policy update, and between the rollouts that labels are made from.
    fn goes_on(&mut self) -> Go;
}

/// Nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct Blind;

impl Watch for Blind {
    fn begins(&mut self, _part: Part) {}

    fn goes_on(&mut self) -> Go {
        Go::On
    }
}
