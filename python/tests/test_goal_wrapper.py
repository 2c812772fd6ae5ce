"""Goal environments whose reward is a learned distance."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("gymnasium")

from isochrone import DataWarning, DistanceModel, GoalWrapper  # noqa: E402

from .rooms import Anywhere, Room  # noqa: E402


def test_a_goal_wrapper_is_a_goal_environment() -> None:
    rng = np.random.default_rng(0)
    walks = [np.cumsum(0.05 * rng.uniform(-2, 2, size=(80, 2)), axis=0).clip(-1, 1) for _ in range(30)]
    distance = DistanceModel(seed=0, passes=20, window_steps=30).fit(walks)
    env = GoalWrapper(Room(), distance, epsilon=4, goals=np.concatenate(walks)[::50], terminates=True)
    seen, info = env.reset(seed=0)
    assert set(seen) == {"observation", "achieved_goal", "desired_goal"}
    assert env.observation_space.contains({key: np.asarray(of, dtype=env.observation_space[key].dtype) for key, of in seen.items()})
    seen, reward, terminated, truncated, info = env.step(np.zeros(2, dtype=np.float32))
    assert reward == env.compute_reward(seen["achieved_goal"], seen["desired_goal"], info)
    assert info["is_success"] == terminated == (reward == 0.0)
    many = env.compute_reward(np.zeros((4, 2)), np.ones((4, 2)), [{}] * 4)
    assert many.shape == (4,)
    shaped = GoalWrapper(Room(), distance, 4, goals=env._goals, reward="potential", max_steps=50, discount=0.9)
    before, _ = shaped.reset(seed=0)
    seen, reward, _, _, info = shaped.step(np.ones(2, dtype=np.float32))
    assert info["previous_achieved_goal"].tolist() == before["achieved_goal"].tolist()
    assert reward == shaped.compute_reward(seen["achieved_goal"], seen["desired_goal"], info)
    assert reward != -1.0
    seen, _ = env.reset(seed=1, options={"goal": [0.0, 0.0]})
    assert seen["desired_goal"].tolist() == [0.0, 0.0]
    with pytest.raises(ValueError, match="where do goals come from"):
        GoalWrapper(Room(), distance, epsilon=4)
    with pytest.raises(ValueError, match="the distance is for 2 entries"):
        GoalWrapper(Room(), distance, epsilon=4, goal=[0], goals=[[0.0]])


def test_goals_do_not_follow_from_starts(plane: DistanceModel) -> None:
    env = GoalWrapper(Anywhere(), plane, 4, goals=np.stack([np.arange(100) / 100, np.zeros(100)], axis=1))
    for seeds in (range(200), [0, *[None] * 199]):
        seen = [env.reset(seed=seed)[0] for seed in seeds]
        same = np.mean([np.allclose(of["achieved_goal"], of["desired_goal"]) for of in seen])
        assert same < 0.1


def test_a_goal_wrapper_says_what_is_wrong(plane: DistanceModel) -> None:
    goals = np.zeros((3, 2))
    for epsilon, kind in [(None, TypeError), ("10", TypeError), (0, ValueError), (np.nan, ValueError)]:
        with pytest.raises(kind, match="epsilon is"):
            GoalWrapper(Room(), plane, epsilon, goals=goals)
    with pytest.raises(ValueError, match="one goal at least"):
        GoalWrapper(Room(), plane, 4, goals=np.zeros((0, 2)))
    for episodes in ([np.zeros((5, 2)), np.zeros((6, 2))], [np.zeros((5, 2))] * 3):
        with pytest.raises(ValueError, match="goals are states, one in each row"):
            GoalWrapper(Room(), plane, 4, goals=episodes)
    with pytest.warns(DataWarning, match="3 states are far outside"):
        GoalWrapper(Room(), plane, 4, goals=np.degrees(goals + 1))
    with pytest.raises(TypeError, match="it is a DistanceModel"):
        GoalWrapper(Room(), "d.isochrone", 4, goals=goals)
    with pytest.warns(UserWarning, match="its own goals"):
        GoalWrapper(Room(as_goal_env=True), plane, 4, goals=goals)
