"""Fewest steps in a ring with a gate that opens one way: which head of the network can answer both directions?

    python experiments/geodesic/ring.py --out experiments/geodesic/ring.csv --seeds 0-2

60 places on a circle, random walks of 100 steps to either side, and a gate between the last and the first: through it in one
direction only. Across it, there is one step and back are 59. States are points on the unit circle.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isochrone import DistanceModel, Roadmap

sys.path.append(str(Path(__file__).parents[1]))
from results_table import ResultsTable, revision  # noqa: E402

PLACES, EPISODES, STEPS = 60, 1_000, 100
HEADS = ["symmetric", "potential", "quasimetric"]
FIELDS = ["answer", "seed", "rank_per_goal", "median_relative_error", "there_steps", "back_steps", "at_zero", "revision"]

Floats = NDArray[np.float64]


def state(places: NDArray[np.int64]) -> Floats:
    angle = 2 * np.pi * places / PLACES
    return np.stack([np.cos(angle), np.sin(angle)], axis=-1)


def walks(seed: int) -> list[Floats]:
    """Random walks; the gate from the first place to the last is shut."""
    rng = np.random.default_rng(seed)
    at = rng.integers(PLACES, size=EPISODES)
    path = [at]
    for _ in range(STEPS):
        move = rng.choice([-1, 1], size=EPISODES)
        move[(at == 0) & (move < 0)] = 0
        at = (at + move) % PLACES
        path.append(at)
    return list(state(np.stack(path, axis=1)).astype(np.float32))


def fewest() -> Floats:
    """Fewest steps between all places, by breadth-first search."""
    steps = np.full((PLACES, PLACES), np.inf)
    for goal in range(PLACES):
        steps[goal, goal], ring = 0, [goal]
        while ring:
            here = ring.pop(0)
            # Who can step to `here`? The one before it; the one after it, unless that is the first place.
            for before in {(here - 1) % PLACES, (here + 1) % PLACES} - ({0} if here == PLACES - 1 else set()):
                if np.isinf(steps[before, goal]):
                    steps[before, goal] = steps[here, goal] + 1
                    ring.append(before)
    return steps


def rank(a: Floats, b: Floats) -> float:
    """Spearman's correlation; equal numbers share their rank."""
    ranks = lambda x: np.array([(np.sum(x < v) + np.sum(x <= v)) / 2 for v in x])  # noqa: E731
    return float(np.corrcoef(ranks(a), ranks(b))[0, 1])


def learn(answer: str, data: list[Floats], seed: int) -> Any:
    """Fewest steps from states to a goal, along the map or by a network with this head."""
    if answer == "map":
        near = DistanceModel(window_steps=8, seed=seed).fit(data)
        return Roadmap(landmarks=200, hop_steps=4, seed=seed).fit(data, near).fewest_steps
    return DistanceModel(target="geodesic", head=answer, hop_steps=4, seed=seed).fit(data)


def row(answer: str, seed: int, found: Floats, true: Floats) -> dict[str, object]:
    apart = ~np.eye(PLACES, dtype=bool)
    return {
        "answer": answer,
        "seed": seed,
        "rank_per_goal": f"{np.mean([rank(found[:, goal], true[:, goal]) for goal in range(PLACES)]):.4f}",
        "median_relative_error": f"{np.median(np.abs(found - true)[apart] / true[apart]):.4f}",
        "there_steps": f"{found[PLACES - 1, 0]:.2f}",
        "back_steps": f"{found[0, PLACES - 1]:.2f}",
        "at_zero": int(np.sum(found[apart] <= 0)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seeds", default="0-2", help="the first and the last")
    args = parser.parse_args()
    first, last = (int(seed) for seed in args.seeds.split("-"))
    true, places = fewest(), state(np.arange(PLACES)).astype(np.float32)
    table = ResultsTable(args.out, FIELDS, ("answer", "seed"))
    for seed in range(first, last + 1):
        data = walks(seed)
        for answer in ("map", *HEADS):
            if table.has(answer, seed):
                continue
            steps_to = learn(answer, data, seed)
            found = np.stack([np.asarray(steps_to(places, goal)) for goal in places], axis=1)
            result = row(answer, seed, found, true) | {"revision": revision()}
            table.add(result)
            print(result, flush=True)


if __name__ == "__main__":
    main()
