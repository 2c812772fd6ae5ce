"""Isochrone's training step beside its peers: same network, one CPU, taken in turns.

Prints a Markdown report; see README.md for how to read it.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from peers import HERE, ONE_THREAD, Isochrone, cpu_model, find_isochrone, note, run_json, table
from rollouts import spread_cell, spread_of

BATCHES = (32, 1024, 8192)
# A round is this many pairs and at least this many steps of each batch size.
PAIRS = 65_536
LEAST_STEPS = 20

Result = dict[str, Any]


@dataclass(frozen=True)
class Peer:
    task: str
    about: str
    targets: dict[int, float]  # batch -> how many times its speed ours has to be


PEERS = (
    Peer("torch-eager", "PyTorch, eager", {32: 4.0}),
    Peer("torch-fused", "PyTorch, eager, fused Adam", {}),
    Peer("torch-compile", "PyTorch, `torch.compile`, fused Adam", {}),
    Peer("jax-jit", "JAX, `jit`", {}),
    Peer("jax-scan", "JAX, `lax.scan` of 100 steps", {}),
)
# Ours, from one answer of our program.
OURS = {
    "ours": "ours_us",
    "step": "step_us",
    "burn": "burn_us",
    "burn-differences": "burn_differences_us",
    "matmul": "matmul_us",
}


def steps_of(batch: int) -> int:
    return max(LEAST_STEPS, PAIRS // batch)


# --------------------------------------------------------------------- children


class Worker:
    """A peer that stays: it compiles once and waits for its turns."""

    def __init__(self, task: str) -> None:
        command = [sys.executable, str(HERE / "distance_tasks.py"), task]
        self.task = task
        self.child = subprocess.Popen(
            command,
            env=os.environ | ONE_THREAD,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def measure(self, batch: int) -> Result:
        asked = {"batch": batch, "steps": steps_of(batch)}
        print(json.dumps(asked), file=self.child.stdin, flush=True)
        line = self.child.stdout.readline()
        if not line:
            raise SystemExit(f"{self.task} ended with {self.child.wait()}")
        told = json.loads(line)
        return {
            "cpu_us": 1e6 * told["cpu_s"] / told["steps"],
            "wall_us": 1e6 * told["wall_s"] / told["steps"],
            **told,
        }

    def end(self) -> None:
        self.child.stdin.close()
        self.child.wait()


def measure_ours(ours: Isochrone, batch: int) -> dict[str, Result]:
    """One counted round of ours; it makes one that is not counted before."""
    size = ["--batches", str(batch), "--pairs", str(batch * steps_of(batch)), "--rounds", "1"]
    (found,) = run_json([ours.program, "bench", "distance", *size, "--json"])
    if found["batch"] != batch:
        raise SystemExit(f"{ours.program}: unexpected answer {found}")
    return {
        name: {"cpu_us": found[key]["median"], "wall_us": found["wall"][key]["median"]}
        for name, key in OURS.items()
    }


# ----------------------------------------------------------------------- rounds

Rounds = dict[tuple[int, str], list[Result]]  # by batch and name, one result per round


def one_round(ours: Isochrone, workers: list[Worker]) -> dict[tuple[int, str], Result]:
    results: dict[tuple[int, str], Result] = {}
    for batch in BATCHES:
        for name, result in measure_ours(ours, batch).items():
            results[batch, name] = result
        for worker in workers:
            results[batch, worker.task] = worker.measure(batch)
    return results


def all_rounds(ours: Isochrone, rounds: int) -> Rounds:
    workers = [Worker(peer.task) for peer in PEERS]
    note("warming up")
    one_round(ours, workers)
    taken: Rounds = {}
    for number in range(1, rounds + 1):
        note(f"round {number} of {rounds}")
        for key, result in one_round(ours, workers).items():
            taken.setdefault(key, []).append(result)
    for worker in workers:
        worker.end()
    return taken


# ------------------------------------------------------------------------ lines


def line_of(taken: Rounds, batch: int, name: str, about: str, target: float | None) -> Result:
    rounds, ours = taken[batch, name], taken[batch, "ours"]

    def ratio(clock: str) -> Result:
        return spread_of([a[clock] / b[clock] for a, b in zip(rounds, ours, strict=True)])

    return {
        "batch": batch,
        "name": name,
        "about": about,
        "cpu_us": spread_of([r["cpu_us"] for r in rounds]),
        "wall_us": spread_of([r["wall_us"] for r in rounds]),
        "cpu_ratio": None if name == "ours" else ratio("cpu_us"),
        "wall_ratio": None if name == "ours" else ratio("wall_us"),
        "target": target,
    }


def lines_of(taken: Rounds) -> list[Result]:
    lines = []
    for batch in BATCHES:
        about = {
            "ours": "**ours**: pairs drawn, gathered, learned from",
            "step": "our step alone",
            "burn": "Burn's own loop",
            "burn-differences": "Burn's own loop, last layer on differences",
            "matmul": "the matrix products alone (faer)",
        }
        target = {"burn": 0.95}
        for name, text in about.items():
            lines.append(line_of(taken, batch, name, text, target.get(name)))
        for peer in PEERS:
            lines.append(line_of(taken, batch, peer.task, peer.about, peer.targets.get(batch)))
    return lines


# ----------------------------------------------------------------------- report


def microseconds(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def two_digits(value: float) -> str:
    return f"{value:.2f}"


def verdict(line: Result) -> str:
    target = line["target"]
    if target is None:
        return "-"
    met = line["cpu_ratio"]["median"] >= target
    return f">= {target:g}: {'met' if met else 'MISSED'}"


def row_of(line: Result) -> list[str]:
    return [
        str(line["batch"]),
        line["about"],
        spread_cell(line["cpu_us"], microseconds),
        spread_cell(line["wall_us"], microseconds),
        spread_cell(line["cpu_ratio"], two_digits),
        spread_cell(line["wall_ratio"], two_digits),
        verdict(line),
    ]


def report(everything: Result) -> str:
    about = everything["about"]
    packages = ", ".join(f"{k} {v}" for k, v in about["packages"].items())
    load = " → ".join(f"{x:.1f}" for x in about["load"])
    head = [
        "batch",
        "program",
        "CPU µs per step [min–max]",
        "wall µs [min–max]",
        "theirs ÷ ours, CPU [min–max]",
        "theirs ÷ ours, wall [min–max]",
        "target",
    ]
    return "\n\n".join(
        [
            f"Date {about['date']}; {about['cpu']}, one of {about['cpus']} CPUs, load {load}; "
            f"Python {about['python']}; {packages}; {about['isochrone']}; "
            f"rounds: {about['rounds']}.",
            table(head, [row_of(line) for line in everything["lines"]]),
        ]
    )


# ------------------------------------------------------------------------- main


def bind_to_one_cpu() -> None:
    """This process and all it starts: no library finds a second one for its threads."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def describe(arguments: argparse.Namespace, ours: Isochrone) -> Result:
    return {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "cpu": cpu_model(),
        "cpus": os.cpu_count(),
        "python": platform.python_version(),
        "system": platform.platform(),
        "load": [os.getloadavg()[0]],
        "rounds": arguments.rounds,
        "isochrone": ours.version(),
        **run_json([sys.executable, str(HERE / "distance_tasks.py"), "describe"]),
    }


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--isochrone", metavar="PATH", help="default: found on PATH")
    parser.add_argument("--json", metavar="FILE", help="write everything measured")
    parser.add_argument("--markdown", metavar="FILE", help="write the report there, too")
    arguments = parser.parse_args()
    if arguments.rounds < 1:
        parser.error("at least one round")
    return arguments


def main() -> None:
    arguments = parse_arguments()
    ours = find_isochrone(arguments.isochrone)
    if ours is None:
        raise SystemExit("ratios are to isochrone: --isochrone PATH is needed")
    about = describe(arguments, ours)
    bind_to_one_cpu()
    taken = all_rounds(ours, arguments.rounds)
    about["load"].append(os.getloadavg()[0])
    rounds = [
        {"batch": batch, "name": name, "rounds": results}
        for (batch, name), results in taken.items()
    ]
    everything: Result = {"about": about, "lines": lines_of(taken), "rounds": rounds}
    text = report(everything)
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(everything, indent=1) + "\n")
    if arguments.markdown:
        Path(arguments.markdown).write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()
