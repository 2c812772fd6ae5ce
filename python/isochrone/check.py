"""Checks an environment and says how to fix it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ._environment import (
    check_env_like, check_spaces, five, limit_inside, limit_under, parts, started, without_time_limit,
)  # fmt: skip
from ._extras import need
from ._vector import VectorLanes

__all__ = ["check_env"]


def check_env(env: Any) -> None:
    """Raises an error for an environment that the agent cannot train in, and says how to fix it.

    Warns about a start that does not depend on the seed alone, a time limit that cannot be removed, observations outside
    their space, and images.
    """
    gym = need("gymnasium", "gym")
    if isinstance(env, str):
        env = gym.make(env)
    if isinstance(env, gym.vector.VectorEnv):
        check_spaces(env.single_observation_space, env.single_action_space)
        _not_images(env.single_observation_space)
        limit_inside(env)
        lanes = VectorLanes(env)
        _seen(env.single_observation_space, lanes.reset(0, 0), "reset")
        rows, *_ = lanes.step([0], np.asarray(env.single_action_space.sample())[None])
        _seen(env.single_observation_space, rows[0], "step")
        if lanes.resets_alone and env.num_envs > 1:
            lanes.reset(1, 1)  # refused if lane 0 does not stay where it is
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
    _try(inner)


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


def _try(env: Any) -> None:
    first, again = started(env, 0), started(env, 0)
    _seen(env.observation_space, first, "reset")
    keys = list(first) if isinstance(first, dict) else []
    for one, other in zip(_parts(first, keys), _parts(again, keys)):
        if not np.array_equal(one, other):
            warnings.warn(
                "reset(seed=0) twice gives two different starts: draw them from self.np_random, and runs will repeat",
                stacklevel=4,
            )
            break
    answer = five(env.step(env.action_space.sample()))
    _seen(env.observation_space, answer[0], "step")


def _parts(seen: Any, keys: list[str]) -> list[np.ndarray]:
    return [np.asarray(seen[key]) for key in keys] if keys else [np.asarray(seen)]


def _seen(space: Any, seen: Any, where: str) -> None:
    keys = ["observation", "achieved_goal"] if isinstance(seen, dict) else []
    for key in keys:
        if key not in seen:
            raise ValueError(f"{where}() showed no {key}, and its space has one")
    for key, part, of in zip(keys or ["the observation"], _parts(seen, keys), parts(space, keys)):
        if part.shape != of.shape:
            raise ValueError(
                f"{where}() showed {key} of shape {part.shape}, its space says {of.shape}: mend observation_space, or "
                "what is returned"
            )
        if part.dtype.kind not in "biuf":
            raise TypeError(f"{where}() showed {key} made of {part.dtype}, not of numbers")
        if not np.isfinite(part).all():
            raise ValueError(f"{where}() showed {key} with {part[~np.isfinite(part)].ravel()[0]} in it")
        if not of.contains(part.astype(of.dtype)):
            warnings.warn(f"{where}() showed {key} outside its space", stacklevel=5)
