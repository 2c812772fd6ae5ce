"""How many metres a number of steps is: places of random logs that the fitted distance puts that far apart, to half a step.

    python radius.py --csv radius.csv
"""

from __future__ import annotations

import argparse
import csv

import numpy as np
from fitted import fitted

COLUMNS = "env seed steps pairs median_m tenth_m ninetieth_m revision".split()
PAIRS, NEAREST_M, HALF_STEP = 2_000_000, 1.5, 0.5


def pairs(episodes: list[np.ndarray], seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Places and goals, both drawn from all logs, no farther apart than a cell and a half."""
    places = np.concatenate(episodes)
    of, to = np.random.default_rng(seed).integers(len(places), size=(2, PAIRS))
    near = np.linalg.norm(places[of] - places[to], axis=1) < NEAREST_M
    return places[of[near]], places[to[near]]


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--envs", nargs="+", default=["PointMaze_UMaze-v3", "PointMaze_Medium-v3"])
    asked.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    asked.add_argument("--steps", nargs="+", type=float, default=[20, 30, 40, 50])
    asked.add_argument("--revision", default="")
    asked.add_argument("--csv", required=True)
    asked = asked.parse_args()

    rows = []
    for env in asked.envs:
        for seed in asked.seeds:
            distance, episodes = fitted(env, seed)
            places, goals = pairs(episodes, seed)
            steps = np.asarray(distance(places, goals))
            metres = np.linalg.norm(places - goals, axis=1)
            for wanted in asked.steps:
                at = metres[np.abs(steps - wanted) <= HALF_STEP]
                median, low, high = np.quantile(at, [0.5, 0.1, 0.9]).round(3)
                rows.append([env, seed, wanted, len(at), median, low, high, asked.revision])
                print(*rows[-1], flush=True)
    with open(asked.csv, "w", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *rows])


if __name__ == "__main__":
    main()
