"""What a distance says of robot logs, against labels that it never saw: per task and seed, one line of results.csv.

    python evaluate.py --logs logs --out results.csv --seeds 0 1 2

fits a distance to `logs/train`, and asks of the episodes in `logs/test`: which frames are a success, which episodes were
spoilt, how far along is a frame, how many steps are left. Rivals get the same questions: the frame's index divided by the
length of its episode, and the Euclidean distance to the nearest end state.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

TASKS = ("drawer-open", "door-open", "button-press", "reach", "push")
ASKED = 0.05
"""The false-positive rate that `reached` is asked for."""


def auc(positive: np.ndarray, negative: np.ndarray) -> float:
    """The share of pairs in which the positive one is larger; ties count half."""
    both = np.concatenate([positive, negative])
    _, place, count = np.unique(both, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(count) - (count + 1) / 2)[place]
    wins = ranks[: len(positive)].sum() - len(positive) * (len(positive) - 1) / 2
    return float(wins / (len(positive) * len(negative)))


def kendall(values: np.ndarray, steps: np.ndarray) -> float:
    """Kendall's tau-a of progress with the steps left, the sign turned: 1 if it rises with every step."""
    above = np.triu_indices(len(values), 1)
    signs = np.sign(values[above[1]] - values[above[0]]) * np.sign(steps[above[0]] - steps[above[1]])
    return float(signs.mean())


class Logs:
    """A file of collect.py, episode by episode."""

    def __init__(self, file: Path):
        table = pq.read_table(file)
        self.file = file
        self.states = np.array(table["observation.state"].to_pylist())
        self.success = np.array(table["next.success"])
        episode = np.array(table["episode_index"])
        starts = np.flatnonzero(np.diff(episode, prepend=-1))
        self.rows = [np.arange(a, b) for a, b in zip(starts, [*starts[1:], len(episode)])]
        kinds = np.array(table["kind"].to_pylist())
        self.good = np.array([kinds[rows[0]] == "good" for rows in self.rows])
        self.done = np.array([self.success[rows[-1]] for rows in self.rows])
        self.frames = np.array(table["frame_index"])
        self.left = np.concatenate([np.arange(len(rows))[::-1] for rows in self.rows])
        self.length = self.frames + self.left

    @property
    def ends(self) -> np.ndarray:
        return self.states[[rows[-1] for rows in self.rows]]


def euclidean(states: np.ndarray, goals: np.ndarray) -> np.ndarray:
    """From every state to every goal."""
    return np.sqrt(((states[:, None] - goals[None]) ** 2).sum(-1))


def run(command: str, *arguments: object) -> str:
    words = [command, *map(str, arguments)]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def write_goals(file: Path, logs: Logs) -> None:
    """The last states of the episodes that a person would call a success."""
    width = logs.states.shape[1]
    with file.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["episode_index", *(f"observation.state.{at}" for at in range(width))])
        for number, state in enumerate(logs.ends[logs.done]):
            writer.writerow([number, *map(repr, state.tolist())])


def evaluate(task: str, seed: int, options: argparse.Namespace) -> dict[str, object]:
    train, test = (Logs(options.logs / part / f"{task}-{seed}.parquet") for part in ("train", "test"))
    work = options.work / f"{task}-{seed}"
    work.mkdir(parents=True, exist_ok=True)
    model, goals = work / "distance.isochrone", work / "goals.csv"
    write_goals(goals, train)
    if not model.exists():
        run(options.command, "fit", train.file, "-o", model, "--set", "held_out=0.2", "--seed", seed)
    run(options.command, "reached", model, "--goals", goals, "--episodes", train.file, "--false-positives", ASKED)
    run(options.command, "progress", model, test.file, "-o", work / "own.parquet")
    run(options.command, "progress", model, test.file, "-o", work / "to.parquet", "--to", goals)
    run(options.command, "episodes", model, test.file, "-o", work / "episodes.csv")
    run(options.command, "distance", model, test.file, "--to", goals, "-o", work / "distance.csv")
    distance = np.array([float(row["distance_steps"]) for row in csv.DictReader((work / "distance.csv").open())])
    score = np.array([float(row["score"]) for row in csv.DictReader((work / "episodes.csv").open())])
    own, towards = pq.read_table(work / "own.parquet"), pq.read_table(work / "to.parquet")
    epsilon = reached_epsilon(options.command, model)
    found: dict[str, object] = {"task": task, "seed": seed}
    found |= of_success(test, distance, train.ends[train.done])
    found |= of_score(test, score)
    found |= of_progress(test, own, towards, train.ends[train.done])
    found |= of_interval(test, own)
    found |= of_reached(test, distance < epsilon)
    return found


def reached_epsilon(command: str, model: Path) -> float:
    return json.loads(run(command, "info", model, "--json"))["reached"]["epsilon_steps"]


def of_success(test: Logs, distance: np.ndarray, goals: np.ndarray) -> dict[str, float]:
    yes, rivals = test.success, {"index": test.frames / np.maximum(test.length, 1), "euclidean": -euclidean(test.states, goals).min(1)}
    ends = [rows[-1] for rows in test.rows]
    return {
        "success_auc": auc(-distance[yes], -distance[~yes]),
        "success_auc_index": auc(rivals["index"][yes], rivals["index"][~yes]),
        "success_auc_euclidean": auc(rivals["euclidean"][yes], rivals["euclidean"][~yes]),
        "end_success_auc": auc(-distance[ends][test.done], -distance[ends][~test.done]),
        "end_success_auc_euclidean": auc(rivals["euclidean"][ends][test.done], rivals["euclidean"][ends][~test.done]),
    }


def of_score(test: Logs, score: np.ndarray) -> dict[str, float]:
    apart = euclidean(test.ends, test.ends)
    np.fill_diagonal(apart, np.nan)
    usual = np.nanquantile(apart, 0.25, axis=1)
    lengths = np.array([len(rows) for rows in test.rows])
    unusual = np.abs(lengths - np.median(lengths))
    return {
        "score_auc": auc(-score[~test.good], -score[test.good]),
        "score_auc_length": auc(unusual[~test.good], unusual[test.good]),
        "score_auc_euclidean": auc(usual[~test.good], usual[test.good]),
    }


def of_progress(test: Logs, own, towards, goals: np.ndarray) -> dict[str, float]:
    progress = np.array(own["progress_sparse"])
    to_goal = np.array(towards["progress_sparse"])
    taus, rivals, last, last_euclidean = [], [], [], []
    last_index = np.array([test.frames[rows[-1]] / max(test.length[rows[-1]], 1) for rows in test.rows])
    for rows, good in zip(test.rows, test.good):
        apart = euclidean(test.states[rows], goals).min(1)
        last.append(to_goal[rows[-1]])
        last_euclidean.append(1.0 - apart[-1] / apart[0])
        if good:
            taus.append(kendall(progress[rows], test.left[rows]))
            rivals.append(kendall(-euclidean(test.states[rows], test.states[rows[-1:]])[:, 0], test.left[rows]))
    last, last_euclidean = np.array(last), np.array(last_euclidean)
    return {
        "kendall": float(np.mean(taus)),
        "kendall_euclidean": float(np.mean(rivals)),
        "gap": float(last[test.done].mean() - last[~test.done].mean()),
        "gap_euclidean": float(last_euclidean[test.done].mean() - last_euclidean[~test.done].mean()),
        "gap_index": float(last_index[test.done].mean() - last_index[~test.done].mean()),
    }


def of_interval(test: Logs, own) -> dict[str, float]:
    low, high = np.array(own["steps_to_go_low"]), np.array(own["steps_to_go_high"])
    held = (low <= test.left) & (test.left <= high)
    third = np.minimum(3 * test.frames // (test.length + 1), 2)
    shares = {f"held_third_{at + 1}": float(held[third == at].mean()) for at in range(3)}
    error = np.abs(np.array(own["steps_to_go"]) - test.left)
    return shares | {"held": float(held.mean()), "interval_steps": float(np.mean(high - low)), "error_steps": float(error.mean())}


def of_reached(test: Logs, reached: np.ndarray) -> dict[str, float]:
    before = test.left > round(0.1 * float(np.median([len(rows) - 1 for rows in test.rows])))
    return {
        "asked": ASKED,
        "false_positives": float(reached[before].mean()),
        "false_positives_by_flag": float(reached[~test.success].mean()),
        "true_positives_by_flag": float(reached[test.success].mean()),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--logs", type=Path, required=True, help="folder with train/ and test/ of collect.py")
    parser.add_argument("--work", type=Path, required=True, help="folder for distances and tables")
    parser.add_argument("--out", type=Path, required=True, help="results.csv")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=TASKS)
    parser.add_argument("--command", default="isochrone")
    parser.add_argument("--revision", default="", help="recorded in the table")
    options = parser.parse_args()
    rows = [evaluate(task, seed, options) for task in options.tasks for seed in options.seeds]
    with options.out.open("w", newline="") as out:
        writer = csv.DictWriter(out, ["revision", *rows[0]], lineterminator="\n")
        writer.writeheader()
        for row in rows:
            numbers = {name: f"{value:.4f}" if isinstance(value, float) else value for name, value in row.items()}
            writer.writerow({"revision": options.revision, **numbers})
    for name in ("success_auc", "score_auc", "held_third_1", "held_third_2", "held_third_3", "false_positives"):
        print(name, *(f"{task} {np.mean([r[name] for r in rows if r['task'] == task]):.3f}" for task in options.tasks))


if __name__ == "__main__":
    main()
