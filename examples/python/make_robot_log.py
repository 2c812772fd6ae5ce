"""Writes a synthetic log of a robot with two arms: a stand-in for teleoperated episodes, with known failures.

    python examples/python/make_robot_log.py logs/robot.parquet --ends logs/ends.parquet
    python examples/python/make_robot_log.py robot --episodes 3300 --failures 500      # a folder in LeRobot's v3 layout

Columns as in LeRobot's data sets: `observation.state` (14 numbers: six joints and a gripper for each arm),
`action` (the posture that the arms are sent to), `episode_index`, `frame_index`, `index`, `timestamp`. One column more, `success`, says what a person would have noted;
nothing is learned from it. Episode numbers start at 40 and `index` at 12290, as in a part cut out of a larger data set.

An episode follows seven postures (home, reach, grasp, lift, hand over, carry, place) along minimum-jerk curves, each
posture and its duration drawn anew, with a slow drift and sensor noise, and rests for a moment at its end. A failure
stalls on the way, or loses the object and goes home, or places it somewhere else.

Needs NumPy and pyarrow.
"""

import argparse
import json
import pathlib

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

FPS = 30
WIDTH = 14
FIRST_INDEX = 12290
EPISODES_PER_FILE = 200
OPEN, CLOSED = 0.9, 0.1
LEFT_GRIPPER, RIGHT_GRIPPER = 6, 13


def postures() -> np.ndarray:
    """The task: seven postures of both arms, in radians; the same for every draw."""
    rng = np.random.default_rng(7)
    path = np.cumsum(rng.normal(0, 0.5, size=(7, WIDTH)), axis=0)
    path[:, LEFT_GRIPPER] = [OPEN, OPEN, CLOSED, CLOSED, OPEN, OPEN, OPEN]
    path[:, RIGHT_GRIPPER] = [OPEN, OPEN, OPEN, OPEN, CLOSED, CLOSED, OPEN]
    return path


def minimum_jerk(a: np.ndarray, b: np.ndarray, frames: int) -> np.ndarray:
    """From one posture towards the next, the next itself left out."""
    t = np.arange(frames)[:, None] / frames
    return a + (b - a) * (10 * t**3 - 15 * t**4 + 6 * t**5)


def follow(path: np.ndarray, frames: int, rng: np.random.Generator) -> np.ndarray:
    """Along the postures in so many frames; every part has a length of its own."""
    share = rng.dirichlet(np.full(len(path) - 1, 20.0))
    ends = np.round(np.cumsum(share) * frames).astype(int)
    lengths = np.diff(ends, prepend=0)
    return np.concatenate([minimum_jerk(a, b, n) for a, b, n in zip(path, path[1:], lengths)])


def episode(kind: str, rng: np.random.Generator) -> np.ndarray:
    frames = int(rng.integers(250, 351))
    path = postures() + rng.normal(0, 0.03, size=(7, WIDTH))
    if kind == "misplaces":
        path[-1, :] += rng.choice([-1, 1], WIDTH) * rng.uniform(0.25, 0.6, WIDTH)
    if kind == "loses":
        back = int(rng.integers(3, 6))
        path = np.concatenate([path[:back], path[:1]])
    rest = int(rng.integers(5, 16))
    states = follow(path, frames - rest, rng)
    if kind == "stalls":
        states = states[: int(rng.uniform(0.25, 0.75) * len(states))]
    states = np.concatenate([states, np.repeat(states[-1:], frames - len(states), axis=0)])
    # The arm sags slowly, and its sensors are not exact.
    drift = np.zeros_like(states)
    for t in range(1, frames):
        drift[t] = 0.95 * drift[t - 1] + rng.normal(0, 0.002, WIDTH)
    return (states + drift + rng.normal(0, 0.002, states.shape)).astype(np.float32)


def draw(episodes: int, failures: int, seed: int) -> tuple[list[np.ndarray], np.ndarray]:
    """Episodes, and which of them succeeded."""
    rng = np.random.default_rng(seed)
    failed = rng.choice(episodes, failures, replace=False)
    kinds = np.full(episodes, "succeeds", dtype=object)
    kinds[failed] = np.resize(["stalls", "loses", "misplaces"], failures)
    return [episode(kind, rng) for kind in kinds], kinds == "succeeds"


def table(drawn: list[np.ndarray], success: np.ndarray, first_episode: int, first_index: int = FIRST_INDEX) -> pa.Table:
    lengths = [len(states) for states in drawn]
    frames = np.concatenate([np.arange(n) for n in lengths])
    numbers = np.arange(len(drawn))
    states = np.concatenate(drawn)
    return pa.table(
        {
            "observation.state": pa.FixedSizeListArray.from_arrays(pa.array(states.ravel()), WIDTH),
            "action": pa.FixedSizeListArray.from_arrays(pa.array(targets(drawn).ravel()), WIDTH),
            "episode_index": np.repeat(numbers + first_episode, lengths),
            "frame_index": frames,
            "index": first_index + np.arange(len(states)),
            "timestamp": (frames / FPS).astype(np.float32),
            "success": np.repeat(success, lengths),
        }
    )


def targets(drawn: list[np.ndarray]) -> np.ndarray:
    """Where the arms are sent: to the posture of the next frame, without what the sensors add."""
    return np.concatenate([np.round(np.concatenate([states[1:], states[-1:]]), 2) for states in drawn])


def write_folder(folder: pathlib.Path, drawn: list[np.ndarray], success: np.ndarray) -> None:
    """A data set as LeRobot keeps it: some files of many episodes each, and what they are."""
    data = folder / "data" / "chunk-000"
    data.mkdir(parents=True, exist_ok=True)
    frames = 0
    for number, first in enumerate(range(0, len(drawn), EPISODES_PER_FILE)):
        some = slice(first, first + EPISODES_PER_FILE)
        part = table(drawn[some], success[some], first, frames)
        pq.write_table(part, data / f"file-{number:03d}.parquet")
        frames += len(part)
    vector = {"dtype": "float32", "shape": [WIDTH], "names": None}
    about = {
        "codebase_version": "v3.0",
        "robot_type": "two_arms",
        "total_episodes": len(drawn),
        "total_frames": frames,
        "fps": FPS,
        "data_path": "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet",
        "features": {"observation.state": vector, "action": vector},
    }
    (folder / "meta").mkdir(exist_ok=True)
    (folder / "meta" / "info.json").write_text(json.dumps(about, indent=2) + "\n")


def ends(drawn: list[np.ndarray], success: np.ndarray, first_episode: int) -> pa.Table:
    """The last states of the successes: what "done" looks like."""
    last = [number for number in range(len(drawn)) if success[number]]
    whole = table(drawn, success, first_episode)
    rows = np.cumsum([len(states) for states in drawn]) - 1
    return whole.take(rows[last])


def main() -> None:
    parser = argparse.ArgumentParser(description="Write a synthetic robot log.")
    parser.add_argument("output", type=pathlib.Path, help="a .parquet file, or a folder to write in LeRobot's layout")
    parser.add_argument("--episodes", type=int, default=80)
    parser.add_argument("--failures", type=int, default=12)
    parser.add_argument("--first-episode", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--ends", type=pathlib.Path, help="also write the last states of the successes here")
    options = parser.parse_args()
    drawn, success = draw(options.episodes, options.failures, options.seed)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    if options.output.suffix == ".parquet":
        pq.write_table(table(drawn, success, options.first_episode), options.output)
    else:
        write_folder(options.output, drawn, success)
    rows = sum(len(states) for states in drawn)
    print(f"wrote {options.output}: {len(drawn)} episodes, {rows} frames, {options.failures} failures")
    if options.ends:
        pq.write_table(ends(drawn, success, options.first_episode), options.ends)
        print(f"wrote {options.ends}: {int(success.sum())} last states of successes")


if __name__ == "__main__":
    main()
