"""The map itself, without a network: fewest steps along roadmaps of random walks, held against the shortest paths of mazes.

    python experiments/geodesic/map.py --isochrone isochrone --work WORK --out experiments/geodesic/map.csv --seeds 0-2

It takes the walks of `run.py`, and makes the map as `fit --target geodesic` does (2,000 landmarks: one in every cell), and with fewer.
"""

from __future__ import annotations

import argparse
import time
from functools import lru_cache
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray
from run import MAZES, collect, maze_file
from scipy.sparse import coo_array
from scipy.sparse.csgraph import shortest_path
from scipy.stats import spearmanr

from isochrone import DistanceModel, Roadmap

from results_table import ResultsTable, revision  # isort: skip

LANDMARKS = (2_000, 300)
HOP_STEPS = 12
GOALS = 200
FIELDS = ["maze", "landmarks", "seed", "cells", "goals", "rank_per_goal", "rank_worst_goal", "median_relative_error", "no_route", "seconds", "revision"]

Floats = NDArray[np.float32]


def cells_of(maze: Path) -> tuple[Floats, NDArray[np.float64]]:
    """The free cells as states (column, row), and the fewest steps between any two."""
    rows = maze.read_text().splitlines()
    cells = [(x, y) for y, row in enumerate(rows) for x, sign in enumerate(row) if sign != "#"]
    number = {cell: at for at, cell in enumerate(cells)}
    steps = [(number[x, y], number[beside]) for x, y in cells for beside in ((x + 1, y), (x, y + 1)) if beside in number]
    ends = np.array(steps).T
    graph = coo_array((np.ones(len(steps)), ends), shape=(len(cells), len(cells)))
    return np.array(cells, np.float32), shortest_path(graph, directed=False, unweighted=True)


def walks_of(file: Path) -> list[Floats]:
    table = pq.read_table(file)
    states = np.array(table["observation.state"].to_pylist(), np.float32)
    return np.split(states, np.flatnonzero(np.diff(table["episode_index"].to_numpy())) + 1)


@lru_cache(maxsize=1)
def fit(file: Path, seed: int) -> tuple[list[Floats], DistanceModel]:
    """Walks, and a distance that is right nearby."""
    data = walks_of(file)
    return data, DistanceModel(window_steps=2 * HOP_STEPS, seed=seed).fit(data)


def run(command: str, maze: str, landmarks: int, seed: int, work: Path) -> dict[str, object]:
    """Maps and compares; one row of the table."""
    data, near = fit(collect(command, maze, seed, work), seed)
    start = time.perf_counter()
    roadmap = Roadmap(landmarks=landmarks, hop_steps=HOP_STEPS, selection="farthest", seed=seed).fit(data, near)
    seconds = time.perf_counter() - start
    cells, shortest = cells_of(maze_file(maze))
    goals = np.random.default_rng(seed).permutation(len(cells))[:GOALS]
    found = np.stack([roadmap.fewest_steps(cells, cells[goal]) for goal in goals], axis=1)
    true = shortest[:, goals]
    ranks = [spearmanr(found[:, at], true[:, at]).statistic for at in range(len(goals))]
    is_apart = true > 0
    return {
        "maze": maze,
        "landmarks": landmarks,
        "seed": seed,
        "cells": len(cells),
        "goals": len(goals),
        "rank_per_goal": f"{np.mean(ranks):.5f}",
        "rank_worst_goal": f"{np.min(ranks):.5f}",
        "median_relative_error": f"{np.median(np.abs(found - true)[is_apart] / true[is_apart]):.5f}",
        "no_route": int(np.isinf(found).sum()),
        "seconds": f"{seconds:.0f}",
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--isochrone", default="isochrone", help="the command")
    parser.add_argument("--work", type=Path, required=True, help="folder for data and models")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--mazes", nargs="+", default=MAZES, choices=MAZES)
    parser.add_argument("--seeds", default="0-2", help="the first and the last")
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    first, last = (int(seed) for seed in args.seeds.split("-"))
    table = ResultsTable(args.out, FIELDS, ("maze", "landmarks", "seed"))
    for seed in range(first, last + 1):
        for maze in args.mazes:
            for landmarks in LANDMARKS:
                if not table.has(maze, landmarks, seed):
                    row = run(args.isochrone, maze, landmarks, seed, args.work) | {"revision": revision()}
                    table.add(row)
                    print(row, flush=True)


if __name__ == "__main__":
    main()
