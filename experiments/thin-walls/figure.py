"""Coverage with planner over learning steps, learned and Euclidean: python figure.py writes figure.svg from results.csv."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402

HERE = Path(__file__).parent
WORLDS = {"point-mass-thin-spiral": "Walls of 0.1 m", "point-mass-spiral": "Walls of 2 m"}
METHODS = {"off_policy": ("learned distance", "#1b7f5c"), "l2": ("Euclidean distance", "#c2562d")}
STRAIGHT = {"point-mass-thin-spiral": 0.107, "point-mass-spiral": 0.228}
"""Coverage of a controller that pushes straight at the goal."""


def curves(world: str, method: str) -> list[list[tuple[float, float]]]:
    """Coverage within 1,000 steps over millions of learning steps, seed by seed."""
    of_seed: dict[str, list[tuple[float, float]]] = defaultdict(list)
    with (HERE / "results.csv").open(newline="") as rows:
        for row in csv.DictReader(rows):
            if (row["world"], row["planner"], row["method"]) == (world, "on", method):
                of_seed[row["seed"]].append((int(row["steps"]) / 1e6, float(row["coverage_1000"])))
    return [sorted(curve) for curve in of_seed.values()]


def main() -> None:
    worlds = {world: title for world, title in WORLDS.items() if curves(world, "off_policy")}
    figure, panels = plt.subplots(1, len(worlds), figsize=(3.2 + 3.2 * len(worlds), 3.6), sharey=True, squeeze=False)
    for axes, (world, title) in zip(panels[0], worlds.items(), strict=True):
        for method, (name, colour) in METHODS.items():
            for at, curve in enumerate(curves(world, method)):
                steps, values = zip(*curve, strict=True)
                axes.plot(steps, values, color=colour, linewidth=1.4, alpha=0.8, label=name if at == 0 else None)
        axes.axhline(STRAIGHT[world], color="grey", linewidth=1, linestyle="--", label="straight at the goal")
        axes.set_ylim(0, 1.02)
        axes.set_xlim(left=0)
        axes.set_title(title)
        axes.set_xlabel("million learning steps")
        axes.spines[["top", "right"]].set_visible(False)
    panels[0, 0].set_ylabel("goals reached within 1,000 steps")
    # The first panel has both distances.
    panels[0, -1].legend(*panels[0, 0].get_legend_handles_labels(), fontsize=8, loc="center left", bbox_to_anchor=(1.02, 0.5), frameon=False)
    figure.tight_layout()
    matplotlib.rcParams["svg.hashsalt"] = "thin-walls"
    figure.savefig(HERE / "figure.svg", metadata={"Date": None}, facecolor="white")


if __name__ == "__main__":
    main()
