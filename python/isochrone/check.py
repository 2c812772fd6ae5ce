"""Checks an environment and says how to fix it."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ._environment import (
    check_env_like, check_spaces, five, limit_inside, limit_under, parts, started, without_time_limit,
)  # fmt: skip
from ._extras import need
from ._vector import VectorLanes

__all__ = ["check_env"]

STEPS = 50
"""Random steps: some troubles come late, or only after an end."""


def check_env(env: Any) -> None:
    """Raises an error for an environment that the agent cannot train in, and says how to fix it.

    Takes 50 random steps. Warns about a start that does not depend on the seed alone, a time limit that cannot be removed,
    observations outside their space, episodes that all end after one step, and images.
    """
    gym = need("gymnasium", "gym")
    if isinstance(env, str):
        env = gym.make(env)
    if isinstance(env, gym.vector.VectorEnv):
        check_spaces(env.single_observation_space, env.single_action_space)
        _not_images(env.single_observation_space)
        limit_inside(env)
        lanes = VectorLanes(env)

        def act(action: Any) -> tuple[Any, bool]:
            rows, terminated, truncated = lanes.step([0], np.asarray(action)[None])
            return rows[0], bool(terminated[0] or truncated[0])

        if lanes.resets_alone and env.num_envs > 1:
            lanes.reset(0, 0)
            act(env.single_action_space.sample())
            lanes.reset(1, 1)  # refused if lane 0 does not stay where it is
        for sentence in _walk(env.single_observation_space, env.single_action_space, lambda seed: lanes.reset(0, seed), act):
            warnings.warn(sentence, stacklevel=2)
        mode = env.metadata.get("autoreset_mode")
        if mode is None:
            warnings.warn("the vector environment does not say how it resets: NEXT_STEP is taken", stacklevel=2)
        elif mode != gym.vector.AutoresetMode.DISABLED:
            warnings.warn(
                "lanes reset themselves, so all begin together and wait for the last; with "
                'autoreset_mode=AutoresetMode.DISABLED none waits', stacklevel=2,
            )
        return
    check_env_like(env)
    check_spaces(env.observation_space, env.action_space)
    _not_images(env.observation_space)
    _bounded(env.action_space)
    inner, _ = without_time_limit(env)
    limit_under(inner)
    for sentence in _try(inner):
        warnings.warn(sentence, stacklevel=2)


def _not_images(space: Any) -> None:
    keys = ["observation", "achieved_goal"] if hasattr(space, "spaces") else []
    for of in parts(space, keys):
        if of.dtype == np.uint8 and len(of.shape) >= 2:
            warnings.warn(
                f"observations of shape {of.shape} are images, and will be learned from as {int(np.prod(of.shape))} separate "
                "numbers, without convolutions: expect little. Give the agent the state of the environment, or features of the "
                "images",
                stacklevel=3,
            )


def _bounded(actions: Any) -> None:
    if not (np.isfinite(actions.low).all() and np.isfinite(actions.high).all()):
        warnings.warn(
            "some actions have no bounds: the agent begins with numbers of about −1…1 there, or that far from the one bound "
            "there is. A finite Box says more",
            stacklevel=3,
        )


def _try(env: Any) -> list[str]:
    """What an environment does wrong; what cannot be trained in is an error."""
    def act(action: Any) -> tuple[Any, bool]:
        seen, _, terminated, truncated, _ = five(env.step(action))
        return seen, bool(terminated or truncated)

    first, again = started(env, 0), started(env, 0)
    keys = list(first) if isinstance(first, dict) else []
    found = []
    if not all(np.array_equal(one, other) for one, other in zip(_parts(first, keys), _parts(again, keys))):
        found.append("reset(seed=0) twice gives two different starts: draw them from self.np_random, and runs will repeat")
    return found + _walk(env.observation_space, env.action_space, lambda seed: started(env, seed), act)


def _walk(space: Any, actions: Any, begin: Callable[[int], Any], act: Callable[[Any], tuple[Any, bool]]) -> list[str]:
    """What is wrong with random steps."""
    actions = copy.deepcopy(actions)  # the environment's own would draw other actions afterwards
    actions.seed(0)
    outside: list[str] = []
    episodes, steps, ended = 0, 0, True
    for _ in range(STEPS):
        if ended:
            outside += _seen(space, begin(episodes), "reset()")
            episodes, steps = episodes + 1, 0
        seen, ended = act(actions.sample())
        steps += 1
        outside += _seen(space, seen, "step()" if steps == 1 else f"step() number {steps} of an episode")
    found = outside[:1]
    if ended and episodes == STEPS:
        found.append(
            f"all {STEPS} episodes of random actions ended after one step: no random steps follow an episode that the "
            "environment ends, and the distance is learned from those. Do not terminate where nothing has to end"
        )
    return found


def _parts(seen: Any, keys: list[str]) -> list[np.ndarray]:
    return [np.asarray(seen[key]) for key in keys] if keys else [np.asarray(seen)]


def _seen(space: Any, seen: Any, where: str) -> list[str]:
    """Refuses an observation that is not what its space says, and tells of one outside it."""
    keys = ["observation", "achieved_goal"] if isinstance(seen, dict) else []
    outside = []
    for key in keys:
        if key not in seen:
            raise ValueError(f"{where} showed no {key}, and its space has one")
    for key, part, of in zip(keys or ["the observation"], _parts(seen, keys), parts(space, keys)):
        if part.shape != of.shape:
            raise ValueError(
                f"{where} showed {key} of shape {part.shape}, its space says {of.shape}: mend observation_space, or "
                "what is returned"
            )
        if part.dtype.kind not in "biuf":
            raise TypeError(f"{where} showed {key} made of {part.dtype}, not of numbers")
        if not np.isfinite(part).all():
            raise ValueError(
                f"{where} showed {key} with {part[~np.isfinite(part)].ravel()[0]} in it: an agent learns nothing from there. "
                "Mend what is returned"
            )
        if not of.contains(part.astype(of.dtype)):
            outside.append(f"{where} showed {key} outside its space")
    return outside
