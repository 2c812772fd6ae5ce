"""One change of the paper's loop at a time: Point Mass, Euclidean distance, 40 iterations, tuning seeds 10 to 17.

    python run.py --isochrone isochrone --runs RUNS [--jobs 2] [--seeds 10-17]

Writes results.csv, with the variant of every row, and prints the table of the README. Runs that are there already are resumed.
"""

from __future__ import annotations

import argparse
import csv
import math
import statistics
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from training_runs import Run, coverages, interval, table, train  # noqa: E402

LENGTH = ("iterations=40", "evaluate_every=5", "evaluation.rollouts=1")
VARIANTS = {
    "paper": (),
    "difference": ("learner.input=state_goal_difference",),
    "mlp-baseline": ("learner.baseline=mlp",),
    "pooled-labels": ("labels=pooled",),
    "gan-noise": ("generator.noise_std_m=0.25",),
    "frontier": ("generator=frontier",),
    "goal-filter": ("goal_filter=near_visited",),
}
HERE = Path(__file__).parent
WORST_LOSS = -0.03
"""A change is kept if it lowers the spread over seeds and the interval of the mean difference is above this."""


def runs(variant: str, seeds: range) -> list[Run]:
    """One variant on all seeds."""
    return [
        Run(f"{variant}-seed{seed}", "point-mass-paper", (f"seed={seed}", *LENGTH, *VARIANTS[variant])) for seed in seeds
    ]


def write(folder: Path, isochrone: str, seeds: range) -> None:
    """All variants in one table."""
    lines: list[dict[str, str]] = []
    for variant in VARIANTS:
        part = folder / f"{variant}.csv"
        if not any((folder / run.name / "eval.jsonl").exists() for run in runs(variant, seeds)):
            continue
        table(runs(variant, seeds), folder, isochrone, part)
        with part.open(newline="") as rows:
            lines += [{"variant": variant, **row} for row in csv.DictReader(rows)]
    with (HERE / "results.csv").open("w", newline="") as out:
        writer = csv.DictWriter(out, list(lines[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)


def report() -> None:
    """The table of the README."""
    found = {variant: coverages(HERE / "results.csv", "off", variant=variant) for variant in VARIANTS}
    paper = {run.seed: run.short for run in found["paper"]}
    print("| change | seeds | mean | SD | minus paper, 95 % | kept |\n|---|---|---|---|---|---|")
    for variant, of_seed in found.items():
        values = [run.short for run in of_seed]
        if len(values) < 2:
            continue
        spread = statistics.stdev(values)
        mean, half = interval(run.short - paper[run.seed] for run in of_seed if run.seed in paper)
        is_kept = spread < statistics.stdev(paper.values()) and mean - half > WORST_LOSS
        kept = "" if variant == "paper" else "yes" if is_kept else "no"
        difference = "" if variant == "paper" or math.isnan(half) else f"{mean:+.3f} ± {half:.3f}"
        print(f"| {variant} | {len(values)} | {statistics.fmean(values):.3f} | {spread:.3f} | {difference} | {kept} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--isochrone", default="isochrone")
    parser.add_argument("--runs", type=Path, required=True)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seeds", default="10-17")
    options = parser.parse_args()
    first, last = (int(seed) for seed in options.seeds.split("-"))
    seeds = range(first, last + 1)
    wanted = [run for seed in seeds for variant in VARIANTS for run in runs(variant, range(seed, seed + 1))]
    train(wanted, options.runs, options.isochrone, options.jobs)
    write(options.runs, options.isochrone, seeds)
    report()


if __name__ == "__main__":
    main()
