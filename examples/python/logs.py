"""A distance from logged trajectories: learn it, ask whether to trust it, use it, carry it away.

    pip install "../../python[gym,plot]"
    python logs.py

Here random actions in a U-shaped room stand for your logs; only states are looked at, no actions and no rewards.
"""

from __future__ import annotations

import gymnasium as gym
import numpy as np

import isochrone.envs
import isochrone.plot
from isochrone import DistanceModel

EPISODES, STEPS = 150, 200


def logs() -> list[np.ndarray]:
    """A list of arrays, one row per state; `isochrone.data` reads Minari's and D4RL's."""
    env = gym.make("isochrone/PointMassU-v0", max_episode_steps=STEPS)
    env.action_space.seed(0)
    episodes = []
    for episode in range(EPISODES):
        observation, _ = env.reset(seed=episode)
        states = [observation[:2]]
        for _ in range(STEPS):
            states.append(env.step(env.action_space.sample())[0][:2])
        episodes.append(np.array(states, dtype=np.float32))
    return episodes


def main() -> None:
    episodes = logs()
    distance = DistanceModel(seed=0).fit(episodes)
    report = distance.assess(episodes)  # on held-out episodes
    print(report)
    epsilon = report["epsilon"]["epsilon"]

    last = np.stack([states[-1] for states in episodes])
    places, steps = distance.nearest(episodes[0][0], last, k=3)
    print(f"nearest to the start: {last[places].round(2).tolist()}, {steps.round(1).tolist()} steps away")
    reward = distance.as_reward(epsilon)  # 0 within ε of the goal, −1 otherwise: what HER wants
    print(f"episodes that end within {epsilon:.0f} steps of where the first ended: {np.mean(reward(last, last[0]) == 0):.2f}")

    distance.save("logs.isochrone")
    distance.export_onnx("logs.onnx")
    ax = isochrone.plot.isochrones(distance, last[0], extent=(*np.percentile(last[:, 0], [1, 99]), *np.percentile(last[:, 1], [1, 99])))
    ax.figure.savefig("logs.png", dpi=150)


if __name__ == "__main__":
    main()
