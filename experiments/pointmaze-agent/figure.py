"""Draws figure.svg from results.csv and, if it is given, the file of an agent.

    python figure.py [agent.isochrone]
"""

from __future__ import annotations

import csv
import sys
from collections import defaultdict
from pathlib import Path

import gymnasium as gym
import gymnasium_robotics
import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

from isochrone import Isochrone, plot  # noqa: E402

HERE = Path(__file__).parent
FILES = {"SAC": "results-sac.csv", "TRPO": "results.csv"}


def curves(ax: plt.Axes) -> None:
    """A line for each seed, in one colour for each learner."""
    for (learner, file), colour in zip(FILES.items(), ("#0072b2", "#d55e00"), strict=True):
        seeds = defaultdict(list)
        for row in csv.DictReader((HERE / file).open()):
            seeds[row["seed"]].append((int(row["env_steps"]), float(row["coverage"])))
        for number, points in enumerate(seeds.values()):
            steps, coverage = np.array(points).T
            label = f"{learner}, {len(seeds)} seeds" if number == 0 else None
            ax.plot(steps / 1e3, coverage, color=colour, linewidth=1.2, label=label)
    ax.set(xlabel="thousand steps of the environment", ylabel="share of goals reached", ylim=(0, 1))
    ax.legend(frameon=False, loc="lower right")


def map_of(ax: plt.Axes, file: str) -> None:
    gym.register_envs(gymnasium_robotics)
    env = gym.make("PointMaze_UMaze-v3")
    model = Isochrone.load(file, env, goal=slice(0, 2))
    plot.isochrones(model.distance, [-1.0, 1.0], (-1.5, 1.5, -1.5, 1.5), ax=ax)
    maze = env.unwrapped.maze
    walls = []
    for row, cells in enumerate(maze.maze_map):
        for column, cell in enumerate(cells):
            x, y = maze.cell_rowcol_to_xy(np.array([row, column]))
            if cell == 1:
                walls.append((x, y))
                ax.add_patch(plt.Rectangle((x - 0.5, y - 0.5), 1, 1, color="0.3", zorder=10))
    for number in list(ax.texts):
        x, y = number.get_position()
        if any(max(abs(x - of_x), abs(y - of_y)) < 0.5 for of_x, of_y in walls):
            number.remove()  # of a line that the wall hides
        else:
            number.set_zorder(11)
    ax.set(xlim=(-1.5, 1.5), ylim=(-1.5, 1.5), xlabel="x (m)", ylabel="y (m)")
    ax.set_title("learned steps to the star (TRPO, seed 0)")


def main() -> None:
    files = sys.argv[1:]
    figure, axes = plt.subplots(1, 1 + bool(files), figsize=(5 + 4.5 * bool(files), 3.8), squeeze=False)
    curves(axes[0, 0])
    if files:
        map_of(axes[0, 1], files[0])
    figure.tight_layout()
    figure.savefig(HERE / "figure.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
