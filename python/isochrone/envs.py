"""The built-in worlds as Gymnasium environments: ``import isochrone.envs``, and then
``gymnasium.make("isochrone/PointMass-v0")``.

Observations are whole states, actions −1…1. There is no goal and no reward: those are the agent's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _isochrone
from ._extras import need

gym = need("gymnasium", "gym")

__all__ = ["NativeEnv", "register"]

HORIZON_STEPS = 500


class NativeEnv(gym.Env):
    """A world of ``isochrone worlds``, by its name there."""

    metadata = {"render_modes": []}

    def __init__(self, world: str = "point-mass", render_mode: str | None = None) -> None:
        self._world = _isochrone.NativeWorld(world)
        self.render_mode = render_mode
        length, actions = self._world.lengths
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, (length,), np.float32)
        self.action_space = gym.spaces.Box(-1.0, 1.0, (actions,), np.float32)

    @property
    def places(self) -> list[int]:
        """The entries of an observation that say where it is, in metres."""
        return self._world.places

    def coverage_goals(self) -> np.ndarray:
        """The goals that coverage is measured on, in metres."""
        return np.asarray(self._world.coverage_goals(), dtype=np.float32)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """Begins an episode."""
        super().reset(seed=seed)
        return self._world.reset(int(self.np_random.integers(2**63))), {}

    def step(self, action: Any) -> Any:
        """One action; the reward is always 0."""
        action = np.ascontiguousarray(action, dtype=np.float32)
        seen, terminated = self._world.step(action)
        return seen, 0.0, terminated, False, {}


def register() -> None:
    """Registers all worlds with Gymnasium."""
    for name in _isochrone.NativeWorld.names():
        title = "".join(word.capitalize() for word in name.split("-"))
        if f"isochrone/{title}-v0" in gym.registry:
            continue
        gym.register(
            id=f"isochrone/{title}-v0",
            entry_point="isochrone.envs:NativeEnv",
            kwargs={"world": name},
            max_episode_steps=HORIZON_STEPS,
        )


register()
