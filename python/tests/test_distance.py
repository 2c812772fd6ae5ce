"""The distance in Python: what it says, what it refuses, and that it is the same file as the command's."""

from __future__ import annotations

import pickle
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest

import isochrone
from isochrone import DistanceModel
from isochrone.markov import Chain


def test_it_ranks_as_the_exact_target_does(model: DistanceModel) -> None:
    cells = 12
    matrix = np.zeros((cells, cells))
    for cell in range(cells):
        for move in (-1, 1):
            matrix[cell, min(max(cell + move, 0), cells - 1)] += 0.5
    truth = Chain(matrix).window_target(60)
    states = np.arange(cells, dtype=np.float32)[:, None]
    learned = np.array([model(states, [goal]) for goal in states[:, 0]]).T
    upper = np.triu_indices(cells, 1)
    ranks = [np.argsort(np.argsort(of[upper])) for of in (truth, learned)]
    assert np.corrcoef(ranks)[0, 1] > 0.95
    error = np.abs(learned[upper] - truth[upper]) / truth[upper]
    assert np.median(error) < 0.25


def test_shapes_follow_what_is_asked(model: DistanceModel) -> None:
    one, many = [3.0], np.arange(5.0)[:, None]
    assert isinstance(model(one, [4.0]), float)
    assert model(many, one).shape == (5,)
    assert model(one, many).shape == (5,)
    assert model(many, many).tolist() == [0.0] * 5
    assert model.embed(one).shape == (20,)
    assert model.embed(many).shape == (5, 20)
    assert model(np.array([3], dtype=np.int64), one) == 0.0
    with pytest.raises(ValueError, match="as many of both"):
        model(np.zeros((2, 1)), np.zeros((3, 1)))
    with pytest.raises(ValueError, match="states: 2 entries were given, the distance is for states of 1"):
        model([1.0, 2.0], [3.0])
    with pytest.raises(ValueError, match="row 0, entry 0: the value is NaN"):
        model([np.nan], [3.0])
    with pytest.raises(TypeError, match="made of numbers"):
        model(["a"], [3.0])


@pytest.mark.parametrize(
    "ask",
    [
        lambda model, wrong: model(wrong, [3.0]),
        lambda model, wrong: model([3.0], wrong),
        lambda model, wrong: model.embed(wrong),
        lambda model, wrong: model.to_nearest(wrong, [[3.0]]),
        lambda model, wrong: model.to_nearest([3.0], [wrong]),
        lambda model, wrong: model.nearest(wrong, [[3.0]]),
        lambda model, wrong: model.nearest([3.0], [wrong]),
        lambda model, wrong: model.is_outside(wrong),
        lambda model, wrong: model.suggest_epsilon([wrong], [np.zeros((9, 1))]),
        lambda model, wrong: model.as_reward(5.0)(wrong, [3.0]),
        lambda model, wrong: model.score([np.zeros((9, len(wrong)))]),
    ],
)
@pytest.mark.parametrize("wrong", [[1.0, 2.0], []])
def test_a_state_of_the_wrong_length_is_refused(model: DistanceModel, ask: Any, wrong: list[float]) -> None:
    with pytest.raises(ValueError, match=r"states of 1|no rows"):
        ask(model, wrong)


def test_a_norm_between_points_counts_steps(model: DistanceModel, walks: list[np.ndarray]) -> None:
    squared = DistanceModel(seed=0, passes=2, p=2.0, q=2.0, scaling="running").fit(walks)
    for of, p, q in [(model, 1, 1), (squared, 2, 2)]:
        apart = of.embed([2.0]) - of.embed([9.0])
        assert np.linalg.norm(apart, p) ** q == pytest.approx(of([2.0], [9.0]), rel=1e-4)
    settings = {"target": "bootstrapped", "radius": 0.5, "head": "potential", "scaling": "running"}
    one_way = DistanceModel(seed=0, passes=2, **settings).fit(walks)
    a, b = one_way.embed([2.0]), one_way.embed([9.0])
    spec = one_way.about["spec"]
    steps = np.linalg.norm(a[:-1] - b[:-1], spec["p"]) ** spec["q"] + b[-1] - a[-1]
    assert max(steps, 0.0) == pytest.approx(one_way([2.0], [9.0]), rel=1e-3, abs=1e-3)


def test_what_was_read_is_not_fitted_anew(model: DistanceModel, walks: list[np.ndarray], tmp_path) -> None:
    model.save(tmp_path / "a.isochrone")
    with pytest.raises(ValueError, match="was read from a file"):
        DistanceModel.load(tmp_path / "a.isochrone").fit(walks)


def test_numbers_far_from_zero_are_not_blurred_in_silence() -> None:
    walk = np.cumsum(0.1 * np.random.default_rng(0).normal(size=(100, 2)), axis=0)
    DistanceModel(passes=1).fit([walk + 1_000.0])
    DistanceModel(passes=1).fit([np.tanh(20 * walk)])  # small steps near 1, and nothing is lost
    with pytest.raises(ValueError, match="episode 1, entry 0: .* subtract an origin"):
        DistanceModel(passes=1).fit([walk, walk + [5.4e6, 0.0]])
    with pytest.raises(ValueError, match="subtract an origin"):
        DistanceModel(passes=1).fit(walk + 5.4e6, np.zeros(100))
    with pytest.raises(ValueError, match="episode 1, row 3, entry 0: the value is nan; fill in the value, or leave out its"):
        DistanceModel(passes=1).fit([walk, np.where(np.arange(100)[:, None] == 3, np.nan, walk)])


def test_files_can_be_named_in_many_ways(walks: list[np.ndarray], tmp_path, monkeypatch) -> None:
    states = np.concatenate(walks).astype(np.float32)
    terminals = np.concatenate([np.eye(len(walk))[-1] for walk in walks]).astype(np.float32)
    np.savez(tmp_path / "w.npz", observations=states, terminals=terminals)
    monkeypatch.setenv("HOME", str(tmp_path))
    name = str(tmp_path / "w.npz")
    given = [name, [name], {name}, np.array([name]), tmp_path.glob("*.npz"), "~/w.npz"]
    fits = [DistanceModel(seed=0, passes=1).fit(files)([1.0], [5.0]) for files in given]
    assert len(set(fits)) == 1
    (tmp_path / "data.hdf5").touch()
    with pytest.raises(ValueError, match="from_minari.*from_d4rl"):
        DistanceModel().fit(tmp_path / "data.hdf5")
    known = DistanceModel(seed=0, passes=1).fit(walks)
    with pytest.raises(ValueError, match="has no column \"places\".*name the states, for example with state="):
        known.assess(name, state="places")
    found = known.assess(name, state="observations", episode="terminals", include_learned=True)
    assert (found["episodes"], found["which"]) == (len(walks), "seen")


def test_names_are_told_to_editors() -> None:
    assert {"Isochrone", "GoalWrapper", "check_env", "DistanceModel"} <= set(dir(isochrone))


def test_many_rows_are_the_same_as_few(model: DistanceModel) -> None:
    states = np.random.default_rng(1).uniform(0, 11, size=(20_000, 1)).astype(np.float32)
    together = model(states, [4.0])
    apart = [model(state, [4.0]) for state in states[::4_000]]
    assert together[::4_000].tolist() == apart


def test_the_nearest_are_the_nearest(model: DistanceModel) -> None:
    states = np.random.default_rng(2).uniform(0, 11, size=(500, 1))
    places, steps = model.nearest([6.0], states, k=7)
    all_steps = model(states, [6.0])
    assert steps.tolist() == sorted(all_steps)[:7]
    assert all_steps[places].tolist() == steps.tolist()
    with pytest.raises(ValueError, match="k is 0"):
        model.nearest([6.0], states, k=0)


def test_ways_to_give_the_same_data_give_the_same_file(walks: list[np.ndarray], tmp_path) -> None:
    settings = {"seed": 3, "passes": 2, "window_steps": 30}
    files = []
    states = np.concatenate(walks)
    ids = np.repeat(np.arange(len(walks)), [len(walk) for walk in walks])
    for data in [(walks,), (states, ids), (states.astype(np.float32), ids.astype(str))]:
        file = tmp_path / f"{len(files)}.isochrone"
        DistanceModel(**settings).fit(*data).save(file)
        files.append(file.read_bytes())
    assert files[0] == files[1] == files[2]


def test_the_command_writes_the_same_file(walks: list[np.ndarray], tmp_path) -> None:
    states = np.concatenate(walks).astype(np.float32)
    terminals = np.concatenate([np.eye(len(walk))[-1] for walk in walks]).astype(np.float32)
    np.savez(tmp_path / "walks.npz", observations=states, terminals=terminals)
    ours, command = tmp_path / "ours.isochrone", tmp_path / "command.isochrone"
    DistanceModel(seed=1, passes=2).fit(tmp_path / "walks.npz").save(ours)
    asked = ["fit", str(tmp_path / "walks.npz"), "-o", str(command), "--seed", "1", "--passes", "2"]
    subprocess.run([sys.executable, "-m", "isochrone", *asked], check=True, capture_output=True)
    assert ours.read_bytes() == command.read_bytes()
    loaded = DistanceModel.load(command)
    assert loaded([1.0], [7.0]) == DistanceModel.load(ours)([1.0], [7.0])


def test_it_can_be_carried(model: DistanceModel, tmp_path) -> None:
    model.save(tmp_path / "a.isochrone")
    loaded = DistanceModel.load(tmp_path / "a.isochrone")
    pickled = pickle.loads(pickle.dumps(model))
    for other in (loaded, pickled):
        assert other([1.0], [7.0]) == model([1.0], [7.0])
        assert other.about == model.about
    assert "steps" in str(loaded)
    assert repr(DistanceModel()) == "DistanceModel(not fitted)"
    with pytest.raises(ValueError, match="nothing is learned yet"):
        DistanceModel()([1.0], [2.0])


def test_scores_are_of_episodes_it_has_not_seen(model: DistanceModel, walks: list[np.ndarray], tmp_path) -> None:
    own = model.assess(walks)
    assert own["which"] == "held_out"
    assert 0 < own["episodes"] < len(walks)
    assert model.assess(walks, include_learned=True)["which"] == "seen"
    # The same episodes in a file: which of them were held out cannot be seen.
    ends = np.cumsum([len(walk) for walk in walks])
    terminals = np.isin(np.arange(ends[-1]), ends - 1)
    np.savez(tmp_path / "walks.npz", observations=np.concatenate(walks), terminals=terminals)
    with pytest.raises(ValueError, match=r"in another file or in arrays.*use all \(include_learned=True\)"):
        model.assess(tmp_path / "walks.npz")
    # So in a part of them, in another order; what is left of a cut episode is new.
    with pytest.raises(ValueError, match=r"fitted to \d+ or more of these episodes"):
        model.assess(walks[:2:-1])
    assert model.assess([walk[:-1] for walk in walks])["which"] == "all"
    from .conftest import corridor

    other = corridor(seed=9, episodes=10)
    score = model.score(other)
    assert model.assess(other)["which"] == "all"
    assert score.spearman is not None and score.spearman > 0.2
    assert score.error_steps is not None and score.error_steps < 20
    assert str(own).startswith("On trajectories")


def test_the_error_of_unconditional_times_is_that_of_the_report(model: DistanceModel, walks: list[np.ndarray]) -> None:
    times = DistanceModel(target="bootstrapped", radius=0.5, window_steps=30, passes=2, held_out=0.3, seed=0).fit(walks)
    for of, line in [(model, "among_hits"), (times, "with_censored")]:
        calibration, score = of.assess(walks)["calibration"], of.score(walks)
        assert (score.censored > 0) == (line == "with_censored")
        # Those that were met in time are the near ones of a bin: their error is another.
        expected = calibration[line] and calibration[line]["error_steps"]
        assert score.error_steps == expected


def test_copies_of_what_was_learned_are_no_test(walks: list[np.ndarray]) -> None:
    with pytest.warns(isochrone.DataWarning, match="nothing is measured by them. Give every episode once"):
        twice = DistanceModel(window_steps=30, passes=1, held_out=0.3, seed=0).fit([*walks, *walks])
    training = twice.about["training"]
    assert 0 < len(training["copies"]) <= training["held_out_episodes"]


def test_what_cannot_be_is_refused_in_a_sentence(tmp_path) -> None:
    walk = [np.zeros((5, 2))]
    refused = [
        (lambda: DistanceModel(dim=3), TypeError, "unexpected keyword argument 'dim'"),
        (lambda: DistanceModel(target="bootstrapped").fit(walk), ValueError, "needs a radius"),
        (lambda: DistanceModel().fit([]), ValueError, "no episodes"),
        (lambda: DistanceModel().fit([np.zeros(4)]), ValueError, "episode 0 has shape"),
        (lambda: DistanceModel().fit([np.zeros((3, 2)), np.zeros((3, 1))]), ValueError, "have 1 entries"),
        (lambda: DistanceModel().fit([np.full((3, 1), np.inf)]), ValueError, "row 0"),
        (lambda: DistanceModel().fit(np.zeros((3, 1)), [0, 1, 0]), ValueError, "sort the states"),
        (lambda: DistanceModel().fit(np.zeros((3, 1)), [0, 1]), ValueError, "episode_ids of shape"),
        (lambda: DistanceModel().fit(3), TypeError, "list of arrays"),
        (lambda: DistanceModel().fit(str(tmp_path / "none.npz")), ValueError, "matches no file"),
        (lambda: DistanceModel.load(tmp_path / "none.isochrone"), FileNotFoundError, "none.isochrone"),
    ]
    for make, kind, words in refused:
        with pytest.raises(kind, match=words):
            make()
    (tmp_path / "no.isochrone").write_bytes(b"nothing")
    with pytest.raises(ValueError, match="no.isochrone"):
        DistanceModel.load(tmp_path / "no.isochrone")


def test_rewards_are_those_of_goal_environments(model: DistanceModel) -> None:
    reward = model.as_reward(epsilon=8.0)
    states, goals = np.arange(12.0)[:, None], np.full((12, 1), 5.0)
    many = reward(states, goals, [{}] * 12)
    assert many.dtype == np.float32 and set(many) == {-1.0, 0.0}
    assert many.tolist() == [reward(state, goal, {}) for state, goal in zip(states, goals)]
    assert reward.is_reached([5.0], [5.0])
    with pytest.raises(ValueError, match="epsilon is 0"):
        model.as_reward(epsilon=0)
    dense = model.as_reward(8.0, "dense")
    assert np.allclose(dense(states, goals), np.exp(-model(states, goals) / 8.0))
    assert dense([5.0], [5.0]) == 1.0
    with pytest.raises(ValueError, match="not 'smooth'"):
        model.as_reward(8.0, "smooth")


def test_linear_and_potential_rewards(model: DistanceModel) -> None:
    before, after, goals = np.arange(12.0)[:, None], np.arange(1.0, 13.0)[:, None], np.full((12, 1), 5.0)
    linear = model.as_reward(8.0, "linear", max_steps=15)
    assert np.allclose(linear(after, goals), -np.minimum(model(after, goals) / 15, 1), atol=1e-6)
    assert linear([5.0], [5.0]) == 0.0 and linear(after, goals).min() == -1.0

    potential = model.as_reward(8.0, "potential", reached=1, otherwise=0, max_steps=15, discount=0.9)
    infos = [{"previous_achieved_goal": place} for place in before]
    found = potential(after, goals, np.array(infos, dtype=object))
    assert found.tolist() == [np.float32(potential(*of)) for of in zip(after, goals, infos)]
    shaping = 0.9 * linear(after, goals) - linear(before, goals)
    sparse = model.as_reward(8.0, reached=1, otherwise=0)
    assert np.allclose(found - sparse(after, goals), shaping, atol=1e-6)
    # Whatever the path, discounted shaping adds up to what its two ends say.
    path = np.arange(12.0)[:, None]
    goal = np.full((11, 1), 5.0)
    along = potential(path[1:], goal, [{"previous_achieved_goal": p} for p in path[:-1]]) - sparse(path[1:], goal)
    total = (0.9 ** np.arange(11) * along).sum()
    assert np.isclose(total, 0.9**11 * linear(path[-1], [5.0]) - linear(path[0], [5.0]), atol=1e-5)

    # Nothing is left behind an end.
    ended = potential(after, goals, [{**info, "terminated": True} for info in infos])
    assert np.allclose(ended - found, -0.9 * linear(after, goals), atol=1e-6)

    for make, words in [
        (lambda: model.as_reward(8.0, "linear"), "give the distance at which it is −1"),
        (lambda: model.as_reward(8.0, "potential", max_steps=20), "give discount"),
        (lambda: model.as_reward(8.0, "potential", max_steps=20, discount=2), "at most 1"),
        (lambda: potential(after, goals), "copy_info_dict=True"),
        (lambda: potential(after, goals, [{}] * 12), "copy_info_dict=True"),
    ]:
        with pytest.raises(ValueError, match=words):
            make()


def test_stubs_say_what_is_there() -> None:
    import ast
    import inspect
    from pathlib import Path

    stub = ast.parse(Path(isochrone.__file__).with_name("_isochrone.pyi").read_text())
    module = isochrone._isochrone
    said = {node.name: node for node in stub.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    said.pop("Observer")
    there = {name for name in dir(module) if not name.startswith("_")} - {"VERSION"}
    assert set(said) == there
    for name, node in said.items():
        if not isinstance(node, ast.ClassDef):
            continue
        kind = getattr(module, name)
        methods = {item.name: item for item in node.body if isinstance(item, ast.FunctionDef)}
        methods.pop("__init__", None)
        assert set(methods) == {m for m in dir(kind) if not m.startswith("_")}, name
        for method, item in methods.items():
            found = getattr(kind, method)
            if not callable(found):
                continue
            arguments = [argument.arg for argument in item.args.args]
            assert list(inspect.signature(found).parameters) == arguments, (name, method)


@pytest.fixture(scope="module")
def ways() -> list[np.ndarray]:
    """Straight ways along x, with noise along y."""
    rng = np.random.default_rng(0)
    frames = np.arange(50.0)
    return [np.stack([frames + rng.random(), rng.random(50)], axis=1) for _ in range(20)]


@pytest.fixture(scope="module")
def along(ways: list[np.ndarray]) -> DistanceModel:
    return DistanceModel(passes=100, seed=0).fit(ways)


def test_a_set_of_goals_is_as_far_as_its_nearest(along: DistanceModel) -> None:
    states, goals = np.array([[10.0, 0.5], [40.0, 0.5]]), np.array([[12.0, 0.5], [45.0, 0.5], [30.0, 0.5]])
    each = np.array([along(states, goal) for goal in goals])
    assert along.to_nearest(states, goals).tolist() == each.min(axis=0).tolist()
    assert along.to_nearest(states[0], goals) == each[:, 0].min()
    assert along.to_nearest(states[0], goals[1]) == each[1, 0]
    places, steps = along.nearest(goals, states, k=2)
    assert steps.tolist() == sorted(each.min(axis=0))
    with pytest.raises(ValueError, match="there are no goals"):
        along.to_nearest(states, goals[:0])


def test_an_epsilon_for_goals_keeps_its_rate(along: DistanceModel, ways: list[np.ndarray]) -> None:
    ends = np.array([states[-1] for states in ways])
    found = along.suggest_epsilon(ends, ways, false_positive_rate=0.1, before_end_steps=5, include_learned=True)
    assert (found.goals, found.negatives, found.before_end_steps) == (20, 880, 5)
    negatives = np.concatenate([states[:44] for states in ways])
    assert (along.to_nearest(negatives, ends) < found.epsilon).mean() == pytest.approx(found.false_positives)
    assert 0.09 <= found.false_positives <= 0.1
    with pytest.raises(ValueError, match="false-positive rate is 2: it must be from 0 to 1"):
        along.suggest_epsilon(ends, ways, false_positive_rate=2.0)


def test_states_far_outside_are_flagged(along: DistanceModel, model: DistanceModel) -> None:
    assert along.is_outside([1e6, 0.5]) is True
    assert along.is_outside([[10.0, 0.5], [10.0, -7.0]]).tolist() == [False, True]
    with pytest.warns(isochrone.DataWarning, match=r"a state is far outside the training data \(entry 0 of the state is 1000000"):
        along([1e6, 0.5], [10.0, 0.5])
    with pytest.warns(isochrone.DataWarning, match="far outside"):
        along.to_nearest([10.0, 0.5], [[10.0, 900.0]])


@pytest.mark.parametrize(
    "ask",
    [
        lambda model, states, wrong: model([10.0, 0.5], wrong[0]),
        lambda model, states, wrong: model.embed(wrong[0]),
        lambda model, states, wrong: model.nearest(wrong[0], states[0]),
        lambda model, states, wrong: model.nearest([10.0, 0.5], wrong[0]),
        lambda model, states, wrong: model.reached(wrong[0][0]),
        lambda model, states, wrong: model.score(wrong),
        lambda model, states, wrong: model.assess(wrong),
        lambda model, states, wrong: model.assess(np.concatenate(wrong), np.repeat(np.arange(20), 50)),
        lambda model, states, wrong: model.progress(wrong),
        lambda model, states, wrong: model.progress(states, to=[way[-1] for way in wrong]),
        lambda model, states, wrong: model.episodes(wrong),
        lambda model, states, wrong: model.episodes(states, to=wrong[0]),
        lambda model, states, wrong: model.suggest_epsilon(wrong[0], states),
        lambda model, states, wrong: model.as_reward(5.0)(wrong[0], [10.0, 0.5]),
    ],
)
def test_other_units_are_noticed_wherever_states_are_given(along: DistanceModel, ways: list[np.ndarray], ask: Any) -> None:
    model = pickle.loads(pickle.dumps(along))
    model.set_reached([way[-1] for way in ways], ways, include_learned=True)
    wrong = [np.degrees(way) for way in ways]
    with pytest.warns(isochrone.DataWarning, match=r"states? (is|are) far outside the training data") as told:
        ask(model, ways, wrong)
    # It points here, not into the package.
    assert {one.filename for one in told} == {__file__}
    with warnings.catch_warnings():
        warnings.simplefilter("error", isochrone.DataWarning)
        ask(model, ways, ways)


class Table:
    """What a DataFrame has that arrays have not."""

    columns = ("x", "y", "episode")

    def __iter__(self) -> Any:
        return iter(self.columns)


def test_tables_and_plain_lists_are_told_what_to_give(walks: list[np.ndarray]) -> None:
    flat = [walk[:, 0] for walk in walks]
    refused = [
        (Table(), TypeError, r'a Table does not say .*data\[\["x", "y"\]\].to_numpy\(\), episode_ids=data\["episode"\]'),
        ([(0, Table())], TypeError, "as groupby gives them: give a list of arrays"),
        (dict(enumerate(walks)), TypeError, r"a dictionary .*give list\(data.values\(\)\)"),
        (flat, ValueError, r"episode 0 has shape \(150,\).*give \[e\[:, None\] for e in episodes\]"),
        (walks[0], ValueError, r"give these states together with episode_ids, or as a list, \[states\]"),
        (flat[0], ValueError, r"give \[np.asarray\(numbers\)\[:, None\]\]"),
        ([walks[0], [[1.0], [1.0, 2.0]]], ValueError, "episode 1: rows of different lengths make no array"),
    ]
    for data, kind, words in refused:
        with pytest.raises(kind, match=words):
            DistanceModel().fit(data)
    with pytest.raises(ValueError, match=r"not \(9000,\); if a state is one number, give states\[:, None\]"):
        DistanceModel().fit(np.concatenate(flat), np.repeat(np.arange(60), 150))
    # What the sentences say is right.
    DistanceModel(passes=1).fit([walk[:, None] for walk in flat])
    DistanceModel(passes=1).fit(list(dict(enumerate(walks)).values()))


def test_the_advice_for_tables_is_right(walks: list[np.ndarray]) -> None:
    pandas = pytest.importorskip("pandas")
    data = pandas.DataFrame({"x": np.concatenate(walks)[:, 0], "y": 0.0, "name": "a"})
    data["episode"] = np.repeat(np.arange(60), 150)
    for table in (data, data.groupby("episode")):
        with pytest.raises(TypeError, match="state columns"):
            DistanceModel().fit(table)
    one = DistanceModel(passes=1, seed=0).fit(data[["x"]].to_numpy(), episode_ids=data["episode"].to_numpy())
    two = DistanceModel(passes=1, seed=0).fit([group[["x"]].to_numpy() for _, group in data.groupby("episode")])
    three = DistanceModel(passes=1, seed=0).fit(data[["x"]], data["episode"])
    assert one([1.0], [5.0]) == two([1.0], [5.0]) == three([1.0], [5.0])


def test_goals_are_states_and_not_episodes(along: DistanceModel, ways: list[np.ndarray]) -> None:
    for wrong in (ways, [ways[0], ways[1][:9]]):
        for ask in (
            lambda of: along.set_reached(of, ways),
            lambda of: along.suggest_epsilon(of, ways),
            lambda of: along.to_nearest([1.0, 0.5], of),
            lambda of: along.episodes(ways, to=of),
            lambda of: along.progress(ways, to=of),
        ):
            with pytest.raises(ValueError, match=r"(goals|to): .*goals are states, .*\[e\[-1\] for e in episodes\]"):
                ask(wrong)
    with pytest.raises(TypeError, match="pass the observation alone"):
        along((np.zeros(2), {}), [1.0, 0.5])


def test_settings_that_are_no_whole_numbers_are_refused_by_name(walks: list[np.ndarray]) -> None:
    for settings, kind, words in [
        ({"window_steps": 20.0}, TypeError, "window_steps is 20.0; it must be a whole number"),
        ({"seed": -1}, ValueError, "seed is -1; it must be at least 0"),
        ({"passes": True}, TypeError, "passes is True"),
        ({"hidden": 64}, TypeError, "hidden is 64; it must be a list of whole numbers"),
        ({"hidden": [64, 0.5]}, TypeError, "an entry of hidden is 0.5"),
    ]:
        with pytest.raises(kind, match=words):
            DistanceModel(**settings)
    DistanceModel(passes=np.int64(1), hidden=np.array([8])).fit(walks)


def test_columns_that_say_nothing_and_values_that_hide_all_others_are_told(ways: list[np.ndarray]) -> None:
    still = [np.column_stack([states, np.full(len(states), 3.0)]) for states in ways]
    with pytest.warns(isochrone.DataWarning, match='the same in all states and says nothing; leave out: "2"'):
        DistanceModel(passes=1).fit(still)
    ways = [states.astype(np.float32) for states in ways]
    ways[3][7, 0] = 1e38
    with pytest.raises(ValueError, match='row 157, column "0": the value is 1.000e38, far beyond all others'):
        DistanceModel(passes=1).fit(ways)


def test_endings_are_checked(along: DistanceModel, tmp_path) -> None:
    with pytest.raises(ValueError, match="does not end in .isochrone"):
        along.save(tmp_path / "a.onnx")
    with pytest.raises(ValueError, match="does not end in .onnx"):
        along.export_onnx(tmp_path / "a.isochrone")
