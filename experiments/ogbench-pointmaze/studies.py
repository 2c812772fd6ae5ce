"""Where the learned distance is needed, and how robust it is, on OGBench's PointMaze with other observations and less data.

    python studies.py tune --data DATA --out tuning.csv
    python studies.py compare --data DATA --tuning tuning.csv --out studies.csv --seeds 0-2
    python studies.py robustness --data DATA --out robustness.csv --seeds 0-1

`tune` tries settings of the Euclidean rivals on data seed 100; `compare` gives each rival its best there and ours the settings
of `run.py`; `robustness` varies landmarks, hops and the amount of data. Rows that are in a table already are not run again.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from evaluate import Floats, Position, Sensor, evaluate
from run import HOP_STEPS, LANDMARKS, WINDOW_STEPS, ResultsTable, revision

from isochrone import ClonedPolicy, DistanceModel, Navigator, Roadmap

TUNING_SEED = 100
NOISE_NUMBERS, NOISE_STD = 6, 5.0
DRIFT_NUMBERS, DRIFT_STD, DRIFT_STEPS = 2, 5.0, 100
RIVAL_SETTINGS = {
    "euclidean-witnessed": [(1_000, 6.0), (1_000, 12.0), (1_000, 24.0), (4_000, 12.0)],
    "euclidean-hops": [(1_000, 8.0), (1_000, 12.0), (1_000, 16.0), (1_000, 24.0), (1_000, 48.0), (4_000, 6.0), (4_000, 12.0)],
}
"""Landmarks and hop lengths that rivals choose from; `tune` says which are best."""


class Noise:
    """Beside the position, six numbers of noise that are new at each step."""

    numbers = NOISE_NUMBERS

    def __init__(self, seed: int) -> None:
        pass

    def reset(self, rng: np.random.Generator) -> None:
        self.rng = rng

    def nuisance(self, steps: int) -> Floats:
        """The numbers beside the position, over an episode."""
        return self.rng.normal(0, NOISE_STD, (steps, self.numbers))

    def log(self, xy: Floats) -> Floats:
        """An episode as it is logged."""
        return np.hstack([xy, self.nuisance(len(xy))])

    def observe(self, xy: Floats) -> Floats:
        return self.log(xy[None])[0]

    goal = observe


class Drift(Noise):
    """Beside the position, two numbers that drift: Ornstein-Uhlenbeck processes with a memory of 100 steps."""

    numbers = DRIFT_NUMBERS

    def reset(self, rng: np.random.Generator) -> None:
        self.rng, self.at = rng, rng.normal(0, DRIFT_STD, self.numbers)

    def nuisance(self, steps: int) -> Floats:
        keep = np.exp(-1 / DRIFT_STEPS)
        pushes = self.rng.normal(0, DRIFT_STD * np.sqrt(1 - keep**2), (steps, self.numbers))
        drift = np.empty_like(pushes)
        for step, push in enumerate(pushes):
            drift[step] = self.at
            self.at = keep * self.at + push
        return drift

    def goal(self, xy: Floats) -> Floats:
        """The goal was observed at another time."""
        return np.concatenate([xy, self.rng.normal(0, DRIFT_STD, self.numbers)])


class Rescaled:
    """Each coordinate in another unit, 1 to 100 times as large."""

    def __init__(self, seed: int) -> None:
        self.scale = np.exp(np.random.default_rng(seed).uniform(0, np.log(100), 2))

    def reset(self, rng: np.random.Generator) -> None:
        pass

    def log(self, xy: Floats) -> Floats:
        return self.scale * xy

    observe = goal = log


class Plain(Position):
    """The position itself."""

    def __init__(self, seed: int) -> None:
        pass

    def log(self, xy: Floats) -> Floats:
        return xy


SENSORS: dict[str, Any] = {"plain": Plain, "noise": Noise, "drift": Drift, "rescaled": Rescaled}


class Setting(NamedTuple):
    """One agent."""

    study: str
    method: str
    landmarks: int
    hop_steps: float
    data_share: float
    seed: int


class Data(NamedTuple):
    """Trajectories as they were observed, and their actions."""

    states: list[Floats]
    actions: list[Floats]
    sensor: Sensor


def read(folder: Path, dataset: str, study: str, seed: int, share: float) -> Data:
    """The first episodes of a data set, through a study's sensor."""
    data = np.load(folder / f"{dataset}-seed{seed}.npz")
    ends = np.flatnonzero(data["terminals"])
    ends = ends[: round(share * len(ends))]
    cut = lambda key: np.split(data[key][: ends[-1] + 1], ends[:-1] + 1)  # noqa: E731
    sensor = SENSORS[study](seed)
    seen = []
    for episode, xy in enumerate(cut("observations")):
        sensor.reset(np.random.default_rng([seed, 77, episode]))
        seen.append(sensor.log(xy).astype(np.float32))
    return Data(seen, cut("actions"), sensor)


class Bench:
    """Runs settings; keeps the last data, policy and distance, which many settings share."""

    def __init__(self, folder: Path, dataset: str, episodes: int) -> None:
        self.folder, self.dataset, self.episodes = folder, dataset, episodes
        self.kept: dict[str, tuple[tuple[Any, ...], Any]] = {}

    def keep(self, what: str, key: tuple[Any, ...], make: Any) -> Any:
        if self.kept.get(what, ((), None))[0] != key:
            self.kept[what] = (key, make())
        return self.kept[what][1]

    def run(self, it: Setting) -> list[dict[str, Any]]:
        """A row per task."""
        source = (it.study, it.seed, it.data_share)
        data = self.keep("data", source, lambda: read(self.folder, self.dataset, it.study, it.seed, it.data_share))
        clone = lambda: ClonedPolicy(seed=it.seed, max_lag_steps=WINDOW_STEPS).fit(data.states, data.actions)  # noqa: E731
        policy = self.keep("policy", source, clone)
        if it.method.startswith("euclidean"):
            euclidean = lambda: DistanceModel.euclidean(data.states, window_steps=WINDOW_STEPS)  # noqa: E731
            distance = self.keep("euclidean", source, euclidean)
        else:
            fit = lambda: DistanceModel(window_steps=WINDOW_STEPS, seed=it.seed).fit(data.states)  # noqa: E731
            distance = self.keep("learned", source, fit)
        hops = "learned" if it.method.endswith("-hops") else "witnessed"
        roadmap = Roadmap(landmarks=it.landmarks, hop_steps=it.hop_steps, hops=hops, seed=it.seed)
        roadmap.fit(data.states, distance)
        agent = Navigator(roadmap, policy, lookahead_steps=2 * HOP_STEPS)
        rows = evaluate(agent, self.dataset, it.method, it.seed, self.episodes, data.sensor)
        more = {"connected_share": round(roadmap.about["connected_share"], 4), "revision": revision()}
        return [{**it._asdict(), **row._asdict(), **more} for row in rows]


def tuning() -> Iterator[Setting]:
    """Settings of the rivals. Standardised coordinates do not depend on units: what is best for plain ones is best for rescaled ones."""
    for study in ("plain", "noise", "drift"):
        for method, settings in RIVAL_SETTINGS.items():
            for landmarks, hop_steps in settings:
                yield Setting(study, method, landmarks, hop_steps, 1.0, TUNING_SEED)


def best(tuned: Path, study: str, method: str) -> tuple[int, float]:
    """The rival's best setting on the tuning seed; the first of equal ones."""
    study = "plain" if study == "rescaled" else study
    success: dict[tuple[int, float], list[float]] = {}
    with tuned.open(newline="") as rows:
        for row in csv.DictReader(rows):
            if (row["study"], row["method"]) == (study, method):
                key = (int(row["landmarks"]), float(row["hop_steps"]))
                success.setdefault(key, []).append(float(row["success"]))
    return max(success, key=lambda key: np.mean(success[key]))


def comparison(seeds: range, tuned: Path) -> Iterator[Setting]:
    """Ours as it is, rivals at their best."""
    for seed in seeds:
        for study in ("noise", "drift", "rescaled"):
            yield Setting(study, "ours", LANDMARKS, HOP_STEPS, 1.0, seed)
            for method in RIVAL_SETTINGS:
                yield Setting(study, method, *best(tuned, study, method), 1.0, seed)


def robustness(seeds: range) -> Iterator[Setting]:
    """Ours with other maps, and with less data."""
    for seed in seeds:
        for share in (0.1, 0.03):
            yield Setting("plain", "ours", LANDMARKS, HOP_STEPS, share, seed)
        for landmarks in (250, 500, 1_000, 2_000, 4_000):
            for hop_steps in (6, 12, 24, 48):
                yield Setting("plain", "ours", landmarks, hop_steps, 1.0, seed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["tune", "compare", "robustness"])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--tuning", type=Path, help="the table of tune, for compare")
    parser.add_argument("--dataset", default="pointmaze-giant-stitch")
    parser.add_argument("--seeds", default="0-2", help="the first and the last")
    parser.add_argument("--episodes", type=int, default=10, help="per task")
    args = parser.parse_args()
    first, last = (int(seed) for seed in args.seeds.split("-"))
    seeds = range(first, last + 1)
    settings = {"tune": tuning, "compare": lambda: comparison(seeds, args.tuning), "robustness": lambda: robustness(seeds)}
    fields = [*Setting._fields, "dataset", "task", "episodes", "success", "connected_share", "revision"]
    table = ResultsTable(args.out, fields, Setting._fields)
    bench = Bench(args.data, args.dataset, args.episodes)
    for setting in settings[args.what]():
        if not table.has(*setting):
            rows = bench.run(setting)
            table.add(*rows)
            print(*setting, f"{np.mean([row['success'] for row in rows]):.3f}", flush=True)


if __name__ == "__main__":
    main()
