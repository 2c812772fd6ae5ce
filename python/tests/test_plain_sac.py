"""Soft actor-critic on an environment's own rewards."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

gym = pytest.importorskip("gymnasium")

from isochrone import PlainSac  # noqa: E402


class Steer(gym.Env):
    """One number that follows the action; the nearer to 0.5, the better."""

    observation_space = gym.spaces.Box(-1, 1, (1,), np.float32)
    action_space = gym.spaces.Box(np.float32(-3), np.float32(1), (1,), np.float32)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.place, self.steps = self.np_random.uniform(-1, 1, 1).astype(np.float32), 0
        return self.place, {}

    def step(self, action: np.ndarray) -> Any:
        assert self.action_space.contains(action)
        self.place = np.clip(self.place + 0.2 * (action + 1), -1, 1).astype(np.float32)
        self.steps += 1
        return self.place, -float(abs(self.place[0] - 0.5)), False, self.steps == 20, {}


def test_it_learns_and_repeats() -> None:
    first, second = (PlainSac(Steer(), hidden=[32], learning_rate=3e-3, batch_size=64, seed=3).learn(1_500) for _ in range(2))
    assert first.num_timesteps == 1_500 and len(first.episode_rewards) == 75
    assert np.mean(first.episode_rewards[-10:]) > -3 > np.mean(first.episode_rewards[:5])
    assert first.episode_rewards == second.episode_rewards
    action, _ = first.predict([-0.8])
    assert action[0] > 0.5 and first.predict([0.9])[0][0] < -1.2
    assert action.tolist() == second.predict([-0.8])[0].tolist()


def test_a_time_limit_is_no_end_and_asking_changes_nothing() -> None:
    class Recorder:
        def __init__(self, learner: Any) -> None:
            self.learner, self.ends = learner, []

        def observe(self, *transition: Any) -> None:
            self.ends += transition[-1].tolist()
            self.learner.observe(*transition)

        def __getattr__(self, name: str) -> Any:
            return getattr(self.learner, name)

    asked, quiet = (PlainSac(Steer(), hidden=[8], batch_size=16, seed=3) for _ in range(2))
    asked._learner = Recorder(asked._learner)
    for _ in range(3):
        asked.learn(60)
        asked.predict([0.0], deterministic=False)
        quiet.learn(60)
    assert len(asked.episode_rewards) == 9 and asked._learner.ends == [False] * 180
    assert asked.episode_rewards == quiet.episode_rewards


def test_it_says_what_is_wrong() -> None:
    unbounded = Steer()
    unbounded.action_space = gym.spaces.Box(-np.inf, np.inf, (1,), np.float32)
    for make, words in [
        (lambda: PlainSac(unbounded), "the actions have no bounds"),
        (lambda: PlainSac("CartPole-v1"), "actions must be arrays of floats"),
        (lambda: PlainSac(Steer(), gamma=1.5), "gamma is 1.5; it must be at most 1"),
        (lambda: PlainSac(Steer(), batch_size=0), "batch_size is 0"),
        (lambda: PlainSac(Steer()).predict([0.0, 1.0]), "2 entries were given, the learner is for 1"),
        (lambda: PlainSac(Steer()).predict([np.nan]), "not a finite"),
    ]:
        with pytest.raises((TypeError, ValueError), match=words):
            make()
