"""Figures show what they were given."""

from __future__ import annotations

import importlib
import json

import numpy as np
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
importlib.import_module("matplotlib.figure")

from isochrone import plot  # noqa: E402
from isochrone.evaluation import Evaluation  # noqa: E402


def test_bands_hold_the_seeds(tmp_path) -> None:
    figure = matplotlib.figure.Figure()
    for seed, values in enumerate([{0: 0.1, 10: 0.5}, {0: 0.3, 7: 0.9, 10: 0.7}, {0: 0.2, 10: 0.6}]):
        (tmp_path / str(seed)).mkdir()
        rows = [{"iteration": at, "steps": 10 * at, "coverage": value} for at, value in values.items()]
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        # One of them was lengthened, and one goes on.
        (tmp_path / str(seed) / "eval.jsonl").write_text(lines + '{"iteration": 2' * (seed == 0))
    ax = plot.coverage({"ours": [tmp_path / str(seed) for seed in range(3)]}, ax=figure.subplots())
    assert ax.lines[0].get_xdata().tolist() == [0, 100]
    assert ax.lines[0].get_ydata().tolist() == pytest.approx([0.2, 0.6])
    half = 4.303 * 0.1 / np.sqrt(3)
    band = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert band.max() == pytest.approx(0.6 + half) and band.min() == pytest.approx(0.0, abs=1e-9)


def test_isochrones_and_goals_are_drawn() -> None:
    class Plane:
        def __call__(self, states, goal):
            return np.linalg.norm(np.asarray(states) - goal, axis=-1)

    figure = matplotlib.figure.Figure()
    left, right = figure.subplots(1, 2)
    plot.isochrones(Plane(), [1.0, 2.0], (-4, 4, -4, 4), points=21, ax=left)
    steps = left.collections[0].get_array()
    assert float(np.min(steps)) < 0.4 < float(np.max(steps))
    shown = [text.get_position() for text in left.texts]
    assert shown and all(abs(place) < 3.6 for at in shown for place in at), "the frame cuts numbers"
    found = Evaluation(0.5, (0.2, 0.8), np.array([0.0, 1.0]), np.array([[0, 0], [1, 1]], dtype=np.float32))
    plot.goals(found, ax=right)
    assert right.collections[0].get_offsets().shape == (2, 2)
