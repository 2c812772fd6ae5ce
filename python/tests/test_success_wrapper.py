"""The success test of a distance as the reward of an environment."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from isochrone import DataWarning, DistanceModel

from .test_logs import GOOD, logged

gym = pytest.importorskip("gymnasium")

from isochrone import SuccessWrapper  # noqa: E402


@pytest.fixture(scope="module")
def model() -> DistanceModel:
    episodes = logged()
    model = DistanceModel(seed=0, held_out=0.3).fit(episodes)
    model.set_reached([states[-1] for states in episodes[:GOOD]], episodes, false_positive_rate=0.02)
    return model


class Line(gym.Env):
    """One step to the right."""

    observation_space = gym.spaces.Box(-100.0, 100.0, (2,), np.float32)
    action_space = gym.spaces.Discrete(1)

    def reset(self, *, seed=None, options=None):
        self.at = 0
        return np.zeros(2, np.float32), {}

    def step(self, action):
        self.at += 1
        return np.array([self.at, 0.0], np.float32), 0.0, False, self.at > 90, {}


def test_a_success_test_is_a_reward(model) -> None:
    env = SuccessWrapper(Line(), model)
    env.reset()
    steps = 0
    terminated = truncated = False
    while not (terminated or truncated):
        _, reward, terminated, truncated, info = env.step(0)
        steps += 1
    assert terminated and reward == 1.0 and info["is_success"]
    assert 50 <= steps <= 65
    with pytest.raises(TypeError, match="DistanceModel"):
        SuccessWrapper(Line(), "distance")


class InMillimetres(Line):
    """The same in other units."""

    observation_space = gym.spaces.Box(-1e5, 1e5, (2,), np.float32)

    def step(self, action):
        seen, *rest = super().step(action)
        return 1000 * seen, *rest


def test_an_environment_in_other_units_is_told_once(model) -> None:
    for kind, told in ((Line, 0), (InMillimetres, 1)):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            env = SuccessWrapper(kind(), model)
            for _ in range(3):
                env.reset()
                while not any(env.step(0)[2:4]):
                    pass
        assert len([one for one in found if one.category is DataWarning]) == told
