"""Isochrone's rollouts beside their peers: the same ant, the same machine, taken in turns.

Prints a Markdown report; see README.md for how to read it.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from peers import HERE, Isochrone, cpu_model, find_isochrone, note, run_json, table

WORLDS = ("free-ant", "maze-ant")
WORKERS = (1, 2)
# What `bench rollout` calls its speeds. Those per CPU second are newer: they are
# left out of the report where the program does not tell them.
OURS = {
    "bare": ("bare_steps_per_s", "bare_steps_per_cpu_s"),
    "full": ("rollout_steps_per_s", "rollout_steps_per_cpu_s"),
}

Result = dict[str, Any]
Rounds = list[Result]  # one result per round


@dataclass(frozen=True)
class Peer:
    task: str
    about: str
    workers: tuple[int, ...] = WORKERS


@dataclass(frozen=True)
class Turn:
    """Ours first, then peers: neighbours in time, so that noise falls on both."""

    world: str
    against: str | None  # which of our two speeds the peers are compared with
    peers: tuple[Peer, ...]


ENGINE = (
    Peer("python-loop", "Python loop over `mj_step`"),
    Peer("mujoco-rollout", "`mujoco.rollout`"),
)
GYMNASIUM = (
    Peer("gymnasium-random", "Gymnasium, random actions"),
    Peer("gymnasium-random-vector", "Gymnasium `AsyncVectorEnv`, random", (2,)),
    Peer("gymnasium-policy", "Gymnasium, policy and goal"),
    Peer("gymnasium-policy-vector", "Gymnasium `AsyncVectorEnv`, policy", (2,)),
)
ENVPOOL = (
    Peer("envpool-random-sync", "EnvPool sync, random actions"),
    Peer("envpool-random-async", "EnvPool async, random actions"),
    Peer("envpool-policy-sync", "EnvPool sync, policy and goal"),
    Peer("envpool-policy-async", "EnvPool async, policy and goal"),
)
STOCK = (
    Peer("gymnasium-stock", "Gymnasium stock (other physics)"),
    Peer("envpool-stock-sync", "EnvPool sync, stock (other physics)"),
    Peer("envpool-stock-async", "EnvPool async, stock (other physics)"),
)
TURNS = (
    Turn("free-ant", "bare", ENGINE),
    Turn("free-ant", "full", GYMNASIUM),
    Turn("free-ant", "full", ENVPOOL),
    Turn("maze-ant", "bare", ENGINE),
    Turn("stock", None, STOCK),
)


class Taken:
    """A turn with a number of workers, and what was measured in it, by name."""

    def __init__(self, turn: Turn, workers: int, has_envpool: bool) -> None:
        self.turn = turn
        self.workers = workers
        self.peers = [
            peer
            for peer in turn.peers
            if workers in peer.workers and (has_envpool or not peer.task.startswith("envpool"))
        ]
        self.rounds: dict[str, Rounds] = {}

    def append(self, name: str, result: Result) -> None:
        self.rounds.setdefault(name, []).append(result)
        cpu = "" if result["cpu_rate"] is None else f", {result['cpu_rate']:.0f} per CPU s"
        speed = f"{result['wall_rate']:.0f} steps/s{cpu}"
        note(f"  {self.turn.world}, {name}, workers {self.workers}: {speed}")


CONDITIONS_HEAD = [
    "line",
    "XML, step, skip",
    "observation",
    "policy",
    "reward, distance",
    "stored",
    "episodes",
    "workers",
]
OUR_XML = "ours, RK4 0.02 s, 1"
STOCK_XML = "its own, RK4 0.01 s, 5"
OUR_ENDS = "height outside 0.3–1.0 m, 500 steps"
CONDITIONS = [
    [
        "ours, bare",
        OUR_XML,
        "none",
        "none: the full rollout's controls again",
        "none",
        "nothing",
        "begin and end where the full rollout's did",
        "threads",
    ],
    [
        "ours, full",
        OUR_XML,
        "41 f32: positions, velocities, rotation, centre of mass",
        "43-64-64-8 tanh + noise, f32",
        "distance to a goal (centre of mass)",
        "observations, actions; closest distance",
        f"{OUR_ENDS}, goal within 1 m",
        "threads, an episode at a time",
    ],
    [
        "Python loop",
        OUR_XML,
        "none",
        "none: random controls from an array",
        "none",
        "nothing",
        OUR_ENDS,
        "processes",
    ],
    [
        "`mujoco.rollout`",
        OUR_XML,
        "none",
        "none: random controls from an array",
        "none",
        "full physics state, f64",
        "100 steps each, no end at a fall",
        "its thread pool (2), calling thread (1)",
    ],
    [
        "Gymnasium, random",
        OUR_XML,
        "29 f64: positions, velocities",
        "none: random actions from an array",
        "Ant-v5's reward and info",
        "nothing",
        f"{OUR_ENDS}; `reset()` runs `mj_forward`",
        "processes, or `AsyncVectorEnv`",
    ],
    [
        "Gymnasium, policy",
        OUR_XML,
        "its own 29 f64, then our 41 f32",
        "43-64-64-8 tanh + noise, numpy f32",
        "Ant-v5's reward; distance to a goal (centre of mass)",
        "observations, actions, distances",
        f"{OUR_ENDS}, goal within 1 m",
        "processes, or `AsyncVectorEnv`",
    ],
    [
        "EnvPool, random",
        OUR_XML,
        "29 f64: positions, velocities",
        "none: random actions from an array",
        "Ant-v5's reward and info",
        "nothing",
        f"{OUR_ENDS}; starts in the reference pose",
        "its threads; 64 envs, batch 64 (sync) or 32 (async)",
    ],
    [
        "EnvPool, policy",
        OUR_XML,
        "29 f64: positions, velocities",
        "31-64-64-8 tanh + noise, numpy f32, whole batch",
        "Ant-v5's reward; distance to a goal (torso)",
        "observations, actions, distances",
        f"{OUR_ENDS}; at a goal a new goal, no reset",
        "its threads and the caller's; 64 envs, batch 64 or 32",
    ],
    [
        "stock lines",
        STOCK_XML,
        "105 f64, with contact forces",
        "none: random actions from an array",
        "Ant-v5's reward and info",
        "nothing",
        "height outside 0.2–1.0 m, 1000 actions; noise at the start",
        "as above",
    ],
]


# --------------------------------------------------------------------- children


def write_worlds(ours: Isochrone, folder: Path) -> None:
    """Our worlds' XML, in the place below `folder` where EnvPool looks for it."""
    place = folder / "mujoco" / "assets_gym"
    place.mkdir(parents=True)
    for world in WORLDS:
        command = [ours.program, "worlds", world, "--xml"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"failed: {' '.join(command)}\n{done.stderr}")
        (place / f"{world}.xml").write_text(done.stdout)


def measure_ours(ours: Isochrone, world: str, workers: int, steps: int) -> dict[str, Result]:
    """One counted round of ours; it makes one that is not counted before."""
    size = ["--threads", str(workers), "--steps", str(steps), "--rounds", "1"]
    found = run_json([ours.program, "bench", "rollout", "--worlds", world, *size, "--json"])
    if len(found) != 1 or (found[0]["world"], found[0]["threads"]) != (world, workers):
        raise SystemExit(f"{ours.program}: unexpected answer {found}")
    return {
        name: {"wall_rate": found[0][wall], "cpu_rate": found[0].get(cpu), "steps": steps}
        for name, (wall, cpu) in OURS.items()
    }


def measure_peer(task: str, folder: str, world: str, workers: int, steps: int) -> Result:
    size = [folder, world, str(workers), str(steps)]
    result = run_json([sys.executable, str(HERE / "rollout_tasks.py"), task, *size])
    return {
        "wall_rate": result["steps"] / result["wall_s"],
        "cpu_rate": result["steps"] / result["cpu_s"],
        **result,
    }


# ----------------------------------------------------------------------- rounds


def take(taken: Taken, ours: Isochrone, folder: str, steps: int) -> None:
    world, workers = taken.turn.world, taken.workers
    if taken.turn.against is not None:
        for name, result in measure_ours(ours, world, workers, steps).items():
            taken.append(name, result)
    for peer in taken.peers:
        taken.append(peer.task, measure_peer(peer.task, folder, world, workers, steps))


def all_rounds(ours: Isochrone, rounds: int, steps: int, has_envpool: bool) -> list[Taken]:
    every = [Taken(turn, workers, has_envpool) for turn in TURNS for workers in WORKERS]
    every = [taken for taken in every if taken.peers]
    with tempfile.TemporaryDirectory() as folder:
        write_worlds(ours, Path(folder))
        for number in range(1, rounds + 1):
            note(f"round {number} of {rounds}")
            for taken in every:
                take(taken, ours, folder, steps)
    return every


# ------------------------------------------------------------------------ lines


def spread_of(values: list[float | None]) -> Result | None:
    """The median and the range."""
    if not values or None in values:
        return None
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def ratios(theirs: Rounds, ours: Rounds, field: str) -> list[float | None]:
    """Their speed over ours, round by round."""
    pairs = zip(theirs, ours, strict=True)
    return [None if b[field] is None else a[field] / b[field] for a, b in pairs]


def speeds_of(rounds: Rounds) -> Result:
    episodes = sum(r.get("episodes", 0) for r in rounds)
    return {
        "wall": spread_of([r["wall_rate"] for r in rounds]),
        "cpu": spread_of([r["cpu_rate"] for r in rounds]),
        "steps_per_episode": sum(r["steps"] for r in rounds) / episodes if episodes else None,
        "share_after_end": rounds[0].get("share_after_end"),
    }


def our_line(world: str, workers: int, name: str, every: list[Taken]) -> Result:
    """Our speed over all turns; ratios are formed within each."""
    turns = [t for t in every if (t.turn.world, t.workers) == (world, workers)]
    rounds = [result for taken in turns for result in taken.rounds[name]]
    head = {"world": world, "workers": workers, "name": name, "about": f"**ours, {name}**"}
    return head | speeds_of(rounds)


def peer_line(taken: Taken, peer: Peer) -> Result:
    rounds, against = taken.rounds[peer.task], taken.turn.against
    ours = taken.rounds[against] if against else None
    return {
        "world": taken.turn.world,
        "workers": taken.workers,
        "name": peer.task,
        "about": peer.about,
        "against": against,
        "wall_ratio": spread_of(ratios(rounds, ours, "wall_rate")) if ours else None,
        "cpu_ratio": spread_of(ratios(rounds, ours, "cpu_rate")) if ours else None,
        **speeds_of(rounds),
    }


def lines_of(every: list[Taken]) -> list[Result]:
    lines = []
    for world in (*WORLDS, "stock"):
        for workers in WORKERS:
            if world in WORLDS:
                lines += [our_line(world, workers, name, every) for name in OURS]
            here = [t for t in every if (t.turn.world, t.workers) == (world, workers)]
            lines += [peer_line(taken, peer) for taken in here for peer in taken.peers]
    return lines


# ----------------------------------------------------------------------- report


def spread_cell(spread: Result | None, show: Callable[[float], str]) -> str:
    if spread is None:
        return "-"
    return f"{show(spread['median'])} [{show(spread['min'])}–{show(spread['max'])}]"


def thousands(rate: float) -> str:
    return f"{rate / 1000:.1f}k"


def two_digits(ratio: float) -> str:
    return f"{ratio:.2f}"


def row_of(line: Result) -> list[str]:
    length = line["steps_per_episode"]
    return [
        line["world"],
        str(line["workers"]),
        line["about"],
        spread_cell(line["wall"], thousands),
        spread_cell(line["cpu"], thousands),
        line.get("against") or "-",
        spread_cell(line.get("wall_ratio"), two_digits),
        spread_cell(line.get("cpu_ratio"), two_digits),
        "-" if length is None else f"{length:.0f}",
    ]


def speed_table(lines: list[Result]) -> str:
    head = [
        "world",
        "workers",
        "program",
        "steps/s [min–max]",
        "steps/CPU s [min–max]",
        "beside ours",
        "ratio, wall [min–max]",
        "ratio, CPU [min–max]",
        "steps per episode",
    ]
    return table(head, [row_of(line) for line in lines])


def notes_of(everything: Result) -> list[str]:
    about, lines = everything["about"], everything["lines"]
    after = max(line["share_after_end"] or 0.0 for line in lines)
    notes = [
        "- Steps are steps of the physics. A ratio is the peer's speed over ours, measured just "
        "before it in the same round, then the median: below 1 the peer is slower.",
        f"- MuJoCo {about['mujoco']} in the Python peers; EnvPool's own is "
        f"{about['envpool_mujoco'] or '-'}. Stock lines are other physics: no ratio.",
        f"- `mujoco.rollout` cannot end an episode: up to {100 * after:.0f} % of its steps are "
        "ones after a fall, which ours never makes.",
    ]
    if all(line["cpu"] is None for line in lines if line["name"] in OURS):
        notes.append("- This isochrone tells no CPU seconds of its rollouts: no ratio of them.")
    return notes


def header(about: Result) -> str:
    packages = ", ".join(f"{k} {v}" for k, v in about["packages"].items())
    envpool = f"envpool {about['envpool'] or 'missing'}"
    load = " → ".join(f"{x:.1f}" for x in about["load"])
    lines = [
        f"Date {about['date']}; {about['cpu']}, {about['cpus']} CPUs, load {load}; "
        f"Python {about['python']}; {packages}, {envpool}; {about['isochrone']}; "
        f"rounds: {about['rounds']}, of {about['steps']:,} steps each."
    ]
    if about["envpool"] is None:
        lines.append(f"**EnvPool could not be loaded: {about['envpool_error']}**")
    return "\n\n".join(lines)


def report(everything: Result) -> str:
    return "\n\n".join(
        [
            header(everything["about"]),
            speed_table(everything["lines"]),
            "\n".join(notes_of(everything)),
            "Conditions:",
            table(CONDITIONS_HEAD, CONDITIONS),
        ]
    )


# ------------------------------------------------------------------------- main


def describe(arguments: argparse.Namespace, ours: Isochrone) -> Result:
    return {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "cpu": cpu_model(),
        "cpus": os.cpu_count(),
        "system": platform.platform(),
        "load": [os.getloadavg()[0]],
        "rounds": arguments.rounds,
        "steps": arguments.steps,
        "isochrone": ours.version(),
        **run_json([sys.executable, str(HERE / "rollout_tasks.py"), "describe"]),
    }


def has_envpool(about: Result) -> bool:
    if about["envpool"] is not None:
        return True
    note(f"EnvPool cannot be loaded ({about['envpool_error']}): going on without it")
    return False


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=50_000, help="of each rollout")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--isochrone", metavar="PATH", help="default: found on PATH")
    parser.add_argument("--json", metavar="FILE", help="write everything measured")
    parser.add_argument("--markdown", metavar="FILE", help="write the report there, too")
    arguments = parser.parse_args()
    if arguments.steps < 5_000 or arguments.rounds < 1:
        parser.error("at least 5000 steps and one round")
    return arguments


def main() -> None:
    arguments = parse_arguments()
    ours = find_isochrone(arguments.isochrone)
    if ours is None:
        raise SystemExit("the peers run on isochrone's worlds: --isochrone PATH is needed")
    about = describe(arguments, ours)
    every = all_rounds(ours, arguments.rounds, arguments.steps, has_envpool(about))
    about["load"].append(os.getloadavg()[0])
    everything: Result = {
        "about": about,
        "lines": lines_of(every),
        "turns": [
            {"world": taken.turn.world, "workers": taken.workers, "rounds": taken.rounds}
            for taken in every
        ],
    }
    text = report(everything)
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(everything, indent=1) + "\n")
    if arguments.markdown:
        Path(arguments.markdown).write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()
