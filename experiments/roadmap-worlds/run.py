"""Roadmaps in MuJoCo worlds: thin walls, a one-way strip, states with velocities, an ant.

    python run.py --isochrone isochrone --work WORK --out results.csv --seeds 0-2
    python run.py --isochrone isochrone --work WORK --out tuning.csv --seeds 100-100 --tune

Random actions from starts anywhere are the only data. A map is followed from the world's start to goals everywhere; the local
policy is the same for all methods, a controller that brakes at the waypoint. False hops are counted against the walkable paths.
Settings of every method were chosen with `--tune` on seed 100.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow.parquet as pq
from arena import Arena, Floats, Walks

from isochrone import DistanceModel, Navigator, Roadmap
from isochrone.envs import NativeEnv

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
    hop_steps: tuple[float, ...]
    """The first is used unless `--tune` found a better one."""


WORLDS = [
    World("point-mass-thin-spiral", "thin-spiral", "position", 0.1, 600, 500, 2_000, 50, (25, 12)),
    World("point-mass-one-way", "one-way", "position", 0.1, 600, 500, 1_000, 50, (25, 12)),
    World("point-mass", "figure-eight", "full", 0.1, 600, 500, 1_000, 50, (25, 12)),
    World("maze-ant", "u", "full", 0.25, 600, 500, 0, 50, (25, 12)),
]
LANDMARKS = (1_000, 4_000)
FIELDS = [
    "world", "states", "method", "landmarks", "hop_steps", "seed", "goals", "success", "connected_share", "hops",
    "false_hops", "routes", "routes_with_false_hop", "route_steps_over_observed", "revision",
]  # fmt: skip


class Brake:
    """Pushes towards a waypoint so as to stop there: a proportional controller with damping, for position and velocity."""

    def predict(self, observation: Floats, goal: Floats) -> Floats:
        return np.clip(2.0 * (goal[:2] - observation[:2]) - 1.0 * observation[2:4], -1, 1)


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
    agent = Navigator(roadmap, Brake(), state_of=lambda observation: observation[:width])
    follower, brake = agent.follower, Brake()
    chosen = np.random.default_rng(seed).permutation(env.coverage_goals())[:goals]
    reached = 0
    for number, place in enumerate(chosen):
        goal = np.zeros(width, np.float32)
        goal[:2] = place
        observation, _ = env.reset(seed=number)
        follower.reset()
        for _ in range(world.horizon_steps):
            action = brake.predict(observation, follower.waypoint(observation[:width], goal))
            observation, *_ = env.step(action)
            if np.linalg.norm(observation[:2] - place) < REACHED_M:
                reached += 1
                break
    return reached / len(chosen)


def false_hops(world: World, roadmap: Roadmap, hop_steps: float, speed_m: float, places: list[int], seed: int) -> dict[str, Any]:
    """Hops whose walkable path is too long, and routes between random landmarks that use one."""
    lengths = Walks(Arena(world.arena), world.radius_m).between(roadmap.landmarks[:, places].astype(float))
    ends, _ = roadmap.hops
    is_false = lengths[ends[:, 0], ends[:, 1]] > FALSE_PATH * speed_m * hop_steps
    wrong = {(int(a), int(b)) for a, b in ends[is_false]}
    rng = np.random.default_rng(seed)
    routes = bad = 0
    while routes < ROUTES:
        a, b = rng.integers(len(roadmap.landmarks), size=2)
        routes += 1
        try:
            way = roadmap.route(roadmap.landmarks[a], roadmap.landmarks[b]).landmarks.tolist()
        except ValueError:
            continue
        bad += any(hop in wrong for hop in zip(way, way[1:]))
    return {"hops": len(ends), "false_hops": int(is_false.sum()), "routes": routes, "routes_with_false_hop": bad}


def calibration(command: str, roadmap: Roadmap, world: World, seed: int, work: Path) -> float:
    """Steps of routes over steps of the trajectory between the same states: the median of the bands of `assess`."""
    if world.states == "position":
        return float("nan")
    file = work / "last.roadmap"
    roadmap.save(file)
    told = subprocess.run([command, "assess", str(file), str(work / f"{world.name}-seed{seed}.parquet"), "--json"], check=True, capture_output=True)
    bands = json.loads(told.stdout)["routes"]
    ratios = [band["mean_route_steps"] / band["mean_observed_steps"] for band in bands if band["pairs"] > band["unconnected"]]
    return float(np.median(ratios))


def run(world: World, method: str, landmarks: int, hop_steps: float, seed: int, args: argparse.Namespace) -> dict[str, Any]:
    """One row."""
    data = collect(args.isochrone, world, seed, args.work)
    places = NativeEnv(world.name).places
    metric, rule = METHODS[method]
    if metric == "euclidean":
        distance = DistanceModel.euclidean(data, window_steps=world.window_steps)
    else:
        distance = DistanceModel(window_steps=world.window_steps, seed=seed).fit(data)
    roadmap = Roadmap(landmarks=landmarks, hop_steps=hop_steps, hops=rule, seed=seed).fit(data, distance)
    success = reach(world, roadmap, seed, args.goals) if world.horizon_steps else float("nan")
    found = false_hops(world, roadmap, hop_steps, top_speed_m(data, places), places, seed)
    return {
        "world": world.name,
        "states": world.states,
        "method": method,
        "landmarks": landmarks,
        "hop_steps": hop_steps,
        "seed": seed,
        "goals": args.goals if world.horizon_steps else 0,
        "success": f"{success:.4f}",
        "connected_share": f"{roadmap.about['connected_share']:.4f}",
        "route_steps_over_observed": f"{calibration(args.isochrone, roadmap, world, seed, args.work):.3f}",
        **found,
    }


def settings(world: World, args: argparse.Namespace) -> Iterator[tuple[str, int, float]]:
    """Methods with their landmarks and hops: all when tuning, the best of the tuning table otherwise."""
    for method in args.methods:
        if args.tune:
            yield from ((method, landmarks, hops) for landmarks in LANDMARKS for hops in world.hop_steps)
            continue
        best, found = -1.0, (LANDMARKS[0], float(world.hop_steps[0]))
        if args.tuning:
            with args.tuning.open(newline="") as rows:
                for row in csv.DictReader(rows):
                    if (row["world"], row["states"], row["method"]) == (world.name, world.states, method) and float(row["success"]) > best:
                        best, found = float(row["success"]), (int(row["landmarks"]), float(row["hop_steps"]))
        yield method, *found


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
    args.work.mkdir(parents=True, exist_ok=True)
    revision = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False).stdout.strip()
    first, last = (int(seed) for seed in args.seeds.split("-"))
    key = ("world", "states", "method", "landmarks", "hop_steps", "seed")
    done = set()
    if args.out.exists():
        with args.out.open(newline="") as rows:
            done = {tuple(str(row[name]) for name in key) for row in csv.DictReader(rows)}
    for seed in range(first, last + 1):
        for world in WORLDS:
            if args.worlds and world.name not in args.worlds:
                continue
            for method, landmarks, hops in settings(world, args):
                if (world.name, world.states, method, str(landmarks), str(float(hops)), str(seed)) in done:
                    continue
                row = run(world, method, landmarks, float(hops), seed, args) | {"revision": revision}
                is_new = not args.out.exists()
                with args.out.open("a", newline="") as out:
                    table = csv.DictWriter(out, FIELDS, lineterminator="\n")
                    if is_new:
                        table.writeheader()
                    table.writerow(row)
                print(row, flush=True)


if __name__ == "__main__":
    main()
