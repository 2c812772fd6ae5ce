"""Exact quantities of a finite Markov chain: the ground truth for learned distances.

>>> import numpy as np
>>> from isochrone.markov import Chain
>>> walk = np.array([[0.5, 0.5, 0.0], [0.5, 0.0, 0.5], [0.0, 0.5, 0.5]])
>>> Chain(walk).passage_times().round(6).tolist()
[[0.0, 2.0, 6.0], [4.0, 0.0, 4.0], [6.0, 2.0, 0.0]]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import _isochrone
from ._numbers import count

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Chain"]

Sampler = Literal["each_first_hit", "uniform_pairs", "uniform_start_then_end"]


class Chain:
    """An irreducible chain with ``P[i, j]``, the probability of a step from state ``i`` to state ``j``.

    Parameters
    ----------
    matrix:
        A square array, or any matrix of :mod:`scipy.sparse`.
    weights:
        If true, the numbers are weights (counts, conductances) and every row is divided by its sum; else they must be
        probabilities, and rows that do not sum to one are refused.
    """

    def __init__(self, matrix: Any, *, weights: bool = False) -> None:
        make = _isochrone.Chain.of_weights if weights else _isochrone.Chain.of_probabilities
        self._chain = make(*_csr(matrix))

    def __repr__(self) -> str:
        way = "reversible" if self.is_reversible else "one-way"
        return f"Chain({self.n_states} states, {way})"

    @property
    def n_states(self) -> int:
        """Number of states."""
        return self._chain.n_states

    @property
    def is_reversible(self) -> bool:
        """Whether detailed balance holds. Then one goal takes one sparse factorisation, also for a million states."""
        return self._chain.is_reversible

    def stationary(self) -> NDArray[np.float64]:
        """The stationary distribution: ``ρ P = ρ``."""
        return self._chain.stationary()

    def passage_times(self) -> NDArray[np.float64]:
        """Mean steps from ``i`` until ``j`` is first met, in row ``i`` and column ``j``. At most 5,000 states.

        All digits are right whatever the drift: nothing is subtracted.
        """
        return self._chain.passage_times()

    def commute_times(self) -> NDArray[np.float64]:
        """Mean steps there and back."""
        times = self.passage_times()
        return times + times.T

    def action_distances(self) -> NDArray[np.float64]:
        """The paper's action distance: half the commute time."""
        return 0.5 * self.commute_times()

    def kemeny_constant(self) -> float:
        """Mean steps to a state drawn from the stationary distribution, the same from every start."""
        return self._chain.kemeny_constant()

    def times(self, goal: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Mean steps from every state to a goal, and from the goal to every state.

        Reversible chains may have millions of states, others at most 5,000.
        """
        return self._chain.times(count("goal", goal, 0))

    def shortest_to(self, goal: int) -> NDArray[np.uint32]:
        """Fewest steps from every state to a goal."""
        return self._chain.shortest_to(count("goal", goal, 0))

    def shortest_from(self, start: int) -> NDArray[np.uint32]:
        """Fewest steps from a state to every other."""
        return self._chain.shortest_from(count("start", start, 0))

    def window_target(
        self, window_steps: int, sampler: Sampler = "uniform_start_then_end"
    ) -> NDArray[np.float64]:
        """The limit of the paper's sampling with windows of this length: mean steps, given that the state is reached in one.

        Not the action distance: 1 to 30 per cent of it at usual lengths. NaN where no window is long enough.
        """
        return self._chain.window_target(count("window_steps", window_steps), sampler)

    def embedding(self, dims: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Coordinates of every state whose squared distances approach commute times, and the eigenvalues behind them.

        Of a chain that is not reversible it is the embedding of the paper's Laplacian, whose commute times are larger
        than the chain's own.
        """
        return self._chain.embedding(count("dims", dims))


def _csr(matrix: Any) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    if hasattr(matrix, "tocsr"):
        matrix = matrix.tocsr()
        _real(matrix.dtype)
        _square(matrix.shape)
        starts, columns, values = matrix.indptr, matrix.indices, matrix.data
    else:
        matrix = np.asarray(matrix)
        _real(matrix.dtype)
        _square(matrix.shape)
        rows, columns = np.nonzero(matrix)
        values = matrix[rows, columns]
        starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(matrix)))])
    return (
        np.ascontiguousarray(starts, dtype=np.int64),
        np.ascontiguousarray(columns, dtype=np.int64),
        np.ascontiguousarray(values, dtype=np.float64),
    )


def _real(dtype: Any) -> None:
    if dtype.kind not in "biuf":
        raise TypeError(f"a chain is made of real numbers, not of {dtype}")


def _square(shape: tuple[int, ...]) -> None:
    if len(shape) != 2 or shape[0] != shape[1] or shape[0] == 0:
        raise ValueError(f"a chain has a square matrix, not one of shape {tuple(shape)}")
