"""Draws figure.svg from results.csv, and prints the table of README.md.

    python figure.py
"""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import matplotlib
import numpy as np
from scipy import stats

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

HERE = Path(__file__).parent
MAZES = {"PointMaze_UMaze-v3": "U", "PointMaze_Medium-v3": "medium", "PointMaze_Large-v3": "large"}
REWARDS = {
    "sparse": ("environment's, sparse", "#0072b2"),
    "minus_one": ("environment's, sparse − 1", "#56b4e9"),
    "metres": ("−metres", "#e69f00"),
    "steps": ("ours, sparse", "#cc79a7"),
    "linear": ("ours, linear", "#009e73"),
    "potential": ("ours, potential", "#000000"),
}


def runs() -> dict[tuple[str, str], dict[str, list[tuple[int, float]]]]:
    """Points (steps, success) by maze and reward, then by seed."""
    found = defaultdict(lambda: defaultdict(list))
    for row in csv.DictReader((HERE / "results.csv").open()):
        found[row["env"], row["reward"]][row["seed"]].append((int(row["steps"]), float(row["success"])))
    return found


def last_three(points: list[tuple[int, float]]) -> float:
    """The mean of the last three evaluations."""
    return float(np.mean([success for _, success in sorted(points)[-3:]]))


def interval(values: list[float]) -> str:
    """The mean with Student's 95 % interval over seeds."""
    mean = np.mean(values)
    if len(values) < 2:
        return f"{mean:.3f}"
    half = stats.t.ppf(0.975, len(values) - 1) * np.std(values, ddof=1) / np.sqrt(len(values))
    return f"{mean:.3f} ± {half:.3f}"


def difference(ours: list[float], theirs: list[float]) -> str:
    """The difference of means with Welch's 95 % interval."""
    found = stats.ttest_ind(ours, theirs, equal_var=False).confidence_interval(0.95)
    return f"{np.mean(ours) - np.mean(theirs):+.3f} [{found.low:+.3f}, {found.high:+.3f}]"


def main() -> None:
    found = runs()
    mazes = {env: name for env, name in MAZES.items() if any(of == env for of, _ in found)}
    figure, panels = plt.subplots(1, len(mazes), figsize=(2.2 + 3.6 * len(mazes), 3.6), sharey=True, squeeze=False)
    for ax, (env, maze) in zip(panels[0], mazes.items(), strict=True):
        ends = {}
        for reward, (name, colour) in REWARDS.items():
            for at, points in enumerate(found[env, reward].values()):
                steps, success = zip(*sorted(points), strict=True)
                ax.plot(np.array(steps) / 1e3, success, color=colour, linewidth=1.4, alpha=0.8, label=name if at == 0 else None)
            ends[reward] = [last_three(points) for points in found[env, reward].values()]
            if ends[reward]:
                print(f"| {maze} | {name} | {interval(ends[reward])} | {', '.join(f'{x:.3f}' for x in ends[reward])} |")
        for ours in ("linear", "potential", "steps"):
            if min(len(ends[ours]), len(ends["metres"])) > 1:
                print(f"{maze}: {ours} minus −metres {difference(ends[ours], ends['metres'])}")
        ax.set(title=f"PointMaze, {maze}", xlabel="thousand steps of the environment", ylim=(0, 1.02), xlim=(0, None))
        ax.spines[["top", "right"]].set_visible(False)
    panels[0, 0].set_ylabel("share of 50 episodes that succeed")
    panels[0, -1].legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.02, 0.5))
    figure.tight_layout()
    matplotlib.rcParams["svg.hashsalt"] = "pointmaze-rewards"
    figure.savefig(HERE / "figure.svg", metadata={"Date": None}, facecolor="white")


if __name__ == "__main__":
    main()
