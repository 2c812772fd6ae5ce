"""The tables of README.md from results.csv: python report.py"""

from __future__ import annotations

import csv
from pathlib import Path
from statistics import mean

ROWS = list(csv.DictReader((Path(__file__).parent / "results.csv").open()))
TASKS = list(dict.fromkeys(row["task"] for row in ROWS))
TABLES = {
    "Which frames are a success, and which episodes were spoilt (area under the ROC curve)": {
        "success": "success_auc",
        "index ÷ length": "success_auc_index",
        "Euclidean": "success_auc_euclidean",
        "spoilt": "score_auc",
        "length": "score_auc_length",
        "Euclidean end": "score_auc_euclidean",
    },
    "Progress of good episodes (Kendall's τ with the steps left), and the gap between ends of successes and of failures": {
        "τ": "kendall",
        "τ, Euclidean": "kendall_euclidean",
        "gap": "gap",
        "gap, Euclidean": "gap_euclidean",
        "gap, index ÷ length": "gap_index",
    },
    "Steps to go: the share of frames within the 80 % interval, by third of the episode; `reached`, asked for 5 %": {
        "first": "held_third_1",
        "second": "held_third_2",
        "last": "held_third_3",
        "interval (steps)": "interval_steps",
        "error (steps)": "error_steps",
        "false positives": "false_positives",
        "of frames without success": "false_positives_by_flag",
        "true positives": "true_positives_by_flag",
    },
}


def cell(rows: list[dict[str, str]], column: str) -> str:
    values = [float(row[column]) for row in rows]
    digits = 1 if column.endswith("_steps") else 3
    return f"{mean(values):.{digits}f} ({min(values):.{digits}f} … {max(values):.{digits}f})"


def main() -> None:
    for title, columns in TABLES.items():
        print(f"{title}:\n\n| task | {' | '.join(columns)} |\n|---|{'---|' * len(columns)}")
        for task in TASKS:
            rows = [row for row in ROWS if row["task"] == task]
            print(f"| {task} | {' | '.join(cell(rows, column) for column in columns.values())} |")
        print(f"| all | {' | '.join(cell(ROWS, column) for column in columns.values())} |\n")


if __name__ == "__main__":
    main()
