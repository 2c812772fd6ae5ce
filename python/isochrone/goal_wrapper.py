"""Any Gymnasium environment as a goal environment whose reward and "reached" come from a learned distance."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from ._environment import Goal, check_observations, what_is_seen
from ._extras import need
from ._trajectories import GOALS_ARE, as_floats
from .distance import DistanceModel
from .reward import PREVIOUS, TERMINATED, Kind

if TYPE_CHECKING:
    import gymnasium as gym
else:
    gym = need("gymnasium", "gym")

GOALS = 0x676F616C
"""Tells the stream of goals from that of the environment with the same seed."""


class GoalWrapper(gym.Wrapper):
    """Observations become ``{"observation", "achieved_goal", "desired_goal"}``, rewards come from a distance in steps.

    Works with Stable-Baselines3's HER as it is: ``compute_reward`` takes one pair of goals or many.

    Parameters
    ----------
    env:
        Any environment with ``Box`` observations, or a goal environment with dictionaries of them.
    distance:
        A distance on goal space.
    epsilon:
        A goal nearer than this many steps is reached.
    goal:
        The goal space: a slice or indices of the observation, a function of it, or None for all of it. For a goal
        environment None means its ``achieved_goal``.
    goals:
        States in goal space to draw goals from. If None, goals are those of a goal environment.
    reward:
        ``"sparse"``: 0 within ε, −1 otherwise. ``"dense"``: exp(−steps / ε). ``"linear"``: −steps / ``max_steps``.
        ``"potential"``: sparse, shaped by the change of the linear one; Stable-Baselines3's HER then needs
        ``replay_buffer_kwargs=dict(copy_info_dict=True)``. See :meth:`DistanceModel.as_reward`.
    max_steps:
        The distance at which ``"linear"`` is −1.
    discount:
        γ, the learner's discount factor, for ``"potential"``.
    terminates:
        Whether reaching the goal terminates the episode.
    """

    def __init__(
        self,
        env: Any,
        distance: DistanceModel,
        epsilon: float,
        *,
        goal: Goal = None,
        goals: Any = None,
        reward: Kind = "sparse",
        max_steps: float | None = None,
        discount: float | None = None,
        terminates: bool = False,
    ) -> None:
        if not isinstance(distance, DistanceModel):
            raise TypeError(f"distance is {distance!r}; it is a DistanceModel, for example DistanceModel.load(file)")
        super().__init__(env)
        self.reward = distance.as_reward(epsilon, reward, max_steps=max_steps, discount=discount)
        self.terminates = terminates
        space = env.observation_space
        self._is_goal_env = isinstance(space, gym.spaces.Dict)
        check_observations(space)
        self._keys, self._function, self._entries = what_is_seen(space, goal)
        self._goals = None if goals is None else as_floats(goals, "goals", GOALS_ARE)
        if self._goals is None and not self._is_goal_env:
            raise ValueError("where do goals come from? Give states to draw from with goals=")
        if self._goals is not None and self._is_goal_env:
            warnings.warn(
                "this is a goal environment, and it may end episodes at its own goals, which are not those of goals=: "
                "tell it not to (of PointMaze, continuing_task=True)",
                stacklevel=2,
            )
        self._desired: np.ndarray | None = None
        self._place: np.ndarray | None = None
        self._rng = np.random.default_rng()
        self.observation_space = self._spaces(env)

    def _spaces(self, env: Any) -> Any:
        space = env.observation_space
        inner = space["observation"] if self._is_goal_env else space
        example = self._achieved(space.sample())
        expected = self.reward.distance._learned.inputs
        if example.shape != (expected,):
            raise ValueError(f"goals have shape {example.shape}, the distance is for {expected} entries: see goal=")
        if self._goals is not None and (self._goals.shape[1:] != (expected,) or not len(self._goals)):
            hint = f"; {GOALS_ARE}" if self._goals.ndim > 2 else ""
            raise ValueError(f"goals= has shape {self._goals.shape}, not (goals, {expected}) with one goal at least{hint}")
        if self._goals is not None:
            self.reward.distance._warn_of_outside(self._goals)
        box = gym.spaces.Box(-np.inf, np.inf, (expected,), np.float32)
        return gym.spaces.Dict({"observation": inner, "achieved_goal": box, "desired_goal": box})

    def _achieved(self, observation: Any) -> np.ndarray:
        if self._function is not None:
            return np.asarray(self._function(observation), dtype=np.float32).reshape(-1)
        seen = [observation[key] for key in self._keys] if self._keys else [observation]
        numbers = np.concatenate([np.asarray(of, dtype=np.float32).ravel() for of in seen])
        return numbers if self._entries is None else numbers[self._entries]

    def _seen(self, observation: Any) -> dict[str, np.ndarray]:
        inner = observation["observation"] if self._is_goal_env else observation
        return {
            "observation": inner,
            "achieved_goal": self._achieved(observation),
            "desired_goal": self._desired.copy(),
        }

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """Begins an episode with a new goal; ``options={"goal": …}`` sets it."""
        if seed is not None:
            # A generator of its own: the environment's must draw what it would have drawn, and goals must not follow
            # from starts, as they would if both were drawn from the same numbers.
            self._rng = np.random.default_rng([seed, GOALS])
        options = dict(options or {})
        asked = options.pop("goal", None)
        observation, info = self.env.reset(seed=seed, options=options or None)
        if asked is not None:
            self._desired = np.asarray(asked, dtype=np.float32).reshape(-1)
        elif self._goals is not None:
            self._desired = self._goals[self._rng.integers(len(self._goals))]
        else:
            self._desired = np.asarray(observation["desired_goal"], dtype=np.float32).reshape(-1)
        seen = self._seen(observation)
        self._place = seen["achieved_goal"].copy()
        return seen, {**info, "is_success": bool(self.is_reached(seen))}

    def step(self, action: Any) -> Any:
        """One action. ``info`` has the environment's own reward as ``env_reward`` the goal achieved before the step
        ``previous_achieved_goal``, and whether it ended the episode ``terminated``."""
        observation, env_reward, terminated, truncated, info = self.env.step(action)
        seen = self._seen(observation)
        reached = bool(self.is_reached(seen))
        terminated = bool(terminated) or (self.terminates and reached)
        info = {**info, PREVIOUS: self._place, TERMINATED: terminated}
        self._place = seen["achieved_goal"].copy()
        reward = self.reward(seen["achieved_goal"], seen["desired_goal"], info)
        return seen, float(reward), terminated, truncated, {**info, "env_reward": env_reward, "is_success": reached}

    def is_reached(self, seen: dict[str, Any]) -> bool:
        """Whether the goal of an observation is within ε."""
        return self.reward.is_reached(seen["achieved_goal"], seen["desired_goal"])

    def compute_reward(self, achieved_goal: Any, desired_goal: Any, info: Any) -> Any:
        """The reward of relabelled goals, for HER."""
        return self.reward(achieved_goal, desired_goal, info)

    def compute_terminated(self, achieved_goal: Any, desired_goal: Any, info: Any) -> Any:
        """Whether this state would have terminated the episode, for relabelled goals."""
        return self.terminates & self.reward.is_reached(achieved_goal, desired_goal)

    def compute_truncated(self, achieved_goal: Any, desired_goal: Any, info: Any) -> Any:
        """Always False: a goal never truncates an episode."""
        return False
