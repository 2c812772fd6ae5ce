"""An agent in a world of your own: a turntable that stops before a full turn.

    pip install "../../python[gym]"
    python own_environment.py

It is seen as a point on a circle. The two ends of its way look 40° apart, and are almost a whole turn: nobody says so,
the agent finds out. examples/rust/own_environment.rs is the same in Rust.
"""

from __future__ import annotations

import argparse
from typing import Any

import gymnasium as gym
import numpy as np

from isochrone import Isochrone, check_env

STOP_DEGREES = 160.0
TURN_DEGREES = 6.0


def on_the_circle(degrees: float) -> np.ndarray:
    """What is seen."""
    turn = np.radians(degrees)
    return np.array([np.cos(turn), np.sin(turn)], dtype=np.float32)


class Turntable(gym.Env):
    """No reward, no end, no goal: the training brings them."""

    observation_space = gym.spaces.Box(-1.0, 1.0, (2,), np.float32)
    action_space = gym.spaces.Box(-1.0, 1.0, (1,), np.float32)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict]:
        super().reset(seed=seed)
        self.degrees = self.np_random.uniform(-STOP_DEGREES, STOP_DEGREES)
        return on_the_circle(self.degrees), {}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict]:
        turn = TURN_DEGREES * float(np.clip(action, -1.0, 1.0)[0])
        self.degrees = float(np.clip(self.degrees + turn, -STOP_DEGREES, STOP_DEGREES))
        return on_the_circle(self.degrees), 0.0, False, False, {}


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("--steps", type=int, default=150_000)
    asked.add_argument("--seed", type=int, default=0)
    asked = asked.parse_args()

    env = gym.wrappers.TimeLimit(Turntable(), 100)
    check_env(env)
    # A step costs nothing here, so TRPO; where steps are dear the default, SAC, needs a fifth of them.
    model = Isochrone(env, epsilon=5, seed=asked.seed, learner="trpo", batch_steps=2000)
    goals = np.stack([on_the_circle(degrees) for degrees in range(-150, 151, 10)])
    print("untrained:", model.evaluate(goals, radius=0.2))
    model.learn(asked.steps)
    print(f"after {model.num_timesteps} steps:", model.evaluate(goals, radius=0.2))
    for start, end in [(155, 105), (155, -155)]:
        print(f"{start:>4}° to {end:>4}°: {model.distance(on_the_circle(start), on_the_circle(end)):.0f} steps")


if __name__ == "__main__":
    main()
