"""The distance that our rewards ask: the fewest steps, learned from places of a body that acts at random.

    python distance.py --env PointMaze_Large-v3 --seed 0 --csv gate.csv

fits it, and judges it by greedy descent: from a place, always on to the nearest of the eight places round it; does that lead to
the goal? Below 0.95 a reward made of this distance is not worth trying.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import gymnasium as gym
import gymnasium_robotics
import numpy as np
from scipy.sparse.csgraph import dijkstra
from scipy.sparse import coo_matrix

from isochrone import DistanceModel

gym.register_envs(gymnasium_robotics)

LOG_STEPS = 300
# A random action is kept up for so long: actions that change at every step hardly move the body.
HELD_STEPS = 20
PLACES_PER_CELL, WALL_M = 4, 0.1
COLUMNS = "env seed log_steps greedy_descent rank_correlation max_steps revision".split()


def random_logs(name: str, seed: int, episodes: int) -> list[np.ndarray]:
    """Places of a body that acts at random."""
    env = gym.make(name, max_episode_steps=LOG_STEPS)
    env.action_space.seed(seed)
    logs = []
    for episode in range(episodes):
        observation, _ = env.reset(seed=1_000 * seed + episode)
        places = [observation["achieved_goal"]]
        for step in range(LOG_STEPS):
            action = env.action_space.sample() if step % HELD_STEPS == 0 else action
            observation, *_ = env.step(action)
            places.append(observation["achieved_goal"])
        logs.append(np.array(places, dtype=np.float32))
    return logs


def fitted(name: str, seed: int, episodes: int, file: Path | None = None) -> tuple[DistanceModel, float]:
    """The distance, and the largest one between two of a thousand logged places."""
    logs = random_logs(name, seed, episodes)
    if file is not None and file.exists():
        distance = DistanceModel.load(file)
    else:
        distance = DistanceModel(target="geodesic", hidden=[256, 256], seed=seed).fit(logs)
        if file is not None:
            distance.save(file)
    places = np.concatenate(logs)
    some = places[np.random.default_rng(seed).choice(len(places), 1_000, replace=False)]
    return distance, float(max(np.max(distance(some, np.broadcast_to(goal, some.shape))) for goal in some[:100]))


def places_of(name: str) -> tuple[np.ndarray, coo_matrix]:
    """A grid of free places of a maze, and the metres between those next to each other, walls between them or not."""
    maze = gym.make(name).unwrapped.maze
    rows = np.array(maze.maze_map) == 1
    spots = (np.arange(PLACES_PER_CELL) + 0.5) / PLACES_PER_CELL
    number, places = {}, []
    for i, j in np.argwhere(~rows):
        for a, down in enumerate(spots):
            for b, right in enumerate(spots):
                y = maze.y_map_center - (i + down) * maze.maze_size_scaling
                x = (j + right) * maze.maze_size_scaling - maze.x_map_center
                number[i * PLACES_PER_CELL + a, j * PLACES_PER_CELL + b] = len(places)
                places.append((x, y))
    edges = []
    for (i, j), of in number.items():
        for di, dj in [(0, 1), (1, 0), (1, 1), (1, -1)]:
            corners = [(i + di, j + dj), (i + di, j), (i, j + dj)]
            if all(corner in number for corner in corners):
                edges.append((of, number[corners[0]], np.hypot(di, dj) / PLACES_PER_CELL))
    of, to, metres = map(np.array, zip(*edges, strict=True))
    graph = coo_matrix((metres, (of.astype(int), to.astype(int))), shape=(len(places),) * 2)
    return np.array(places, dtype=np.float32), graph + graph.T


def gate(distance: DistanceModel, name: str) -> tuple[float, float]:
    """The share of pairs of places that greedy descent joins, and the rank correlation with the walkable metres, goal by goal."""
    places, graph = places_of(name)
    walkable = dijkstra(graph, directed=False)
    graph = graph.tocsr()
    reached, ranks = [], []
    for goal in range(len(places)):
        steps = np.asarray(distance(places, np.broadcast_to(places[goal], places.shape)))
        ranks.append(np.corrcoef(steps.argsort().argsort(), walkable[:, goal].argsort().argsort())[0, 1])
        # Every place goes on to its nearest neighbour, or stays if none is nearer; doubling the hops joins whole paths.
        onward = np.arange(len(places))
        for of in range(len(places)):
            near = graph.indices[graph.indptr[of] : graph.indptr[of + 1]]
            best = near[steps[near].argmin()]
            onward[of] = best if steps[best] < steps[of] else of
        for _ in range(12):
            onward = onward[onward]
        # Within a step of the grid: a quarter of a metre.
        reached.append(np.mean(walkable[onward, goal] <= 1.5 / PLACES_PER_CELL))
    return float(np.mean(reached)), float(np.mean(ranks))


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--env", default="PointMaze_UMaze-v3")
    asked.add_argument("--seed", type=int, default=0)
    asked.add_argument("--log-episodes", type=int, default=300, help="of 300 random steps")
    asked.add_argument("--work", type=Path, help="keep the distance in this folder")
    asked.add_argument("--revision", default="")
    asked.add_argument("--csv", type=Path, required=True)
    asked = asked.parse_args()

    file = asked.work and asked.work / f"{asked.env}-{asked.seed}-{asked.log_episodes}.isochrone"
    distance, max_steps = fitted(asked.env, asked.seed, asked.log_episodes, file)
    descent, rank = gate(distance, asked.env)
    steps = asked.log_episodes * LOG_STEPS
    row = [asked.env, asked.seed, steps, round(descent, 4), round(rank, 4), round(max_steps, 1), asked.revision]
    is_new = not asked.csv.exists()
    with asked.csv.open("a", newline="") as out:
        csv.writer(out).writerows([COLUMNS, row] if is_new else [row])
    print(*row)


if __name__ == "__main__":
    main()
