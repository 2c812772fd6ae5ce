"""Training in the built-in worlds: what ``isochrone train`` does."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

from . import _isochrone
from .settings import Distance, EvaluationSettings, Generator, GoalFilter, Labels, Learner, Planner, table

__all__ = ["train"]


def train(
    preset: str,
    folder: str | os.PathLike[str],
    *,
    threads: int | None = None,
    callback: Callable[[int], Any] | None = None,
    settings: Mapping[str, Any] | None = None,
    world: str | None = None,
    goal_space: Literal["xy", "full", "full_at_rest"] | None = None,
    seed: int | None = None,
    iterations: int | None = None,
    evaluate_every: int | None = None,
    learner: Learner | None = None,
    generator: Generator | None = None,
    distance: Distance | None = None,
    labels: Labels | None = None,
    goal_filter: GoalFilter | None = None,
    planner: Planner | None = None,
    evaluation: EvaluationSettings | Mapping[str, Any] | None = None,
    horizon_steps: int | None = None,
    batch_steps: int | None = None,
    updates_per_iteration: int | None = None,
    new_goals: int | None = None,
    old_goals: int | None = None,
    archive_spacing_m: float | None = None,
    initial_states: int | None = None,
    on_policy_states: int | None = None,
    shards: int | None = None,
) -> list[dict[str, Any]]:
    """Trains a preset or a spec.toml in a run folder, or resumes the run there; returns its evaluations.

    The folder is the one that ``isochrone train`` writes, byte for byte: ``isochrone plot``, ``render --run`` and
    ``resume`` read it.

    Parameters
    ----------
    preset:
        The name of a preset, or the path of a spec file.
    folder:
        The run folder.
    threads:
        All cores if None. The results are the same.
    callback:
        Called after every iteration with its number. If it returns False, training stops; so does Ctrl-C. The same call
        resumes it.
    settings:
        Changes to the preset as a nested dictionary, beside those given by name: ``{"learner": {"kl_limit": 0.03}}``.
    learner, generator, distance, labels, goal_filter, planner, evaluation:
        An object such as ``Trpo(kl_limit=0.03)``, the name of a kind, or a dictionary.

    All other arguments are the settings of ``isochrone train`` with the same names; None is as in the preset.
    """
    named = {
        "world": world,
        "goal_space": goal_space,
        "seed": seed,
        "iterations": iterations,
        "evaluate_every": evaluate_every,
        "learner": learner,
        "generator": generator,
        "distance": distance,
        "labels": labels,
        "goal_filter": goal_filter,
        "planner": planner,
        "evaluation": evaluation,
        "horizon_steps": horizon_steps,
        "batch_steps": batch_steps,
        "updates_per_iteration": updates_per_iteration,
        "new_goals": new_goals,
        "old_goals": old_goals,
        "archive_spacing_m": archive_spacing_m,
        "initial_states": initial_states,
        "on_policy_states": on_policy_states,
        "shards": shards,
    }
    changes, others = table(named), table(settings or {})
    for name in changes.keys() & others.keys():
        raise ValueError(f"{name} is given twice: as an argument and in settings")
    try:
        _isochrone.train(preset, {**changes, **others}, os.fspath(folder), threads, callback and _stopping(callback))
    except _Stop:
        pass
    lines = Path(folder, "eval.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


class _Stop(Exception):
    """The callback returned False."""


def _stopping(callback: Callable[[int], Any]) -> Callable[[int], None]:
    def after_iteration(iteration: int) -> None:
        answer = callback(iteration)
        if answer is not None and not answer:
            raise _Stop

    return after_iteration
