"""Evaluates an agent on OGBench's PointMaze by OGBench's protocol: 5 tasks of 50 episodes in its own environment.

    python evaluate.py pointmaze-medium-stitch

`evaluate` takes any agent with `predict(observation, goal)` and `reset()`. The command evaluates one that steers straight at
the goal, without a map, and prints the speed.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import NamedTuple, Protocol

import numpy as np
import ogbench
from numpy.typing import NDArray

Floats = NDArray[np.float64]

METRES_PER_ACTION = 0.2


class Agent(Protocol):
    """Chooses actions towards a goal; may keep a plan within an episode."""

    def reset(self) -> None:
        """Forgets the last episode."""

    def predict(self, observation: Floats, goal: Floats) -> Floats:
        """The action, two numbers in [-1, 1]; the environment gets them clipped."""


class Sensor(Protocol):
    """What an agent observes of a position."""

    def reset(self, rng: np.random.Generator) -> None:
        """Begins an episode."""

    def observe(self, xy: Floats) -> Floats:
        """The observation of the next position."""

    def goal(self, xy: Floats) -> Floats:
        """An observation that shows the goal's position."""


class Position:
    """The position itself."""

    def reset(self, rng: np.random.Generator) -> None:
        pass

    def observe(self, xy: Floats) -> Floats:
        return xy

    def goal(self, xy: Floats) -> Floats:
        return xy


class Row(NamedTuple):
    """Success of one agent in one task, a share of the episodes."""

    dataset: str
    method: str
    seed: int
    task: int
    episodes: int
    success: float


class SteerAtGoal:
    """Moves straight towards the goal."""

    def reset(self) -> None:
        pass

    def predict(self, observation: Floats, goal: Floats) -> Floats:
        actions = (goal - observation) / METRES_PER_ACTION
        return actions / max(1.0, float(np.abs(actions).max()))


def evaluate(
    agent: Agent, dataset: str, method: str, seed: int, episodes: int = 50, sensor: Sensor | None = None
) -> list[Row]:
    """One row per task. Equal seeds give every method the same starts and goals. Prints steps per second to stderr."""
    sensor = sensor or Position()
    env = ogbench.make_env_and_datasets(f"{dataset}-v0", env_only=True)
    rows = []
    start, steps = time.perf_counter(), 0
    for task in range(1, env.unwrapped.num_tasks + 1):
        reached = 0
        for episode in range(episodes):
            # OGBench draws starts, goals and teleporter exits from NumPy's global generator.
            np.random.seed([seed, task, episode])
            position, info = env.reset(seed=episode, options={"task_id": task})
            sensor.reset(np.random.default_rng([seed, task, episode]))
            goal = sensor.goal(info["goal"])
            agent.reset()
            done = False
            while not done:
                action = np.clip(agent.predict(sensor.observe(position), goal), -1, 1)
                position, _, terminated, truncated, info = env.step(action)
                done = terminated or truncated
                steps += 1
            reached += bool(info["success"])
        rows.append(Row(dataset, method, seed, task, episodes, reached / episodes))
    seconds = time.perf_counter() - start
    print(f"{dataset} {method} seed {seed}: {steps} steps, {steps / seconds:.0f} per second", file=sys.stderr)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--episodes", type=int, default=50, help="per task")
    args = parser.parse_args()
    print(*Row._fields, sep=",")
    for row in evaluate(SteerAtGoal(), args.dataset, "steer-at-goal", args.seed, args.episodes):
        print(*row, sep=",")


if __name__ == "__main__":
    main()
