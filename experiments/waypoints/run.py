"""Agents with waypoints: four worlds, distances, five seeds, about five million learning steps each.

    python run.py --isochrone isochrone --runs RUNS --out results.csv [--jobs 2] [--only point-mass] [--seeds 0-4]

The presets of `isochrone train` as they are; only evaluations are added. Runs that are there already are resumed. Then `report.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from training_runs import Run, run_as_asked  # noqa: E402

EVALUATION = ("iterations=46", "evaluate_every=5", "evaluation.rollouts=1")
PRESETS = {
    "point-mass": ("", "-off-policy", "-on-policy"),
    "point-mass-spiral": ("", "-off-policy"),
    "point-mass-thin-spiral": ("", "-off-policy"),
    "point-mass-one-way": ("", "-off-policy"),
}


def runs(only: Sequence[str], seeds: range) -> list[Run]:
    """Seed by seed, so that a table that is not complete compares methods on the same seeds."""
    presets = [f"{world}{suffix}" for world in only for suffix in PRESETS[world]]
    return [Run(f"{preset}-seed{seed}", preset, (f"seed={seed}", *EVALUATION)) for seed in seeds for preset in presets]


if __name__ == "__main__":
    run_as_asked(__doc__, list(PRESETS), runs)
