"""Walks in a corridor and in the plane, and distances learned from them once."""

from __future__ import annotations

import numpy as np
import pytest

from isochrone import DistanceModel


def corridor(seed: int = 0, episodes: int = 60, steps: int = 150, cells: int = 12) -> list[np.ndarray]:
    """A walk on 0 … cells−1 that stays where a wall is; one array per episode."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(episodes):
        place, path = rng.integers(cells), []
        for move in rng.choice([-1, 1], size=steps):
            path.append([place])
            place = min(max(place + move, 0), cells - 1)
        found.append(np.array(path, dtype=np.float64))
    return found


@pytest.fixture(scope="session")
def walks() -> list[np.ndarray]:
    return corridor()


@pytest.fixture(scope="session")
def model(walks: list[np.ndarray]) -> DistanceModel:
    return DistanceModel(seed=0, window_steps=60, passes=60).fit(walks)


@pytest.fixture(scope="session")
def plane() -> DistanceModel:
    """Of walks in the plane."""
    rng = np.random.default_rng(0)
    walks = [np.cumsum(0.1 * rng.normal(size=(80, 2)), axis=0) for _ in range(20)]
    return DistanceModel(seed=0, passes=5, window_steps=30).fit(walks)
