"""Tables and figures of the results: success over data seeds with 95 % intervals.

    python report.py results.csv --studies studies.csv --robustness robustness.csv --figures ../../docs/images

Prints Markdown. An interval is Student's over the means of the seeds; where all seeds agree it is a point.
"""

from __future__ import annotations

import argparse
import csv
from collections import defaultdict
from pathlib import Path

import matplotlib as mpl
import numpy as np
from run import DATASETS, METHODS

mpl.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

T_975 = [np.nan, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365]
"""Student's t at 97.5 %, by degrees of freedom."""
PUBLISHED = {
    "pointmaze-medium-navigate": "98 (QRL + TTGS)",
    "pointmaze-large-navigate": "92 (QRL + TTGS)",
    "pointmaze-giant-navigate": "95 (SAW + TTGS)",
    "pointmaze-medium-stitch": "100 (CompDiffuser)",
    "pointmaze-large-stitch": "100 (CompDiffuser)",
    "pointmaze-giant-stitch": "98 (GCIQL + TTGS, ALPS)",
}
"""The best success in per cent that papers report, on OGBench's own draw of the data; not rerun."""
NAMES = {"noise": "six noise dimensions", "drift": "two drifting dimensions", "rescaled": "axes rescaled 1–100"}

Seeds = dict[tuple[str, ...], dict[int, list[float]]]


def read(file: Path, *keys: str) -> Seeds:
    """Successes of all tasks by these columns and by seed."""
    table: Seeds = defaultdict(lambda: defaultdict(list))
    with file.open(newline="") as rows:
        for row in csv.DictReader(rows):
            table[tuple(row[key] for key in keys)][int(row["seed"])].append(float(row["success"]))
    return table


def interval(seeds: dict[int, list[float]]) -> tuple[float, float, int]:
    """Mean and half width, in per cent, and the number of seeds."""
    means = 100 * np.array([np.mean(tasks) for tasks in seeds.values()])
    freedom = len(means) - 1
    half = T_975[freedom] * means.std(ddof=1) / np.sqrt(len(means)) if freedom else float("nan")
    return float(means.mean()), float(half), len(means)


def cell(seeds: dict[int, list[float]] | None) -> str:
    if not seeds:
        return "–"
    mean, half, n = interval(seeds)
    return f"{mean:.1f} ± {half:.1f} ({n})" if n > 1 else f"{mean:.1f} (1)"


def main_table(file: Path) -> None:
    table = read(file, "dataset", "method")
    print("| data set | " + " | ".join(METHODS) + " | best published |")
    print("|---" * (len(METHODS) + 2) + "|")
    for dataset in DATASETS:
        cells = [cell(table.get((dataset, method))) for method in METHODS]
        print(f"| {dataset.removeprefix('pointmaze-')} | " + " | ".join(cells) + f" | {PUBLISHED.get(dataset, '–')} |")


def study_table(file: Path, figures: Path | None) -> None:
    table = read(file, "study", "method", "landmarks", "hop_steps")
    print("\n| giant-stitch with | method | landmarks | hops | success % |\n|---|---|---|---|---|")
    for (study, method, landmarks, hops), seeds in table.items():
        print(f"| {NAMES.get(study, study)} | {method} | {landmarks} | {float(hops):g} | {cell(seeds)} |")
    if figures:
        draw_studies(table, figures / "roadmap-studies.svg")


def draw_studies(table: Seeds, out: Path) -> None:
    studies = list(dict.fromkeys(key[0] for key in table))
    methods = list(dict.fromkeys(key[1] for key in table))
    figure, axes = plt.subplots(figsize=(7.2, 3.2), layout="constrained")
    width = 0.8 / len(methods)
    for number, method in enumerate(methods):
        found = [next(interval(seeds) for key, seeds in table.items() if key[:2] == (study, method)) for study in studies]
        at = np.arange(len(studies)) + (number - (len(methods) - 1) / 2) * width
        # A share is between 0 and 100, whatever Student's interval says.
        whiskers = np.array([(min(half, mean), min(half, 100 - mean)) for mean, half, _ in found]).T
        bars = axes.bar(at, [mean for mean, _, _ in found], width, yerr=whiskers, capsize=3, label=method)
        axes.bar_label(bars, fmt="%.0f", padding=3, fontsize=9)
    axes.set_xticks(range(len(studies)), [NAMES.get(study, study) for study in studies])
    axes.set(ylabel="success, %", ylim=(0, 118), title="OGBench giant-stitch, other observations; whiskers: 95 % intervals over data seeds")
    axes.title.set_fontsize(10)
    axes.set_yticks(range(0, 101, 20))
    axes.legend(frameon=False, ncols=3, loc="upper center", bbox_to_anchor=(0.5, -0.12))
    figure.savefig(out)


def robustness_table(file: Path, figures: Path | None) -> None:
    table = read(file, "data_share", "landmarks", "hop_steps")
    print("\n| share of the data | success % |\n|---|---|")
    for (share, _, _), seeds in table.items():
        if share != "1.0":
            print(f"| {100 * float(share):g} % | {cell(seeds)} |")
    grid = {(int(n), float(hops)): interval(seeds)[0] for (share, n, hops), seeds in table.items() if share == "1.0"}
    landmarks, hops = sorted({key[0] for key in grid}), sorted({key[1] for key in grid})
    print("\n| landmarks | " + " | ".join(f"hops of {steps:g}" for steps in hops) + " |\n" + "|---" * (len(hops) + 1) + "|")
    for n in landmarks:
        print(f"| {n:,} | " + " | ".join(f"{grid.get((n, steps), np.nan):.0f}" for steps in hops) + " |")
    if figures:
        draw_heat(grid, landmarks, hops, figures / "roadmap-robustness.svg")


def draw_heat(grid: dict[tuple[int, float], float], landmarks: list[int], hops: list[float], out: Path) -> None:
    values = np.array([[grid.get((n, steps), np.nan) for steps in hops] for n in landmarks])
    figure, axes = plt.subplots(figsize=(4.6, 3.6), layout="constrained")
    image = axes.imshow(values, vmin=0, vmax=100, cmap="viridis", aspect="auto", origin="lower")
    for row, column in np.ndindex(values.shape):
        value = values[row, column]
        axes.text(column, row, f"{value:.0f}", ha="center", va="center", color="black" if value > 60 else "white")
    axes.set_xticks(range(len(hops)), [f"{steps:g}" for steps in hops])
    axes.set_yticks(range(len(landmarks)), [f"{n:,}" for n in landmarks])
    axes.set(xlabel="longest hop, steps", ylabel="landmarks", title="OGBench giant-stitch")
    figure.colorbar(image, label="success, %")
    figure.savefig(out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("--studies", type=Path)
    parser.add_argument("--robustness", type=Path)
    parser.add_argument("--figures", type=Path, help="folder for SVG files")
    args = parser.parse_args()
    main_table(args.results)
    if args.studies:
        study_table(args.studies, args.figures)
    if args.robustness:
        robustness_table(args.robustness, args.figures)


if __name__ == "__main__":
    main()
