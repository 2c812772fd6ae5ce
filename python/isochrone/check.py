"""What is wrong with an environment, and how to mend it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ._environment import check_env_like, check_spaces, five, limit_inside, parts, without_time_limit
from ._extras import need

__all__ = ["check_env"]


def check_env(env: Any) -> None:
    """Refuses an environment that cannot be learned in, with a sentence that says how to mend it.

    What is only odd is warned about: a start that does not follow the seed, a time limit that cannot be taken off,
    observations outside their space.
    """
    gym = need("gymnasium", "gym")
    if isinstance(env, str):
        env = gym.make(env)
    if isinstance(env, gym.vector.VectorEnv):
        check_spaces(env.single_observation_space, env.single_action_space)
        limit_inside(env)
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
    inner, _ = without_time_limit(env)
    layer = inner
    while layer is not layer.unwrapped:
        if isinstance(layer, gym.wrappers.TimeLimit):
            warnings.warn(
                "there is a time limit inside other wrappers, which cannot be taken off: episodes that it ends have no "
                "random steps after them. Put TimeLimit outermost", stacklevel=2,
            )
        layer = layer.env
    _try(inner)


def _try(env: Any) -> None:
    first, again = _reset(env), _reset(env)
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


def _reset(env: Any) -> Any:
    answer = env.reset(seed=0)
    if not (isinstance(answer, tuple) and len(answer) == 2):
        raise ValueError("reset() gave no (observation, info): that is how Gymnasium does it since 0.26")
    return answer[0]


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
