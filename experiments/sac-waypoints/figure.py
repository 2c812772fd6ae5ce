"""SAC, with imitation of the planner and without, and TRPO on one axis: python figure.py writes figure.svg from three tables."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402

HERE = Path(__file__).parent
TABLES = {
    "SAC with imitation": (HERE / "results.csv", "#1b7f5c"),
    "SAC without": (HERE / "results-without-imitation.csv", "#d08a1d"),
    "TRPO": (HERE.parent / "waypoints" / "results-hops-of-8.csv", "#7a4fa3"),
}
WORLDS = {"point-mass": "Figure eight", "point-mass-spiral": "Spiral"}
FLOORS = {"point-mass": 0.447, "point-mass-spiral": 0.228}
"""Coverage of a controller that pushes straight at the goal."""


def curves(file: Path, world: str, planner: str) -> list[list[tuple[float, float]]]:
    """Coverage within 400 steps over learning steps, seed by seed, with the learned distance."""
    of_seed: dict[str, list[tuple[float, float]]] = defaultdict(list)
    with file.open(newline="") as rows:
        for row in csv.DictReader(rows):
            if (row["world"], row["planner"], row["method"], row["goal_space"]) == (world, planner, "off_policy", "xy"):
                of_seed[row["seed"]].append((int(row["steps"]), float(row["coverage"])))
    return [sorted(curve) for curve in of_seed.values()]


def main() -> None:
    # A world that SAC was not tried in would show nothing new.
    worlds = {world: title for world, title in WORLDS.items() if curves(TABLES["SAC with imitation"][0], world, "on")}
    figure, panels = plt.subplots(1, len(worlds), figsize=(3.4 + 3.2 * len(worlds), 3.6), sharey=True, squeeze=False)
    for axes, (world, title) in zip(panels[0], worlds.items(), strict=True):
        for name, (file, colour) in TABLES.items():
            for planner, style, words in (("on", "-", "with planner"), ("off", ":", "policy alone")):
                for at, curve in enumerate(curves(file, world, planner)):
                    steps, values = zip(*[point for point in curve if point[0] > 0], strict=True)
                    label = f"{name}, {words}" if at == 0 else None
                    axes.plot(steps, values, style, color=colour, linewidth=1.4, alpha=0.75, label=label)
        axes.axhline(FLOORS[world], color="grey", linewidth=1, linestyle="--", label="straight at the goal")
        axes.set_xscale("log")
        axes.set_ylim(0, 1.02)
        axes.set_title(title)
        axes.set_xlabel("learning steps")
        axes.spines[["top", "right"]].set_visible(False)
    panels[0, 0].set_ylabel("coverage within 400 steps")
    panels[0, -1].legend(fontsize=8, loc="center left", bbox_to_anchor=(1.02, 0.5), frameon=False)
    figure.tight_layout()
    matplotlib.rcParams["svg.hashsalt"] = "sac-waypoints"
    figure.savefig(HERE / "figure.svg", metadata={"Date": None}, facecolor="white")


if __name__ == "__main__":
    main()
