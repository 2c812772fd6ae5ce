"""Isochrone's training step on images beside PyTorch's: same network, one CPU, taken in turns.

`python images.py` prints a Markdown table; `python images.py TASK` is one peer, which reads the number of steps
from each line and answers with the CPU seconds of one.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from peers import HERE, ONE_THREAD, cpu_model, find_isochrone, note, run_json, table
from rollouts import spread_cell, spread_of

# Our encoder: see crates/isochrone-experiments/src/bench/images.rs.
SIDE, CHANNELS, BATCH = 32, 64, 64
STRIDES = (1, 2, 1, 2)
HIDDEN, DIMS, RATE = 128, 32, 1e-5
STEPS = 4
TASKS = ("torch", "torch-channels-last")


def peer(task: str) -> None:
    """Answers one line of JSON for each line of stdin."""
    import torch
    from torch import nn

    torch.set_num_threads(1)
    torch.manual_seed(0)
    layers: list[nn.Module] = []
    inputs = 3
    for stride in STRIDES:
        convolution = nn.Conv2d(inputs, CHANNELS, 3, stride, padding=1, bias=False)
        layers += [convolution, nn.BatchNorm2d(CHANNELS), nn.ReLU()]
        inputs = CHANNELS
    features = CHANNELS * (SIDE // 4) ** 2
    layers += [nn.Flatten(), nn.Linear(features, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, HIDDEN), nn.ReLU()]
    model = nn.Sequential(*layers, nn.Linear(HIDDEN, DIMS))
    images = torch.randint(0, 256, (STEPS, 2 * BATCH, 3, SIDE, SIDE), dtype=torch.uint8)
    lags = torch.randint(1, 100, (STEPS, BATCH)).float()
    layout = torch.channels_last if task == "torch-channels-last" else torch.contiguous_format
    model = model.to(memory_format=layout)
    adam = torch.optim.Adam(model.parameters(), lr=RATE, fused=True)

    def step(number: int) -> None:
        rows = (images[number].float() / 255).to(memory_format=layout)
        points = model(rows)
        distances = (points[BATCH:] - points[:BATCH]).norm(dim=1)
        adam.zero_grad()
        (distances - lags[number]).square().mean().backward()
        adam.step()

    step(0)
    for line in sys.stdin:
        steps = int(line)
        start = time.process_time()
        for number in range(steps):
            step(number % STEPS)
        print((time.process_time() - start) / steps, flush=True)


def ask(child: subprocess.Popen[str]) -> float:
    assert child.stdin and child.stdout
    print(STEPS, file=child.stdin, flush=True)
    return float(child.stdout.readline())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task", nargs="?", choices=TASKS, help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--isochrone", metavar="PATH", help="isochrone-experiments; default: found on PATH")
    parser.add_argument("--json", metavar="FILE", help="write everything measured")
    arguments = parser.parse_args()
    if arguments.task:
        peer(arguments.task)
        return
    ours = find_isochrone(arguments.isochrone)
    if ours is None:
        raise SystemExit("ratios are to isochrone: --isochrone PATH is needed")
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    command = [sys.executable, str(HERE / "images.py")]
    children = {
        task: subprocess.Popen(
            [*command, task], env=os.environ | ONE_THREAD, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for task in TASKS
    }
    rounds: list[dict[str, float]] = []
    bench = [ours.program, "bench", "images", "--rounds", "1", "--steps", str(STEPS), "--batch", str(BATCH), "--json"]
    for number in range(arguments.rounds + 1):
        note(f"round {number} of {arguments.rounds}" if number else "warming up")
        found = run_json(bench)
        taken = {"ours": found["pairs_us"]["median"] / 1e6, "ours-clips": found["clips_us"]["median"] / 1e6}
        taken |= {task: ask(child) for task, child in children.items()}
        if number:
            rounds.append(taken)
    for child in children.values():
        child.stdin.close()  # type: ignore[union-attr]
        child.wait()
    lines = []
    for name in ("ours", "ours-clips", *TASKS):
        seconds = spread_of([taken[name] for taken in rounds])
        ratio = spread_of([taken[name] / min(taken[task] for task in TASKS) for taken in rounds])
        lines.append({"name": name, "cpu_s": seconds, "ratio_to_fastest_peer": ratio})
    everything: dict[str, Any] = {"cpu": cpu_model(), "isochrone": ours.version(), "lines": lines, "rounds": rounds}
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(everything, indent=1) + "\n")

    def digits(value: float) -> str:
        return f"{value:.3f}"

    print(f"{everything['cpu']}; {everything['isochrone']}; {len(rounds)} rounds; {BATCH} pairs of images of {SIDE} × {SIDE}.\n")
    rows = [
        [line["name"], spread_cell(line["cpu_s"], digits), spread_cell(line["ratio_to_fastest_peer"], digits)] for line in lines
    ]
    print(table(["program", "CPU s per step [min–max]", "÷ the faster peer [min–max]"], rows))


if __name__ == "__main__":
    main()
