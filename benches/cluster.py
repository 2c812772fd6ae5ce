#!/usr/bin/env python3
"""Jobs of several ranks, tried and timed; what came of it goes to benches/records/cluster-PART.json.

    benches/cluster.py equality | faults | sweep | fit | share  [--binary target/debug/isochrone]

equality  Point Mass with a distance learned off-policy, 20 iterations: 1, 2, 4 ranks x 1, 2 threads, both MPI families
faults    20 trainings, each with a rank killed or frozen at a random iteration and gone on with by another number of ranks
sweep     100 small units in four shares, each by two processes at once that are killed at random, against one process
fit       ten million transitions on 1, 2, 4 ranks: bytes, and seconds per pass
share     the part of a training iteration that two ranks spend communicating over loopback TCP
"""

import argparse
import hashlib
import json
import os
import platform
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TINY = (
    "iterations=30 batch_steps=300 horizon_steps=50 new_goals=12 old_goals=6 initial_states=200 on_policy_states=100 "
    "generator.iterations=5 generator.initial_iterations=5 updates_per_iteration=2 evaluation.rollouts=1 evaluation.horizon_steps=20 "
    "evaluate_every=10"
).split()
LEARNED = (
    "distance=off_policy distance.epsilon_steps=8 distance.tail_steps=20 distance.learning_rate=1e-3 "
    "distance.initial_samples=400 distance.initial_epochs=2"
).split()
FILES = ["checkpoint.isochrone", "metrics.jsonl", "eval.jsonl", "goals.jsonl", "distance.jsonl"]


def launcher(family, ranks, *more):
    """The words before the command."""
    if family == "openmpi":
        yielding = ["--mca", "mpi_yield_when_idle", "1"]
        return ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", *yielding, *more, "-n", str(ranks)]
    return ["mpirun.mpich", *more, "-n", str(ranks)]


def run(words, desk, check=True):
    """What a command says, and the seconds it took."""
    start = time.perf_counter()
    done = subprocess.run(words, cwd=desk, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if check and done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: {done.stderr}")
    return done, time.perf_counter() - start


def digest(folder):
    """Of all that repeats."""
    hashed = hashlib.sha256()
    for name in FILES:
        hashed.update((folder / name).read_bytes())
    return hashed.hexdigest()[:16]


def equality(binary, desk):
    """Every combination has the bytes of one process without MPI."""
    train = ["train", "point-mass-paper-off-policy", "iterations=20", "evaluate_every=10", "--out"]
    rows = []

    def trial(name, words):
        _, seconds = run(words, desk)
        rows.append({"run": name, "seconds": round(seconds, 1), "digest": digest(desk / name)})
        print(rows[-1], flush=True)

    trial("alone", [binary, *train, "alone", "--threads", "2"])
    for family in ["openmpi", "mpich"]:
        for ranks in [1, 2, 4]:
            for threads in [1, 2]:
                name = f"{family}-{ranks}x{threads}"
                words = [binary, *train, name, "--threads", str(threads), "--mpi"]
                trial(name, launcher(family, ranks) + words)
    return {"spec": train[1:-1], "runs": rows, "equal": len({row["digest"] for row in rows}) == 1}


def ranks_of(desk, binary):
    """Processes of the command that work in this folder."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if os.readlink(entry / "exe") == str(binary) and os.readlink(entry / "cwd") == str(desk):
                found.append(int(entry.name))
        except (OSError, ValueError):
            continue
    return sorted(found)


def lines(file):
    return len(file.read_text().splitlines()) if file.exists() else 0


def faults(binary, desk, repetitions=20):
    """A fault at a random iteration, and another number of ranks afterwards."""
    train = ["train", "point-2d", *TINY, *LEARNED, "--threads", "1", "--out"]
    run([binary, *train, "whole"], desk)
    whole, rows, draw = digest(desk / "whole"), [], random.Random(0)
    for number in range(repetitions):
        family = ["openmpi", "mpich"][number % 2]
        ranks, others = draw.choice([(2, 4), (4, 2), (2, 1), (4, 1)])
        fault = ["KILL", "STOP"][number // 2 % 2]
        at, name = draw.randrange(1, 25), f"run{number}"
        words = [*launcher(family, ranks), binary, *train, name, "--mpi", "--patience-s", "3"]
        job = subprocess.Popen(words, cwd=desk, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while lines(desk / name / "metrics.jsonl") < at and job.poll() is None:
            time.sleep(0.002)
        pids = ranks_of(desk, binary)
        victim = draw.choice(pids)
        os.kill(victim, getattr(signal, f"SIG{fault}"))
        start = time.perf_counter()
        code = job.wait(timeout=120)
        ended = time.perf_counter() - start
        left = len(ranks_of(desk, binary))
        kept = lines(desk / name / "metrics.jsonl")
        run([*launcher(family, others), binary, "resume", name, "--threads", "1", "--mpi"], desk)
        rows.append(
            {
                "mpi": family,
                "ranks": ranks,
                "fault": fault,
                "rank": pids.index(victim),
                "at_iteration": kept,
                "exit_code": code,
                "ended_after_s": round(ended, 2),
                "left_behind": left,
                "resumed_on": others,
                "equal": digest(desk / name) == whole,
            }
        )
        print(rows[-1], flush=True)
    return {"trials": rows, "equal": sum(row["equal"] for row in rows), "of": len(rows)}


def sweep(binary, desk, units=100):
    """Shares that are killed at random moments until all is done."""
    setting = ", ".join(f'"{word}"' for word in [*TINY, "iterations=4", "evaluate_every=2"])
    (desk / "sweep.toml").write_text(
        f'base = "point-2d"\nseeds = {units // 2}\nset = [{setting}]\n[variants]\ngan = []\nuniform = ["generator=uniform"]\n'
    )
    for folder in ["calm", "rough"]:
        run([binary, "sweep", "plan", "sweep.toml", "-o", folder], desk)
    _, calm_s = run([binary, "sweep", "run", "calm", "--threads", "1"], desk)
    draw, kills, starts, codes = random.Random(0), 0, 0, []
    begin = time.perf_counter()
    # Four shares beside each other, each of them twice: both come to the same units.
    waiting, running = [f"{share}/4" for share in range(4)] * 2, []
    while waiting or running:
        while waiting:
            shard = waiting.pop()
            words = [binary, "sweep", "run", "rough", "--shard", shard, "--threads", "1"]
            process = subprocess.Popen(words, cwd=desk, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            running.append((process, shard, time.perf_counter() + draw.uniform(0.2, 0.5 * calm_s)))
            starts += 1
        time.sleep(0.05)
        for entry in list(running):
            process, shard, until = entry
            if process.poll() is None and time.perf_counter() < until:
                continue
            running.remove(entry)
            if process.poll() is None:
                process.kill()
                process.wait()
                kills += 1
                waiting.append(shard)
            elif process.returncode == 75:
                waiting.append(shard)
            else:
                codes.append(process.returncode)
    rough_s = time.perf_counter() - begin
    for folder in ["calm", "rough"]:
        run([binary, "sweep", "collect", folder, "-o", f"{folder}.csv"], desk)
    status = json.loads(run([binary, "sweep", "status", "rough", "--json"], desk)[0].stdout)
    metrics = [lines(file) for file in (desk / "rough/runs").glob("*/metrics.jsonl")]
    # Of the clock nothing is cut back: five lines a unit, and one more where a kill fell between it and its checkpoint.
    timings = sum(lines(file) for file in (desk / "rough/runs").glob("*/timing.jsonl"))
    return {
        "units": units,
        "kills": kills,
        "processes": starts,
        "done": sum(line["done"] for line in status),
        "units_with_exactly_4_iterations": sum(count == 4 for count in metrics),
        "steps_of_units_done": timings,
        "steps_of_units_needed": 5 * units,
        "exit_codes_of_shares": codes,
        "equal": (desk / "calm.csv").read_bytes() == (desk / "rough.csv").read_bytes(),
        "undisturbed_s": round(calm_s, 1),
        "disturbed_s": round(rough_s, 1),
    }


def fit(binary, desk):
    """One pass over ten million transitions."""
    run([binary, "collect", "point-mass", "--episodes", "10000", "--steps", "1000", "-o", "walks.parquet"], desk)
    settings = ["--passes", "1", "--set", "batch=1024"]
    rows = []
    for family, ranks in [(None, 1), ("openmpi", 1), ("openmpi", 2), ("openmpi", 4), ("mpich", 2)]:
        name = f"{family or 'alone'}-{ranks}"
        words = [binary, "fit", "walks.parquet", *settings, "-o", f"{name}.isochrone"]
        words = words if family is None else [*launcher(family, ranks), *words, "--mpi"]
        _, seconds = run(words, desk)
        chunks = [json.loads(line) for line in (desk / f"{name}.run/timing.jsonl").read_text().splitlines()]
        made = hashlib.sha256((desk / f"{name}.isochrone").read_bytes()).hexdigest()[:16]
        passed = round(sum(chunk["seconds"] for chunk in chunks), 1)
        rows.append({"run": name, "ranks": ranks, "seconds": round(seconds, 1), "pass_s": passed, "digest": made})
        print(rows[-1], flush=True)
    return {"transitions": 10_000_000, "runs": rows, "equal": len({row["digest"] for row in rows}) == 1}


def share(binary, desk):
    """Two ranks of a real training, over loopback TCP and through shared memory."""
    train = ["train", "point-mass-paper-off-policy", "iterations=6", "evaluate_every=6", "--threads", "1", "--mpi"]
    rows = []
    for name, more in [("tcp", ["--mca", "btl", "tcp,self"]), ("shared-memory", [])]:
        for reduce in ["exact", "fast"]:
            out = f"{name}-{reduce}"
            run([*launcher("openmpi", 2, *more), binary, *train, "--reduce", reduce, "--out", out], desk)
            told = [json.loads(line) for line in (desk / out / "timing.jsonl").read_text().splitlines()][1:]
            told = told[:-1]  # The last one is evaluated, too.
            total = lambda key: sum(line["traffic"][key] for line in told)  # noqa: E731
            rows.append(
                {
                    "transport": name,
                    "reduce": reduce,
                    "iterations": len(told),
                    "iteration_s": round(sum(line["seconds"] for line in told) / len(told), 3),
                    "calls": total("calls") // len(told),
                    "bytes": total("bytes") // len(told),
                    "share": round(total("seconds") / sum(line["seconds"] for line in told), 4),
                }
            )
            print(rows[-1], flush=True)
    return {"spec": train[1:], "ranks": 2, "runs": rows}


def main():
    parts = {part.__name__: part for part in [equality, faults, sweep, fit, share]}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=parts)
    parser.add_argument("--binary", type=Path, default=ROOT / "target/debug/isochrone")
    parser.add_argument("--revision", default="unknown")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as desk:
        record = parts[asked.part](asked.binary.resolve(), Path(desk).resolve())
    record = {"revision": asked.revision, "cores": os.cpu_count(), "machine": platform.machine(), **record}
    file = ROOT / f"benches/records/cluster-{asked.part}.json"
    file.write_text(json.dumps(record, indent=1) + "\n")
    print(f"wrote {file.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
