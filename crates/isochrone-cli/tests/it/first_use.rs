//! What newcomers met: answers that were wrong without a word, and errors that did not say what to do next.

mod labels;
mod lengths;
mod mistakes;
mod outliers;
mod paths;
mod sets;
mod windows;

use crate::desk::Desk;
use isochrone::rng::{Purpose, Seed};
use rand::RngExt;
use std::fmt::Write as _;

/// Episodes of a log as CSV: straight ways of so many frames along x, with a number that is drawn at random beside it.
pub(super) fn straight_ways(episodes: std::ops::Range<u32>, frames: u32) -> String {
    let mut text = "episode_index,frame_index,index,x,y\n".to_owned();
    let mut rng = Seed(3).stream(Purpose::Pairs, 0, 0);
    let mut index = 1_000;
    for episode in episodes {
        let offset: f32 = rng.random();
        for frame in 0..frames {
            let (x, y) = (frame as f32 + offset, rng.random::<f32>());
            let _ = writeln!(text, "{episode},{frame},{index},{x},{y}");
            index += 1;
        }
    }
    text
}

/// A desk with such a log, and a distance fitted to it.
pub(super) fn fitted() -> Desk {
    let desk = Desk::with("a.csv", straight_ways(40..60, 50));
    desk.ok("fit a.csv --state x,y -o d.isochrone --window 49 --passes 100");
    desk
}
