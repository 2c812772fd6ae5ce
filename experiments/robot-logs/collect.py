"""Robot logs from Meta-World's scripted policies: good episodes and spoilt ones, one Parquet file per task and seed.

Each file has LeRobot's columns, and two more that only the evaluation reads: `next.success`, the flag of the
environment, and `kind`, how the episode was made. The task is Meta-World's single-task variant with an observable goal:
one goal and one place of the object per seed, or new ones for every episode with `--goals drawn`.

    python collect.py --out logs/train --seed 0
    python collect.py --out logs/test --seed 0 --part test    # the same task, other episodes
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

import metaworld
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from metaworld.policies import ENV_POLICY_MAP

TASKS = ("drawer-open", "door-open", "button-press", "reach", "push")
# The hand moves to the target before it has the object; reaching and pressing have no order of parts.
ORDERED = ("drawer-open", "door-open", "push")
# A frozen gripper makes no difference to a hand that only has to be somewhere. It does not keep all others from success
# either; those episodes count as spoilt all the same.
GRIPPING = ("drawer-open", "door-open", "button-press", "push")
PARTS = ("train", "test")
MOST_STEPS = 300
# A recording goes on for a moment after the task is done.
AFTER_SUCCESS = 10


class Episode(NamedTuple):
    kind: str
    states: np.ndarray
    actions: np.ndarray
    success: np.ndarray


def make(task: str, seed: int, goals: str):
    variant = metaworld.env_dict.ALL_V3_ENVIRONMENTS_GOAL_OBSERVABLE[f"{task}-v3-goal-observable"]
    env = variant(seed=seed)
    if goals == "drawn":
        env._freeze_rand_vec = False
        env.seeded_rand_vec = True
    return env


class Spoiler:
    """Changes the actions of one episode."""

    def __init__(self, kind: str, typical: float, rng: np.random.Generator):
        self.kind, self.typical, self.rng = kind, typical, rng
        self.noise = rng.uniform(0.8, 2.0) if kind == "noise" else rng.uniform(0.0, 0.3)
        self.begins = typical * (rng.uniform(0.0, 0.4) if kind == "gripper" else rng.uniform(0.25, 0.5))
        self.grip = rng.choice([-1.0, 1.0])

    def action(self, wanted: np.ndarray, state: np.ndarray, step: int) -> np.ndarray:
        action = wanted + self.rng.normal(0.0, self.noise, 4)
        if self.kind == "gripper" and step >= self.begins:
            action[3] = self.grip
        elif self.kind == "stopped" and step >= self.begins:
            action[:] = 0.0
        elif self.kind == "order" and step < 0.5 * self.typical:
            # The last part first: the hand goes to the goal with nothing in it.
            action[:3], action[3] = 10.0 * (state[36:39] - state[:3]), -1.0
        return np.clip(action, -1.0, 1.0).astype(np.float32)


def record(env, policy, kind: str, typical: float, rng: np.random.Generator) -> Episode:
    state, _ = env.reset()
    spoiler = Spoiler(kind, typical, rng)
    states, actions, success = [], [], []
    for step in range(MOST_STEPS if kind == "good" else int(typical)):
        action = spoiler.action(np.asarray(policy.get_action(state)), state, step)
        after, _, _, truncated, info = env.step(action)
        states.append(state.astype(np.float32))
        actions.append(action)
        success.append(bool(info["success"]))
        state = after
        done = success.index(True) if any(success) else None
        if truncated or (done is not None and step >= done + AFTER_SUCCESS):
            break
    return Episode(kind, np.array(states), np.array(actions), np.array(success))


def episodes(task: str, options: argparse.Namespace) -> list[Episode]:
    rng = np.random.default_rng([options.seed, TASKS.index(task), PARTS.index(options.part)])
    env, policy = make(task, options.seed, options.goals), ENV_POLICY_MAP[f"{task}-v3"]()
    good: list[Episode] = []
    while len(good) < options.good:
        episode = record(env, policy, "good", MOST_STEPS, rng)
        if episode.success.any():
            good.append(episode)
    typical = float(np.median([len(episode.states) for episode in good]))
    kinds = ["noise", "stopped"] + ["gripper"] * (task in GRIPPING) + ["order"] * (task in ORDERED)
    spoilt = [record(env, policy, kinds[at % len(kinds)], typical, rng) for at in range(options.spoilt)]
    both = good + spoilt
    return [both[at] for at in rng.permutation(len(both))]


def table(all_episodes: list[Episode]) -> pa.Table:
    lengths = [len(episode.states) for episode in all_episodes]
    numbers = pa.list_(pa.float32())
    return pa.table({
        "index": pa.array(range(sum(lengths)), pa.int64()),
        "episode_index": pa.array(np.repeat(np.arange(len(lengths)), lengths), pa.int64()),
        "frame_index": pa.array(np.concatenate([np.arange(n) for n in lengths]), pa.int64()),
        "observation.state": pa.array([s.tolist() for e in all_episodes for s in e.states], numbers),
        "action": pa.array([a.tolist() for e in all_episodes for a in e.actions], numbers),
        "next.success": pa.array(np.concatenate([e.success for e in all_episodes])),
        "kind": pa.array(np.repeat([e.kind for e in all_episodes], lengths)),
    })


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--part", choices=PARTS, default="train")
    parser.add_argument("--good", type=int, default=100)
    parser.add_argument("--spoilt", type=int, default=50)
    parser.add_argument("--goals", choices=("fixed", "drawn"), default="fixed")
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=TASKS)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for task in options.tasks:
        made = episodes(task, options)
        pq.write_table(table(made), options.out / f"{task}-{options.seed}.parquet")
        for kind in dict.fromkeys(episode.kind for episode in made):
            of_kind = [episode for episode in made if episode.kind == kind]
            succeeded = sum(bool(episode.success.any()) for episode in of_kind)
            steps = np.median([len(episode.states) for episode in of_kind])
            print(f"{task}: {kind}: {len(of_kind)} episodes of {steps:.0f} steps, {succeeded} succeed", flush=True)


if __name__ == "__main__":
    main()
