"""What stepping a Python environment from Rust costs beside the plain loop in Python.

    python benches/peers/python_step.py [--env PointMaze_UMaze-v3] [--steps 20000] [--rounds 7]

One process, the same seed and actions, interleaved rounds, CPU time; both must see the same. Prints JSON.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time

import gymnasium as gym
import numpy as np

from isochrone import _isochrone
from isochrone._environment import World


def plain(world: World, seed: int, actions: np.ndarray) -> list:
    """The loop that everybody writes: reset, step, keep what is seen."""
    env = world.stepped
    observation, _ = env.reset(seed=seed)
    seen = [observation]
    for action in world.stretched(actions):
        observation, _, terminated, truncated, _ = env.step(action)
        seen.append(observation)
    return seen


def through_rust(world: World, seed: int, actions: np.ndarray) -> np.ndarray:
    """The same by what training uses."""
    return _isochrone.step_through(world.facts, seed, actions)


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("--env", default="PointMaze_UMaze-v3")
    asked.add_argument("--steps", type=int, default=20_000)
    asked.add_argument("--rounds", type=int, default=7)
    options = asked.parse_args()
    if options.env.startswith(("Point", "Ant")):
        import gymnasium_robotics

        gym.register_envs(gymnasium_robotics)
    world = World(gym.make(options.env), None, (-1, 1), 0)
    rng = np.random.default_rng(0)
    size = len(world.facts["action_low"])
    actions = rng.uniform(-1, 1, size=(options.steps, size)).astype(np.float32)
    ratios, ours, theirs = [], [], []
    for number in range(options.rounds):
        took = {}
        for name, run in [("plain", plain), ("rust", through_rust)][:: 1 if number % 2 else -1]:
            began = time.process_time()
            seen = run(world, 7, actions)
            took[name] = (time.process_time() - began) / options.steps * 1e6
            took[name + " seen"] = seen
        shown = np.stack([world.flat(observation) for observation in took["plain seen"]])
        assert np.array_equal(shown, took["rust seen"]), "they saw different things"
        ours.append(took["rust"])
        theirs.append(took["plain"])
        ratios.append(took["rust"] / took["plain"])
    print(
        json.dumps(
            {
                "env": options.env,
                "steps": options.steps,
                "rounds": options.rounds,
                "rust_us_per_step": round(statistics.median(ours), 2),
                "plain_us_per_step": round(statistics.median(theirs), 2),
                "ratio": round(statistics.median(ratios), 3),
                "ratios": [round(ratio, 3) for ratio in sorted(ratios)],
            }
        )
    )


if __name__ == "__main__":
    main()
