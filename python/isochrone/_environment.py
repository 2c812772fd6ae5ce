"""Shapes, bounds and time limits of an environment, for the Rust side."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, Union

import numpy as np

from . import _isochrone
from ._extras import need
from ._trajectories import refuse_info
from ._vector import VectorLanes

Goal = Union[None, slice, Sequence[int], Callable[[Any], Any]]

LOOK_ROUND_STEPS = 500
"""Random steps that show where things are, if nobody says. They are in no count."""


class World:
    """An environment with its observation entries, goal space and action bounds."""

    def __init__(self, env: Any, goal: Goal, goal_range: Any, seed: int) -> None:
        gym = need("gymnasium", "gym")
        if isinstance(env, str):
            env = gym.make(env)
        self.is_vector = isinstance(env, gym.vector.VectorEnv)
        if self.is_vector:
            self.limit, self.stepped = limit_inside(env), VectorLanes(env)
            self.space, self.actions = env.single_observation_space, env.single_action_space
        else:
            check_env_like(env)
            self.stepped, self.limit = without_time_limit(env)
            inner = limit_under(self.stepped)
            if inner is not None:
                self.limit = inner if self.limit is None else min(self.limit, inner)
            self.space, self.actions = self.stepped.observation_space, self.stepped.action_space
        check_spaces(self.space, self.actions)
        self.keys, self.function, entries = what_is_seen(self.space, goal)
        self.sizes = [int(np.prod(of.shape)) for of in parts(self.space, self.keys)]
        declared = sum(self.sizes)
        if goal_range is not None and self.function is None:
            # Nothing has to be found out, and what is controlled may be a robot.
            states = np.zeros((1, declared), dtype=np.float32)
        else:
            states = self.look_round(seed, LOOK_ROUND_STEPS if goal_range is None else 0)
        length = states.shape[1]
        if self.function is None and length != declared:
            raise ValueError(f"an observation has {length} numbers, its space says {declared}: see check_env")
        if self.function is not None:
            entries = list(range(declared, length))
        entries = entries if entries is not None else list(range(length))
        low, high = bounds(goal_range, states[:, entries])
        self.facts = {
            "env": self.stepped,
            "lanes": env.num_envs if self.is_vector else 0,
            "resets_alone": self.stepped.resets_alone if self.is_vector else True,
            "keys": self.keys,
            "goal": self.function,
            "observation_length": length,
            "goal_entries": [int(entry) for entry in entries],
            "goal_centre": (0.5 * (low + high)).tolist(),
            "goal_half_width": (0.5 * (high - low)).tolist(),
            "action_low": np.asarray(self.actions.low, dtype=np.float64).ravel().tolist(),
            "action_high": np.asarray(self.actions.high, dtype=np.float64).ravel().tolist(),
            "action_shape": list(self.actions.shape),
            "action_kind": self.actions.dtype.str[-2:],
        }

    def flat(self, observation: Any) -> np.ndarray:
        """The numbers of an observation as the agent sees them."""
        found = [observation[key] for key in self.keys] if self.keys else [observation]
        if self.function is not None:
            found.append(self.function(observation))
        return np.concatenate([np.asarray(of, dtype=np.float32).ravel() for of in found])

    def rows(self, observation: Any) -> tuple[np.ndarray, bool]:
        """One observation or many as rows, and whether it was many."""
        refuse_info(observation)
        first = np.asarray(observation[self.keys[0]] if self.keys else observation)
        shape = parts(self.space, self.keys)[0].shape
        if first.shape == shape:
            return self.flat(observation)[None], False
        if first.shape[1:] != shape or first.ndim != len(shape) + 1:
            raise ValueError(f"an observation has shape {shape}, or many of them (n, …); this one has {first.shape}")
        many = range(len(first))
        if not self.keys:
            return np.stack([self.flat(observation[at]) for at in many]), True
        return np.stack([self.flat({key: observation[key][at] for key in observation}) for at in many]), True

    def stretched(self, actions: np.ndarray) -> np.ndarray:
        """Actions of −1…1 as the environment wants them: never outside its box; bounds that are none do not stretch."""
        low, high = (np.asarray(of, dtype=np.float64).ravel() for of in (self.actions.low, self.actions.high))
        actions = np.ascontiguousarray(actions, dtype=np.float32)
        found = _isochrone.stretch(actions, low.tolist(), high.tolist())
        return found.reshape(len(actions), *self.actions.shape).astype(self.actions.dtype)

    def look_round(self, seed: int, steps: int) -> np.ndarray:
        """States of random actions, to see how long they are and where things lie."""
        rng = np.random.default_rng(seed)
        size, states, ended = int(np.prod(self.actions.shape)), [], True
        for step in range(steps + 1):
            if ended:
                begun = int(rng.integers(2**31))
                seen = self.stepped.reset(0, begun) if self.is_vector else started(self.stepped, begun)
                states.append(self.flat(seen))
            if step == steps:
                break
            action = self.stretched(rng.uniform(-1, 1, size=(1, size)))
            if self.is_vector:
                rows, terminated, truncated = self.stepped.step([0], action)
                seen, ended = rows[0], bool(terminated[0] or truncated[0])
            else:
                seen, _, terminated, truncated, _ = five(self.stepped.step(action[0]))
                ended = bool(terminated or truncated)
            states.append(self.flat(seen))
        lengths = {len(state) for state in states}
        if len(lengths) > 1:
            raise ValueError(f"observations have {' or '.join(map(str, sorted(lengths)))} numbers: see check_env")
        return np.stack(states)


def started(env: Any, seed: int) -> Any:
    """What `reset` shows."""
    try:
        answer = env.reset(seed=seed)
    except TypeError as error:
        if "seed" not in str(error):
            raise
        raise ValueError(
            "reset() must take seed= and options=, as Gymnasium's do: def reset(self, *, seed=None, options=None)"
        ) from error
    if not (isinstance(answer, tuple) and len(answer) == 2):
        raise ValueError("reset() gave no (observation, info): that is how Gymnasium does it since 0.26")
    return answer[0]


def five(answer: Any) -> Any:
    """What `step` must give."""
    if not (isinstance(answer, tuple) and len(answer) == 5):
        size = f"{len(answer)} things" if isinstance(answer, tuple) else type(answer).__name__
        raise ValueError(
            f"step() gave {size}, not (observation, reward, terminated, truncated, info): an environment of the old gym "
            "can be wrapped by shimmy.GymV21CompatibilityV0"
        )
    return answer


def check_env_like(env: Any) -> None:
    if isinstance(env, type):
        raise TypeError(f"this is the class {env.__name__}: give an instance, {env.__name__}(), not the class")
    for attribute in ("reset", "step", "observation_space", "action_space"):
        if not hasattr(env, attribute):
            raise TypeError(f"this is not a Gymnasium environment: it has no {attribute}; see gymnasium.Env")


def without_time_limit(env: Any) -> tuple[Any, int | None]:
    """The environment inside its outermost time limits, and the shortest of those: the horizon is the agent's."""
    gym = need("gymnasium", "gym")
    limit = None
    while isinstance(env, gym.wrappers.TimeLimit):
        steps = int(env._max_episode_steps)
        limit = steps if limit is None else min(limit, steps)
        env = env.env
    return env, limit


def limit_under(env: Any) -> int | None:
    """The shortest time limit inside other wrappers; it stays there, and that is warned about."""
    gym = need("gymnasium", "gym")
    limit = None
    while isinstance(env, gym.Wrapper):
        if isinstance(env, gym.wrappers.TimeLimit):
            steps = int(env._max_episode_steps)
            limit = steps if limit is None else min(limit, steps)
        env = env.env
    if limit is not None:
        warnings.warn(
            f"there is a time limit of {limit} steps inside other wrappers, which cannot be taken off: episodes that it ends "
            "have no random steps after them, and an off-policy distance learns nothing from those. Make the environment "
            f"without it, gymnasium.make(…, max_episode_steps=-1), wrap it, and say horizon={limit}",
            stacklevel=4,
        )
    return limit


def limit_inside(envs: Any) -> int | None:
    """The time limit inside the sub-environments of a vector, if it is visible; it stays there, with a warning."""
    spec = getattr(envs, "spec", None)
    limit = getattr(spec, "max_episode_steps", None)
    lanes = getattr(envs, "envs", None)
    if limit is None and lanes:
        limit = without_time_limit(lanes[0])[1]
    if limit is not None:
        warnings.warn(
            f"the lanes of this vector stop after {limit} steps by themselves: no random steps follow, and an off-policy "
            "distance learns from successes alone. Make them without: gymnasium.make_vec(…, max_episode_steps=-1), and "
            f"horizon={limit} here",
            stacklevel=4,
        )
    return limit


def check_spaces(space: Any, actions: Any) -> None:
    """Refuses what cannot be learned from, in a sentence."""
    spaces = need("gymnasium", "gym").spaces
    if not isinstance(actions, spaces.Box) or actions.dtype.kind != "f":
        kind = f"Box of {actions.dtype}" if isinstance(actions, spaces.Box) else type(actions).__name__
        raise TypeError(
            f"actions must be arrays of floats (Box), and these are {kind}: wrap the environment so that it takes a Box, "
            "for example one number per choice"
        )
    check_observations(space)


def check_observations(space: Any) -> None:
    """The same of observations alone."""
    spaces = need("gymnasium", "gym").spaces
    if isinstance(space, spaces.Dict):
        for key in ("observation", "achieved_goal"):
            if not isinstance(space.spaces.get(key), spaces.Box):
                raise TypeError(
                    f"observations are dictionaries of {sorted(space.spaces)}; goal environments have arrays called "
                    "observation and achieved_goal. Flatten others, made with max_episode_steps=-1: "
                    "gymnasium.wrappers.FlattenObservation(env)"
                )
    elif not isinstance(space, spaces.Box):
        raise TypeError(
            f"observations must be arrays of numbers (Box), and these are {type(space).__name__}: try "
            "gymnasium.wrappers.FlattenObservation(env), of an environment made with max_episode_steps=-1"
        )


def what_is_seen(space: Any, goal: Goal) -> tuple[list[str], Any, list[int] | None]:
    """Entries of dictionaries, a function for what goals are about, or the numbers that they are about."""
    is_dict = hasattr(space, "spaces")
    keys = ["observation"] if is_dict else []
    if callable(goal):
        return keys, goal, None
    length = sum(int(np.prod(of.shape)) for of in parts(space, keys))
    if goal is None and is_dict:
        size = int(np.prod(space["achieved_goal"].shape))
        return [*keys, "achieved_goal"], None, list(range(length, length + size))
    if goal is None:
        return keys, None, None
    try:
        index = goal if isinstance(goal, slice) else np.asarray(goal).reshape(-1)
        if not isinstance(index, slice) and index.dtype.kind not in "biu":
            raise TypeError(f"indices of {index.dtype}")
        # A mask of the wrong length is refused, too.
        chosen = np.arange(length)[index]
    except (IndexError, TypeError, ValueError) as error:
        raise ValueError(
            f"goal={goal!r} does not select from the {length} numbers of an observation: give a slice, indices, a mask or a function"
        ) from error
    if len(chosen) == 0:
        raise ValueError(f"goal={goal!r} chooses none of the {length} numbers of an observation")
    if isinstance(goal, slice) and (goal.stop or 0) > length:
        raise ValueError(f"goal={goal!r} ends behind the {length} numbers of an observation")
    return keys, None, chosen.tolist()


def parts(space: Any, keys: Sequence[str]) -> list[Any]:
    return [space[key] for key in keys] if keys else [space]


def bounds(goal_range: Any, goals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if goal_range is not None:
        try:
            low, high = (np.broadcast_to(np.asarray(of, dtype=np.float64), goals.shape[1:]) for of in goal_range)
            is_right = np.isfinite(low).all() and np.isfinite(high).all() and (low < high).all()
        except (TypeError, ValueError):
            is_right = False
        if not is_right:
            raise ValueError(f"goal_range is {goal_range!r}; it is (low, high), finite, the first below the second")
        return low, high
    finite = goals[np.isfinite(goals).all(axis=1)]
    if len(finite) == 0:
        raise ValueError("no state was finite: the environment shows NaN or infinity from the beginning")
    return finite.min(axis=0).astype(np.float64), finite.max(axis=0).astype(np.float64)
