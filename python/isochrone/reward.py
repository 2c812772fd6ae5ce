"""A distance as a reward and as the "reached" test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from ._numbers import above_zero

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from .distance import DistanceModel


Kind = Literal["sparse", "dense"]


class Reward:
    """Sparse: ``reached`` if a goal is within ``epsilon`` steps, ``otherwise`` if not. Dense: ``exp(-steps / epsilon)``.

    Called with achieved and desired goals, one of each or many, and further arguments that are ignored: the signature of
    ``compute_reward`` of goal environments.
    """

    def __init__(
        self,
        distance: DistanceModel,
        epsilon: float,
        kind: Kind = "sparse",
        *,
        reached: float = 0.0,
        otherwise: float = -1.0,
    ) -> None:
        if kind not in get_args(Kind):
            raise ValueError(f"a reward is sparse or dense, not {kind!r}")
        self.distance = distance
        self.kind = kind
        self.epsilon = above_zero("epsilon", epsilon)
        self.reached = float(reached)
        self.otherwise = float(otherwise)

    def is_reached(self, achieved: ArrayLike, desired: ArrayLike) -> Any:
        """Is the goal within ε? A bool, or an array of them."""
        return self.distance(achieved, desired) < self.epsilon

    def __call__(
        self, achieved: ArrayLike, desired: ArrayLike, info: Any = None
    ) -> float | NDArray[np.float32]:
        if self.kind == "dense":
            rewards = np.exp(-np.asarray(self.distance(achieved, desired)) / self.epsilon)
            return float(rewards) if rewards.ndim == 0 else rewards.astype(np.float32)
        near = self.is_reached(achieved, desired)
        if np.ndim(near) == 0:
            return self.reached if near else self.otherwise
        return np.where(near, self.reached, self.otherwise).astype(np.float32)

    def __repr__(self) -> str:
        if self.kind == "dense":
            return f"Reward(exp(-steps / {self.epsilon:g}))"
        return f"Reward({self.reached:g} within {self.epsilon:g} steps, {self.otherwise:g} otherwise)"
