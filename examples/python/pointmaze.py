"""An agent in Gymnasium-Robotics' PointMaze, without a reward, a threshold or a success test.

    pip install "../../python[gym]" gymnasium-robotics
    python pointmaze.py --steps 100000 --seed 0
    python pointmaze.py --env PointMaze_Medium-v3 --start 1,1 --waypoints --steps 1000000
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import sys
import time
from pathlib import Path

import gymnasium as gym
import gymnasium_robotics
import numpy as np

from isochrone import Isochrone

gym.register_envs(gymnasium_robotics)

RADIUS_M = 0.45
COLUMNS = (
    "world start learner method planner goal_space generator seed iteration steps env_steps coverage eval_epsilon_m seconds "
    "revision spec_hash"
).split()


class FixedStart(gym.Wrapper):
    """Every episode begins in this cell of the maze."""

    def __init__(self, env: gym.Env, cell: tuple[int, int]) -> None:
        super().__init__(env)
        self.cell = np.array(cell)

    def reset(self, *, seed: int | None = None, options: dict | None = None):
        return self.env.reset(seed=seed, options={"reset_cell": self.cell, **(options or {})})


def goal_grid(env: gym.Env, per_cell: int = 4) -> np.ndarray:
    """Goals at the middles of a per_cell × per_cell division of every open cell, in metres."""
    maze = env.unwrapped.maze
    size = maze.maze_size_scaling
    offsets = ((np.arange(per_cell) + 0.5) / per_cell - 0.5) * size
    goals = []
    for row, cells in enumerate(maze.maze_map):
        for column, cell in enumerate(cells):
            if cell == 1:
                continue
            x, y = maze.cell_rowcol_to_xy(np.array([row, column]))
            goals += [(x + dx, y + dy) for dx in offsets for dy in offsets]
    return np.array(goals, dtype=np.float32)


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("--env", default="PointMaze_UMaze-v3")
    asked.add_argument("--start", metavar="ROW,COLUMN", help="the cell where episodes begin; anywhere by default")
    asked.add_argument("--waypoints", action="store_true", help="go by landmarks of a roadmap that grows during training")
    asked.add_argument("--steps", type=int, default=100_000)
    asked.add_argument("--seed", type=int, default=0)
    asked.add_argument("--epsilon", type=float, default=20)
    asked.add_argument("--every", type=int, default=10_000, help="steps between two evaluations")
    asked.add_argument("--csv", help="append a line per evaluation to this file")
    asked.add_argument("--revision", default="", help="of the code, for that file")
    asked.add_argument("--save", help="write the agent to this file")
    asked.add_argument("--set", nargs="*", default=[], metavar="KEY=VALUE")
    options = asked.parse_args()
    settings = {key: json.loads(value) for key, value in (pair.split("=", 1) for pair in options.set)}

    env = gym.make(options.env)
    goals = goal_grid(env)
    if options.start:
        env = FixedStart(env, tuple(map(int, options.start.split(","))))
    if options.waypoints:
        settings["planner"] = "waypoints"
    model = Isochrone(env, goal=slice(0, 2), epsilon=options.epsilon, seed=options.seed, **settings)
    spec_hash = hashlib.sha256(json.dumps(model.settings, sort_keys=True).encode()).hexdigest()[:12]
    kinds = {part: model.settings[part]["kind"] for part in ("learner", "distance", "generator", "planner")}
    planners = ["off"] if kinds["planner"] == "off" else ["off", "on"]
    latest, rows = {"iteration": 0, "steps": 0}, []
    began = time.perf_counter()
    while True:
        for planner in planners:
            found = model.evaluate(goals, radius=RADIUS_M, planner=planner == "on")
            seconds = time.perf_counter() - began
            what = [options.env, options.start or "anywhere", kinds["learner"], kinds["distance"], planner, "xy"]
            at = [kinds["generator"], options.seed, latest["iteration"], latest["steps"], model.num_timesteps]
            rows.append([*what, *at, found.coverage, RADIUS_M, round(seconds), options.revision, spec_hash])
            print(f"{model.num_timesteps:>8} steps  planner {planner}  {found}  {seconds:.0f} s", file=sys.stderr)
        if model.num_timesteps >= options.steps:
            break
        model.learn(min(options.every, options.steps - model.num_timesteps), callback=latest.update)
    if options.csv:
        is_new = not Path(options.csv).exists()
        with open(options.csv, "a", newline="") as file:
            csv.writer(file).writerows([COLUMNS, *rows] if is_new else rows)
    if options.save:
        model.save(options.save)


if __name__ == "__main__":
    main()
