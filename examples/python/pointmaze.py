"""An agent in Gymnasium-Robotics' PointMaze that is told no reward, threshold or success test.

    pip install "../../python[gym]" gymnasium-robotics
    python pointmaze.py --steps 500000 --seed 0
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
COLUMNS = "world method goal_space generator seed iteration steps env_steps coverage eval_epsilon_m revision spec_hash".split()


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
    asked.add_argument("--steps", type=int, default=500_000)
    asked.add_argument("--seed", type=int, default=0)
    asked.add_argument("--epsilon", type=float, default=20)
    asked.add_argument("--every", type=int, default=100_000, help="steps between two evaluations")
    asked.add_argument("--csv", help="append a line per evaluation to this file")
    asked.add_argument("--revision", default="", help="of the code, for that file")
    asked.add_argument("--save", help="write the agent to this file")
    asked.add_argument("--set", nargs="*", default=[], metavar="KEY=VALUE")
    options = asked.parse_args()
    settings = {key: json.loads(value) for key, value in (pair.split("=", 1) for pair in options.set)}

    env = gym.make(options.env)
    goals = goal_grid(env)
    model = Isochrone(env, goal=slice(0, 2), epsilon=options.epsilon, seed=options.seed, **settings)
    spec_hash = hashlib.sha256(json.dumps(model.settings, sort_keys=True).encode()).hexdigest()[:12]
    told, rows = {"iteration": 0, "steps": 0}, []
    began = time.perf_counter()
    while True:
        found = model.evaluate(goals, radius=RADIUS_M)
        what = [options.env, model.settings["distance"]["kind"], "xy", model.settings["generator"]["kind"], options.seed]
        at = [told["iteration"], told["steps"], model.num_timesteps]
        rows.append([*what, *at, found.coverage, RADIUS_M, options.revision, spec_hash])
        seconds = time.perf_counter() - began
        print(f"{model.num_timesteps:>8} steps  {found}  {seconds:.0f} s", file=sys.stderr)
        if model.num_timesteps >= options.steps:
            break
        model.learn(min(options.every, options.steps - model.num_timesteps), callback=told.update)
    if options.csv:
        is_new = not Path(options.csv).exists()
        with open(options.csv, "a", newline="") as file:
            csv.writer(file).writerows([COLUMNS, *rows] if is_new else rows)
    if options.save:
        model.save(options.save)


if __name__ == "__main__":
    main()
