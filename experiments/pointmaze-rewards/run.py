"""Stable-Baselines3's SAC with HER on PointMaze by six rewards, judged by the environment's own test of success.

    pip install "./python[gym]" gymnasium-robotics stable-baselines3 scipy
    python run.py --env PointMaze_Large-v3 --reward linear --seed 0 --csv results.csv

sparse       the environment's: 1 within 0.45 m of the goal, 0 otherwise
minus_one    0 within 0.45 m, -1 otherwise
metres       minus the straight line to the goal, in metres
steps        ours: 0 within ε steps, -1 otherwise
linear       ours: -steps / the largest distance in the logs
potential    ours: as steps, shaped by the change of linear

Ours use a distance learned from random actions. Those steps are counted: the axis begins with them. Ours know no metres, no walls and no success
test.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from distance import LOG_STEPS, fitted

from isochrone import GoalWrapper

sys.path.append(str(Path(__file__).parents[1]))
from hindsight import add_settings, learner, success  # noqa: E402

COLUMNS = "env reward seed steps success epsilon_steps max_steps seconds revision".split()
OURS = {"steps": "sparse", "linear": "linear", "potential": "potential"}


class Rewarded(gym.Wrapper):
    """A goal environment with another reward of the achieved and the desired goal."""

    def __init__(self, env: gym.Env, kind: str) -> None:
        super().__init__(env)
        self.kind = kind

    def compute_reward(self, achieved: Any, desired: Any, info: Any) -> Any:
        if self.kind == "metres":
            return -np.linalg.norm(np.asarray(achieved) - np.asarray(desired), axis=-1)
        return self.env.unwrapped.compute_reward(achieved, desired, info) - 1.0

    def step(self, action: Any) -> Any:
        seen, _, terminated, truncated, info = self.env.step(action)
        reward = self.compute_reward(seen["achieved_goal"], seen["desired_goal"], info)
        return seen, float(reward), terminated, truncated, info


def environment(asked: argparse.Namespace) -> tuple[gym.Env, float]:
    """The environment with its reward, and the largest distance of ours."""
    env = gym.make(asked.env)
    if asked.reward == "sparse":
        return env, float("nan")
    if asked.reward not in OURS:
        return Rewarded(env, asked.reward), float("nan")
    file = asked.work and asked.work / f"{asked.env}-{asked.seed}-{asked.log_episodes}.isochrone"
    distance, max_steps = fitted(asked.env, asked.seed, asked.log_episodes, file)
    kind, discount = OURS[asked.reward], asked.gamma
    return GoalWrapper(env, distance, asked.epsilon, reward=kind, max_steps=max_steps, discount=discount), max_steps


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--env", default="PointMaze_UMaze-v3")
    asked.add_argument("--reward", choices=["sparse", "minus_one", "metres", *OURS], default="linear")
    asked.add_argument("--seed", type=int, default=0)
    asked.add_argument("--steps", type=int, default=200_000, help="with those of the random logs, for ours")
    asked.add_argument("--every", type=int, default=20_000)
    asked.add_argument("--episodes", type=int, default=50, help="of an evaluation")
    asked.add_argument("--log-episodes", type=int, default=300, help="of 300 random steps, for ours")
    asked.add_argument("--epsilon", type=float, default=5, help="of ours, in steps")
    add_settings(asked, gamma=0.99)
    asked.add_argument("--work", type=Path, help="keep distances in this folder")
    asked.add_argument("--revision", default="")
    asked.add_argument("--csv", type=Path, required=True)
    asked = asked.parse_args()

    torch.set_num_threads(1)
    began = time.perf_counter()
    env, max_steps = environment(asked)
    env.reset(seed=asked.seed)
    model = learner(env, asked, copy_info_dict=asked.reward == "potential")
    judges = [gym.make(asked.env) for _ in range(asked.episodes)]
    epsilon = asked.epsilon if asked.reward in OURS else float("nan")
    done = asked.log_episodes * LOG_STEPS if asked.reward in OURS else 0
    rows = []
    while done < asked.steps:
        # Evaluations fall on the same steps for all rewards.
        steps = asked.every - done % asked.every
        model.learn(steps, reset_num_timesteps=False)
        done += steps
        share, seconds = success(model, judges), round(time.perf_counter() - began)
        rows.append([asked.env, asked.reward, asked.seed, done, share, epsilon, round(max_steps, 1), seconds, asked.revision])
        print(*rows[-1], flush=True)
    is_new = not asked.csv.exists()
    with asked.csv.open("a", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *rows] if is_new else rows)


if __name__ == "__main__":
    main()
