"""Small environments for the tests."""

from __future__ import annotations

import gymnasium as gym
import numpy as np


class Room(gym.Env):
    """A place in a square; an action moves it. It ends nothing by itself."""

    def __init__(self, as_goal_env: bool = False, limit: int | None = None, actions=(-2.0, 2.0, np.float32)) -> None:
        box = gym.spaces.Box(-1.0, 1.0, (2,), np.float64)
        self.observation_space = box
        if as_goal_env:
            self.observation_space = gym.spaces.Dict(
                {"observation": gym.spaces.Box(-9, 9, (1,)), "achieved_goal": box, "desired_goal": box}
            )
        self.action_space = gym.spaces.Box(actions[0], actions[1], (2,), actions[2])
        self.as_goal_env, self.limit = as_goal_env, limit

    def _seen(self):
        if not self.as_goal_env:
            return self.place.copy()
        first = np.array([self.steps], dtype=np.float32) % 9
        return {"observation": first, "achieved_goal": self.place.copy(), "desired_goal": np.zeros(2)}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.steps = np.zeros(2), 0
        return self._seen(), {}

    def step(self, action):
        assert self.action_space.contains(action), action
        self.steps += 1
        self.place = (self.place + 0.05 * action).clip(-1, 1)
        return self._seen(), 0.0, False, self.limit is not None and self.steps >= self.limit, {}


class Anywhere(Room):
    """It begins at one of a hundred places."""

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = np.array([self.np_random.integers(100) / 100, 0.0])
        return self._seen(), {}
