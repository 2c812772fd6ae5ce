"""Soft actor-critic with waypoints: worlds, distances and goal spaces, a third of a million learning steps each.

    python run.py --isochrone isochrone --runs RUNS --out results.csv [--jobs 2] [--only figure-eight ...] [--seeds 0-4]

The preset `point-mass-sac-off-policy` and what the table below adds. Runs that are there already are resumed. Then `figure.py`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from training_runs import Run, table, train  # noqa: E402

SETTINGS = ("iterations=12", "evaluate_every=2", "evaluation.rollouts=1")
THIN = ("world=point-mass-thin-spiral", "horizon_steps=1000")
CASES = {
    "figure-eight": ("-off-policy",),
    "spiral": ("-off-policy", "world=point-mass-spiral"),
    "full-state": ("-off-policy", "goal_space=full_at_rest"),
    "one-way": ("-off-policy", "world=point-mass-one-way"),
    "one-way-euclidean": ("", "world=point-mass-one-way"),
    "thin-spiral": ("-off-policy", *THIN),
    "thin-spiral-euclidean": ("", *THIN),
    "figure-eight-euclidean": ("",),
    "figure-eight-on-policy": ("", "distance=on_policy"),
}


def runs(only: list[str] | None, seeds: range) -> list[Run]:
    """Seed by seed, so that a table that is not complete compares cases on the same seeds."""
    return [
        Run(f"{case}-seed{seed}", f"point-mass-sac{CASES[case][0]}", (f"seed={seed}", *SETTINGS, *CASES[case][1:]))
        for seed in seeds
        for case in only or CASES
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--isochrone", default="isochrone")
    parser.add_argument("--runs", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("results.csv"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", nargs="+", choices=list(CASES))
    parser.add_argument("--seeds", default="0-4")
    options = parser.parse_args()
    first, last = (int(seed) for seed in options.seeds.split("-"))
    wanted = runs(options.only, range(first, last + 1))
    train(wanted, options.runs, options.isochrone, options.jobs)
    table(wanted, options.runs, options.isochrone, options.out)


if __name__ == "__main__":
    main()
