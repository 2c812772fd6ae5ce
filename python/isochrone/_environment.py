"""What an environment is like, and how it is stepped: found out once, and told to the Rust side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Union

import numpy as np

from ._extras import need

Goal = Union[None, slice, Sequence[int], Callable[[Any], Any]]

LOOK_ROUND_STEPS = 500
"""Random steps that show where things are, if nobody says."""


class VectorLanes:
    """A vector environment lane by lane.

    Where autoreset is disabled, lanes begin alone, each with its episode's seed. Otherwise a lane that has ended begins
    anew when the environment wants it to, which nobody can use: all lanes begin together instead, with the seed of the
    first, and wait for the last to end.
    """

    def __init__(self, envs: Any) -> None:
        gym = need("gymnasium", "gym")
        self.envs = envs
        modes = gym.vector.AutoresetMode
        mode = envs.metadata.get("autoreset_mode", modes.NEXT_STEP)
        mode = modes(mode) if not isinstance(mode, modes) else mode
        self.resets_alone = mode == modes.DISABLED
        self._final_in_info = mode == modes.SAME_STEP
        self._shape = envs.single_action_space.shape
        self._dtype = envs.single_action_space.dtype
        self._ended = np.zeros(envs.num_envs, dtype=bool)
        self._first: Any = None
        self._has_begun = False

    def reset(self, lane: int, seed: int) -> Any:
        if self.resets_alone:
            return self._row(self._begin([lane], seed), lane)
        if lane == 0:
            self._first, _ = self.envs.reset(seed=seed)
        return self._row(self._first, lane)

    def _begin(self, lanes: Sequence[int], seed: int | None) -> Any:
        if not self._has_begun:
            # Before some lanes can begin alone, all must have begun.
            self.envs.reset()
            self._has_begun = True
        mask = np.zeros(self.envs.num_envs, dtype=bool)
        mask[list(lanes)] = True
        seeds = [seed if chosen else None for chosen in mask]
        seen, _ = self.envs.reset(seed=seeds, options={"reset_mask": mask})
        self._ended[mask] = False
        return seen

    def step(self, lanes: list[int], actions: np.ndarray) -> tuple[list[Any], np.ndarray, np.ndarray]:
        if self.resets_alone:
            idle = self._ended.copy()
            idle[lanes] = False
            if idle.any():
                # Nobody reads them, but they must not be stepped after their end.
                self._begin(np.flatnonzero(idle), None)
        all_actions = np.zeros((self.envs.num_envs, *self._shape), dtype=self._dtype)
        all_actions[lanes] = actions.reshape(-1, *self._shape)
        seen, _, terminated, truncated, info = self.envs.step(all_actions)
        self._ended = np.asarray(terminated) | np.asarray(truncated)
        rows = []
        for lane in lanes:
            is_kept_apart = self._final_in_info and self._ended[lane]
            rows.append(info["final_obs"][lane] if is_kept_apart else self._row(seen, lane))
        ended = [np.ascontiguousarray(np.asarray(of, dtype=bool)[lanes]) for of in (terminated, truncated)]
        return rows, ended[0], ended[1]

    @staticmethod
    def _row(seen: Any, lane: int) -> Any:
        return {key: of[lane] for key, of in seen.items()} if isinstance(seen, dict) else seen[lane]


def inspect(env: Any, goal: Goal, goal_range: Any, seed: int) -> tuple[dict[str, Any], int | None]:
    """What the Rust side must know of an environment; and its own time limit, if it has one."""
    gym = need("gymnasium", "gym")
    if isinstance(env, str):
        env = gym.make(env)
    is_vector = isinstance(env, gym.vector.VectorEnv)
    if is_vector:
        limit, stepped = None, VectorLanes(env)
        space, actions = env.single_observation_space, env.single_action_space
    else:
        env, limit = without_time_limit(env)
        stepped, space, actions = env, env.observation_space, env.action_space
    check_spaces(space, actions)
    keys, function, entries = what_is_seen(space, goal)
    world = {
        "env": stepped,
        "lanes": env.num_envs if is_vector else 0,
        "resets_alone": stepped.resets_alone if is_vector else True,
        "keys": keys,
        "goal": function,
        "action_low": np.asarray(actions.low, dtype=np.float32).ravel().tolist(),
        "action_high": np.asarray(actions.high, dtype=np.float32).ravel().tolist(),
        "action_shape": list(actions.shape),
    }
    states = look_round(world, actions, seed, LOOK_ROUND_STEPS if goal_range is None else 1)
    length = states.shape[1]
    entries = entries if entries is not None else list(range(length))
    if function is not None:
        base = sum(int(np.prod(of.shape)) for of in parts(space, keys))
        entries = list(range(base, length))
    world["observation_length"] = length
    world["goal_entries"] = [int(entry) for entry in entries]
    low, high = bounds(goal_range, states[:, world["goal_entries"]])
    world["goal_centre"] = (0.5 * (low + high)).tolist()
    world["goal_half_width"] = (0.5 * (high - low)).tolist()
    return world, limit


def without_time_limit(env: Any) -> tuple[Any, int | None]:
    """The environment inside its outermost time limits, and the shortest of those: the horizon is the agent's."""
    gym = need("gymnasium", "gym")
    limit = None
    while isinstance(env, gym.wrappers.TimeLimit):
        steps = int(env._max_episode_steps)
        limit = steps if limit is None else min(limit, steps)
        env = env.env
    return env, limit


def check_spaces(space: Any, actions: Any) -> None:
    """Refuses what cannot be learned from, in a sentence."""
    spaces = need("gymnasium", "gym").spaces
    if not isinstance(actions, spaces.Box):
        raise TypeError(
            f"actions must be arrays of numbers (Box), and these are {type(actions).__name__}: wrap the environment so "
            "that it takes a Box, for example one number per choice"
        )
    if isinstance(space, spaces.Dict):
        for key in ("observation", "achieved_goal"):
            if not isinstance(space.spaces.get(key), spaces.Box):
                raise TypeError(
                    f"observations are dictionaries of {sorted(space.spaces)}; goal environments have arrays called "
                    "observation and achieved_goal. Flatten others: gymnasium.wrappers.FlattenObservation(env)"
                )
    elif not isinstance(space, spaces.Box):
        raise TypeError(
            f"observations must be arrays of numbers (Box), and these are {type(space).__name__}: try "
            "gymnasium.wrappers.FlattenObservation(env)"
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
    chosen = np.atleast_1d(np.arange(length)[goal if isinstance(goal, slice) else list(goal)])
    if len(chosen) == 0:
        raise ValueError(f"goal={goal!r} chooses none of the {length} numbers of an observation")
    return keys, None, chosen.tolist()


def parts(space: Any, keys: Sequence[str]) -> list[Any]:
    return [space[key] for key in keys] if keys else [space]


def flat(world: dict[str, Any], observation: Any) -> np.ndarray:
    """The numbers of an observation as the agent sees them."""
    found = [observation[key] for key in world["keys"]] if world["keys"] else [observation]
    if world["goal"] is not None:
        found.append(world["goal"](observation))
    return np.concatenate([np.asarray(of, dtype=np.float32).ravel() for of in found])


def look_round(world: dict[str, Any], actions: Any, seed: int, steps: int) -> np.ndarray:
    """States of random actions, to see how long they are and where things lie."""
    rng = np.random.default_rng(seed)
    low, high = (np.clip(np.asarray(of, dtype=np.float64), -1e3, 1e3) for of in (actions.low, actions.high))
    env, is_vector, states = world["env"], world["lanes"] > 0, []
    ended = True
    for _ in range(steps):
        if ended:
            begun = int(rng.integers(2**31))
            seen = env.reset(0, begun) if is_vector else env.reset(seed=begun)[0]
            states.append(flat(world, seen))
        action = rng.uniform(low, high).astype(actions.dtype)
        if is_vector:
            rows, terminated, truncated = env.step([0], action.reshape(1, -1))
            seen, ended = rows[0], bool(terminated[0] or truncated[0])
        else:
            seen, _, terminated, truncated, _ = env.step(action)
            ended = bool(terminated or truncated)
        states.append(flat(world, seen))
    return np.stack(states)


def bounds(goal_range: Any, goals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if goal_range is not None:
        low, high = (np.broadcast_to(np.asarray(of, dtype=np.float64), goals.shape[1:]) for of in goal_range)
        if not (np.isfinite(low).all() and np.isfinite(high).all() and (low < high).all()):
            raise ValueError(f"goal_range is {goal_range}; it is (low, high), finite, the first below the second")
        return low, high
    finite = goals[np.isfinite(goals).all(axis=1)]
    if len(finite) == 0:
        raise ValueError("no state was finite: the environment shows NaN or infinity from the beginning")
    return finite.min(axis=0).astype(np.float64), finite.max(axis=0).astype(np.float64)
