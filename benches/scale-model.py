#!/usr/bin/env python3
"""What one training costs on 8, 256 and 4,096 cores: arithmetic on numbers that were measured (benches/records) and on two
networks that were not. Prints the tables of docs/scale.md.

    benches/scale-model.py

One iteration on R ranks, one for every 64 cores:

    rollouts   physics + policy, divided by cores; no shorter than one episode on one core
    update     gradients and Fisher products, divided by cores
    alike      what every rank does: learning the goals, and the distance's steps of Adam
    wire       calls x latency x log2 R + bytes / bandwidth
"""

import json
import math
from pathlib import Path

RECORDS = Path(__file__).resolve().parent / "records"
CORES_PER_NODE = 64
# Seconds of a message, bytes per second. Assumed.
NETWORKS = {"Ethernet": (80e-6, 1.25e9), "InfiniBand": (5e-6, 11e9)}
# Environment steps of an iteration, tails and labels included, as the presets' runs had them; and of an episode at most.
STEPS = {"point-mass": 152_000, "maze-ant": 611_000}
HORIZON_STEPS = {"point-mass": 400, "maze-ant": 500}


def measured(world):
    """Seconds of one core per environment step, by part, from `isochrone bench train` with a distance learned off-policy."""
    rows = json.loads((RECORDS / "train-learned.json").read_text())
    row = next(row for row in rows if row["world"] == world)
    second = row["threads"] / row["train_steps_per_s"]
    return {part: share * second for part, share in row["shares"].items()}


def traffic(reduce):
    """Calls of an iteration, bytes of sums that each of two ranks sends, and bytes of lessons that both send together."""
    rows = json.loads((RECORDS / "cluster-share.json").read_text())["runs"]
    of = {row["reduce"]: row for row in rows if row["transport"] == "tcp"}
    # Without the sums in shard order lessons and outcomes are what is left.
    sums = of["exact"]["bytes"] - of["fast"]["bytes"] if reduce == "exact" else 0
    return of[reduce]["calls"], sums, 2 * of["fast"]["bytes"]


def iteration(world, factor, cores, network, reduce):
    """Seconds of rollouts, update, what ranks do alike, and wire, with `factor` times the steps of the preset."""
    part, ranks = measured(world), max(1, cores // CORES_PER_NODE)
    steps = factor * STEPS[world]
    step = part["physics"] + part["policy"]
    rollouts = max(steps * step / cores, HORIZON_STEPS[world] * step)
    update = steps * part["update"] / cores
    # Goals are as many as before; lessons of the distance are as many as there are steps.
    alike = STEPS[world] * part["goals"] + steps * part["distance"]
    if ranks == 1:
        return rollouts, update, alike, 0.0
    latency, bandwidth = NETWORKS[network]
    calls, sums, lessons = traffic(reduce)
    # A rank sends the sums of its own shards, of which there are the fewer the more ranks; lessons go to everybody.
    sent = sums * 2 / ranks + factor * lessons
    return rollouts, update, alike, calls * latency * math.log2(ranks) + sent / bandwidth


def table(world, factor, reduce):
    """One line for each size."""
    steps = factor * STEPS[world]
    print(f"\n{world}, {steps:,} steps an iteration, {reduce} sums\n")
    print("| cores | rollouts | update | alike on every rank | wire: Ethernet, InfiniBand | steps/s | of ideal |")
    print("|---|---|---|---|---|---|---|")
    one = sum(iteration(world, factor, 1, "InfiniBand", reduce))
    for cores in [1, 8, 256, 4096]:
        slow = iteration(world, factor, cores, "Ethernet", reduce)
        fast = iteration(world, factor, cores, "InfiniBand", reduce)
        cells = [f"{seconds:.2g} s" if seconds < 100 else f"{seconds:.0f} s" for seconds in fast[:3]]
        wire = f"{slow[3]:.2g} s, {fast[3]:.2g} s" if cores > CORES_PER_NODE else "none"
        whole = sum(fast)
        print(f"| {cores:,} | {' | '.join(cells)} | {wire} | {steps / whole:,.0f} | {one / whole / cores:.1%} |")


if __name__ == "__main__":
    for world in STEPS:
        for factor in [1, 30]:
            table(world, factor, "exact")
    table("maze-ant", 30, "fast")
