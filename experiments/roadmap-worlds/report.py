"""The table of the README: means over seeds.

    python report.py results.csv
"""

from __future__ import annotations

import csv
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

Rows = list[dict[str, str]]


def mean(rows: Rows, key: str) -> float:
    return float(np.mean([float(row[key]) for row in rows]))


def share(rows: Rows, part: str, whole: str) -> float:
    """In per cent, of all seeds together."""
    return 100 * sum(float(row[part]) for row in rows) / max(1.0, sum(float(row[whole]) for row in rows))


def success(rows: Rows) -> str:
    """In per cent: the mean, and all seeds."""
    seeds = [100 * float(row["success"]) for row in rows]
    return "–" if np.isnan(seeds[0]) else f"{np.mean(seeds):.1f} ({', '.join(f'{seed:.0f}' for seed in seeds)})"


def main() -> None:
    table: dict[tuple[str, ...], Rows] = defaultdict(list)
    with Path(sys.argv[1]).open(newline="") as file:
        for row in csv.DictReader(file):
            table[row["world"], row["states"], row["method"]].append(row)
    print("| world | states | method | landmarks, hops | success % (seeds) | connected | false hops % | routes with one % | route / log |")
    print("|---|---|---|---|---|---|---|---|---|")
    for (world, states, method), rows in sorted(table.items(), key=lambda item: item[0][:2]):
        first = rows[0]
        settings = f"{int(first['landmarks']):,} {first['selection']}, {float(first['hop_steps']):g}"
        calibration = mean(rows, "route_steps_over_observed")
        print(
            f"| {world} | {states} | {method} | {settings} | {success(rows)} | {mean(rows, 'connected_share'):.3f}"
            f" | {share(rows, 'false_hops', 'hops'):.2f} | {share(rows, 'routes_with_false_hop', 'routes'):.1f}"
            f" | {'–' if np.isnan(calibration) else f'{calibration:.2f}'} |"
        )


if __name__ == "__main__":
    main()
