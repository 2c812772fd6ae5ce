"""Where the learned distance is needed, and how robust a map is: OGBench's PointMaze with changed observations, data and settings.

    python studies.py --data DATA --work WORK --out studies.csv --studies noise drift rescaled
    python studies.py --data DATA --work WORK --out studies.csv --studies landmarks amount

noise      six entries of independent noise beside the position, N(0, 5) at every step
drift      six entries that drift slowly: a random walk of 0.05 per step from N(0, 5), anew in each episode
rescaled   x as it is, y times 100
landmarks  250 to 4,000 landmarks, hops of 6 to 48 steps
amount     10 % and 3 % of the episodes

Euclidean rivals see standardised entries. Results are added to the table as they come; what is in it already is not run again.
"""

from __future__ import annotations

import argparse
import csv
import time
from pathlib import Path
from typing import Any

import numpy as np
from evaluate import Floats, evaluate
from run import EUCLIDEAN_HOP_STEPS, HOP_STEPS, LANDMARKS, WINDOW_STEPS, append, revision

from isochrone import ClonedPolicy, DistanceModel, Navigator, Roadmap

FIELDS = ["study", "setting", "dataset", "method", "seed", "task", "episodes", "success", "connected_share", "revision"]
METHODS = ["ours", "euclidean-witnessed", "euclidean-hops"]
NUISANCES, SPREAD, DRIFT = 6, 5.0, 0.05
HEAT_LANDMARKS = [250, 500, 1_000, 2_000, 4_000]
HEAT_HOPS = [6, 12, 24, 48]


class Observed:
    """What an agent sees instead of the position."""

    def __init__(self, kind: str, seed: int) -> None:
        self.kind = kind
        self.rng = np.random.default_rng([seed, 77])
        self.nuisance = np.zeros(NUISANCES)

    def begin(self) -> None:
        self.nuisance = self.rng.normal(0, SPREAD, NUISANCES)

    def state(self, position: Floats) -> Floats:
        """The next observation of an episode."""
        if self.kind == "rescaled":
            return position * np.array([1.0, 100.0])
        if self.kind == "noise":
            self.nuisance = self.rng.normal(0, SPREAD, NUISANCES)
        elif self.kind == "drift":
            self.nuisance = self.nuisance + self.rng.normal(0, DRIFT, NUISANCES)
        else:
            return position
        return np.concatenate([position, self.nuisance])

    def goal(self, position: Floats) -> Floats:
        """A goal: its nuisances are those of some other time."""
        if self.kind in ("noise", "drift"):
            return np.concatenate([position, self.rng.normal(0, SPREAD, NUISANCES)])
        return self.state(position)

    def data(self, positions: Floats, terminals: Floats) -> Floats:
        """All observations of a log."""
        if self.kind == "rescaled":
            return positions * np.array([1.0, 100.0])
        if self.kind not in ("noise", "drift"):
            return positions
        n = len(positions)
        entries = self.rng.normal(0, SPREAD, (n, NUISANCES))
        if self.kind == "drift":
            starts = np.concatenate([[0], np.flatnonzero(terminals)[:-1] + 1])
            steps = self.rng.normal(0, DRIFT, (n, NUISANCES))
            steps[starts] = 0.0
            walk = np.cumsum(steps, axis=0)
            lengths = np.diff(np.concatenate([starts, [n]]))
            entries = walk - np.repeat(walk[starts], lengths, axis=0) + np.repeat(entries[starts], lengths, axis=0)
        return np.concatenate([positions, entries], axis=1)


class Sees:
    """An agent of the environment that shows its own agent something else."""

    def __init__(self, agent: Any, observed: Observed) -> None:
        self.agent, self.observed = agent, observed
        self.seen: tuple[bytes, Floats] | None = None

    def reset(self) -> None:
        self.agent.reset()
        self.observed.begin()
        self.seen = None

    def predict(self, observation: Floats, goal: Floats) -> Floats:
        if self.seen is None:
            self.seen = goal.tobytes(), self.observed.goal(goal)
        return self.agent.predict(self.observed.state(observation), self.seen[1])


def prepared(file: Path, work: Path, kind: str, seed: int, share: float) -> Path:
    """The data of a study, made once."""
    out = work / f"{file.stem}-{kind}-{share:g}.npz"
    if not out.exists():
        data = np.load(file)
        ends = np.flatnonzero(data["terminals"]) + 1
        rows = slice(0, ends[max(1, round(share * len(ends))) - 1])
        observed = Observed(kind, 1_000 + seed)
        states = observed.data(data["observations"][rows].astype(np.float64), data["terminals"][rows])
        np.savez(out, observations=states.astype(np.float32), actions=data["actions"][rows], terminals=data["terminals"][rows])
    return out


def build(method: str, file: Path, seed: int, policy: ClonedPolicy, landmarks: int, hop_steps: int) -> tuple[Any, float]:
    """The agent of a method, and its map's connected share."""
    if method.startswith("euclidean"):
        distance = DistanceModel.euclidean(file, window_steps=WINDOW_STEPS)
    else:
        distance = DistanceModel(window_steps=WINDOW_STEPS, seed=seed).fit(file)
    is_learned = method.endswith("-hops")
    steps = EUCLIDEAN_HOP_STEPS if is_learned else hop_steps
    roadmap = Roadmap(landmarks=landmarks, hop_steps=steps, hops="learned" if is_learned else "witnessed", seed=seed)
    roadmap.fit(file, distance)
    return Navigator(roadmap, policy, lookahead_steps=2 * hop_steps), roadmap.about["connected_share"]


def settings(study: str) -> list[tuple[str, str, float, int, int]]:
    """Of a study: name, kind of observation, share of the data, landmarks, steps of a hop."""
    if study == "landmarks":
        return [(f"{n} x {hop}", "plain", 1.0, n, hop) for n in HEAT_LANDMARKS for hop in HEAT_HOPS]
    if study == "amount":
        return [(f"{share:g}", "plain", share, LANDMARKS, HOP_STEPS) for share in (0.1, 0.03)]
    return [("", study, 1.0, LANDMARKS, HOP_STEPS)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of make_data.py's files, NAME-seedS.npz")
    parser.add_argument("--work", type=Path, required=True, help="folder for the data of the studies")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--dataset", default="pointmaze-giant-stitch")
    parser.add_argument("--studies", nargs="+", required=True, choices=["noise", "drift", "rescaled", "landmarks", "amount"])
    parser.add_argument("--methods", nargs="+", default=METHODS, choices=METHODS)
    parser.add_argument("--seeds", default="0-2", help="the first and the last")
    parser.add_argument("--episodes", type=int, default=10, help="per task")
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    first, last = (int(seed) for seed in args.seeds.split("-"))
    done = set()
    if args.out.exists():
        with args.out.open(newline="") as rows:
            done = {(row["study"], row["setting"], row["dataset"], row["method"], int(row["seed"])) for row in csv.DictReader(rows)}
    rev = revision()
    for seed in range(first, last + 1):
        for study in args.studies:
            for setting, kind, share, landmarks, hop_steps in settings(study):
                wanted = [m for m in args.methods if (study, setting, args.dataset, m, seed) not in done]
                if not wanted:
                    continue
                file = prepared(args.data / f"{args.dataset}-seed{seed}.npz", args.work, kind, seed, share)
                kept = args.work / f"{file.stem}.policy.isochrone"
                if kept.exists():
                    policy = ClonedPolicy.load(kept)
                else:
                    policy = ClonedPolicy(seed=seed, max_lag_steps=WINDOW_STEPS).fit(file)
                    policy.save(kept)
                for method in wanted:
                    start = time.perf_counter()
                    agent, connected = build(method, file, seed, policy, landmarks, hop_steps)
                    rows = evaluate(Sees(agent, Observed(kind, seed)), args.dataset, method, seed, args.episodes)
                    facts = {"study": study, "setting": setting, "connected_share": f"{connected:.4f}", "revision": rev}
                    append(args.out, FIELDS, [{**row._asdict(), **facts} for row in rows])
                    success = np.mean([row.success for row in rows])
                    print(f"{study} {setting} {method} seed {seed}: {success:.3f}, {time.perf_counter() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
