"""Draws figure.svg from results.csv, and prints the table of README.md.

    python figure.py
"""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

HERE = Path(__file__).parent
MAZES = {"PointMaze_UMaze-v3": "U", "PointMaze_Medium-v3": "medium"}
REWARDS = {
    "sparse": ("environment's, sparse", "#0072b2"),
    "dense": ("environment's, straight line", "#e69f00"),
    "steps": ("ours: learned steps", "#009e73"),
}


def runs() -> dict[tuple[str, str], dict[str, list[tuple[int, float]]]]:
    """Points (steps, success) by maze and reward, then by seed."""
    found = defaultdict(lambda: defaultdict(list))
    for row in csv.DictReader((HERE / "results.csv").open()):
        found[row["env"], row["reward"]][row["seed"]].append((int(row["steps"]), float(row["success"])))
    return found


def main() -> None:
    found = runs()
    figure, axes = plt.subplots(1, len(MAZES), figsize=(9.5, 3.8), sharey=True)
    for ax, (env, maze) in zip(axes, MAZES.items(), strict=True):
        for reward, (name, colour) in REWARDS.items():
            seeds = np.array(list(found[env, reward].values()))
            steps, success = seeds[0, :, 0] / 1e3, seeds[:, :, 1]
            for each in success:
                ax.plot(steps, each, color=colour, linewidth=0.7, alpha=0.5)
            ax.plot(steps, success.mean(axis=0), color=colour, linewidth=2.2, label=name)
            ends, areas = success[:, -1], success[:, 1:].mean(axis=1)
            cells = [f"{values.mean():.2f} ({', '.join(f'{x:.2f}' for x in values)})" for values in (areas, ends)]
            print(f"| {maze} | {name} | {cells[0]} | {cells[1]} |")
        ax.set(title=f"PointMaze, {maze}", xlabel="thousand steps of the environment", ylim=(0, 1.02))
    axes[0].set_ylabel("share of 50 episodes that succeed")
    axes[0].legend(frameon=False, loc="lower right")
    figure.tight_layout()
    figure.savefig(HERE / "figure.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
