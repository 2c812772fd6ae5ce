"""Roadmaps in MuJoCo worlds: thin walls, a one-way strip, states with velocities, an ant.

    python run.py --isochrone isochrone --work WORK --out tuning.csv --seeds 100-100 --goals 30 --tune
    python run.py --isochrone isochrone --work WORK --out results.csv --seeds 0-2 --tuning tuning.csv

Random actions from starts anywhere are the only data. A map is followed from the world's start to goals everywhere; the local
policy is the same for all methods, a controller that brakes at the waypoint. False hops are counted against the walkable paths.
Settings of every method were chosen with `--tune` on seed 100.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import json
import subprocess
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow.parquet as pq
from arena import Arena, Floats, Walks

from isochrone import DistanceModel, Roadmap
from isochrone.envs import NativeEnv

sys.path.append(str(Path(__file__).parents[1]))
from results_table import ResultsTable, revision  # noqa: E402

METHODS = {
    "ours": ("learned", "witnessed"),
    "euclidean-witnessed": ("euclidean", "witnessed"),
    "euclidean-hops": ("euclidean", "learned"),
    "learned-hops": ("learned", "learned"),
}
"""Distance, and what counts as a hop."""
FALSE_PATH = 1.5
"""A hop is false if the walkable path is so many times longer than top speed times its steps."""
ROUTES = 300
REACHED_M = 0.3


class Map(NamedTuple):
    """Settings of a map."""

    landmarks: int
    selection: str
    hop_steps: float


SMALL_MAPS = tuple(Map(landmarks, "random", hops) for landmarks in (1_000, 4_000) for hops in (25.0, 12.0))
LARGE_MAPS = (Map(4_000, "random", 25.0), Map(12_000, "farthest", 25.0))


class World(NamedTuple):
    """A world and what is seen of it."""

    name: str
    arena: str
    states: str
    """`position`: x and y; `full`: the whole observation."""
    radius_m: float
    episodes: int
    steps: int
    horizon_steps: int
    window_steps: int
    maps: tuple[Map, ...]
    """To choose from."""


WORLDS = [
    World("point-mass-thin-spiral", "thin-spiral", "position", 0.1, 600, 500, 4_000, 50, SMALL_MAPS),
    World("point-mass-thin-spiral", "thin-spiral", "full", 0.1, 600, 500, 4_000, 50, LARGE_MAPS),
    World("point-mass-one-way", "one-way", "position", 0.1, 600, 500, 2_000, 50, SMALL_MAPS),
    World("point-mass", "figure-eight", "full", 0.1, 600, 500, 1_000, 50, SMALL_MAPS),
    World("maze-ant", "u", "full", 0.25, 600, 500, 0, 50, SMALL_MAPS),
]
FIELDS = [
    "world", "states", "method", "landmarks", "selection", "hop_steps", "seed", "goals", "success", "connected_share", "hops",
    "false_hops", "routes", "routes_with_false_hop", "route_steps_over_observed", "revision",
]  # fmt: skip


def brake(observation: Floats, waypoint: Floats) -> Floats:
    """The action of a proportional controller with damping: pushes towards a waypoint so as to stop there."""
    return np.clip(2.0 * (waypoint[:2] - observation[:2]) - 1.0 * observation[2:4], -1, 1)


@lru_cache(maxsize=1)
def collect(command: str, world: World, seed: int, work: Path) -> list[Floats]:
    """Trajectories of random actions from starts anywhere."""
    file = work / f"{world.name}-seed{seed}.parquet"
    if not file.exists():
        size = ["--episodes", str(world.episodes), "--steps", str(world.steps), "--seed", str(seed)]
        subprocess.run([command, "collect", world.name, "--starts", "anywhere", *size, "-o", str(file)], check=True, capture_output=True)
    table = pq.read_table(file)
    states = np.array(table["observation.state"].to_pylist(), dtype=np.float32)
    ends = np.flatnonzero(np.diff(table["episode_index"].to_numpy())) + 1
    episodes = np.split(states, ends)
    return [episode[:, :2] for episode in episodes] if world.states == "position" else episodes


def top_speed_m(data: list[Floats], places: list[int]) -> float:
    """Metres per step that one step in a thousand exceeds."""
    return float(np.quantile(np.concatenate([np.linalg.norm(np.diff(e[:, places], axis=0), axis=1) for e in data]), 0.999))


def reach(world: World, roadmap: Roadmap, seed: int, goals: int) -> float:
    """The share of goals that are reached from the world's start."""
    env = NativeEnv(world.name)
    width = roadmap.landmarks.shape[1]
    follower = roadmap.follower()
    chosen = np.random.default_rng(seed).permutation(env.coverage_goals())[:goals]
    reached = 0
    for number, place in enumerate(chosen):
        goal = np.zeros(width, np.float32)
        goal[:2] = place
        observation, _ = env.reset(seed=number)
        follower.reset()
        for _ in range(world.horizon_steps):
            observation, *_ = env.step(brake(observation, follower.waypoint(observation[:width], goal)))
            if np.linalg.norm(observation[:2] - place) < REACHED_M:
                reached += 1
                break
    return reached / len(chosen)


@lru_cache(maxsize=1)
def paths(world: World) -> Walks:
    """The walkable paths of a world."""
    return Walks(Arena(world.arena), world.radius_m)


@lru_cache(maxsize=2)
def fit(command: str, world: World, metric: str, seed: int, work: Path) -> DistanceModel:
    """The distance of a method."""
    data = collect(command, world, seed, work)
    if metric == "euclidean":
        return DistanceModel.euclidean(data, window_steps=world.window_steps)
    return DistanceModel(window_steps=world.window_steps, seed=seed).fit(data)


def false_hops(world: World, roadmap: Roadmap, hop_steps: float, speed_m: float, places: list[int], seed: int) -> dict[str, Any]:
    """Hops whose walkable path is too long, and routes between random landmarks that use one."""
    lengths = paths(world).between(roadmap.landmarks[:, places].astype(float))
    ends, _ = roadmap.hops
    is_false = lengths[ends[:, 0], ends[:, 1]] > FALSE_PATH * speed_m * hop_steps
    wrong = {(int(a), int(b)) for a, b in ends[is_false]}
    rng = np.random.default_rng(seed)
    bad = 0
    for a, b in rng.integers(len(roadmap.landmarks), size=(ROUTES, 2)):
        try:
            way = roadmap.route(roadmap.landmarks[a], roadmap.landmarks[b]).landmarks.tolist()
        except ValueError:
            continue
        bad += any(hop in wrong for hop in itertools.pairwise(way))
    return {"hops": len(ends), "false_hops": int(is_false.sum()), "routes": ROUTES, "routes_with_false_hop": bad}


def calibration(command: str, roadmap: Roadmap, world: World, seed: int, work: Path) -> float:
    """Steps of routes over steps of the trajectory between the same states: the median of the bands of `assess`."""
    if world.states == "position":
        return float("nan")
    file = work / "last.roadmap"
    roadmap.save(file)
    data = work / f"{world.name}-seed{seed}.parquet"
    report = subprocess.run([command, "assess", str(file), str(data), "--json"], check=True, capture_output=True)
    bands = json.loads(report.stdout)["routes"]
    ratios = [band["mean_route_steps"] / band["mean_observed_steps"] for band in bands if band["pairs"] > band["unconnected"]]
    return float(np.median(ratios))


def run(world: World, method: str, settings: Map, seed: int, args: argparse.Namespace) -> dict[str, Any]:
    """One row."""
    data = collect(args.isochrone, world, seed, args.work)
    places = NativeEnv(world.name).places
    metric, rule = METHODS[method]
    distance = fit(args.isochrone, world, metric, seed, args.work)
    roadmap = Roadmap(**settings._asdict(), hops=rule, seed=seed).fit(data, distance)
    success = reach(world, roadmap, seed, args.goals) if world.horizon_steps else float("nan")
    found = false_hops(world, roadmap, settings.hop_steps, top_speed_m(data, places), places, seed)
    return {
        "world": world.name,
        "states": world.states,
        "method": method,
        **settings._asdict(),
        "seed": seed,
        "goals": args.goals if world.horizon_steps else 0,
        "success": f"{success:.4f}",
        "connected_share": f"{roadmap.about['connected_share']:.4f}",
        "route_steps_over_observed": f"{calibration(args.isochrone, roadmap, world, seed, args.work):.3f}",
        **found,
    }


def quality(row: dict[str, str]) -> tuple[float, int]:
    """By which settings are chosen: success where there is one, then how few routes use a false hop."""
    success = float(row["success"])
    return (0.0 if np.isnan(success) else success), -int(row["routes_with_false_hop"])


def best(tuned: Path, world: World, method: str) -> Map:
    """The map that was best for a method in a world."""
    with tuned.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if (row["world"], row["states"], row["method"]) == (world.name, world.states, method)]
    row = max(rows, key=quality)
    return Map(int(row["landmarks"]), row["selection"], float(row["hop_steps"]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--isochrone", default="isochrone", help="the command")
    parser.add_argument("--work", type=Path, required=True, help="folder for data")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--tuning", type=Path, help="the table that --tune made")
    parser.add_argument("--tune", action="store_true", help="try all settings")
    parser.add_argument("--worlds", nargs="+", default=[], help="names; all if none")
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=METHODS)
    parser.add_argument("--goals", type=int, default=100, help="of each world")
    parser.add_argument("--seeds", default="0-2", help="the first and the last")
    args = parser.parse_args()
    if not args.tune and not args.tuning:
        parser.error("--tuning is needed: the table that --tune made")
    args.work.mkdir(parents=True, exist_ok=True)
    first, last = (int(seed) for seed in args.seeds.split("-"))
    table = ResultsTable(args.out, FIELDS, ("world", "states", "method", *Map._fields, "seed"))
    for seed in range(first, last + 1):
        for world in WORLDS:
            if args.worlds and world.name not in args.worlds:
                continue
            for method in args.methods:
                for settings in world.maps if args.tune else [best(args.tuning, world, method)]:
                    if table.has(world.name, world.states, method, *settings, seed):
                        continue
                    row = run(world, method, settings, seed, args) | {"revision": revision()}
                    table.add(row)
                    print(row, flush=True)


if __name__ == "__main__":
    main()
