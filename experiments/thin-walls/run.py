"""Agents with waypoints whose distance has Fourier features: spirals of thin and of wide walls and the figure eight, five seeds, 32 iterations each.

    python run.py --isochrone isochrone --runs RUNS --out results.csv [--jobs 2] [--only thin-spiral ...] [--seeds 0-4]

The presets of `isochrone train` with a planner whose hops are witnessed within ε of landmarks; the learned distance with Fourier features and far
pairs. Runs that are there already are resumed. Then `../waypoints/report.py` and `figure.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from training_runs import Run, run_as_asked  # noqa: E402

EVALUATION = ("iterations=32", "evaluate_every=4", "evaluation.rollouts=1")
PLANNER = ("planner.region=within_epsilon", "planner.hops_from=replay", "planner.hop_steps=12", "planner.landmarks=500")
LEARNER = ("learner.baseline=mlp", "learner.lambda=0.95", "learner.hidden=[128,128]", "learner.kl_limit=0.02")
DISTANCE = (
    "distance.target=separated_window",
    "distance.epsilon_steps=12",
    "distance.learning_rate=1e-3",
    "distance.initial_epochs=5",
    "distance.fourier_features=64",
    "distance.fourier_frequency=0.7",
)
CASES = {
    "thin-spiral": ("point-mass-thin-spiral-off-policy", *DISTANCE),
    "thin-spiral-euclidean": ("point-mass-thin-spiral",),
    "spiral": ("point-mass-spiral-off-policy", *DISTANCE),
    "spiral-euclidean": ("point-mass-spiral",),
    "figure-eight": ("point-mass-off-policy", *DISTANCE),
    "figure-eight-euclidean": ("point-mass",),
    "figure-eight-on-policy": ("point-mass-on-policy", *DISTANCE),
}


def runs(only: Sequence[str], seeds: range) -> list[Run]:
    """Seed by seed, so that a table that is not complete compares cases on the same seeds."""
    return [
        Run(f"{case}-seed{seed}", CASES[case][0], (f"seed={seed}", *EVALUATION, *PLANNER, *LEARNER, *CASES[case][1:]))
        for seed in seeds
        for case in only
    ]


if __name__ == "__main__":
    run_as_asked(__doc__, list(CASES), runs)
