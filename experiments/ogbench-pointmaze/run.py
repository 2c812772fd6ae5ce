"""From raw data to evaluated agents on OGBench's PointMaze: fits, maps, clones and evaluates.

    python run.py --data DATA --out results.csv --seeds 0-7
    python run.py --data DATA --out results.csv --seeds 0-7 --methods euclidean-witnessed euclidean-hops

Results are added to the table as they come; what is in it already is not run again. A seed is that of the data, of the fit, the
landmarks and the clone, and of the episodes. Settings were chosen on medium mazes, data seeds 100 and 101.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from evaluate import Row, evaluate

from isochrone import ClonedPolicy, DistanceModel, Navigator, Roadmap

sys.path.append(str(Path(__file__).parents[1]))
from results_table import ResultsTable, revision  # noqa: E402

DATASETS = [f"pointmaze-{maze}-{kind}" for kind in ("stitch", "navigate") for maze in ("medium", "large", "giant", "teleport")]
METHODS = ["ours", "euclidean-witnessed", "euclidean-hops", "learned-hops", "no-planner"]

WINDOW_STEPS = 25
HOP_STEPS = 12
LANDMARKS = 1_000
JUMP = 10.0
TIMINGS = ["fit_s", "map_s", "clone_s", "plan_ms", "waypoint_ms", "evaluate_s", "connected_share", "hops", "jumps"]
EUCLIDEAN_HOP_STEPS = 24.0
"""Longest hop of the Euclidean graph without witnesses, chosen on data seed 100."""


class NoPlanner:
    """The cloned policy, asked for the goal itself."""

    def __init__(self, policy: ClonedPolicy) -> None:
        self.policy = policy

    def reset(self) -> None:
        pass

    def predict(self, observation: Any, goal: Any) -> Any:
        return self.policy.predict(observation, goal)


def trajectories(file: Path) -> tuple[Any, int]:
    """The data of a file, and how many jumps there are in them.

    A jump is a step ten times as long as nearly all others: a teleporter. A distance that learned from jumps would put all
    exits of a teleporter in one place, and a map would promise routes that chance decides. So trajectories end there, for
    all methods alike. Where nothing jumps, the file is taken as it is.
    """
    data = np.load(file)
    states = data["observations"]
    ends = np.flatnonzero(data["terminals"])
    steps = np.linalg.norm(np.diff(states, axis=0), axis=1)
    steps[ends[:-1]] = 0.0
    jumps = np.flatnonzero(steps > JUMP * np.quantile(steps, 0.99))
    if not len(jumps):
        return file, 0
    pieces = np.split(states, np.unique(np.concatenate([ends[:-1], jumps])) + 1)
    return [piece for piece in pieces if len(piece) > 1], len(jumps)


def learn(method: str, file: Path, seed: int, policy: ClonedPolicy) -> tuple[Any, dict[str, float]]:
    """The agent of a method, and the seconds of its parts."""
    if method == "no-planner":
        return NoPlanner(policy), {}
    start = time.perf_counter()
    data, jumps = trajectories(file)
    if method.startswith("euclidean"):
        distance = DistanceModel.euclidean(data, window_steps=WINDOW_STEPS)
    else:
        distance = DistanceModel(window_steps=WINDOW_STEPS, seed=seed).fit(data)
    fitted = time.perf_counter()
    hops = "learned" if method.endswith("-hops") else "witnessed"
    steps = EUCLIDEAN_HOP_STEPS if method == "euclidean-hops" else HOP_STEPS
    roadmap = Roadmap(landmarks=LANDMARKS, hop_steps=steps, hops=hops, seed=seed).fit(data, distance)
    mapped = time.perf_counter()
    seconds = {"fit_s": fitted - start, "map_s": mapped - fitted, **speed(roadmap, file)}
    about = roadmap.about
    seconds |= {"connected_share": about["connected_share"], "hops": about["hops"], "jumps": jumps}
    return Navigator(roadmap, policy, lookahead_steps=2 * HOP_STEPS), seconds


def speed(roadmap: Roadmap, file: Path) -> dict[str, float]:
    """Milliseconds of a plan and of a waypoint on the way."""
    states = np.load(file)["observations"][:: 50_021][:20]
    plans, waypoints = [], []
    for state, goal in zip(states, states[::-1]):
        follower = roadmap.follower()
        start = time.perf_counter()
        follower.waypoint(state, goal)
        plans.append(time.perf_counter() - start)
        start = time.perf_counter()
        for _ in range(10):
            follower.waypoint(state, goal)
        waypoints.append((time.perf_counter() - start) / 10)
    return {"plan_ms": 1e3 * float(np.median(plans)), "waypoint_ms": 1e3 * float(np.median(waypoints))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of make_data.py's files, NAME-seedS.npz")
    parser.add_argument("--out", type=Path, required=True, help="table of successes; timings go beside it")
    parser.add_argument("--datasets", nargs="+", default=DATASETS)
    parser.add_argument("--methods", nargs="+", default=METHODS, choices=METHODS)
    parser.add_argument("--seeds", default="0-7", help="the first and the last")
    parser.add_argument("--episodes", type=int, default=50, help="per task")
    args = parser.parse_args()
    first, last = (int(seed) for seed in args.seeds.split("-"))
    run = ("dataset", "method", "seed")
    successes = ResultsTable(args.out, [*Row._fields, "revision"], run)
    timings = ResultsTable(args.out.with_name(args.out.stem + "-timings.csv"), [*run, "revision", *TIMINGS], run)
    rev = revision()
    for seed in range(first, last + 1):
        for dataset in args.datasets:
            wanted = [method for method in args.methods if not successes.has(dataset, method, seed)]
            file = args.data / f"{dataset}-seed{seed}.npz"
            if not wanted or not file.exists():
                continue
            start = time.perf_counter()
            policy = ClonedPolicy(seed=seed, max_lag_steps=WINDOW_STEPS).fit(file)
            clone_s = time.perf_counter() - start
            for method in wanted:
                agent, seconds = learn(method, file, seed, policy)
                start = time.perf_counter()
                rows = evaluate(agent, dataset, method, seed, args.episodes)
                seconds |= {"clone_s": clone_s, "evaluate_s": time.perf_counter() - start}
                successes.add(*({**row._asdict(), "revision": rev} for row in rows))
                facts = {"dataset": dataset, "method": method, "seed": seed, "revision": rev}
                timings.add(facts | {name: f"{seconds[name]:.4g}" for name in TIMINGS if name in seconds})
                print(f"{dataset} {method} seed {seed}: {np.mean([row.success for row in rows]):.3f}", flush=True)


if __name__ == "__main__":
    main()
