"""One rollout per process: `python rollout_tasks.py TASK FOLDER WORLD WORKERS STEPS`.

Prints one JSON object: physics steps, wall seconds and CPU seconds of all workers,
children included. FOLDER holds the worlds' XML where EnvPool looks for it; `stock`
is the peers' own world. `python rollout_tasks.py describe` prints versions.
"""

from __future__ import annotations

import ctypes
import json
import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib import metadata
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any, NamedTuple

# Set before numpy loads its BLAS: a worker is one thread.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import gymnasium
import mujoco
import mujoco.rollout
import numpy as np
from gymnasium.vector import AsyncVectorEnv, AutoresetMode

# Our ant: see crates/isochrone-mujoco/src/ant.rs.
START_QPOS = np.array([0, 0, 0.55, 1, 0, 0, 0, 0, 1, 0, -1, 0, -1, 0, 1], dtype=np.float64)
TORSO = 1
TORSO_HEIGHT_M = (0.3, 1.0)
MAX_TORQUE_N_M = 150.0
ACTIONS = 8
OBSERVATION = 41
COM_XY = slice(38, 40)

# Our rollout: see crates/isochrone-experiments/src/bench/rollout.rs.
HORIZON_STEPS = 500
HIDDEN = (64, 64)
GOAL_DIMS = 2
GOAL_RANGE_M = 5.0
GOAL_RADIUS_M = 1.0

# About as long as our episodes are: mujoco.rollout cannot end one early.
OPEN_LOOP_STEPS = 100
STOCK_FRAME_SKIP = 5
ENVPOOL_ENVS = 64
ENVPOOL_ASYNC_BATCH = 32
ENVPOOL_OBSERVATION = 29
WARM_UP_SHARE = 10  # a tenth as many steps, before the clock starts
BARRIER_S = 600.0

Result = dict[str, Any]


class Setting(NamedTuple):
    """What a task is asked for. One worker of several gets its own seed and share."""

    folder: str
    world: str
    workers: int
    steps: int
    seed: int = 0

    @property
    def xml(self) -> str:
        return str(Path(self.folder, "mujoco", "assets_gym", f"{self.world}.xml"))

    def rng(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)


class Done(NamedTuple):
    """What a run did. Steps are those of the physics."""

    steps: int
    episodes: int


class Prepared(NamedTuple):
    """Everything built: `run` is what the clock sees."""

    run: Callable[[int], Done]
    children: Sequence[int] = ()
    notes: Callable[[], Result] = dict


# ------------------------------------------------------------------------ clocks


def cpu_of_process(pid: int) -> float:
    """CPU time of a process that still runs (Linux: the clock of `clock_getcpuclockid`)."""
    return time.clock_gettime((~pid << 3) | 2)


class Clock(NamedTuple):
    """A moment. The wall's is the system's, the same in every process."""

    wall_s: float
    cpu_s: float

    @staticmethod
    def now(children: Sequence[int] = ()) -> Clock:
        cpu_s = time.process_time() + sum(map(cpu_of_process, children))
        return Clock(time.perf_counter(), cpu_s)


def timed(prepared: Prepared, steps: int) -> tuple[Clock, Clock, Done]:
    begun = Clock.now(prepared.children)
    done = prepared.run(steps)
    return begun, Clock.now(prepared.children), done


def result_of(shares: Sequence[tuple[Clock, Clock, Done]]) -> Result:
    begun, ended, done = zip(*shares, strict=True)
    return {
        "steps": sum(d.steps for d in done),
        "episodes": sum(d.episodes for d in done),
        "wall_s": max(e.wall_s for e in ended) - min(b.wall_s for b in begun),
        "cpu_s": sum(e.cpu_s - b.cpu_s for b, e in zip(begun, ended, strict=True)),
    }


# --------------------------------------------------------------- random numbers


def noise_of(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.standard_normal((*shape, ACTIONS), dtype=np.float32)


def random_controls(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Torques as our policy's noise alone would ask for: N(0, 1) cut off at ±1."""
    return MAX_TORQUE_N_M * np.clip(noise_of(rng, *shape), -1.0, 1.0).astype(np.float64)


class Policy:
    """Two layers of 64 tanh units and a linear end, plus noise, cut off at ±1.

    Buffers are kept from call to call: what it returns is overwritten by the next.
    """

    def __init__(self, inputs: int, rng: np.random.Generator, rows: tuple[int, ...] = ()) -> None:
        widths = (inputs, *HIDDEN, ACTIONS)
        self.layers = [
            (glorot(rng, a, b), np.zeros(b, np.float32), np.empty((*rows, b), np.float32))
            for a, b in zip(widths[:-1], widths[1:], strict=True)
        ]

    def __call__(self, row: np.ndarray, noise: np.ndarray) -> np.ndarray:
        for number, (weights, bias, out) in enumerate(self.layers):
            np.dot(row, weights, out=out)
            out += bias
            if number < len(HIDDEN):
                np.tanh(out, out=out)
            row = out
        row += noise
        np.maximum(row, -1.0, out=row)
        return np.minimum(row, 1.0, out=row)


def glorot(rng: np.random.Generator, inputs: int, outputs: int) -> np.ndarray:
    bound = (6.0 / (inputs + outputs)) ** 0.5
    return rng.uniform(-bound, bound, (inputs, outputs)).astype(np.float32)


class Record(NamedTuple):
    """What a rollout leaves behind, allocated before it begins."""

    rows: np.ndarray
    actions: np.ndarray
    distances: np.ndarray

    @staticmethod
    def empty(shape: tuple[int, ...], inputs: int) -> Record:
        return Record(
            np.zeros((*shape, inputs), np.float32),
            np.zeros((*shape, ACTIONS), np.float32),
            np.zeros(shape, np.float32),
        )


# -------------------------------------------------------------- the bare engine


def python_loop(setting: Setting) -> Prepared:
    """`mj_step` in a loop, with resets where our ant's episodes end."""
    model = mujoco.MjModel.from_xml_path(setting.xml)
    data = mujoco.MjData(model)
    ctrl, qpos = data.ctrl, data.qpos
    controls = random_controls(setting.rng(), setting.steps)
    low, high = TORSO_HEIGHT_M

    def reset() -> None:
        mujoco.mj_resetData(model, data)
        qpos[:] = START_QPOS

    def run(steps: int) -> Done:
        age, episodes = 0, 1
        reset()
        for control in controls[:steps]:
            ctrl[:] = control
            mujoco.mj_step(model, data)
            age += 1
            if age == HORIZON_STEPS or not low <= qpos[2] <= high:
                reset()
                age, episodes = 0, episodes + 1
        return Done(steps, episodes)

    return Prepared(run)


def start_state(model: mujoco.MjModel) -> np.ndarray:
    data = mujoco.MjData(model)
    data.qpos[:] = START_QPOS
    kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
    state = np.empty(mujoco.mj_stateSize(model, kind))
    mujoco.mj_getState(model, data, state, kind)
    return state


def share_after_end(states: np.ndarray) -> float:
    """Of open-loop steps, the share that an episode would not have had."""
    height = states[:, :, 3]  # after the time, x and y
    low, high = TORSO_HEIGHT_M
    has_ended = np.logical_or.accumulate((height < low) | (height > high), axis=1)
    return float(has_ended[:, :-1].mean())


def open_loop(setting: Setting) -> Prepared:
    """`mujoco.rollout` in its fastest form: nothing checked, nothing allocated."""
    model = mujoco.MjModel.from_xml_path(setting.xml)
    start = start_state(model)
    most = max(1, setting.steps // OPEN_LOOP_STEPS)
    controls = random_controls(setting.rng(), most, OPEN_LOOP_STEPS)
    starts = np.tile(start, (most, 1))
    states = np.zeros((most, OPEN_LOOP_STEPS, len(start)))
    scratch = [mujoco.MjData(model) for _ in range(setting.workers)]
    # No pool for one worker: then the calling thread works.
    roller = mujoco.rollout.Rollout(nthread=setting.workers if setting.workers > 1 else 0)

    def run(steps: int) -> Done:
        batch = max(1, steps // OPEN_LOOP_STEPS)
        roller.rollout(
            [model] * batch,
            scratch,
            starts[:batch],
            controls[:batch],
            nstep=OPEN_LOOP_STEPS,
            state=states[:batch],
            skip_checks=True,
        )
        return Done(batch * OPEN_LOOP_STEPS, batch)

    return Prepared(run, notes=lambda: {"share_after_end": share_after_end(states)})


# -------------------------------------------------------------------- Gymnasium


def make_ant(setting: Setting) -> gymnasium.Env:
    """Gymnasium's Ant-v5 on our XML, with our start, heights and horizon."""
    env = gymnasium.make(
        "Ant-v5",
        xml_file=setting.xml,
        frame_skip=1,
        healthy_z_range=TORSO_HEIGHT_M,
        reset_noise_scale=0.0,
        include_cfrc_ext_in_observation=False,
        exclude_current_positions_from_observation=False,
        max_episode_steps=HORIZON_STEPS,
        disable_env_checker=True,
    )
    env.unwrapped.init_qpos[:] = START_QPOS
    return env


class GoalAnt(gymnasium.Wrapper):
    """Shows what our ant sees and its goal; the reward is minus the distance to it.

    The row it returns is overwritten by the next step.
    """

    def __init__(self, env: gymnasium.Env, rng: np.random.Generator) -> None:
        super().__init__(env)
        self.model, self.data = env.unwrapped.model, env.unwrapped.data
        self.rng = rng
        self.row = np.zeros(OBSERVATION + GOAL_DIMS, np.float32)
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, self.row.shape, np.float32)
        data = self.data
        self.parts = (
            (self.row[:15], data.qpos),
            (self.row[15:29], data.qvel),
            (self.row[29:38], data.xmat[TORSO]),
            (self.row[38:41], data.subtree_com[TORSO]),
        )
        self.place, self.goal = self.row[COM_XY], self.row[OBSERVATION:]

    def observe(self) -> np.ndarray:
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)
        for part, source in self.parts:
            part[:] = source
        return self.row

    def reset(self, **options: Any) -> tuple[np.ndarray, Result]:
        self.env.reset(**options)
        self.goal[:] = self.rng.uniform(-GOAL_RANGE_M, GOAL_RANGE_M, GOAL_DIMS)
        return self.observe(), {}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, Result]:
        _, _, has_fallen, is_over, _ = self.env.step(action)
        row = self.observe()
        x, y = (self.place - self.goal).tolist()
        distance = (x * x + y * y) ** 0.5
        return row, -distance, has_fallen or distance <= GOAL_RADIUS_M, is_over, {}


def random_run(env: gymnasium.Env, controls: np.ndarray, frame_skip: int) -> Prepared:
    def run(steps: int) -> Done:
        episodes = 1
        env.reset()
        for control in controls[: steps // frame_skip]:
            _, _, terminated, truncated, _ = env.step(control)
            if terminated or truncated:
                env.reset()
                episodes += 1
        return Done(steps // frame_skip * frame_skip, episodes)

    return Prepared(run)


def gymnasium_random(setting: Setting) -> Prepared:
    return random_run(make_ant(setting), random_controls(setting.rng(), setting.steps), 1)


def gymnasium_stock(setting: Setting) -> Prepared:
    """Its own XML, frame skip, observation and reset noise."""
    env = gymnasium.make("Ant-v5", disable_env_checker=True)
    controls = setting.rng().uniform(-1.0, 1.0, (setting.steps // STOCK_FRAME_SKIP, ACTIONS))
    return random_run(env, controls, STOCK_FRAME_SKIP)


def gymnasium_policy(setting: Setting) -> Prepared:
    rng = setting.rng()
    env = GoalAnt(make_ant(setting), rng)
    inputs = OBSERVATION + GOAL_DIMS
    policy, record = Policy(inputs, rng), Record.empty((setting.steps,), inputs)

    def run(steps: int) -> Done:
        episodes = 1
        noise = noise_of(rng, steps)
        row, _ = env.reset()
        for step in range(steps):
            record.rows[step] = row
            action = policy(row, noise[step])
            record.actions[step] = action
            row, reward, terminated, truncated, _ = env.step(MAX_TORQUE_N_M * action)
            record.distances[step] = -reward
            if terminated or truncated:
                row, _ = env.reset()
                episodes += 1
        return Done(steps, episodes)

    return Prepared(run)


def vector_of(makers: list[Callable[[], gymnasium.Env]]) -> tuple[AsyncVectorEnv, list[int]]:
    """Gymnasium's own way to more than one: a process each, stepped together."""
    envs = AsyncVectorEnv(makers, copy=False, autoreset_mode=AutoresetMode.SAME_STEP)
    return envs, [process.pid for process in envs.processes]


def vector_random(setting: Setting) -> Prepared:
    count = setting.workers
    envs, children = vector_of([lambda: make_ant(setting)] * count)
    controls = random_controls(setting.rng(), setting.steps // count, count)

    def run(steps: int) -> Done:
        episodes = count
        envs.reset()
        for control in controls[: steps // count]:
            _, _, terminated, truncated, _ = envs.step(control)
            episodes += int(np.count_nonzero(terminated | truncated))
        return Done(steps // count * count, episodes)

    return Prepared(run, children)


def vector_policy(setting: Setting) -> Prepared:
    count, rng, inputs = setting.workers, setting.rng(), OBSERVATION + GOAL_DIMS
    envs, children = vector_of(
        [
            lambda s=seed: GoalAnt(make_ant(setting), np.random.default_rng(s))
            for seed in range(count)
        ]
    )
    policy = Policy(inputs, rng, (count,))
    record = Record.empty((setting.steps // count, count), inputs)

    def run(steps: int) -> Done:
        episodes = count
        noise = noise_of(rng, steps // count, count)
        rows, _ = envs.reset()
        for step in range(steps // count):
            record.rows[step] = rows
            actions = policy(rows, noise[step])
            record.actions[step] = actions
            rows, rewards, terminated, truncated, _ = envs.step(MAX_TORQUE_N_M * actions)
            record.distances[step] = -rewards
            episodes += int(np.count_nonzero(terminated | truncated))
        return Done(steps // count * count, episodes)

    return Prepared(run, children)


# ---------------------------------------------------------------------- EnvPool


def make_pool(setting: Setting, batch: int, **options: Any) -> Any:
    import envpool

    pool = envpool.make_gymnasium(
        "Ant-v5",
        num_envs=ENVPOOL_ENVS,
        batch_size=batch,
        num_threads=setting.workers,
        seed=setting.seed,
        **options,
    )
    pool.async_reset()
    return pool


def pool_of_ours(setting: Setting, batch: int) -> Any:
    """EnvPool's Ant-v5 on our XML. Its start is the model's reference pose."""
    low, high = TORSO_HEIGHT_M
    return make_pool(
        setting,
        batch,
        base_path=setting.folder,
        xml_file=f"{setting.world}.xml",
        frame_skip=1,
        healthy_z_min=low,
        healthy_z_max=high,
        reset_noise_scale=0.0,
        use_contact_force=False,
        post_constraint=False,
        exclude_current_positions_from_observation=False,
        max_episode_steps=HORIZON_STEPS,
    )


def pool_random(pool: Any, controls: np.ndarray, frame_skip: int) -> Prepared:
    """A step after an episode's end only resets: it is not counted."""

    def run(steps: int) -> Done:
        stepped, resets = 0, 0
        for control in controls[: steps // (frame_skip * controls.shape[1])]:
            _, _, _, _, info = pool.recv()
            count = int(np.count_nonzero(info["elapsed_step"]))
            stepped, resets = stepped + count, resets + len(control) - count
            pool.send(control, info["env_id"])
        return Done(stepped * frame_skip, resets)

    return Prepared(run)


def envpool_random(batch: int) -> Callable[[Setting], Prepared]:
    def make(setting: Setting) -> Prepared:
        controls = random_controls(setting.rng(), setting.steps // batch, batch)
        return pool_random(pool_of_ours(setting, batch), controls, 1)

    return make


def envpool_stock(batch: int) -> Callable[[Setting], Prepared]:
    def make(setting: Setting) -> Prepared:
        shape = (setting.steps // (STOCK_FRAME_SKIP * batch), batch, ACTIONS)
        controls = setting.rng().uniform(-1.0, 1.0, shape)
        return pool_random(make_pool(setting, batch), controls, STOCK_FRAME_SKIP)

    return make


def envpool_policy(batch: int) -> Callable[[Setting], Prepared]:
    """The distance is that of the torso: EnvPool shows neither frames nor centre of mass."""

    def make(setting: Setting) -> Prepared:
        rng, inputs = setting.rng(), ENVPOOL_OBSERVATION + GOAL_DIMS
        pool, policy = pool_of_ours(setting, batch), Policy(inputs, rng, (batch,))
        record = Record.empty((setting.steps // batch, batch), inputs)
        goals = np.zeros((ENVPOOL_ENVS, GOAL_DIMS), np.float32)
        is_reached = np.zeros(ENVPOOL_ENVS, bool)

        def run(steps: int) -> Done:
            stepped, resets = 0, 0
            noise = noise_of(rng, steps // batch, batch)
            for step in range(steps // batch):
                seen, _, _, _, info = pool.recv()
                ids, age = info["env_id"], info["elapsed_step"]
                fresh = ids[(age == 0) | is_reached[ids]]
                goals[fresh] = rng.uniform(-GOAL_RANGE_M, GOAL_RANGE_M, (len(fresh), GOAL_DIMS))
                rows, goal = record.rows[step], goals[ids]
                rows[:, :ENVPOOL_OBSERVATION] = seen
                rows[:, ENVPOOL_OBSERVATION:] = goal
                distances = np.linalg.norm(rows[:, :2] - goal, axis=1)
                is_reached[ids] = distances <= GOAL_RADIUS_M
                actions = policy(rows, noise[step])
                record.actions[step] = actions
                record.distances[step] = distances
                pool.send(MAX_TORQUE_N_M * actions.astype(np.float64), ids)
                count = int(np.count_nonzero(age))
                stepped, resets = stepped + count, resets + batch - count
            return Done(stepped, resets)

        return Prepared(run)

    return make


# -------------------------------------------------------------------- the child


class Task(NamedTuple):
    make: Callable[[Setting], Prepared]
    in_processes: bool  # else it has threads or processes of its own


TASKS: dict[str, Task] = {
    "python-loop": Task(python_loop, True),
    "mujoco-rollout": Task(open_loop, False),
    "gymnasium-random": Task(gymnasium_random, True),
    "gymnasium-random-vector": Task(vector_random, False),
    "gymnasium-policy": Task(gymnasium_policy, True),
    "gymnasium-policy-vector": Task(vector_policy, False),
    "gymnasium-stock": Task(gymnasium_stock, True),
    "envpool-random-sync": Task(envpool_random(ENVPOOL_ENVS), False),
    "envpool-random-async": Task(envpool_random(ENVPOOL_ASYNC_BATCH), False),
    "envpool-policy-sync": Task(envpool_policy(ENVPOOL_ENVS), False),
    "envpool-policy-async": Task(envpool_policy(ENVPOOL_ASYNC_BATCH), False),
    "envpool-stock-sync": Task(envpool_stock(ENVPOOL_ENVS), False),
    "envpool-stock-async": Task(envpool_stock(ENVPOOL_ASYNC_BATCH), False),
}

start_line: Barrier


def take_place(barrier: Barrier) -> None:
    """In a worker: where it waits for the others."""
    global start_line
    start_line = barrier


def share_of(name: str, setting: Setting) -> tuple[Clock, Clock, Done]:
    """In a worker: its part, begun together with the others."""
    prepared = TASKS[name].make(setting)
    prepared.run(setting.steps // WARM_UP_SHARE)
    start_line.wait(BARRIER_S)
    return timed(prepared, setting.steps)


def measure_processes(name: str, setting: Setting) -> Result:
    """As many processes as workers, each with episodes of its own."""
    count, fork = setting.workers, multiprocessing.get_context("fork")
    shares = [setting._replace(steps=setting.steps // count, seed=seed) for seed in range(count)]
    barrier = (fork.Barrier(count),)
    with ProcessPoolExecutor(count, fork, initializer=take_place, initargs=barrier) as pool:
        return result_of(list(pool.map(share_of, [name] * count, shares)))


def measure_here(name: str, setting: Setting) -> Result:
    prepared = TASKS[name].make(setting)
    prepared.run(setting.steps // WARM_UP_SHARE)
    return result_of([timed(prepared, setting.steps)]) | prepared.notes()


def measure(name: str, setting: Setting) -> Result:
    if TASKS[name].in_processes:
        return measure_processes(name, setting)
    return measure_here(name, setting)


def engine_of_envpool() -> str:
    """The version of the MuJoCo inside EnvPool, in that MuJoCo's words."""
    from envpool.mujoco import mujoco_gym_envpool

    library = ctypes.CDLL(mujoco_gym_envpool.__file__)
    library.mj_versionString.restype = ctypes.c_char_p
    return library.mj_versionString().decode()


def describe_envpool() -> Result:
    try:
        return {
            "envpool": metadata.version("envpool"),
            "envpool_mujoco": engine_of_envpool(),
            "envpool_error": None,
        }
    except Exception as error:  # whatever it is, the others can be measured
        text = f"{type(error).__name__}: {error}"
        return {"envpool": None, "envpool_mujoco": None, "envpool_error": text}


def describe() -> Result:
    return {
        "python": sys.version.split()[0],
        "packages": {name: metadata.version(name) for name in ("numpy", "mujoco", "gymnasium")},
        "mujoco": mujoco.mj_versionString(),
        **describe_envpool(),
    }


def main() -> None:
    if sys.argv[1] == "describe":
        result = describe()
    else:
        name, folder, world, workers, steps = sys.argv[1:]
        result = measure(name, Setting(folder, world, int(workers), int(steps)))
    print(json.dumps(result))


if __name__ == "__main__":
    main()
