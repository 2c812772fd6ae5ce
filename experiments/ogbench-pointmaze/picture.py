"""The README's picture: logged tracks, isochrones, a route, and the agent on it, in OGBench's giant maze.

    python picture.py --data DATA/pointmaze-giant-stitch-seed100.npz --out ../../docs/images/route.gif

The log has no trajectory longer than a few cells; the agent is shown none of the way it goes.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib as mpl
import numpy as np
import ogbench

from isochrone import ClonedPolicy, DistanceModel, Navigator, Roadmap

mpl.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib import animation  # noqa: E402

TRACKS = 400
CELL_POINTS = 5
EVERY_STEPS = 20
DATASET = "pointmaze-giant-stitch"


def walls(env: object) -> tuple[np.ndarray, float, float]:
    """The map of cells (1 is a wall), metres per cell, and the offset of the first cell's centre."""
    maze = env.unwrapped
    return np.array(maze.maze_map), maze._maze_unit, -maze._offset_x


def field(roadmap: Roadmap, cells: np.ndarray, cell_m: float, first_m: float, goal: np.ndarray) -> tuple[np.ndarray, ...]:
    """Fewest steps to the goal on a fine grid; NaN in walls."""
    rows, columns = cells.shape
    fine = lambda n: first_m + cell_m * ((np.arange(n * CELL_POINTS) + 0.5) / CELL_POINTS - 0.5)  # noqa: E731
    x, y = np.meshgrid(fine(columns), fine(rows))
    free = np.kron(cells, np.ones((CELL_POINTS, CELL_POINTS))) == 0
    steps = np.full(x.shape, np.nan)
    steps[free] = roadmap.fewest_steps(np.stack([x[free], y[free]], axis=1), goal)
    steps[np.isinf(steps)] = np.nan
    return x, y, steps


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--task", type=int, default=1)
    parser.add_argument("--seed", type=int, default=100)
    args = parser.parse_args()

    distance = DistanceModel(window_steps=25, seed=args.seed).fit(args.data)
    roadmap = Roadmap(landmarks=1_000, hop_steps=12, seed=args.seed).fit(args.data, distance)
    policy = ClonedPolicy(seed=args.seed, max_lag_steps=25).fit(args.data)
    agent = Navigator(roadmap, policy, lookahead_steps=24)

    env = ogbench.make_env_and_datasets(f"{DATASET}-v0", env_only=True)
    np.random.seed(args.seed)
    position, info = env.reset(seed=args.seed, options={"task_id": args.task})
    goal, path = info["goal"], [position.copy()]
    route = roadmap.route(position, goal)
    agent.reset()
    done = False
    while not done:
        position, _, terminated, truncated, info = env.step(np.clip(agent.predict(position, goal), -1, 1))
        path.append(position.copy())
        done = terminated or truncated
    print(f"{len(path) - 1} steps, success {info['success']}; route of {len(route.landmarks)} landmarks")

    cells, cell_m, first_m = walls(env)
    x, y, steps = field(roadmap, cells, cell_m, first_m, goal)
    data = np.load(args.data)
    ends = np.concatenate([[0], np.flatnonzero(data["terminals"]) + 1])

    figure, axes = plt.subplots(figsize=(8.2, 6.2), dpi=70, layout="constrained")
    axes.set_aspect("equal")
    axes.axis("off")
    half = cell_m / 2
    extent = (first_m - half, first_m - half + cell_m * cells.shape[1], first_m - half, first_m - half + cell_m * cells.shape[0])
    axes.imshow(cells == 1, origin="lower", extent=extent, cmap="Greys", vmin=0, vmax=3.2, interpolation="nearest")
    colours = axes.pcolormesh(x, y, steps, cmap="viridis_r", alpha=0.55, shading="nearest", linewidth=0, rasterized=True)
    for episode in np.linspace(0, len(ends) - 2, TRACKS).astype(int):
        track = data["observations"][ends[episode] : ends[episode + 1]]
        axes.plot(*track.T, color="white", lw=0.5, alpha=0.5)
    axes.contour(x, y, steps, levels=np.arange(0, np.nanmax(steps), 50), colors="black", linewidths=0.6, alpha=0.6)
    axes.plot(*route.states.T, color="crimson", lw=1.6, marker="o", ms=2.5, label="route")
    axes.plot(*goal, marker="*", ms=18, color="gold", mec="black", ls="", label="goal")
    (trail,) = axes.plot([], [], color="black", lw=2.0, label="agent")
    (dot,) = axes.plot([], [], "o", color="black", ms=9, mec="white")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=3, frameon=False)
    figure.colorbar(colours, ax=axes, label="fewest steps to the goal (isochrones every 50)", shrink=0.8)
    axes.set_title("Logs of short trips (white) → isochrones → a route longer than any trip", fontsize=11)
    path = np.array(path)

    def frame(at: int) -> tuple[object, ...]:
        trail.set_data(*path[: at + 1].T)
        dot.set_data([path[at, 0]], [path[at, 1]])
        return trail, dot

    frames = [*range(0, len(path), EVERY_STEPS), *[len(path) - 1] * 8]
    film = animation.FuncAnimation(figure, frame, frames=frames, blit=False)
    film.save(args.out, writer=animation.PillowWriter(fps=8))
    frame(len(path) - 1)
    figure.savefig(args.out.with_suffix(".png"))
    print(f"wrote {args.out}: {args.out.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
