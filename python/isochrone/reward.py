"""A distance as a reward and as the test of "reached"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from .distance import DistanceModel


class Reward:
    """``reached`` where a goal is within ``epsilon`` steps, ``otherwise`` where it is not.

    Called with achieved and desired goals, one of each or many, and whatever else the caller has: this is
    ``compute_reward`` of goal environments.
    """

    def __init__(
        self, distance: DistanceModel, epsilon: float, *, reached: float = 0.0, otherwise: float = -1.0
    ) -> None:
        if not (np.isfinite(epsilon) and epsilon > 0):
            raise ValueError(f"epsilon is {epsilon}; it is a number of steps above 0")
        self.distance = distance
        self.epsilon = float(epsilon)
        self.reached = float(reached)
        self.otherwise = float(otherwise)

    def is_reached(self, achieved: ArrayLike, desired: ArrayLike) -> Any:
        """Is the goal within ε? A bool, or an array of them."""
        return self.distance(achieved, desired) < self.epsilon

    def __call__(
        self, achieved: ArrayLike, desired: ArrayLike, info: Any = None
    ) -> float | NDArray[np.float32]:
        near = self.is_reached(achieved, desired)
        if np.ndim(near) == 0:
            return self.reached if near else self.otherwise
        return np.where(near, self.reached, self.otherwise).astype(np.float32)

    def __repr__(self) -> str:
        return f"Reward({self.reached:g} within {self.epsilon:g} steps, {self.otherwise:g} otherwise)"
