"""Trainings side by side: many runs of `isochrone train`, resumed if they are there already, and their table."""

from __future__ import annotations

import argparse
import csv
import math
import statistics
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from results_table import revision

LAST_EVALUATIONS = 3
"""The coverage of a run is the mean of its last three evaluations."""

# Two-sided 95 % quantiles of Student's t distribution, for 1 to 15 degrees of freedom.
STUDENT_T = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131)


class Run(NamedTuple):
    """A training: its folder's name, its preset, its settings."""

    name: str
    preset: str
    settings: tuple[str, ...]


def train(runs: Sequence[Run], folder: Path, isochrone: str, jobs: int) -> None:
    """Trains all of them, `jobs` at a time, each on one thread."""
    folder.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(jobs) as pool:
        for failed in filter(None, pool.map(lambda run: _train(run, folder, isochrone), runs)):
            print(failed)


def _train(run: Run, folder: Path, isochrone: str) -> str | None:
    path = folder / run.name
    if (path / "manifest.json").exists():
        command = [isochrone, "resume", str(path), "--threads", "1"]
    else:
        command = [isochrone, "train", run.preset, *run.settings, "--threads", "1", "--out", str(path), "--revision", revision()]
    with (folder / f"{run.name}.log").open("a") as log:
        code = subprocess.run(command, stdout=log, stderr=log, check=False).returncode
    return f"{run.name} ended with {code}" if code else None


def table(runs: Sequence[Run], folder: Path, isochrone: str, file: Path) -> None:
    """Writes the table of the runs that are there."""
    there = [str(folder / run.name) for run in runs if (folder / run.name / "eval.jsonl").exists()]
    subprocess.run([isochrone, "plot", *there, "--csv", str(file)], check=True)


def run_as_asked(description: str, cases: Sequence[str], runs: Callable[[Sequence[str], range], Sequence[Run]]) -> None:
    """The command line of an experiment: trains the cases and seeds that are asked for, and writes their table."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--isochrone", default="isochrone")
    parser.add_argument("--runs", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("results.csv"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", nargs="+", choices=cases, default=cases)
    parser.add_argument("--seeds", default="0-4")
    options = parser.parse_args()
    first, last = (int(seed) for seed in options.seeds.split("-"))
    wanted = runs(options.only, range(first, last + 1))
    train(wanted, options.runs, options.isochrone, options.jobs)
    table(wanted, options.runs, options.isochrone, options.out)


class Coverage(NamedTuple):
    """The mean of the last evaluations of a run, within 400 and within 1,000 steps."""

    seed: int
    steps: int
    short: float
    long: float | None


def coverages(file: Path, planner: str, **wanted: str) -> list[Coverage]:
    """One per seed, of the rows of a table with these values."""
    wanted = {**wanted, "planner": planner}
    of_seed: dict[int, list[Mapping[str, str]]] = {}
    with file.open(newline="") as rows:
        for row in csv.DictReader(rows):
            if all(row[name] == value for name, value in wanted.items()):
                of_seed.setdefault(int(row["seed"]), []).append(row)
    found = []
    for seed, rows_of_seed in sorted(of_seed.items()):
        last = sorted(rows_of_seed, key=lambda row: int(row["iteration"]))[-LAST_EVALUATIONS:]
        long = [float(row["coverage_1000"]) for row in last if row["coverage_1000"]]
        short = statistics.fmean(float(row["coverage"]) for row in last)
        found.append(Coverage(seed, int(last[-1]["steps"]), short, statistics.fmean(long) if long else None))
    return found


def interval(values: Iterable[float]) -> tuple[float, float]:
    """The mean, and half the width of its 95 % interval by Student's t."""
    values = list(values)
    if len(values) < 2:
        return values[0], math.nan
    return statistics.fmean(values), STUDENT_T[len(values) - 2] * statistics.stdev(values) / math.sqrt(len(values))
