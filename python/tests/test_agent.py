"""Agents in environments of Gymnasium."""

from __future__ import annotations

import logging
import warnings

import numpy as np
import pytest

gym = pytest.importorskip("gymnasium")

from isochrone import (  # noqa: E402
    DistanceModel,
    Euclidean,
    EvaluationSettings,
    GoalGan,
    Isochrone,
    OffPolicy,
    OnPolicy,
    PlainSac,
    Waypoints,
    check_env,
    train,
)

from .rooms import Anywhere, Room  # noqa: E402

SMALL = {
    "batch_steps": 400,
    "updates_per_iteration": 2,
    "new_goals": 8,
    "old_goals": 4,
    "initial_states": 200,
    "on_policy_states": 100,
    "distance": OffPolicy(initial_samples=500, initial_epochs=2),
}


def agent(env=None, **settings):
    return Isochrone(env or Room(), epsilon=5, horizon=40, seed=3, **{**SMALL, **settings})


@pytest.mark.parametrize("learner", ["sac", "trpo"])
def test_it_learns_and_says_how_far_things_are(tmp_path, learner: str) -> None:
    model = agent(tensorboard_log=tmp_path, learner=learner)
    assert repr(agent().settings["learner"]) == repr(agent(learner="sac").settings["learner"])
    told = []
    model.learn(3_000, callback=told.append)
    assert model.num_timesteps >= 3_000
    assert [line["iteration"] for line in told] == list(range(1, len(told) + 1))
    assert all(0 <= line["success_rate"] <= 1 for line in told)
    assert told[-1]["distance"]["pairs"] > 0
    assert model.distance([0.0, 0.0], [0.5, 0.5]) > model.distance([0.0, 0.0], [0.05, 0.0])
    assert isinstance(model.distance, DistanceModel)
    facts = model.distance.about["training"]
    assert facts["updates"] > facts["passes"] > 1, "steps of Adam, and epochs"
    found = model.evaluate(n_goals=10)
    assert 0 <= found.interval[0] <= found.coverage <= found.interval[1] <= 1
    assert len(found.goals) == 10
    far = model.evaluate([[50.0, 50.0]], radius=0.1)
    assert far.coverage == 0.0
    assert list(tmp_path.glob("*/events.out.tfevents.*"))


def test_actions_are_legal_and_follow_the_shape() -> None:
    model = agent().learn(500)
    one, _ = model.predict(np.zeros(2), goal=[0.5, 0.5])
    assert one.shape == (2,) and one.dtype == np.float32 and (np.abs(one) <= 2).all()
    many, _ = model.predict(np.zeros((3, 2)), goal=[0.5, 0.5])
    assert many.shape == (3, 2) and (many == one).all()
    drawn = [model.predict(np.zeros(2), [0.5, 0.5], deterministic=False)[0] for _ in range(2)]
    assert (drawn[0] != drawn[1]).any()
    alone, _ = model.predict(np.zeros((1, 2)), goal=[0.5, 0.5])
    assert alone.shape == (1, 2)
    with pytest.raises(ValueError, match="goals: 3 entries were given, its goals have 2"):
        model.predict(np.zeros(2), goal=[1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="an observation has shape"):
        model.predict(np.zeros(3), goal=[1.0, 2.0])


def test_predictions_go_by_waypoints() -> None:
    settings = {"distance": Euclidean(radius_m=0.1), "planner": Waypoints(limit_steps=5), "generator": "frontier"}
    model = Isochrone(Room(), horizon=40, seed=3, **{**SMALL, **settings}).learn(4_000)
    here, goal = np.zeros(2, np.float32), [0.9, 0.9]
    first, state = model.predict(here, goal)
    assert state is not None
    straight, none = model.predict(here, goal, planner=False)
    assert none is None and straight.shape == first.shape
    # A state is not changed by its use, and one of another goal is not used.
    there = np.full(2, 0.3, np.float32)
    once, _ = model.predict(there, goal, state=state)
    again, _ = model.predict(there, goal, state=state)
    assert (once == again).all()
    other, _ = model.predict(there, [-0.9, 0.2], state=state)
    fresh, _ = model.predict(there, [-0.9, 0.2])
    assert (other == fresh).all()
    # Waypoints change on the way: towards some state on it, the action is not that towards the goal.
    places = np.random.default_rng(0).uniform(-0.9, 0.9, (50, 2)).astype(np.float32)
    by_waypoints, pursuits = model.predict(places, goal)
    by_goal, _ = model.predict(places, goal, planner=False)
    assert (by_waypoints != by_goal).any()
    moved, _ = model.predict(places[::-1], goal, state=pursuits)
    assert moved.shape == by_goal.shape
    assert 0 <= model.evaluate([goal], radius=0.3, planner=False).coverage <= 1
    # An agent without a planner has nothing to remember.
    assert agent().predict(here, goal)[1] is None


def test_saved_and_loaded_it_goes_on_as_if_nothing_had_been(tmp_path) -> None:
    straight = agent().learn(2_000).learn(2_000)
    first = agent().learn(2_000)
    first.evaluate(n_goals=5)
    first.save(tmp_path / "a.isochrone")
    resumed = Isochrone.load(tmp_path / "a.isochrone", Room()).learn(2_000)
    for name, model in [("straight", straight), ("resumed", resumed)]:
        model.save(tmp_path / name)
    assert (tmp_path / "straight").read_bytes() == (tmp_path / "resumed").read_bytes()
    assert straight.settings == resumed.settings
    with pytest.raises(ValueError, match="the agent is for observations of 2 numbers"):
        Isochrone.load(tmp_path / "a.isochrone", Room(as_goal_env=True))


def vector(mode, lanes: int = 3, **settings):
    return gym.vector.SyncVectorEnv([lambda: Room(**settings)] * lanes, autoreset_mode=mode)


def test_all_ways_to_reset_give_the_same_bytes(tmp_path) -> None:
    modes = gym.vector.AutoresetMode
    # Alone, and in vectors of other sizes, of every mode: the start is fixed, so trajectories are equal.
    envs = [Room(), *(vector(mode) for mode in modes), vector(modes.DISABLED, lanes=5)]
    saved = []
    for env in envs:
        model = Isochrone(env, epsilon=5, horizon=40, seed=3, goal_range=(-1, 1), **SMALL).learn(1_500)
        model.save(tmp_path / "one")
        saved.append((tmp_path / "one").read_bytes())
    assert all(other == saved[0] for other in saved[1:])


def test_environments_that_end_themselves_give_the_same_bytes(tmp_path) -> None:
    modes = gym.vector.AutoresetMode
    on_policy = {**SMALL, "distance": OnPolicy(initial_samples=500, initial_epochs=2)}
    saved = []
    for env in [Room(limit=20), *(vector(mode, limit=20) for mode in modes)]:
        model = Isochrone(env, epsilon=5, horizon=40, seed=3, goal_range=(-1, 1), **on_policy)
        model.learn(1_500).save(tmp_path / "one")
        saved.append((tmp_path / "one").read_bytes())
    assert all(other == saved[0] for other in saved[1:])


def test_goals_are_about_what_was_said() -> None:
    for env, goal, entries in [
        (Room(), None, [0, 1]),
        (Room(), slice(0, 1), [0]),
        (Room(), [1], [1]),
        (Room(), lambda seen: seen.sum(keepdims=True), [2]),
        (Room(as_goal_env=True), None, [1, 2]),
        (Room(as_goal_env=True), [0], [0]),
    ]:
        model = Isochrone(env, goal=goal, epsilon=5, horizon=40, **SMALL).learn(600)
        assert model._world.facts["goal_entries"] == entries
        assert model.distance.about["spec"]["encoder"]["inputs"] == len(entries)


def test_a_time_limit_is_taken_off() -> None:
    limited = gym.wrappers.TimeLimit(Room(), 30)
    model = Isochrone(limited, epsilon=5, **SMALL)
    assert model.settings["horizon_steps"] == 30
    # Random steps after the end of an episode are what an off-policy distance learns from.
    assert model.learn(1_500)._agent.steps[0] > model._agent.steps[1]


def test_errors_of_the_environment_are_its_own() -> None:
    class Broken(Room):
        def step(self, action):
            if self.steps == 20:
                raise ArithmeticError("a wheel came off")
            return super().step(action)

    with pytest.raises(ArithmeticError, match="a wheel came off"):
        Isochrone(Broken(), epsilon=5, horizon=40, goal_range=(-1, 1), **SMALL).learn(1_000)
    with pytest.raises(TypeError, match="unexpected keyword argument 'batch_step'"):
        agent(batch_step=3)
    with pytest.raises(TypeError, match="actions must be arrays"):
        Isochrone(gym.make("CartPole-v1"))
    with pytest.raises(ValueError, match="chooses none"):
        Isochrone(Room(), goal=slice(5, 9))


def test_numbers_that_are_none_end_only_their_episode(caplog) -> None:
    class Exploding(Room):
        def step(self, action):
            seen, *rest = super().step(action)
            if self.steps == 30:
                seen = np.array([np.nan, 0.0])
            return (seen, *rest)

    told = []
    model = Isochrone(Exploding(), epsilon=5, horizon=40, goal_range=(-1, 1), **SMALL)
    with caplog.at_level(logging.WARNING, logger="isochrone"):
        model.learn(3_000, callback=told.append)
    assert len(told) > 1 and all(line["instabilities"] > 0 for line in told)
    said = [record.message for record in caplog.records if "NaN or infinite" in record.message]
    assert len(said) == 1 and said[0].startswith(f"{told[0]['instabilities']} episodes of iteration 1 broke off")
    with pytest.raises(ValueError, match=r"step\(\) number 30 of an episode showed the observation with nan in it"):
        check_env(Exploding())


def test_what_is_wrong_with_an_environment_is_said() -> None:
    class WrongShape(Room):
        def _seen(self):
            return np.zeros(3)

    class Random(Room):
        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            self.place = np.random.default_rng().uniform(-1, 1, 2)
            return self._seen(), {}

    class Old(Room):
        def step(self, action):
            return super().step(action)[:4]

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(Room())
        check_env(Room(as_goal_env=True))
    with pytest.raises(ValueError, match=r"shape \(3,\), its space says \(2,\)"):
        check_env(WrongShape())
    with pytest.raises(ValueError, match="step\\(\\) gave 4"):
        check_env(Old())
    with pytest.warns(UserWarning, match="two different starts"):
        check_env(Random())
    with pytest.raises(TypeError, match="not a Gymnasium environment"):
        check_env(object())
    inner = gym.wrappers.FlattenObservation(gym.wrappers.TimeLimit(Room(), 30))
    with pytest.warns(UserWarning, match="30 steps inside other wrappers"):
        check_env(inner)
    with pytest.warns(UserWarning, match="30 steps inside other wrappers"):
        assert Isochrone(inner, **SMALL).settings["horizon_steps"] == 30


def test_what_is_wrong_only_later_is_said_too() -> None:
    class Grows(Room):
        def _seen(self):
            return np.zeros(2 if self.steps < 7 else 3)

    class Ends(Room):
        def step(self, action):
            seen, reward, _, truncated, info = super().step(action)
            return seen, reward, True, truncated, info

    class Leaves(Room):
        def _seen(self):
            return np.array([0.1 * self.steps, 0.0])

    for make in (lambda kind: kind(), lambda kind: gym.vector.SyncVectorEnv([kind] * 2)):
        with pytest.warns(UserWarning, match="all 50 episodes of random actions ended after one step"):
            check_env(make(Ends))
        with pytest.warns(UserWarning, match=r"step\(\) number 11 of an episode showed the observation outside") as told:
            check_env(make(Leaves))
        assert sum("outside its space" in str(one.message) for one in told) == 1
    with pytest.raises(ValueError, match=r"step\(\) number 7 of an episode showed the observation of shape \(3,\)"):
        check_env(Grows())
    # What is drawn afterwards is what would have been drawn.
    env, other = Room(), Room()
    for of in (env, other):
        of.action_space.seed(1)
    check_env(env)
    assert (env.action_space.sample() == other.action_space.sample()).all()


def test_a_class_is_no_environment() -> None:
    for look in (check_env, Isochrone, PlainSac):
        with pytest.raises(TypeError, match=r"give an instance, Room\(\), not the class"):
            look(Room)


def test_what_is_not_a_state_is_said() -> None:
    model = agent()
    for env, known in [(Room(), model), (Room(as_goal_env=True), agent(Room(as_goal_env=True)))]:
        with pytest.raises(TypeError, match="pass the observation alone"):
            known.predict(env.reset(seed=0), [0.5, 0.5])
        with pytest.raises(TypeError, match="pass the observation alone"):
            known.predict(env.step(np.zeros(2, np.float32)), [0.5, 0.5])
    episodes = [np.zeros((5, 2)), np.zeros((6, 2))]
    for goals in (episodes, episodes[:1]):
        with pytest.raises(ValueError, match="goals are states"):
            model.evaluate(goals, radius=1.0)


def test_goals_can_be_chosen_by_a_mask() -> None:
    assert agent(goal=[False, True])._world.facts["goal_entries"] == [1]
    assert agent(goal=[-1])._world.facts["goal_entries"] == [1]
    for wrong in ([True], [1.0], [0.5], ["x"], [2]):
        with pytest.raises(ValueError, match="does not select from the 2 numbers"):
            agent(goal=wrong)


def test_vectors_are_looked_at_too() -> None:
    class Forgetful(gym.vector.SyncVectorEnv):
        def reset(self, *, seed=None, options=None):
            return super().reset(seed=seed, options=None)

    class OneSeed(gym.vector.SyncVectorEnv):
        def reset(self, *, seed=None, options=None):
            if isinstance(seed, list):
                raise gym.error.Error(f"Seed must be a python integer, actual type: {type(seed)}")
            return super().reset(seed=seed, options=options)

    class Broken(Room):
        def step(self, action):
            return np.full(2, np.nan), *super().step(action)[1:]

    mode = gym.vector.AutoresetMode.DISABLED
    check_env(gym.vector.SyncVectorEnv([Room] * 3, autoreset_mode=mode))
    with pytest.raises(ValueError, match="lanes that the mask leaves out"):
        check_env(Forgetful([Anywhere] * 3, autoreset_mode=mode))
    with pytest.raises(ValueError, match="lanes that the mask leaves out"):
        agent(Forgetful([Anywhere] * 3, autoreset_mode=mode)).learn(500)
    with pytest.raises(ValueError, match="list of seeds"):
        check_env(OneSeed([Room] * 3, autoreset_mode=mode))
    with pytest.raises(ValueError, match="with nan in it"):
        check_env(gym.vector.SyncVectorEnv([Broken] * 2, autoreset_mode=mode))


def test_a_reset_that_is_none_is_explained() -> None:
    class NoSeed(Room):
        def reset(self):
            return super().reset()

    class Bare(Room):
        def reset(self, *, seed=None, options=None):
            return super().reset(seed=seed)[0]

    for look in (check_env, agent):
        with pytest.raises(ValueError, match="must take seed= and options="):
            look(NoSeed())
        with pytest.raises(ValueError, match="no \\(observation, info\\)"):
            look(Bare())


class Watched(Room):
    """It moves by what an action is more than its bound."""

    def __init__(self, low: float, high: float) -> None:
        super().__init__(actions=(low, high, np.float32))
        self.seen: list[np.ndarray] = []

    def step(self, action):
        assert self.action_space.contains(action), action
        self.seen.append(action.copy())
        self.steps += 1
        return self._seen(), 0.0, False, False, {}


def test_one_bound_is_where_actions_begin() -> None:
    for low, high in [(5.0, np.inf), (-np.inf, -3.0)]:
        env = Watched(low, high)
        with pytest.warns(UserWarning, match="no bounds"):
            check_env(env)
        env.seen.clear()
        agent(env).learn(500)
        distinct = {action.tobytes() for action in env.seen}
        assert len(distinct) > 0.8 * len(env.seen)


def test_loading_moves_nothing(tmp_path) -> None:
    agent().learn(500).save(tmp_path / "a.isochrone")

    class Still(Room):
        def reset(self, **_):
            raise AssertionError("reset")

        def step(self, action):
            raise AssertionError("step")

    model = Isochrone.load(tmp_path / "a.isochrone", Still())
    assert model.predict(np.zeros(2), [0.5, 0.5])[0].shape == (2,)


def test_who_asks_in_between_hears_a_sentence() -> None:
    class Curious(Room):
        def step(self, action):
            if self.asks:
                self.found = self.asks.num_timesteps
                self.asks.predict(np.zeros(2), [0.0, 0.0])
            return super().step(action)

    env = Curious()
    env.asks = None
    model = agent(env)
    env.asks = model
    with pytest.raises(RuntimeError, match="ask between iterations"):
        model.learn(500)
    assert env.found == 0


def test_images_are_warned_of() -> None:
    class Pixels(Room):
        def __init__(self) -> None:
            super().__init__()
            self.observation_space = gym.spaces.Box(0, 255, (8, 8, 3), np.uint8)

        def _seen(self):
            return np.zeros((8, 8, 3), np.uint8)

    with pytest.warns(UserWarning, match=r"observations of shape \(8, 8, 3\) are images, and will be learned from as 192 separate"):
        check_env(Pixels())


def test_worlds_pass_the_checker_of_gymnasium() -> None:
    from gymnasium.utils.env_checker import check_env as gymnasium_checks

    import isochrone.envs  # noqa: F401

    names = [name for name in gym.registry if name.startswith("isochrone/")]
    assert "isochrone/PointMass-v0" in names and len(names) == 10
    for name in names:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            env = gym.make(name)
            gymnasium_checks(env.unwrapped, skip_render_check=True)
        check_env(env)


def test_python_and_the_command_write_the_same_run(tmp_path) -> None:
    import subprocess
    import sys

    settings = {"seed": 5, "iterations": 2, "batch_steps": 500, "updates_per_iteration": 2, "new_goals": 20}
    settings |= {"initial_states": 500, "on_policy_states": 500}
    asked = [f"{key}={value}" for key, value in settings.items()]
    asked += ["distance.initial_samples=2000", "distance.initial_epochs=2"]
    asked += ["generator.iterations=5", "generator.initial_iterations=5", "evaluation.horizon_steps=50"]
    settings |= {"distance": OffPolicy(initial_samples=2_000, initial_epochs=2)}
    settings |= {"generator": GoalGan(iterations=5, initial_iterations=5)}
    settings |= {"evaluation": EvaluationSettings(horizon_steps=50)}
    heard = []
    evaluations = train("point-mass-paper-off-policy", tmp_path / "python", callback=heard.append, **settings)
    command = ["train", "point-mass-paper-off-policy", *asked, "--out", str(tmp_path / "command")]
    subprocess.run([sys.executable, "-m", "isochrone", *command], check=True, capture_output=True)
    for name in ("checkpoint.isochrone", "metrics.jsonl", "eval.jsonl", "distance.jsonl", "spec.toml"):
        assert (tmp_path / "python" / name).read_bytes() == (tmp_path / "command" / name).read_bytes(), name
    assert heard == [1, 2] and evaluations[-1]["iteration"] == 2
    begun = train("point-mass-paper-off-policy", tmp_path / "stopped", callback=lambda _: False, threads=1, **settings)
    assert begun[-1]["iteration"] < 2
    assert train("point-mass-paper-off-policy", tmp_path / "stopped", **settings) == evaluations
    assert train("point-mass-paper-off-policy", tmp_path / "python", **settings) == evaluations


@pytest.mark.parametrize("actions", [(-0.7, 0.1, np.float32), (-0.1, 0.1, np.float64), (0.5, 1.0, np.float32)])
def test_no_action_is_outside_its_box(tmp_path, actions) -> None:
    # Room itself refuses illegal actions.
    saved = []
    for env in [Room(actions=actions), *(vector(mode, actions=actions) for mode in gym.vector.AutoresetMode)]:
        model = Isochrone(env, epsilon=5, horizon=40, seed=3, goal_range=(-1, 1), **SMALL).learn(600)
        model.save(tmp_path / "one")
        saved.append((tmp_path / "one").read_bytes())
        for seed in range(3):
            action, _ = model.predict(np.full(2, seed), goal=[9.0, -9.0])
            assert env.unwrapped.action_space.contains(action) if not model._world.is_vector else True
    assert all(other == saved[0] for other in saved[1:])


def test_what_is_broken_off_has_not_been(tmp_path) -> None:
    class Interrupted(Room):
        left = None

        def step(self, action):
            if Interrupted.left is not None:
                Interrupted.left -= 1
                if Interrupted.left == 0:
                    Interrupted.left = None
                    raise KeyboardInterrupt
            return super().step(action)

    straight = agent(Room()).learn(1).learn(1).learn(1)
    straight.save(tmp_path / "straight")
    model = agent(Interrupted())
    for broken in (100, 700):
        # In what comes before the first iteration, and in the second.
        Interrupted.left = broken
        with pytest.raises(KeyboardInterrupt):
            model.learn(1)
        model.learn(1)
    model.learn(1)
    model.save(tmp_path / "interrupted")
    assert (tmp_path / "straight").read_bytes() == (tmp_path / "interrupted").read_bytes()


def test_who_has_learned_nothing_says_so() -> None:
    model = agent()
    with pytest.raises(ValueError, match="nothing is learned yet"):
        model.distance  # noqa: B018
    with pytest.raises(ValueError, match="no distance is learned yet"):
        model.evaluate([[0.5, 0.5]])
    assert model.evaluate([[0.0, 0.0]], radius=5.0).coverage == 1.0
    for refused, words in [
        (lambda: model.evaluate([[0.5]], radius=1.0), "goals have shape"),
        (lambda: model.evaluate([[0.5, 0.5]], radius=-1.0), "radius is -1"),
        (lambda: model.evaluate([[0.5, 0.5]], radius=1.0, horizon=0), "horizon is 0"),
        (lambda: Isochrone(Room(), epsilon=float("nan")), "epsilon is nan"),
        (lambda: Isochrone(Room(), goal=[5]), "does not select from the 2 numbers"),
        (lambda: Isochrone(Room(), goal=slice(0, 5)), "ends behind the 2 numbers"),
        (lambda: Isochrone(Room(), goal_range=3), "goal_range is 3"),
    ]:
        with pytest.raises(ValueError, match=words):
            refused()
    with pytest.raises(TypeError, match="not a Gymnasium environment"):
        Isochrone(None)


def test_lanes_that_stop_by_themselves_are_warned_about() -> None:
    lanes = [lambda: gym.wrappers.TimeLimit(Room(), 10)] * 2
    envs = gym.vector.SyncVectorEnv(lanes, autoreset_mode=gym.vector.AutoresetMode.DISABLED)
    with pytest.warns(UserWarning, match="stop after 10 steps by themselves"):
        model = Isochrone(envs, epsilon=5, seed=3, goal_range=(-1, 1), **SMALL)
    assert model.settings["horizon_steps"] == 10
    told = []
    model.learn(600, callback=told.append)
    assert told[0]["truncated"] > 0
    told.clear()
    alone = Isochrone(Room(limit=10), epsilon=5, horizon=40, seed=3, goal_range=(-1, 1), **SMALL)
    alone.learn(600, callback=told.append)
    assert told[-1]["truncated"] > 0


def test_worlds_can_be_stepped_in_any_thread() -> None:
    import threading

    from isochrone.envs import NativeEnv

    env, seen = NativeEnv("point-mass"), []
    env.reset(seed=0)
    thread = threading.Thread(target=lambda: seen.append(env.step(np.zeros(2, dtype=np.float32))[0]))
    thread.start()
    thread.join()
    assert len(seen) == 1 and seen[0].shape == env.observation_space.shape


def test_the_engine_of_others_is_left_alone() -> None:
    import subprocess
    import sys

    pytest.importorskip("mujoco")
    for order in ("import mujoco, isochrone.envs", "import isochrone.envs, mujoco"):
        code = f"""
{order}
env = isochrone.envs.NativeEnv("maze-ant")
env.reset(seed=0)
model = mujoco.MjModel.from_xml_string("<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody></mujoco>")
data = mujoco.MjData(model)
for _ in range(10):
    mujoco.mj_step(model, data)
    env.step(env.action_space.sample())
print(round(float(data.time), 3))
"""
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.stdout == "0.02\n", done.stderr
