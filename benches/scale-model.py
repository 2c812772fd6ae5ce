#!/usr/bin/env python3
"""What one training costs on 8, 256 and 4,096 cores: arithmetic on numbers that were measured (benches/records) and on two
networks that were not. Prints the tables of docs/scale.md.

    benches/scale-model.py

One iteration on R ranks, one for every 64 cores:

    rollouts   physics + policy, divided by cores; no shorter than one episode on one core
    update     gradients and Fisher products, divided by cores, of which 64 at most have a shard
    alike      what every rank does: learning the goals, and the distance's steps of Adam
    wire       messages x latency + bytes / bandwidth; log2 R messages for a call, R - 1 for an exchange in shard order

The traffic is Point Mass's for both worlds: their networks are of about one size, and samples grow with the steps.
"""

import json
import math
from pathlib import Path

RECORDS = Path(__file__).resolve().parent / "records"
CORES_PER_NODE = 64
SHARDS = 64
# Seconds of a message, bytes per second. Assumed.
NETWORKS = {"Ethernet": (80e-6, 1.25e9), "InfiniBand": (5e-6, 11e9)}
# Environment steps of an iteration, tails and labels included, as the presets' runs had them; and of an episode at most.
STEPS = {"point-mass": 152_000, "maze-ant": 611_000}
HORIZON_STEPS = {"point-mass": 400, "maze-ant": 500}


def measured(world):
    """Seconds of one core per environment step, by part, from `isochrone-experiments bench train` with a distance learned off-policy."""
    rows = json.loads((RECORDS / "train-learned.json").read_text())
    row = next(row for row in rows if row["world"] == world)
    second = 1 / row["train_steps_per_s"]
    # What threads share takes one core as many times as long; the rest one thread does while the others wait.
    shared = {"physics", "policy", "update"}
    return {part: share * second * (row["threads"] if part in shared else 1) for part, share in row["shares"].items()}


def traffic(reduce):
    """Calls of an iteration, bytes of sums that each of two ranks sends, and bytes of samples that both send together."""
    rows = json.loads((RECORDS / "cluster-share.json").read_text())["runs"]
    of = {row["reduce"]: row for row in rows if row["transport"] == "tcp"}
    # Without the sums in shard order samples and outcomes are what is left.
    sums = of["exact"]["bytes"] - of["fast"]["bytes"] if reduce == "exact" else 0
    return of[reduce]["calls"], sums, 2 * of["fast"]["bytes"]


def iteration(world, factor, cores, network, reduce):
    """Seconds of rollouts, update, what ranks do alike, and wire, with `factor` times the steps of the preset."""
    part, ranks = measured(world), max(1, cores // CORES_PER_NODE)
    steps = factor * STEPS[world]
    step = part["physics"] + part["policy"]
    rollouts = max(steps * step / cores, HORIZON_STEPS[world] * step)
    # A shard is the least that a thread takes.
    update = steps * part["update"] / min(cores, SHARDS)
    # Goals are as many as before; samples of the distance are as many as there are steps.
    alike = STEPS[world] * part["goals"] + steps * part["distance"]
    if ranks == 1:
        return rollouts, update, alike, 0.0
    latency, bandwidth = NETWORKS[network]
    calls, sums, samples = traffic(reduce)
    # A sum in shard order is an exchange of each with each, at worst one message after the other, and a gathering.
    exchanges = traffic("exact")[0] - traffic("fast")[0] if reduce == "exact" else 0
    messages = (calls - exchanges) * math.log2(ranks) + exchanges * (ranks - 1)
    # A rank sends the sums of its own shards, of which there are the fewer the more ranks; samples go to everybody.
    sent = sums * 2 / ranks + factor * samples
    return rollouts, update, alike, messages * latency + sent / bandwidth


def table(world, factor, reduce):
    """One line for each size."""
    steps = factor * STEPS[world]
    print(f"\n{world}, {steps:,} steps an iteration, {reduce} sums\n")
    print("| cores | rollouts | update | alike on every rank | wire: Ethernet, InfiniBand | steps/s with InfiniBand | of ideal |")
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
