"""Roadmaps, routes, cloned policies and the agent made of them."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from isochrone import ClonedPolicy, DataWarning, DistanceModel, Navigator, Roadmap

WALL_HALF, GAP_X = 0.5, 3.5
STEP = 0.2


def stepped(state: NDArray[np.float32], action: NDArray[np.float32]) -> NDArray[np.float32]:
    """A point in a room of ten by four metres, with a wall of a metre across its middle that is open beyond ``GAP_X``."""
    to = np.clip(state + STEP * np.clip(action, -1, 1), [-5, -2], [5, 2]).astype(np.float32)
    along = [to, np.array([to[0], state[1]]), np.array([state[0], to[1]]), state]
    return next(place for place in along if abs(place[1]) >= WALL_HALF or place[0] >= GAP_X).astype(np.float32)


def logged(seed: int, episodes: int = 300, steps: int = 100) -> tuple[list[NDArray[np.float32]], list[NDArray[np.float32]]]:
    rng = np.random.default_rng(seed)
    all_states, all_actions = [], []
    for _ in range(episodes):
        state = np.array([rng.uniform(-5, 5), rng.choice([-1, 1]) * rng.uniform(WALL_HALF, 2)], dtype=np.float32)
        states, actions = [state], []
        drift = rng.normal(size=2)
        for step in range(steps):
            if step % 20 == 0:
                drift = rng.normal(size=2)
            action = np.clip(drift + 0.3 * rng.normal(size=2), -1, 1).astype(np.float32)
            state = stepped(state, action)
            states.append(state)
            actions.append(action)
        all_states.append(np.array(states))
        all_actions.append(np.array(actions))
    return all_states, all_actions


@pytest.fixture(scope="module")
def log() -> tuple[list[NDArray[np.float32]], list[NDArray[np.float32]]]:
    return logged(0)


@pytest.fixture(scope="module")
def roadmap(log: tuple[list[NDArray[np.float32]], list[NDArray[np.float32]]]) -> Roadmap:
    distance = DistanceModel(window_steps=12, passes=10, seed=0).fit(log[0])
    return Roadmap(landmarks=400, hop_steps=5).fit(log[0], distance)


def test_routes_go_round_the_wall(roadmap: Roadmap) -> None:
    route = roadmap.route([-2.0, 1.0], [-2.0, -1.0])
    assert route.states[:, 0].max() > GAP_X
    assert len(route.steps) == len(route.landmarks) + 1 == len(route.seen) + 2
    assert route.total_steps == pytest.approx(route.steps.sum())
    assert (route.seen > 0).all()
    straight = roadmap.route([-2.0, 1.0], [-2.0, 1.5])
    assert route.total_steps > 3 * straight.total_steps
    states = np.array([[-2.0, 1.0], [-2.0, 1.5]])
    assert roadmap.steps(states, [-2.0, -1.0])[0] == pytest.approx(route.total_steps, rel=1e-6)
    assert roadmap.about["connected_share"] > 0.95


def straight(state: NDArray[np.float32], goal: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.clip((goal - state) / STEP, -1, 1)


def test_other_units_and_missing_states_are_told(
    roadmap: Roadmap, log: tuple[list[NDArray[np.float32]], list[NDArray[np.float32]]]
) -> None:
    inside, outside = [-2.0, 1.0], [-2000.0, 1000.0]
    asked = [
        lambda: roadmap.steps(outside, inside),
        lambda: roadmap.fewest_steps(inside, outside),
        lambda: roadmap.route(inside, outside),
        lambda: Roadmap(landmarks=20, hop_steps=5).fit([1000 * states for states in log[0][:20]], roadmap.distance),
    ]
    for ask in asked:
        with pytest.warns(DataWarning, match="far outside the training data") as told:
            ask()
        assert {one.filename for one in told} == {__file__}
    gap = [log[0][0], log[0][1][:0], *log[0][2:]]
    with pytest.raises(ValueError, match="episode 1 has no states"):
        Roadmap().fit(gap, roadmap.distance)
    with pytest.raises(ValueError, match="episode 1 has no states"):
        ClonedPolicy().fit(gap, log[1])
    with pytest.raises(TypeError, match="hidden is 64; it must be a list of whole numbers"):
        ClonedPolicy(hidden=64)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="pass the observation alone"):
        Navigator(roadmap, straight).predict((np.zeros(2), {}), [1.0, 1.0])


def test_a_navigator_arrives_where_its_policy_alone_does_not(roadmap: Roadmap) -> None:
    navigator = Navigator(roadmap, straight)
    rng = np.random.default_rng(1)
    reached = {"navigator": 0, "alone": 0}
    trials = 20
    for _ in range(trials):
        start, goal = [np.array([rng.uniform(-4.5, 1), side * rng.uniform(0.7, 1.7)], dtype=np.float32) for side in (1, -1)]
        for name, act in (("navigator", navigator.predict), ("alone", straight)):
            state = start
            navigator.reset()
            for _ in range(300):
                state = stepped(state, act(state, goal))
                if np.linalg.norm(state - goal) < 0.4:
                    reached[name] += 1
                    break
    assert reached == {"navigator": trials, "alone": 0}
    assert navigator.follower.plans <= 2
    observation = {"observation": start, "achieved_goal": start, "desired_goal": goal}
    action, _ = navigator.predict({key: value[None] for key, value in observation.items()}, episode_start=np.ones(1))
    assert action.shape == (1, 2)
    with pytest.raises(ValueError, match="a navigator follows one route"):
        navigator.predict({key: np.stack([value, value]) for key, value in observation.items()})


def test_files_are_the_commands(roadmap: Roadmap, tmp_path: Path) -> None:
    roadmap.save(tmp_path / "room.roadmap")
    again = Roadmap.load(tmp_path / "room.roadmap")
    assert again.about == roadmap.about
    assert pickle.loads(pickle.dumps(roadmap)).about == roadmap.about
    told = subprocess.run(
        [sys.executable, "-m", "isochrone", "route", tmp_path / "room.roadmap", "--from=-2,1", "--to=-2,-1"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "steps in" in told.stdout
    with pytest.raises(ValueError, match="does not end in .roadmap"):
        roadmap.save(tmp_path / "room.txt")


def test_a_clone_goes_where_the_log_went(log: tuple[list[NDArray[np.float32]], list[NDArray[np.float32]]]) -> None:
    policy = ClonedPolicy(max_lag_steps=10, updates=1_000, batch=256, hidden=(64, 64), seed=0).fit(*log)
    for angle in np.linspace(0, 2 * np.pi, 8, endpoint=False):
        way = np.array([np.cos(angle), np.sin(angle)])
        start = np.array([-1.0, 1.25])
        action = policy.predict(start, start + 0.7 * way)
        assert action @ way > 0.5 * np.linalg.norm(action), (angle, action)


def test_clones_repeat_and_are_kept(log: tuple[list[NDArray[np.float32]], list[NDArray[np.float32]]], tmp_path: Path) -> None:
    settings = {"updates": 50, "batch": 64, "hidden": (16,), "seed": 3}
    one, two = (ClonedPolicy(**settings).fit(*log) for _ in range(2))
    one.save(tmp_path / "one.isochrone")
    two.save(tmp_path / "two.isochrone")
    assert (tmp_path / "one.isochrone").read_bytes() == (tmp_path / "two.isochrone").read_bytes()
    kept = ClonedPolicy.load(tmp_path / "one.isochrone")
    states, goals = log[0][0][:5], log[0][0][5:10]
    assert (kept.predict(states, goals) == one.predict(states, goals)).all()
    # `isochrone export` writes the same; a test of the command compares it with onnxruntime.
    kept.export_onnx(tmp_path / "one.onnx")
    exported = [sys.executable, "-m", "isochrone", "export", tmp_path / "one.isochrone", "--onnx", tmp_path / "two.onnx"]
    subprocess.run(exported, check=True)
    assert (tmp_path / "one.onnx").read_bytes() == (tmp_path / "two.onnx").read_bytes()


@pytest.mark.parametrize(
    "ask",
    [
        lambda roadmap: roadmap.route([1.0], [1.0, 2.0]),
        lambda roadmap: roadmap.route([1.0, 2.0], [1.0, 2.0, 3.0]),
        lambda roadmap: roadmap.steps([[1.0]], [1.0, 2.0]),
        lambda roadmap: roadmap.next_waypoint([1.0, np.nan], [1.0, 2.0]),
        lambda roadmap: roadmap.follower(patience_waypoints=0),
        lambda roadmap: Roadmap(selection="best").fit([np.zeros((5, 2))], roadmap.distance),
        lambda roadmap: Roadmap(hop_steps=0).fit([np.zeros((5, 2))], roadmap.distance),
        lambda roadmap: Roadmap().route([1.0], [2.0]),
    ],
)
def test_what_cannot_be_asked_is_refused(roadmap: Roadmap, ask: object) -> None:
    with pytest.raises(ValueError, match=r"states of 2|finite|at least 1|must be|nothing is built"):
        ask(roadmap)  # type: ignore[operator]
