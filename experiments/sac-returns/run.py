"""Soft actor-critic on a task of Gymnasium: ours, or Stable-Baselines3's with the same settings.

    pip install "./python[gym]" "gymnasium[mujoco]" stable-baselines3
    python run.py --env Pendulum-v1 --learner isochrone --seed 0 --steps 10000 --csv results.csv

Every tenth of the steps, the policy without noise plays ten episodes with fixed seeds; their mean return goes into the table.
"""

from __future__ import annotations

import argparse
import csv
import time
from pathlib import Path
from typing import Any

import gymnasium as gym

COLUMNS = "env learner seed steps mean_return seconds revision".split()
EPISODES, TENTHS = 10, 10


def learner(asked: argparse.Namespace) -> Any:
    """An untrained learner: two layers of 256, batches of 256, one update per step."""
    settings = {"learning_rate": asked.learning_rate, "learning_starts": asked.learning_starts, "seed": asked.seed}
    if asked.learner == "isochrone":
        from isochrone import PlainSac

        return PlainSac(asked.env, **settings)
    import torch
    from stable_baselines3 import SAC

    torch.set_num_threads(1)
    return SAC("MlpPolicy", asked.env, device="cpu", **settings)


def mean_return(model: Any, name: str) -> float:
    """Of ten episodes with fixed seeds, without noise."""
    env, total = gym.make(name), 0.0
    for episode in range(EPISODES):
        observation, _ = env.reset(seed=10_000 + episode)
        ended = False
        while not ended:
            action, _ = model.predict(observation, deterministic=True)
            observation, reward, terminated, truncated, _ = env.step(action)
            total += float(reward)
            ended = terminated or truncated
    return total / EPISODES


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--env", default="Pendulum-v1")
    asked.add_argument("--learner", choices=["isochrone", "sb3"], default="isochrone")
    asked.add_argument("--seed", type=int, default=0)
    asked.add_argument("--steps", type=int, default=10_000)
    asked.add_argument("--learning-rate", type=float, default=3e-4)
    asked.add_argument("--learning-starts", type=int, default=100)
    asked.add_argument("--revision", default="")
    asked.add_argument("--csv", type=Path, required=True)
    asked = asked.parse_args()

    model, began = learner(asked), time.time()
    for tenth in range(1, TENTHS + 1):
        if asked.learner == "isochrone":
            model.learn(asked.steps // TENTHS)
        else:
            model.learn(asked.steps // TENTHS, reset_num_timesteps=False)
        found = mean_return(model, asked.env)
        steps = asked.steps // TENTHS * tenth
        row = [asked.env, asked.learner, asked.seed, steps, round(found, 1), round(time.time() - began), asked.revision]
        is_new = not asked.csv.exists()
        with asked.csv.open("a", newline="") as file:
            csv.writer(file).writerows([COLUMNS, row] if is_new else [row])
        print(*row, flush=True)


if __name__ == "__main__":
    main()
