"""Compares what a CPU and a GPU computed: `python compare-devices.py cpu gpu`, names of runs and of points."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

WITHIN = 1e-3
LEAST_UPDATES = 100


def losses(name: str) -> list[tuple[int, float]]:
    lines = [json.loads(line) for line in Path(f"{name}.run/metrics.jsonl").read_text().splitlines()]
    return [(line["update"], line["loss"]) for line in lines]


def points(name: str) -> np.ndarray:
    return np.stack(pq.read_table(f"{name}.parquet")["observation.embedding"].to_numpy(zero_copy_only=False))


def refuse_apart(apart: float) -> None:
    if not apart <= WITHIN:
        raise SystemExit(f"more than {WITHIN:g} apart")


def main() -> None:
    first, second = sys.argv[1:]
    ours, theirs = losses(first), losses(second)
    assert [update for update, _ in ours] == [update for update, _ in theirs], "other updates"
    if ours[-1][0] < LEAST_UPDATES:
        raise SystemExit(f"only {ours[-1][0]} updates")
    for (update, cpu), (_, gpu) in zip(ours, theirs, strict=True):
        apart = abs(cpu - gpu) / cpu
        print(f"update {update}: loss {cpu:.6f} on the CPU, {gpu:.6f} on the GPU, apart by {apart:.1e}")
        refuse_apart(apart)
    cpu, gpu = points(first), points(second)
    apart = float(np.abs(cpu - gpu).max() / np.abs(cpu).max())
    print(f"{len(cpu)} points, apart by {apart:.1e}")
    refuse_apart(apart)


if __name__ == "__main__":
    main()
