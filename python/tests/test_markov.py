"""Exact quantities against what NumPy says."""

from __future__ import annotations

import numpy as np
import pytest

from isochrone.markov import Chain


def random_chain(seed: int, states: int = 7) -> np.ndarray:
    matrix = np.random.default_rng(seed).uniform(size=(states, states))
    return matrix / matrix.sum(axis=1, keepdims=True)


def passage_by_solving(matrix: np.ndarray) -> np.ndarray:
    states = len(matrix)
    times = np.zeros((states, states))
    for goal in range(states):
        others = [s for s in range(states) if s != goal]
        inner = np.eye(states - 1) - matrix[np.ix_(others, others)]
        times[others, goal] = np.linalg.solve(inner, np.ones(states - 1))
    return times


@pytest.mark.parametrize("seed", range(5))
def test_times_are_those_of_the_linear_system(seed: int) -> None:
    matrix = random_chain(seed)
    chain, truth = Chain(matrix), passage_by_solving(matrix)
    np.testing.assert_allclose(chain.passage_times(), truth, rtol=1e-9)
    np.testing.assert_allclose(chain.commute_times(), truth + truth.T, rtol=1e-9)
    np.testing.assert_allclose(chain.action_distances(), (truth + truth.T) / 2, rtol=1e-9)
    rho = chain.stationary()
    np.testing.assert_allclose(rho @ matrix, rho, atol=1e-12)
    assert chain.kemeny_constant() == pytest.approx(float(rho @ truth[3]))
    to_goal, from_goal = chain.times(2)
    np.testing.assert_allclose(to_goal, truth[:, 2], rtol=1e-9)
    np.testing.assert_allclose(from_goal, truth[2], rtol=1e-9)
    assert not chain.is_reversible


def ring(states: int) -> np.ndarray:
    matrix = np.zeros((states, states))
    for state in range(states):
        matrix[state, (state + 1) % states] = matrix[state, (state - 1) % states] = 1.0
    return matrix


def test_a_reversible_chain_is_known_as_one() -> None:
    chain = Chain(ring(9), weights=True)
    assert chain.is_reversible and chain.n_states == 9
    assert repr(chain) == "Chain(9 states, reversible)"
    to_goal, from_goal = chain.times(0)
    lag = np.arange(9)
    np.testing.assert_allclose(to_goal, lag * (9 - lag), rtol=1e-9)
    np.testing.assert_allclose(from_goal, lag * (9 - lag), rtol=1e-9)
    assert chain.shortest_to(0).tolist() == [0, 1, 2, 3, 4, 4, 3, 2, 1]
    assert chain.shortest_from(0).tolist() == chain.shortest_to(0).tolist()
    points, eigenvalues = chain.embedding(8)
    assert (np.diff(eigenvalues) >= -1e-12).all()
    squared = ((points[:, None] - points[None]) ** 2).sum(axis=-1)
    np.testing.assert_allclose(squared, chain.commute_times(), rtol=1e-8, atol=1e-8)


def test_a_sparse_matrix_is_the_same_chain() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    dense = ring(9) / 2
    for kind in (sparse.csr_matrix, sparse.coo_matrix, sparse.csr_array):
        np.testing.assert_array_equal(Chain(kind(dense)).times(4), Chain(dense).times(4))


def test_a_drift_takes_no_digit() -> None:
    """By the paper's formula the first of these times is -37, by factoring the second chain 3 comes before 2."""
    line = np.diag([0.9] * 19, 1) + np.diag([0.1] * 19, -1) + np.diag([0.1] + [0.0] * 18 + [0.9])
    assert Chain(line).passage_times()[0, 1] == pytest.approx(1 / 0.9, rel=1e-14)
    assert Chain(line).times(0)[1][1] == pytest.approx(1 / 0.9, rel=1e-14)
    line[0, :3] = 0.1, 0.85, 0.05  # a current round three states
    np.testing.assert_allclose(Chain(line).times(0)[1][2:4], [2.2699, 3.5174], rtol=1e-4)


def test_what_is_no_chain_is_refused() -> None:
    refused = [
        (np.zeros((2, 3)), ValueError, "square matrix"),
        (np.full((2, 2), 0.4), ValueError, "probabilities out of state 0 sum to 0.8, not to 1 within 1e-9; weights=True"),
        (np.eye(3), ValueError, "reach"),
        (np.array([["a", "b"], ["c", "d"]]), TypeError, "numbers"),
    ]
    for matrix, kind, words in refused:
        with pytest.raises(kind, match=words):
            Chain(matrix)
    chain = Chain(ring(5) / 2)
    with pytest.raises(ValueError, match="there is no state 5"):
        chain.times(5)
    with pytest.raises(ValueError, match="no sampler"):
        chain.window_target(10, "best")
    with pytest.raises(ValueError, match="at most 141421 can be computed"):
        chain.window_target(10**9)
    with pytest.raises(ValueError, match="goal is -1; it must be at least 0"):
        chain.times(-1)
    with pytest.raises(TypeError, match="whole number"):
        chain.embedding(1.5)
