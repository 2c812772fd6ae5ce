"""Agents with waypoints: four worlds, distances, five seeds, about five million learning steps each.

    python run.py --isochrone isochrone --runs RUNS --out results.csv [--jobs 2] [--only point-mass] [--seeds 0-4]

The presets of `isochrone train` as they are; only evaluations are added. Runs that are there already are resumed. Then `report.py`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from training_runs import Run, table, train  # noqa: E402

EVALUATION = ("iterations=46", "evaluate_every=5", "evaluation.rollouts=1")
PRESETS = {
    "point-mass": ("", "-off-policy", "-on-policy"),
    "point-mass-spiral": ("", "-off-policy"),
    "point-mass-thin-spiral": ("", "-off-policy"),
    "point-mass-one-way": ("", "-off-policy"),
}


def runs(only: list[str] | None, seeds: range) -> list[Run]:
    """Seed by seed, so that a table that is not complete compares methods on the same seeds."""
    presets = [f"{world}{suffix}" for world in only or PRESETS for suffix in PRESETS[world]]
    return [Run(f"{preset}-seed{seed}", preset, (f"seed={seed}", *EVALUATION)) for seed in seeds for preset in presets]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--isochrone", default="isochrone")
    parser.add_argument("--runs", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("results.csv"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", nargs="+", choices=list(PRESETS))
    parser.add_argument("--seeds", default="0-4")
    options = parser.parse_args()
    first, last = (int(seed) for seed in options.seeds.split("-"))
    wanted = runs(options.only, range(first, last + 1))
    train(wanted, options.runs, options.isochrone, options.jobs)
    table(wanted, options.runs, options.isochrone, options.out)


if __name__ == "__main__":
    main()
