"""Generates OGBench's PointMaze data sets by its recipe, in OGBench's npz layout, from a seed.

    python make_data.py pointmaze-giant-stitch --seed 0 --out pointmaze-giant-stitch-seed0.npz
    python make_data.py pointmaze-teleport-stitch --verify 100000

All episodes run side by side. MuJoCo is called only for points that touch a wall; elsewhere the point moves by exactly
0.2 m times the action. `--verify N` compares N steps with OGBench's own environments.
"""

from __future__ import annotations

import argparse
import time
from typing import Any, NamedTuple

import mujoco
import numpy as np
import ogbench
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NEIGHBOURS = [(-1, 0), (0, -1), (1, 0), (0, 1)]  # OGBench's order: it decides ties between shortest cell paths
ACTION_NOISE = 0.5
METRES_PER_ACTION = 0.2
BODY_RADIUS_METRES = 0.7
GOAL_RADIUS_METRES = 1.0
STITCH_CELLS = 4
VERIFY_ENVIRONMENTS = 8


class Recipe(NamedTuple):
    """The size of a data set. The last action of an episode is logged, the state after it is not."""

    episodes: int
    states: int


RECIPES = {
    "pointmaze-medium-navigate": Recipe(1000, 1001),
    "pointmaze-large-navigate": Recipe(1000, 1001),
    "pointmaze-giant-navigate": Recipe(500, 2001),
    "pointmaze-teleport-navigate": Recipe(1000, 1001),
    "pointmaze-medium-stitch": Recipe(5000, 201),
    "pointmaze-large-stitch": Recipe(5000, 201),
    "pointmaze-giant-stitch": Recipe(5000, 201),
    "pointmaze-teleport-stitch": Recipe(5000, 201),
}


def make_environment(dataset: str) -> Any:
    """OGBench's environment of a data set; episodes go on at the goal."""
    return ogbench.make_env_and_datasets(f"{dataset}-v0", env_only=True, terminate_at_goal=False).unwrapped


class Maze:
    """Free cells of a maze, numbered row by row, and the oracle's next cell for every pair of cells."""

    def __init__(self, env: Any) -> None:
        self.unit: float = env._maze_unit
        self.offset: Floats = np.array([env._offset_x, env._offset_y], float)
        self.walls: NDArray[np.bool_] = env.maze_map == 1
        self.free = np.argwhere(~self.walls)
        self.number: Ints = np.full(self.walls.shape, -1)
        self.number[tuple(self.free.T)] = np.arange(len(self.free))
        self.centres: Floats = self.free[:, ::-1] * self.unit - self.offset
        # Cell steps from every free cell to a goal cell; -1 where there is no path.
        self.steps = np.stack([env.get_oracle_subgoal(centre, centre)[1] for centre in self.centres])
        teleport = env._teleport_info or {}
        self.entries: Floats = np.reshape(teleport.get("teleport_in_xys", []), (-1, 2))
        self.exits: Floats = np.reshape(teleport.get("teleport_out_xys", []), (-1, 2))
        self.entry_radius_metres: float = 1.5 * teleport.get("teleport_radius", 0.0)
        self.next_centres = np.stack([self._next_centres(steps) for steps in self.steps])

    def _next_centres(self, steps: Ints) -> Floats:
        best = self.free.copy()
        for neighbour in self.free + np.array(NEIGHBOURS)[:, None]:
            i, j = neighbour.T
            nearer = ~self.walls[i, j] & (steps[i, j] < steps[tuple(best.T)])
            best[nearer] = neighbour[nearer]
        return self.centres[self.number[tuple(best.T)]]

    def junctions(self) -> Ints:
        """Cells that are no straight corridor: the goals of *navigate*."""
        up, left, down, right = (~self.walls[tuple((self.free + n).T)] for n in NEIGHBOURS)
        return np.flatnonzero(~((up == down) & (left == right) & (up != left)))

    def coordinates(self, xy: Floats) -> Ints:
        """Row and column of each position."""
        cells: Ints = ((xy + self.offset + 0.5 * self.unit) / self.unit).astype(np.int64)
        return cells[:, ::-1]

    def cells(self, xy: Floats) -> Ints:
        """The number of each position's cell."""
        i, j = self.coordinates(xy).T
        cells: Ints = self.number[i, j]
        return cells

    def clearance_metres(self, xy: Floats) -> Floats:
        """Distance to the nearest wall among the three cells that the position leans towards; others are half a cell away."""
        cell = self.coordinates(xy)
        lean = (xy - (cell[:, ::-1] * self.unit - self.offset))[:, ::-1]
        gap = self.unit / 2 - np.abs(lean)
        (i, j), (next_i, next_j) = cell.T, (cell + np.where(lean < 0, -1, 1)).T
        row = np.where(self.walls[next_i, j], gap[:, 0], np.inf)
        column = np.where(self.walls[i, next_j], gap[:, 1], np.inf)
        corner = np.where(self.walls[next_i, next_j], np.hypot(gap[:, 0], gap[:, 1]), np.inf)
        return np.minimum(np.minimum(row, column), corner)


class Points:
    """Many point masses in one maze. They do not see each other."""

    def __init__(self, env: Any, maze: Maze, xy: Floats, velocity: Floats) -> None:
        self.env, self.maze = env, maze
        self.xy, self.velocity = xy.copy(), velocity.copy()
        self.warm_start = np.zeros_like(xy)  # of MuJoCo's contact solver; without it results differ in the last digits
        self.contacts = 0

    def step(self, actions: Floats, exits: Ints) -> Floats:
        """Moves every point and returns the observations. `exits` are the teleporters' exits, used by points that enter one.

        As in OGBench, the observation after entering a teleporter is the entry; the exit is where the next step starts.
        """
        self.xy = self.xy + METRES_PER_ACTION * actions
        self.velocity = np.zeros_like(self.xy)
        touching = self.maze.clearance_metres(self.xy) < BODY_RADIUS_METRES + 1e-6
        self.warm_start[~touching] = 0.0
        for point in np.flatnonzero(touching):
            self._step_mujoco(int(point))
        observations = self.xy.copy()
        for entry in self.maze.entries:
            enters = np.linalg.norm(observations - entry, axis=1) <= self.maze.entry_radius_metres
            self.xy[enters] = self.maze.exits[exits[enters]]
        return observations

    def _step_mujoco(self, point: int) -> None:
        data = self.env.data
        data.qpos[:] = self.xy[point]
        data.qvel[:] = 0.0
        data.qacc_warmstart[:] = self.warm_start[point]
        mujoco.mj_step(self.env.model, data, nstep=self.env.frame_skip)
        self.xy[point] = data.qpos
        self.velocity[point] = data.qvel
        self.warm_start[point] = data.qacc_warmstart
        self.contacts += 1


def draw_goals(dataset: str, maze: Maze, starts: Ints, rng: np.random.Generator) -> Ints:
    """Goal cells: any junction for *navigate*, four cells from the start for *stitch* (the start if there is none)."""
    if dataset.endswith("navigate"):
        return rng.choice(maze.junctions(), len(starts))
    near = [maze.number[maze.steps[start] == STITCH_CELLS] for start in starts]
    return np.array([rng.choice(cells) if len(cells) else start for cells, start in zip(near, starts, strict=True)])


def draw_positions(maze: Maze, cells: Ints, rng: np.random.Generator) -> Floats:
    """Positions in the middle quarter of the given cells, uniform."""
    return maze.centres[cells] + rng.uniform(-1, 1, (len(cells), 2)) * maze.unit / 4


def generate(dataset: str, seed: int) -> tuple[dict[str, Any], int]:
    """The arrays of a data set, and how many of its steps touched a wall."""
    rng = np.random.default_rng([list(RECIPES).index(dataset), seed])
    env = make_environment(dataset)
    maze = Maze(env)
    episodes, states = RECIPES[dataset]
    starts = rng.integers(len(maze.free), size=episodes)
    goals = draw_goals(dataset, maze, starts, rng)
    goal_xy = draw_positions(maze, goals, rng)
    points = Points(env, maze, draw_positions(maze, starts, rng), rng.normal(0, 0.1, (episodes, 2)))
    observation = points.xy
    shape = (episodes, states, 2)
    arrays = {key: np.empty(shape, np.float32) for key in ("observations", "actions", "qpos", "qvel")}
    for step in range(states):
        direction = maze.next_centres[goals, maze.cells(points.xy)] - points.xy
        direction /= np.linalg.norm(direction, axis=1, keepdims=True) + 1e-6
        actions = np.clip(direction + rng.normal(0, ACTION_NOISE, (episodes, 2)), -1, 1)
        logged = {"observations": observation, "actions": actions, "qpos": points.xy, "qvel": points.velocity}
        for key, values in logged.items():
            arrays[key][:, step] = values
        observation = points.step(actions, rng.integers(max(len(maze.exits), 1), size=episodes))
        reached = np.linalg.norm(observation - goal_xy, axis=1) <= GOAL_RADIUS_METRES
        if dataset.endswith("navigate") and reached.any():
            goals[reached] = draw_goals(dataset, maze, goals[reached], rng)
            goal_xy[reached] = draw_positions(maze, goals[reached], rng)
    terminals = np.zeros((episodes, states), bool)
    terminals[:, -1] = True
    return {**{key: array.reshape(-1, 2) for key, array in arrays.items()}, "terminals": terminals.ravel()}, points.contacts


def verify(dataset: str, steps: int, seed: int) -> None:
    """Compares steps with OGBench's environments: walks that keep a heading for 20 steps, so that many run into walls."""
    rng = np.random.default_rng(seed)
    envs = [make_environment(dataset) for _ in range(VERIFY_ENVIRONMENTS)]
    own = make_environment(dataset)
    maze = Maze(own)
    worst = contacts = teleports = wrong_subgoals = 0
    for step in range(-(-steps // len(envs))):
        if step % 200 == 0:  # the closed cell of the teleport maze would hold every walk at last
            starts, goals = rng.integers(len(maze.free), size=(2, len(envs)))
            starts[: len(maze.entries)] = maze.cells(maze.entries)
            for env, start, goal in zip(envs, starts, goals, strict=True):
                env.reset(options={"task_info": {"init_ij": maze.free[start], "goal_ij": maze.free[goal]}})
            points = Points(own, maze, np.stack([env.get_xy() for env in envs]), np.zeros((len(envs), 2)))
        if step % 20 == 0:
            heading = rng.normal(0, 1, (len(envs), 2))
        actions = np.clip(heading + rng.normal(0, ACTION_NOISE, heading.shape), -1, 1)
        subgoals = maze.next_centres[goals, maze.cells(points.xy)]
        theirs = [env.get_oracle_subgoal(env.get_xy(), maze.centres[g])[0] for env, g in zip(envs, goals, strict=True)]
        wrong_subgoals += int((subgoals != theirs).any(axis=1).sum())
        seeds = rng.integers(2**32, size=len(envs))
        exits = np.array([np.random.RandomState(seed).randint(3) for seed in seeds])
        expected = []
        for env, action, exit_seed in zip(envs, actions, seeds, strict=True):
            np.random.seed(exit_seed)  # OGBench draws the exit from NumPy's global generator
            expected.append(env.step(action)[0])
        before = points.contacts
        observations = points.step(actions, exits)
        contacts += points.contacts - before
        teleports += int((observations != points.xy).any(axis=1).sum())
        after = np.stack([env.get_xy() for env in envs])
        worst = max(worst, np.abs(observations - expected).max(), np.abs(points.xy - after).max())
    print(f"{dataset}: {steps} steps, {contacts} in contact, {teleports} teleports, {wrong_subgoals} wrong subgoals")
    print(f"{dataset}: largest difference {worst:.3g} m")
    if worst > 1e-9 or wrong_subgoals:
        raise SystemExit(f"{dataset}: the fast steps differ from OGBench's environment")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", choices=RECIPES)
    parser.add_argument("--seed", type=int, default=0)
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--out", help="npz file to write")
    action.add_argument("--verify", type=int, metavar="N", help="compare N steps with OGBench's environments; write nothing")
    args = parser.parse_args()
    if args.verify:
        verify(args.dataset, args.verify, args.seed)
        return
    start = time.perf_counter()
    arrays, contacts = generate(args.dataset, args.seed)
    np.savez_compressed(args.out, **arrays)
    seconds = time.perf_counter() - start
    states = len(arrays["terminals"])
    print(f"{args.out}: {states} states, {contacts / states:.3f} of the steps in contact, {seconds:.1f} s")


if __name__ == "__main__":
    main()
