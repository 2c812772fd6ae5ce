"""Figures on Matplotlib axes: coverage with bands, isochrones round a goal, goals by success."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ._extras import need

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from .evaluation import Evaluation
    from .distance import DistanceModel

__all__ = ["coverage", "goals", "isochrones"]

# Student's t at 97.5 %, for 1, 2, … degrees of freedom; beyond, the normal's with its next term, to 0.003.
_T = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228]
# Numbers on isochrones keep this share of a picture's width from its frame.
_FRAME = 0.06


def coverage(runs: Mapping[str, Any] | Sequence[Any], ax: Any = None) -> Any:
    """Coverage over training steps: a line per method, with a 95 % confidence band over its seeds.

    Parameters
    ----------
    runs:
        Run folders by name, ``{"learned": ["runs/a-seed0", "runs/a-seed1"], …}``, or a list of them.
    """
    ax = _axes(ax)
    if isinstance(runs, (str, os.PathLike)):
        runs = [runs]
    named = runs if isinstance(runs, Mapping) else {Path(run).name: [run] for run in runs}
    for name, folders in named.items():
        if isinstance(folders, (str, os.PathLike)):
            folders = [folders]
        curves = [_curve(folder) for folder in folders]
        # A run that was lengthened was also looked at where it had ended: seeds meet where all were.
        met = sorted(set.intersection(*map(set, curves)))
        if not met:
            raise ValueError(f"{name!r}: there is no iteration at which all of {len(curves)} runs were evaluated")
        steps = np.mean([[curve[at][0] for at in met] for curve in curves], axis=0)
        values = np.array([[curve[at][1] for at in met] for curve in curves])
        (line,) = ax.plot(steps, values.mean(axis=0), label=name)
        if len(values) > 1:
            half = _half_width(values)
            low, high = (values.mean(axis=0) - half).clip(0, 1), (values.mean(axis=0) + half).clip(0, 1)
            ax.fill_between(steps, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
    ax.set(xlabel="training steps", ylabel="coverage", ylim=(0, 1))
    ax.legend(frameon=False)
    return ax


def isochrones(
    distance: DistanceModel,
    goal: ArrayLike,
    extent: tuple[float, float, float, float],
    *,
    axes: tuple[int, int] = (0, 1),
    points: int = 101,
    ax: Any = None,
) -> Any:
    """Steps to a goal from everywhere in a plane, with lines of equal steps.

    Parameters
    ----------
    extent:
        ``(left, right, bottom, top)`` of the plane.
    axes:
        The entries of a state that the plane is; the others are those of the goal.
    """
    ax = _axes(ax)
    aim = np.asarray(goal, dtype=np.float32)
    x, y = np.linspace(*extent[:2], points), np.linspace(*extent[2:], points)
    states = np.broadcast_to(aim, (points * points, len(aim))).copy()
    states[:, axes[0]], states[:, axes[1]] = (of.ravel() for of in np.meshgrid(x, y))
    steps = np.asarray(distance(states, aim)).reshape(points, points)
    drawn = ax.pcolormesh(x, y, steps, shading="nearest", cmap="viridis", rasterized=True)
    lines = ax.contour(x, y, steps, linewidths=0.8)
    shades = ["white" if drawn.norm(level) < 0.6 else "black" for level in lines.levels]
    lines.set_edgecolor(shades)
    _remove_cut(ax.clabel(lines, fontsize=7, fmt="%g", colors=shades), extent)
    ax.plot(*aim[list(axes)], marker="*", color="red", markersize=10, linestyle="none")
    ax.set_aspect("equal")
    _bar(ax, drawn, "steps to the goal")
    return ax


def goals(found: Evaluation, *, axes: tuple[int, int] = (0, 1), ax: Any = None) -> Any:
    """Goals of an evaluation, coloured by how often they were reached."""
    ax = _axes(ax)
    places = found.goals[:, list(axes)]
    drawn = ax.scatter(*places.T, c=found.success, cmap="viridis", vmin=0, vmax=1, s=18)
    ax.set_aspect("equal")
    _bar(ax, drawn, "share of attempts that reach it")
    return ax


def _bar(ax: Any, drawn: Any, label: str) -> None:
    """A colour bar as high as the picture, however flat that is."""
    ax.figure.colorbar(drawn, cax=ax.inset_axes((1.03, 0.0, 0.04, 1.0)), label=label)


def _remove_cut(labels: Sequence[Any], extent: tuple[float, float, float, float]) -> None:
    """Takes away the numbers that the frame would cut."""
    left, right, bottom, top = extent
    for label in labels:
        x, y = label.get_position()
        shares = (x - left) / (right - left), (y - bottom) / (top - bottom)
        if not all(_FRAME < share < 1 - _FRAME for share in shares):
            label.remove()


def _axes(ax: Any) -> Any:
    return need("matplotlib.pyplot", "plot").gca() if ax is None else ax


def _curve(folder: Any) -> dict[int, tuple[float, float]]:
    """Steps and coverage by iteration."""
    lines = Path(folder, "eval.jsonl").read_text().splitlines(keepends=True)
    # The last line of a run that goes on may not be whole yet.
    rows = [json.loads(line) for line in lines if line.endswith("\n")]
    return {row["iteration"]: (row["steps"], row["coverage"]) for row in rows}


def _half_width(values: np.ndarray) -> np.ndarray:
    freedom = len(values) - 1
    t = _T[freedom - 1] if freedom <= len(_T) else 1.96 + 2.373 / freedom + 2.82 / freedom**2
    return t * values.std(axis=0, ddof=1) / np.sqrt(len(values))
