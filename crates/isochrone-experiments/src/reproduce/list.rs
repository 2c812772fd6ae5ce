//! What can be reproduced.

use isochrone_runs::output::table;

/// Name, where it is in the paper, what it shows, how long it takes.
const ALL: [[&str; 4]; 17] = [
    [
        "rmse",
        "Figure 7",
        "error of spectral and scaled spectral embeddings, 1–24 dimensions",
        "a second",
    ],
    [
        "uniform-maze",
        "Figure 8",
        "distances from the centre, uniform transitions",
        "a second",
    ],
    [
        "nonuniform-maze",
        "Figure 9",
        "distances from the centre, drift to the north-east",
        "a second",
    ],
    [
        "effect-of-q",
        "Figure 10",
        "the region within 60 steps of Free Ant's start, for four powers of the norm",
        "ten minutes",
    ],
    [
        "distance-heatmap",
        "Figure 3 (c)",
        "learned distances over the floor of six worlds beside the shortest way",
        "ten minutes",
    ],
    [
        "distance-along-trajectory",
        "Figure 3 (a, b)",
        "learned distances along trajectories of Point Mass and Maze Ant",
        "five minutes",
    ],
    [
        "window-targets",
        "–",
        "what the label converges to: learned distances against the formula",
        "half an hour",
    ],
    [
        "u-room",
        "–",
        "a continuous room with a wall: bootstrapped targets and the label",
        "10 minutes",
    ],
    [
        "four-rooms",
        "–",
        "400 states: how much of the commute time can be learned",
        "10 minutes",
    ],
    [
        "u-maze",
        "–",
        "a U of 252 states: the label against the shortest way",
        "5 minutes",
    ],
    [
        "epsilon-share",
        "–",
        "how much of what a random policy sees is within ε, by ε and step size",
        "half an hour",
    ],
    [
        "coverage-xy",
        "Figure 1",
        "coverage with the straight line and with learned distances, goals are places",
        "seconds from what is known, else hours",
    ],
    [
        "coverage-full",
        "Figure 2",
        "the same with goals that are whole states",
        "the same",
    ],
    [
        "expanding-sphere",
        "Figure 4",
        "how many states a learned distance calls near, on-policy and off-policy",
        "the same",
    ],
    [
        "goal-generation",
        "Figure 5",
        "coverage with goals from a GAN and from action noise",
        "the same",
    ],
    [
        "goal-evolution",
        "Figure 6",
        "where the goals of action noise are, iteration by iteration",
        "ten minutes",
    ],
    [
        "online-targets",
        "–",
        "coverage by what the distance is fitted to while the policy learns",
        "seconds from what is known, else hours",
    ],
];

/// What the paper has and this program does not, and why.
const MISSING: [[&str; 3]; 3] = [
    [
        "Figure 3 (d)",
        "distances from images of Maze Ant",
        "distances cannot be learned from images yet",
    ],
    [
        "Figures 11–14",
        "the Laplacian representation on images, by β, step size and dimensions",
        "likewise",
    ],
    [
        "Figures 15, 16",
        "our distances on images, by dimensions and as a full map",
        "likewise",
    ],
];

pub(super) fn told() -> String {
    let rows: Vec<Vec<String>> = ALL
        .iter()
        .map(|row| row.map(str::to_owned).to_vec())
        .collect();
    let missing = MISSING.map(|row| row.map(str::to_owned).to_vec());
    table(&["name", "in the paper", "shows", "takes"], &rows)
        + "\nMissing:\n"
        + &table(&["in the paper", "shows", "why"], &missing)
        + "\nOf Figures 1, 2, 4, 5 and 6 only Point Mass was run with several seeds; --world adds others.\n"
}
