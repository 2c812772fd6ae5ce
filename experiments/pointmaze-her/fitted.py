"""The distance that the reward of run.py asks: fitted to places of a body that acts at random."""

from __future__ import annotations

import gymnasium as gym
import gymnasium_robotics
import numpy as np

from isochrone import DistanceModel

gym.register_envs(gymnasium_robotics)

LOG_EPISODES, LOG_STEPS, WINDOW_STEPS = 300, 300, 100


def random_logs(name: str, seed: int) -> list[np.ndarray]:
    """Places of a body that acts at random."""
    env = gym.make(name, max_episode_steps=LOG_STEPS)
    env.action_space.seed(seed)
    episodes = []
    for episode in range(LOG_EPISODES):
        observation, _ = env.reset(seed=1000 * seed + episode)
        places = [observation["achieved_goal"]]
        for _ in range(LOG_STEPS):
            observation, *_ = env.step(env.action_space.sample())
            places.append(observation["achieved_goal"])
        episodes.append(np.array(places, dtype=np.float32))
    return episodes


def fitted(name: str, seed: int) -> tuple[DistanceModel, list[np.ndarray]]:
    """The distance, and what it was fitted to."""
    episodes = random_logs(name, seed)
    return DistanceModel(seed=seed, window_steps=WINDOW_STEPS).fit(episodes), episodes
