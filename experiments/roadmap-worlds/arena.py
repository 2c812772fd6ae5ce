"""Arenas as text, and the walkable paths in them: the truth that the hops of a map are held against."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra
from scipy.spatial import cKDTree

Floats = NDArray[np.float64]

ARENAS = Path(__file__).parents[2] / "crates" / "isochrone-mujoco" / "assets" / "arenas"
CELL_M = 2.0
GRID_M = 0.1
MOVES = [(0, 1), (1, 0), (1, 1), (1, -1), (0, -1), (-1, 0), (-1, -1), (-1, 1), (1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)]
"""Moves on the grid in 16 directions: paths are at most 3 % too long."""
PUSHES = {"<": (-1, 0), ">": (1, 0), "^": (0, -1), "v": (0, 1)}


class Arena:
    """Walls as boxes (x and y from, to), and floors that push."""

    def __init__(self, name: str) -> None:
        lines = (ARENAS / f"{name}.txt").read_text().splitlines()
        settings = dict(line.split(" = ") for line in lines if " = " in line)
        plan = [line for line in lines if " = " not in line]
        self.boxes: list[tuple[float, float, float, float]] = []
        self.pushes: list[tuple[float, float, tuple[int, int]]] = []
        if "wall_thickness_m" in settings:
            self._thin(plan, float(settings["wall_thickness_m"]))
        else:
            self._thick(plan)

    def _thick(self, plan: list[str]) -> None:
        row, column = next((r, line.index("r")) for r, line in enumerate(plan) if "r" in line)
        for r, line in enumerate(plan):
            for c, mark in enumerate(line):
                x, y = CELL_M * (c - column), CELL_M * (r - row)
                if mark == "#":
                    self.boxes.append((x - 1, x + 1, y - 1, y + 1))
                if mark in PUSHES:
                    self.pushes.append((x, y, PUSHES[mark]))

    def _thin(self, plan: list[str], thickness_m: float) -> None:
        """Odd rows and columns are cells, even ones the edges between them."""
        row, column = next((r, line.index("r")) for r, line in enumerate(plan) if "r" in line)
        half = thickness_m / 2
        for r, line in enumerate(plan):
            for c, mark in enumerate(line):
                x, y = (c - column) * CELL_M / 2, (r - row) * CELL_M / 2
                if mark == "-":
                    self.boxes.append((x - 1 - half, x + 1 + half, y - half, y + half))
                if mark == "|":
                    self.boxes.append((x - half, x + half, y - 1 - half, y + 1 + half))

    def clearance_m(self, xy: Floats) -> Floats:
        """Distance to the nearest wall; 0 inside one."""
        nearest = np.full(len(xy), np.inf)
        for left, right, low, high in self.boxes:
            gap_x = np.maximum(np.maximum(left - xy[:, 0], xy[:, 0] - right), 0)
            gap_y = np.maximum(np.maximum(low - xy[:, 1], xy[:, 1] - high), 0)
            nearest = np.minimum(nearest, np.hypot(gap_x, gap_y))
        return nearest

    def is_against(self, xy: Floats, move: tuple[int, int]) -> NDArray[np.bool_]:
        """Positions on a floor that pushes against a move."""
        against = np.zeros(len(xy), bool)
        for x, y, (push_x, push_y) in self.pushes:
            inside = (np.abs(xy[:, 0] - x) < 1) & (np.abs(xy[:, 1] - y) < 1)
            against |= inside & (move[0] * push_x + move[1] * push_y < 0)
        return against


class Walks:
    """Lengths of walkable paths between positions, on a grid of 0.1 m; infinite where there is none."""

    def __init__(self, arena: Arena, radius_m: float) -> None:
        left, right, low, high = np.array(arena.boxes).T
        x, y = np.arange(left.min(), right.max(), GRID_M), np.arange(low.min(), high.max(), GRID_M)
        nodes = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
        is_free = arena.clearance_m(nodes) > 0.9 * radius_m
        number = np.full(len(nodes), -1)
        number[is_free] = np.arange(is_free.sum())
        number = number.reshape(len(x), len(y))
        self.free = nodes[is_free]
        at = np.argwhere(number >= 0)
        ends, lengths = [], []
        for move in MOVES:
            to = at + move
            inside = np.all((to >= 0) & (to < number.shape), axis=1)
            target = np.where(inside, number[tuple(np.where(inside[:, None], to, 0).T)], -1)
            middle = self.free + 0.5 * GRID_M * np.array(move)
            open_ = (target >= 0) & (arena.clearance_m(middle) > 0) & ~arena.is_against(self.free, move)
            ends.append(np.stack([np.flatnonzero(open_), target[open_]]))
            lengths.append(np.full(open_.sum(), GRID_M * np.hypot(*move)))
        (start, stop), length = np.hstack(ends), np.concatenate(lengths)
        self.graph = csr_matrix((length, (start, stop)), shape=(len(self.free),) * 2)
        self.nearest = cKDTree(self.free)

    def between(self, xy: Floats) -> Floats:
        """From each of these positions (rows) to each (columns)."""
        _, nodes = self.nearest.query(xy)
        places, where = np.unique(nodes, return_inverse=True)
        lengths = dijkstra(self.graph, indices=places)[:, places]
        return lengths[np.ix_(where, where)]
