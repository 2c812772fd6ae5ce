"""Which goals a policy reaches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Evaluation"]

RESAMPLES = 2_000


@dataclass(frozen=True)
class Evaluation:
    """Which goals a policy reaches."""

    coverage: float
    """The mean over goals of the share of attempts that reach them."""
    interval: tuple[float, float]
    """95 % of what other goals of the same kind would have given (bootstrap over goals)."""
    success: NDArray[np.float64]
    """That share for each goal."""
    goals: NDArray[np.float32]
    """The goals."""

    @classmethod
    def of(cls, success: NDArray[np.float64], goals: NDArray[np.float32]) -> Evaluation:
        """From the shares of each goal."""
        rng, count = np.random.default_rng(0), len(success)
        means = [success[rng.integers(count, size=count)].mean() for _ in range(RESAMPLES)]
        low, high = np.quantile(means, [0.025, 0.975])
        return cls(float(success.mean()), (float(low), float(high)), success, goals)

    def __str__(self) -> str:
        low, high = self.interval
        return f"coverage {self.coverage:.3f} [{low:.3f}, {high:.3f}] over {len(self.goals)} goals"
