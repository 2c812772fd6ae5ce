"""Progress, scores and the success test of logged episodes."""

from __future__ import annotations

import numpy as np
import pytest

from isochrone import DistanceModel

GOOD, SPOILT = 40, 8


def episode(rng: np.random.Generator, stops_at: int | None = None) -> np.ndarray:
    """A walk along a line, one step at a time, or one that stops."""
    steps = 60
    way = np.arange(steps + 1.0) if stops_at is None else np.minimum(np.arange(steps + 1.0), stops_at)
    return np.stack([way, np.zeros_like(way)], axis=1) + rng.normal(0.0, 0.1, (steps + 1, 2))


def logged() -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    good = [episode(rng) for _ in range(GOOD)]
    return good + [episode(rng, stops_at=int(rng.integers(15, 40))) for _ in range(SPOILT)]


@pytest.fixture(scope="module")
def episodes() -> list[np.ndarray]:
    return logged()


@pytest.fixture(scope="module")
def model(episodes: list[np.ndarray]) -> DistanceModel:
    return DistanceModel(seed=0, held_out=0.3).fit(episodes)


def test_progress_rises_from_0_to_1_and_the_interval_holds_what_is_left(model, episodes) -> None:
    found = model.progress(episodes[:GOOD])
    left = np.concatenate([np.arange(len(states))[::-1] for states in episodes[:GOOD]])
    starts, ends = found.frame_index == 0, left == 0
    assert found.progress[starts].max() == 0.0
    assert found.progress[ends].min() == 1.0
    assert np.corrcoef(found.steps_to_go, left)[0, 1] > 0.95
    assert np.all(found.steps_to_go_low <= found.steps_to_go_high)
    held = (found.steps_to_go_low <= left) & (left <= found.steps_to_go_high)
    assert held.mean() > 0.6
    assert found.episode_index.max() == GOOD - 1
    assert np.array_equal(found.index, np.arange(len(left)))


def test_towards_a_goal_a_stopped_episode_never_arrives(model, episodes) -> None:
    goals = [states[-1] for states in episodes[:GOOD]]
    found = model.progress(episodes, to=goals)
    last = np.array([found.progress[found.episode_index == at][-1] for at in range(len(episodes))])
    assert last[:GOOD].min() > 0.9
    assert last[GOOD:].max() < 0.8


def test_stopped_episodes_are_the_worst_and_say_why(model, episodes) -> None:
    found = model.episodes(episodes)
    worst = sorted(found, key=lambda episode: episode.score)[:SPOILT]
    assert {episode.episode_index for episode in worst} == set(range(GOOD, GOOD + SPOILT))
    assert all("usually end" in episode.reason or "still" in episode.reason for episode in worst)
    with pytest.raises(ValueError, match="too few"):
        model.episodes(episodes[:2])


def test_a_success_test_is_kept_in_the_file(model, episodes, tmp_path) -> None:
    with pytest.raises(ValueError, match="set_reached"):
        model.reached(episodes[0][-1])
    goals = [states[-1] for states in episodes[: GOOD // 2]]
    found = model.set_reached(goals, episodes, false_positive_rate=0.02)
    assert found.false_positives <= 0.02
    model.save(tmp_path / "line.isochrone")
    again = DistanceModel.load(tmp_path / "line.isochrone")
    ends = np.array([states[-1] for states in episodes])
    reached = again.reached(ends)
    assert reached[GOOD // 2 : GOOD].mean() > 0.7
    assert not reached[GOOD:].any()
    assert again.reached(ends[0]) is True


def test_no_episode_is_left_out_in_silence(model, episodes) -> None:
    empty = np.zeros((0, 2))
    for ask in (model.progress, model.episodes, model.assess, model.score, DistanceModel().fit):
        with pytest.raises(ValueError, match="episode 0 has no states; leave it out"):
            ask([empty, *episodes])
        with pytest.raises(ValueError, match="episode 3 has no states; leave it out"):
            ask([*episodes[:3], [], *episodes[3:]])
