"""Prints the tables of the README: python report.py [results.csv]."""

from __future__ import annotations

import statistics
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent))
from training_runs import Coverage, coverages, interval  # noqa: E402

METHODS = {"l2": "Euclidean", "off_policy": "learned, off-policy", "on_policy": "learned, on-policy"}
WORLDS = ("point-mass", "point-mass-spiral", "point-mass-thin-spiral", "point-mass-one-way")


def long(run: Coverage) -> float:
    """Within 1,000 steps; every run here has it."""
    return run.long if run.long is not None else float("nan")


def line(values: list[float]) -> str:
    """Mean, interval, SD and the worst seed."""
    mean, half = interval(values)
    return f"{mean:.3f} ± {half:.3f} (SD {statistics.stdev(values):.3f}, worst {min(values):.3f})"


def main() -> None:
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "results.csv"
    print("| world | distance | seeds | planner | in 400 steps | in 1,000 steps |\n|---|---|---|---|---|---|")
    for world in WORLDS:
        for method, name in METHODS.items():
            for planner in ("off", "on"):
                found = coverages(file, planner, world=world, method=method)
                if len(found) > 1:
                    cells = line([run.short for run in found]), line([long(run) for run in found])
                    print(f"| `{world}` | {name} | {len(found)} | {planner} | {cells[0]} | {cells[1]} |")
    print("\n| world | learned minus Euclidean, with planner | in 400 steps | in 1,000 steps |\n|---|---|---|---|")
    for world in WORLDS:
        straight = {run.seed: run for run in coverages(file, "on", world=world, method="l2")}
        for method in ("off_policy", "on_policy"):
            pairs = [(run, straight[run.seed]) for run in coverages(file, "on", world=world, method=method) if run.seed in straight]
            if len(pairs) > 1:
                short = interval(one.short - other.short for one, other in pairs)
                far = interval(long(one) - long(other) for one, other in pairs)
                cells = [f"{mean:+.3f} ± {half:.3f}" for mean, half in (short, far)]
                print(f"| `{world}` | {METHODS[method]} | {cells[0]} | {cells[1]} |")


if __name__ == "__main__":
    main()
