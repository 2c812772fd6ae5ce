"""Isochrone's update of soft actor-critic beside Stable-Baselines3's: same networks, one CPU, taken in turns.

`python sac.py` prints a Markdown table; `python sac.py WIDTH` is the peer, which reads the number of updates from each
line and answers with the CPU seconds of one.
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

# HalfCheetah's sizes.
INPUTS, ACTIONS, BATCH, KEPT = 17, 6, 256, 10_000
WIDTHS = (256, 64)
UPDATES = 100


def peer(width: int) -> None:
    """Answers one line for each line of stdin."""
    import gymnasium as gym
    import numpy as np
    import torch
    from stable_baselines3 import SAC
    from stable_baselines3.common.logger import configure

    torch.set_num_threads(1)

    class Sizes(gym.Env[Any, Any]):
        observation_space = gym.spaces.Box(-1, 1, (INPUTS,), np.float32)
        action_space = gym.spaces.Box(-1, 1, (ACTIONS,), np.float32)

    model = SAC("MlpPolicy", Sizes(), batch_size=BATCH, buffer_size=KEPT, policy_kwargs={"net_arch": [width, width]}, seed=0, device="cpu")
    model.set_logger(configure(None, []))
    rng = np.random.default_rng(0)
    for _ in range(KEPT):
        state, next_state = rng.uniform(-1, 1, (2, 1, INPUTS)).astype(np.float32)
        action = rng.uniform(-1, 1, (1, ACTIONS)).astype(np.float32)
        model.replay_buffer.add(state, next_state, action, state[:, 0], np.zeros(1), [{}])
    model.train(10, BATCH)
    for line in sys.stdin:
        updates = int(line)
        start = time.process_time()
        model.train(updates, BATCH)
        print((time.process_time() - start) / updates, flush=True)


def ask(child: subprocess.Popen[str]) -> float:
    assert child.stdin and child.stdout
    print(UPDATES, file=child.stdin, flush=True)
    return float(child.stdout.readline())


def measure(program: str, width: int, rounds: int, child: subprocess.Popen[str]) -> list[dict[str, float]]:
    sizes = {"inputs": INPUTS, "actions": ACTIONS, "hidden": width, "batch": BATCH, "updates": UPDATES, "rounds": 1}
    bench = [program, "bench", "sac", *(f"--{name}={value}" for name, value in sizes.items()), "--json"]
    found = []
    for number in range(rounds + 1):
        note(f"{width} units, round {number} of {rounds}" if number else f"{width} units, warming up")
        ours = run_json(bench)
        taken = {"ours": ours["update_us"]["median"] / 1e6, "products": ours["products_us"]["median"] / 1e6, "sb3": ask(child)}
        if number:
            found.append(taken)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("width", nargs="?", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--isochrone", metavar="PATH", help="isochrone-experiments; default: found on PATH")
    parser.add_argument("--json", metavar="FILE", help="write everything measured")
    arguments = parser.parse_args()
    if arguments.width:
        peer(arguments.width)
        return
    ours = find_isochrone(arguments.isochrone)
    if ours is None:
        raise SystemExit("ratios are to isochrone: --isochrone PATH is needed")
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    lines = []
    for width in WIDTHS:
        command = [sys.executable, str(HERE / "sac.py"), str(width)]
        child = subprocess.Popen(
            command, env=os.environ | ONE_THREAD, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        rounds = measure(ours.program, width, arguments.rounds, child)
        assert child.stdin
        child.stdin.close()
        child.wait()
        lines.append(
            {
                "width": width,
                "ours_s": spread_of([taken["ours"] for taken in rounds]),
                "sb3_s": spread_of([taken["sb3"] for taken in rounds]),
                "speed_to_sb3": spread_of([taken["sb3"] / taken["ours"] for taken in rounds]),
                "share_of_products": spread_of([taken["products"] / taken["ours"] for taken in rounds]),
                "rounds": rounds,
            }
        )
    everything: dict[str, Any] = {"cpu": cpu_model(), "isochrone": ours.version(), "lines": lines}
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(everything, indent=1) + "\n")

    def ms(value: float) -> str:
        return f"{1e3 * value:.2f}"

    def ratio(value: float) -> str:
        return f"{value:.2f}"

    print(f"{everything['cpu']}; {everything['isochrone']}; {arguments.rounds} rounds; batches of {BATCH}, states of {INPUTS}, actions of {ACTIONS}.\n")
    rows = [
        [
            f"2 × {line['width']}",
            spread_cell(line["ours_s"], ms),
            spread_cell(line["sb3_s"], ms),
            spread_cell(line["speed_to_sb3"], ratio),
            spread_cell(line["share_of_products"], ratio),
        ]
        for line in lines
    ]
    print(table(["hidden", "ours, ms", "Stable-Baselines3, ms", "times as fast", "its products ÷ update"], rows))


if __name__ == "__main__":
    main()
