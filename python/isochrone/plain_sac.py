"""Soft actor-critic on an environment's own rewards, without goals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _isochrone
from ._environment import check_env_like, check_spaces
from ._extras import need
from ._numbers import above_zero, count
from ._trajectories import as_floats


class PlainSac:
    """Soft actor-critic (Haarnoja et al. 2018) on the rewards of a Gymnasium environment.

    The learner inside ``learner=sac`` without goals and without a distance, for ordinary tasks: to test it, and to compare
    it with other implementations. Names and defaults are Stable-Baselines3's.

    Parameters
    ----------
    env:
        A Gymnasium environment, or its name, with ``Box`` observations and bounded ``Box`` actions.
    hidden:
        Widths of the hidden layers of policy and critics.
    learning_rate:
        Step size of Adam, for policy, critics and temperature.
    batch_size:
        Transitions of an update.
    buffer_size:
        Transitions kept.
    learning_starts:
        Random steps before the first update.
    tau:
        How far the target critics follow in an update.
    gamma:
        The discount factor.
    gradient_steps:
        Updates for each environment step.
    seed:
        Seed of weights, batches, noise and resets: the same seed gives the same policy, byte for byte.

    >>> from isochrone import PlainSac
    >>> model = PlainSac("Pendulum-v1", hidden=[32, 32], seed=0).learn(300)
    >>> action, _ = model.predict([1.0, 0.0, 0.0])
    >>> action.shape
    (1,)
    """

    def __init__(
        self,
        env: Any,
        *,
        hidden: Sequence[int] = (256, 256),
        learning_rate: float = 3e-4,
        batch_size: int = 256,
        buffer_size: int = 1_000_000,
        learning_starts: int = 100,
        tau: float = 0.005,
        gamma: float = 0.99,
        gradient_steps: int = 1,
        seed: int = 0,
    ) -> None:
        gym = need("gymnasium", "gym")
        self.env = gym.make(env) if isinstance(env, str) else env
        check_env_like(self.env)
        check_spaces(self.env.observation_space, self.env.action_space)
        space, actions = self.env.observation_space, self.env.action_space
        if not isinstance(space, gym.spaces.Box):
            raise ValueError(f"PlainSac takes Box observations, and these are {type(space).__name__}")
        if not actions.is_bounded():
            raise ValueError(f"the actions have no bounds: low is {actions.low}, high is {actions.high}")
        self._low, self._high = actions.low.astype(np.float32), actions.high.astype(np.float32)
        self.learning_starts = count("learning_starts", learning_starts, 0)
        self.gradient_steps = count("gradient_steps", gradient_steps)
        self.seed = count("seed", seed, 0)
        sizes = [int(np.prod(space.shape)), int(np.prod(actions.shape)), count("batch_size", batch_size)]
        rates = [above_zero("learning_rate", learning_rate), above_zero("tau", tau), above_zero("gamma", gamma)]
        for name, value in (("tau", tau), ("gamma", gamma)):
            if value > 1:
                raise ValueError(f"{name} is {value}; it must be at most 1")
        self._learner = _isochrone.PlainLearner(
            [*sizes, count("buffer_size", buffer_size)], [*rates, -1.0, 1.0], [int(of) for of in hidden], self.seed
        )
        self._random = np.random.default_rng([self.seed, 1])
        self._state: np.ndarray | None = None
        self.num_timesteps = 0
        self.episode_rewards: list[float] = []
        """The sum of rewards of every finished episode."""
        self._sum = 0.0

    def learn(self, total_timesteps: int) -> PlainSac:
        """Trains for this many more steps, and returns itself. An episode that was going on goes on."""
        for _ in range(count("total_timesteps", total_timesteps)):
            self._step()
            if self.num_timesteps > self.learning_starts:
                self._learner.learn(self.gradient_steps)
        return self

    def predict(self, observation: Any, deterministic: bool = True) -> tuple[np.ndarray, None]:
        """The action for an observation, and None. With ``deterministic=False`` it has noise; training does not notice."""
        rows = _row(observation)
        shares = self._learner.act(rows) if deterministic else self._learner.sample(rows)
        return self._stretched(shares[0]), None

    def _step(self) -> None:
        if self._state is None:
            seed = self.seed if self.num_timesteps == 0 else None
            self._state = _row(self.env.reset(seed=seed)[0])
        if self.num_timesteps < self.learning_starts:
            shares = self._random.uniform(-1, 1, size=(1, self._low.size)).astype(np.float32)
        else:
            shares = self._learner.explore(self._state)
        observation, reward, terminated, truncated, _ = self.env.step(self._stretched(shares[0]))
        following = _row(observation)
        ends = np.array([bool(terminated)])
        self._learner.observe(self._state, shares, np.array([reward], dtype=np.float32), following, ends)
        self._sum += float(reward)
        self.num_timesteps += 1
        self._state = following
        if terminated or truncated:
            self.episode_rewards.append(self._sum)
            self._state, self._sum = None, 0.0

    def _stretched(self, shares: np.ndarray) -> np.ndarray:
        """From shares of the bounds, −1 to 1, to the actions of the environment."""
        shares = shares.reshape(self._low.shape)
        actions = self._low + (shares + 1) / 2 * (self._high - self._low)
        # Rounding may lead out of the box.
        return np.clip(actions, self._low, self._high)


def _row(observation: Any) -> np.ndarray:
    return as_floats(observation, "the observation").reshape(1, -1)
