"""Fewest steps from random walks: fits `--target geodesic` to walks in mazes and holds it against the shortest paths.

    python run.py --isochrone isochrone --work WORK --out results.csv --seeds 0-2

Results are added to the table as they come; what is in it already is not run again. WORK keeps data, models and reports.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from results_table import ResultsTable, revision  # noqa: E402

MAZES = ["u-room", "u-maze", "medium", "giant"]
EPISODES, STEPS = 1_000, 400
FIELDS = ["maze", "seed", "rank_per_goal", "rank_worst_goal", "greedy_descent", "median_relative_error", "at_zero", "seconds", "revision"]
HERE = Path(__file__).parent


def maze_file(name: str) -> Path:
    own = HERE / "mazes" / f"{name}.txt"
    return own if own.exists() else HERE.parents[1] / "examples" / "mazes" / f"{name}.txt"


def collect(command: str, maze: str, seed: int, work: Path) -> Path:
    """Random walks in a maze."""
    walks = work / f"{maze}-{seed}.parquet"
    if not walks.exists():
        size = ["--episodes", str(EPISODES), "--steps", str(STEPS), "--seed", str(seed)]
        subprocess.run([command, "collect", str(maze_file(maze)), *size, "-o", str(walks)], check=True, capture_output=True)
    return walks


def run(command: str, maze: str, seed: int, work: Path) -> dict[str, object]:
    """Collects, fits and assesses; one row of the table."""

    def isochrone(*arguments: object) -> str:
        return subprocess.run([command, *map(str, arguments)], check=True, capture_output=True, text=True).stdout

    walks, model = collect(command, maze, seed, work), work / f"{maze}-{seed}.isochrone"
    start = time.perf_counter()
    isochrone("fit", walks, "--target", "geodesic", "--seed", seed, "-o", model)
    seconds = time.perf_counter() - start
    report = json.loads(isochrone("assess", model, walks, "--maze", maze_file(maze), "--json"))
    truth = report["on_maze"]["shortest"]
    at_zero = report["on_data"]["at_zero"]
    return {
        "maze": maze,
        "seed": seed,
        "rank_per_goal": f"{truth['per_goal']['mean']:.5f}",
        "rank_worst_goal": f"{truth['per_goal']['min']:.5f}",
        "greedy_descent": f"{report['on_maze']['descent']['success']:.5f}",
        "median_relative_error": f"{truth['median_relative_error']:.5f}",
        "at_zero": at_zero["at_zero"] if at_zero else 0,
        "seconds": f"{seconds:.0f}",
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--isochrone", default="isochrone", help="the command")
    parser.add_argument("--work", type=Path, required=True, help="folder for data and models")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--mazes", nargs="+", default=MAZES, choices=MAZES)
    parser.add_argument("--seeds", default="0-2", help="the first and the last")
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    first, last = (int(seed) for seed in args.seeds.split("-"))
    table = ResultsTable(args.out, FIELDS, ("maze", "seed"))
    for seed in range(first, last + 1):
        for maze in args.mazes:
            if table.has(maze, seed):
                continue
            row = run(args.isochrone, maze, seed, args.work) | {"revision": revision()}
            table.add(row)
            print(row, flush=True)


if __name__ == "__main__":
    main()
