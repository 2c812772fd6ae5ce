"""Settings by name and type, against the settings that the Rust side knows."""

from __future__ import annotations

import inspect
from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest

from isochrone import Bootstrapped, DistanceModel, GoalGan, OffPolicy, Trpo, Waypoints, Window, _isochrone, train
from isochrone.settings import EvaluationSettings, Settings, _kinds, table

CLASSES = [found for found in _kinds(Settings) if found is not EvaluationSettings]


def arguments(of) -> set[str]:
    """The keyword-only arguments of a function."""
    found = inspect.signature(of).parameters.values()
    return {argument.name for argument in found if argument.kind is argument.KEYWORD_ONLY}


def names(found: type[Settings]) -> set[str]:
    return {found.renamed.get(field.name, field.name) for field in fields(found)}


def test_every_kind_has_a_class_with_its_settings() -> None:
    known = {
        (argument, kind): set(settings)
        for argument, kinds in _isochrone.setting_kinds().items()
        for kind, settings in kinds.items()
    }
    assert {(found.argument, found.kind): names(found) for found in CLASSES} == known
    assert names(EvaluationSettings) == set(_isochrone.settings_of("own", {})["evaluation"])


def test_no_class_repeats_a_default() -> None:
    for found in [*CLASSES, EvaluationSettings]:
        assert all(field.default is None for field in fields(found))
        assert found().table() == ({} if found.kind is None else {"kind": found.kind})


def test_arguments_are_the_settings_of_the_command() -> None:
    spec = set(_isochrone.settings_of("own", {}))
    assert arguments(train) - {"threads", "callback", "settings"} == spec
    fit = arguments(DistanceModel.__init__)
    of_target_or_data = {"target", "window_steps", "radius", "hidden", "head", "p", "q", "passes", "landmarks", "hop_steps"}
    of_target_or_data |= {"sampler", "clip_frames", "beta", "gap_ratio", "diagonal", "image", "channels", "strides"}
    of_target_or_data |= {"fourier_features", "fourier_frequency"}
    assert fit - set(_isochrone.fit_settings()) == of_target_or_data
    assert set(_isochrone.fit_settings()) <= fit


def test_an_agent_has_all_settings_that_mean_something_to_it() -> None:
    pytest.importorskip("gymnasium")
    from isochrone import Isochrone

    elsewhere = {"world", "goal_space", "iterations", "evaluate_every", "evaluation", "horizon_steps"}
    own = {"horizon", "goal_range", "tensorboard_log"}
    assert arguments(Isochrone.__init__) - own == set(_isochrone.settings_of("own", {})) - elsewhere


def test_every_argument_of_a_fit_reaches_it(walks) -> None:
    settings = {"target": "bootstrapped", "window_steps": 20, "radius": 0.5, "sampler": "uniform_pairs", "inputs": "raw"}
    settings |= {"hidden": (8,), "dims": np.int64(3), "head": "potential", "p": 2, "q": 2.0, "scaling": "running"}
    settings |= {"batch": 64, "learning_rate": 1e-3, "final_learning_rate": 1e-4, "passes": 1, "held_out": 0.1}
    settings |= {"goals": 100, "target_copy_steps": 10, "streams": 4, "shuffle_mb": 8, "chunk_rows": 1000, "seed": 4}
    of_others = {"landmarks", "hop_steps", "clip_frames", "beta", "gap_ratio", "diagonal", "image", "channels", "strides"}
    of_others |= {"fourier_features", "fourier_frequency"}
    assert set(settings) | of_others == arguments(DistanceModel.__init__)
    about = DistanceModel(**settings).fit(walks).about
    assert about["spec"]["encoder"]["dims"] == 3 and about["training"]["seed"] == 4
    mapped = DistanceModel(target="geodesic", landmarks=20, hop_steps=3, hidden=(8,), passes=1).fit(walks)
    assert mapped.about["spec"]["objective"]["regression"]["target"] == {"geodesic": {"steps": 7}}
    drawn = DistanceModel(target="graph_drawing", beta=2, gap_ratio=0.5, diagonal="over_dims", passes=1).fit(walks)
    drawing = {"beta": 2.0, "lambda": 0.5, "diagonal": "over_dims"}
    assert drawn.about["spec"]["objective"]["graph_drawing"] == drawing
    waves = DistanceModel(fourier_features=6, fourier_frequency=1.5, hidden=(8,), passes=1).fit(walks)
    fourier = {"features": 6, "frequency": 1.5, "hidden": [8]}
    assert waves.about["spec"]["encoder"]["architecture"] == {"fourier": fourier}
    with pytest.raises(ValueError, match="without fourier_features it has no effect"):
        DistanceModel(fourier_frequency=1.5, passes=1).fit(walks)
    with pytest.raises(ValueError, match="only the target `geodesic` has a roadmap"):
        DistanceModel(landmarks=20, passes=1).fit(walks)


def test_settings_are_merged_with_the_preset() -> None:
    changes = table({"learner": Trpo(discount=0.5, gae_lambda=0.9), "generator": "goal_gan"})
    found, preset = _isochrone.settings_of("own", changes), _isochrone.settings_of("own", {})
    assert found["learner"] == {**preset["learner"], "discount": 0.5, "lambda": 0.9}
    assert found["generator"] == {"kind": "goal_gan", **_isochrone.setting_kinds()["generator"]["goal_gan"]}
    target = OffPolicy(target=Bootstrapped(radius_m=0.1), scaling="running")
    found = _isochrone.settings_of("own", table({"distance": target}))["distance"]["target"]
    steps = _isochrone.setting_kinds()["target"]["bootstrapped"]["steps"]
    assert found == {"kind": "bootstrapped", "radius_m": 0.1, "steps": steps}
    assert table({"learner": {"kl_limit": 0.02, "hidden": np.array([4, 4])}}) == {
        "learner": {"kl_limit": 0.02, "hidden": [4, 4]}
    }


def test_wrong_settings_are_refused(tmp_path) -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'kl_limits'"):
        Trpo(kl_limits=0.03)
    with pytest.raises(FrozenInstanceError):
        Trpo().kl_limit = 0.03
    with pytest.raises(TypeError, match="learner is GoalGan\\(batch=3\\); it must be Sac or Trpo, the name of a kind"):
        train("point-2d", tmp_path / "run", learner=GoalGan(batch=3))
    with pytest.raises(TypeError, match="target is Trpo\\(\\); it must be Bootstrapped or FirstPassage or SeparatedWindow or Window"):
        OffPolicy(target=Trpo()).table()
    with pytest.raises(ValueError, match='generator has no kind "goal_gans"; did you mean "goal_gan"'):
        train("point-2d", tmp_path / "run", generator="goal_gans")
    with pytest.raises(ValueError, match="seed is given twice"):
        train("point-2d", tmp_path / "run", seed=1, settings={"seed": 2})
    with pytest.raises(ValueError, match='no setting "learner.kl_limits"; did you mean "kl_limit"'):
        train("point-2d", tmp_path / "run", settings={"learner": {"kl_limits": 1}})
    with pytest.raises(ValueError, match='^iterations: invalid type: string "2", expected a whole number, 0 or more'):
        train("point-2d", tmp_path / "run", iterations="2")
    with pytest.raises(ValueError, match='tables are nested, {"learner": {"kl_limit"'):
        train("point-2d", tmp_path / "run", settings={"learner.kl_limit": 0.1})
    assert not (tmp_path / "run").exists()


def test_epsilon_is_put_where_the_distance_has_it() -> None:
    pytest.importorskip("gymnasium")
    from isochrone import Isochrone

    from .rooms import Room

    def settings(**given):
        return Isochrone(Room(), goal_range=(-1, 1), **given).settings

    preset = _isochrone.settings_of("own-sac", {})
    assert settings() == {**preset, **{key: settings()[key] for key in ("archive_spacing_m", "horizon_steps")}}
    trpo = _isochrone.settings_of("own", {})
    assert settings(learner="trpo")["batch_steps"] == trpo["batch_steps"] != preset["batch_steps"]
    assert settings(learner=Trpo(discount=0.5))["learner"] == {**trpo["learner"], "discount": 0.5}
    assert settings()["distance"] == preset["distance"] and settings()["generator"] == preset["generator"]
    near = settings(epsilon=7)
    assert near["distance"]["epsilon_steps"] == 7 and near["distance"]["tail_steps"] == 35
    assert near["generator"]["tail_steps"] == 35
    assert settings(distance=OffPolicy(epsilon_steps=7)) == near
    assert settings(epsilon=7, distance=OffPolicy(tail_steps=9))["distance"]["tail_steps"] == 9
    assert settings(epsilon=7, planner="waypoints")["planner"]["hop_steps"] == 9
    assert settings(epsilon=7, planner=Waypoints(hop_steps=3))["planner"]["hop_steps"] == 3
    euclidean = settings(epsilon=0.2, distance="euclidean", planner="waypoints")
    assert euclidean["planner"]["hop_steps"] == 25
    assert euclidean["distance"]["radius_m"] == 0.2 and euclidean["generator"] == preset["generator"]
    with pytest.raises(ValueError, match="epsilon is given twice"):
        settings(epsilon=7, distance=OffPolicy(epsilon_steps=7))
    with pytest.raises(ValueError, match=r"distance.target.steps is 5; it must exceed epsilon \(7\)"):
        settings(epsilon=7, distance=OffPolicy(target=Window(steps=5)))
    with pytest.raises(ValueError, match="horizon is 0"):
        settings(horizon=0)
