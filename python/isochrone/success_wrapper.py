"""Any Gymnasium environment with a success test that was learned from logs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._environment import check_observations
from ._extras import need
from .distance import DistanceModel

if TYPE_CHECKING:
    import gymnasium as gym
else:
    gym = need("gymnasium", "gym")


class SuccessWrapper(gym.Wrapper):
    """The reward is 1 in a state that counts as reached, else 0; ``info["is_success"]`` says which.

    Parameters
    ----------
    env:
        An environment with ``Box`` observations, the states that the distance is for.
    distance:
        A distance with a success test: see :meth:`DistanceModel.set_reached` and ``isochrone reached``.
    terminates:
        Whether success terminates the episode.
    """

    def __init__(self, env: Any, distance: DistanceModel, *, terminates: bool = True) -> None:
        if not isinstance(distance, DistanceModel):
            raise TypeError(f"distance is {distance!r}; it is a DistanceModel, for example DistanceModel.load(file)")
        super().__init__(env)
        check_observations(env.observation_space)
        self.distance = distance
        self.terminates = terminates
        self._has_warned = False
        # What does not fit is refused here, not at the first step.
        self.is_success(env.observation_space.sample())

    def is_success(self, observation: Any) -> bool:
        """Whether the task is done in this state."""
        return bool(self.distance._is_reached(_row(observation))[0])

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """Begins an episode."""
        observation, info = self.env.reset(seed=seed, options=options)
        self._look(observation)
        return observation, info

    def step(self, action: Any) -> Any:
        """One action; the environment's own reward is in ``info["env_reward"]``."""
        observation, env_reward, terminated, truncated, info = self.env.step(action)
        success = self.is_success(observation)
        terminated = bool(terminated) or (self.terminates and success)
        if terminated or truncated:
            self._look(observation)
        return observation, float(success), terminated, truncated, {**info, "env_reward": env_reward, "is_success": success}

    def _look(self, observation: Any) -> None:
        """Warns once of observations that are not like the logs, as in other units. Starts and ends are enough for that."""
        if not self._has_warned:
            self._has_warned = self.distance._warn_of_outside(_row(observation))


def _row(observation: Any) -> np.ndarray:
    return np.asarray(observation, dtype=np.float32).ravel()
