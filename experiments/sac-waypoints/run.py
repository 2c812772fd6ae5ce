"""Soft actor-critic with waypoints: worlds, distances and goal spaces, 0.7 million learning steps each; the thin spiral longer.

    python run.py --isochrone isochrone --runs RUNS --out results.csv [--jobs 2] [--only figure-eight ...] [--seeds 0-4]

The preset `point-mass-sac-off-policy` and what the table below adds. Runs that are there already are resumed. Then `figure.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from training_runs import Run, run_as_asked  # noqa: E402

SETTINGS = ("iterations=24", "evaluate_every=4", "evaluation.rollouts=1")
# With half an update per step, 325,000 steps were far too few to see what lies behind the first turn.
THIN = ("world=point-mass-thin-spiral", "horizon_steps=1000", "learner.updates_per_step=0.1", "iterations=40", "evaluate_every=5")
CASES = {
    "figure-eight": ("-off-policy",),
    "spiral": ("-off-policy", "world=point-mass-spiral"),
    "full-state": ("-off-policy", "goal_space=full_at_rest"),
    "one-way": ("-off-policy", "world=point-mass-one-way"),
    "one-way-euclidean": ("", "world=point-mass-one-way"),
    "thin-spiral": ("-off-policy", *THIN),
    "thin-spiral-euclidean": ("", *THIN),
    "figure-eight-share": ("-off-policy", "distance.epsilon=share"),
    "figure-eight-euclidean": ("",),
    "figure-eight-on-policy": ("", "distance=on_policy"),
}


def runs(only: Sequence[str], seeds: range) -> list[Run]:
    """Seed by seed, so that a table that is not complete compares cases on the same seeds."""
    return [
        Run(f"{case}-seed{seed}", f"point-mass-sac{CASES[case][0]}", (f"seed={seed}", *SETTINGS, *CASES[case][1:]))
        for seed in seeds
        for case in only
    ]


if __name__ == "__main__":
    run_as_asked(__doc__, list(CASES), runs)
