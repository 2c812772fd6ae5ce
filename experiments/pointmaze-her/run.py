"""SAC with hindsight on Gymnasium-Robotics' PointMaze, by three rewards, judged by the environment's own test of success.

    pip install "./python[gym]" gymnasium-robotics stable-baselines3
    python run.py --env PointMaze_UMaze-v3 --reward steps --seed 0 --csv results.csv

sparse  the environment's: 1 within 0.45 m of the goal, 0 otherwise
dense   the environment's: exp(-straight line)
steps   ours: 0 within EPSILON steps of the goal, -1 otherwise, by a distance learned from random actions; nobody says what
        0.45 m are, or that there are walls
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from pathlib import Path

import gymnasium as gym
import torch

from fitted import fitted
from isochrone import GoalWrapper

sys.path.append(str(Path(__file__).parents[1]))
from hindsight import add_settings, learner, success  # noqa: E402

COLUMNS = "env reward seed steps success epsilon_steps seconds revision".split()


def environment(asked: argparse.Namespace) -> tuple[gym.Env, float]:
    """The environment with its reward, and ε of ours."""
    if asked.reward != "steps":
        kind = "" if asked.reward == "sparse" else "Dense"
        return gym.make(asked.env.replace("-v", f"{kind}-v")), float("nan")
    distance, _ = fitted(asked.env, asked.seed)
    return GoalWrapper(gym.make(asked.env), distance, asked.epsilon, reward=asked.ours), asked.epsilon


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--env", default="PointMaze_UMaze-v3")
    asked.add_argument("--reward", choices=["sparse", "dense", "steps"], default="steps")
    asked.add_argument("--seed", type=int, default=0)
    asked.add_argument("--steps", type=int, default=100_000)
    asked.add_argument("--every", type=int, default=10_000)
    asked.add_argument("--episodes", type=int, default=50, help="of an evaluation")
    asked.add_argument("--epsilon", type=float, default=30, help="of ours, in steps")
    asked.add_argument("--ours", choices=["sparse", "dense"], default="sparse", help="dense: exp(-steps / epsilon)")
    add_settings(asked, gamma=0.98)
    asked.add_argument("--revision", default="")
    asked.add_argument("--csv", required=True)
    asked = asked.parse_args()

    torch.set_num_threads(1)
    began = time.perf_counter()
    env, epsilon = environment(asked)
    env.reset(seed=asked.seed)
    model = learner(env, asked)
    judges = [gym.make(asked.env) for _ in range(asked.episodes)]
    rows, done = [], 0
    while True:
        share = success(model, judges)
        seconds = time.perf_counter() - began
        rows.append([asked.env, asked.reward, asked.seed, done, share, epsilon, round(seconds), asked.revision])
        print(*rows[-1], flush=True)
        if done >= asked.steps:
            break
        model.learn(asked.every, reset_num_timesteps=False)
        done += asked.every
    is_new = not Path(asked.csv).exists()
    with open(asked.csv, "a", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *rows] if is_new else rows)


if __name__ == "__main__":
    main()
