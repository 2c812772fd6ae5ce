"""Stable-Baselines3's SAC with hindsight on goal environments: the learner and its judge, the same for all rewards."""

from __future__ import annotations

import argparse

import gymnasium as gym
import numpy as np
from stable_baselines3 import SAC, HerReplayBuffer


def add_settings(parser: argparse.ArgumentParser, gamma: float) -> None:
    """Those of the learner."""
    parser.add_argument("--every-update", type=int, default=4, help="steps of the environment per update")
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--gamma", type=float, default=gamma)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--width", type=int, default=128)


def learner(env: gym.Env, asked: argparse.Namespace, *, copy_info_dict: bool = False) -> SAC:
    """An untrained learner."""
    buffer = {"n_sampled_goal": 4, "goal_selection_strategy": "future", "copy_info_dict": copy_info_dict}
    return SAC(
        "MultiInputPolicy", env, seed=asked.seed, replay_buffer_class=HerReplayBuffer, replay_buffer_kwargs=buffer,
        learning_starts=1_000, batch_size=asked.batch, learning_rate=asked.rate, gamma=asked.gamma, tau=0.01,
        train_freq=2 * asked.every_update, gradient_steps=2, policy_kwargs={"net_arch": [asked.width] * 2},
    )  # fmt: skip


def success(model: SAC, envs: list[gym.Env]) -> float:
    """The share of episodes that come to their goal, as the environment sees it; they are played side by side."""
    observations = [env.reset(seed=10_000 + episode)[0] for episode, env in enumerate(envs)]
    playing, reached = list(range(len(envs))), 0
    while playing:
        seen = {key: np.stack([observations[of][key] for of in playing]) for key in observations[0]}
        actions, _ = model.predict(seen, deterministic=True)
        for of, action in zip(playing.copy(), actions, strict=True):
            observations[of], _, terminated, truncated, info = envs[of].step(action)
            reached += bool(info["success"])
            if info["success"] or terminated or truncated:
                playing.remove(of)
    return reached / len(envs)
