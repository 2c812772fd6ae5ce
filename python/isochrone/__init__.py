"""Learns from trajectories how many actions lie between any two states.

>>> import numpy as np
>>> from isochrone import DistanceModel
>>> walk = np.cumsum(np.random.default_rng(0).choice([-1, 1], size=(50, 200)), axis=1)
>>> episodes = [steps[:, None].clip(-10, 10) for steps in walk]
>>> distance = DistanceModel(seed=0, passes=2).fit(episodes)
>>> bool(distance([0.0], [8.0]) > distance([0.0], [2.0]))
True

The unit is steps under the behaviour policy that made the data. The usual target is the paper's (``"window"``): the
mean number of steps until a state is reached, given that it is reached within the window. See the book for the others.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import data, markov
from ._isochrone import VERSION as __version__
from .cloning import ClonedPolicy
from .distance import DataWarning, DistanceModel, EpisodeScore, FrameProgress, GoalEpsilon, Score
from .reward import Reward
from .roadmap import Follower, Navigator, Roadmap, Route
from .settings import (
    ActionNoise,
    AllGoals,
    Bootstrapped,
    EpsilonAdaptive,
    EpsilonShare,
    EpsilonSteps,
    Euclidean,
    EvaluationSettings,
    FirstPassage,
    FreshLabels,
    Frontier,
    GoalGan,
    NearVisited,
    NoPlanner,
    OffPolicy,
    OnPolicy,
    PooledLabels,
    Sac,
    SeparatedWindow,
    TrainingPathLabels,
    Trpo,
    Uniform,
    Waypoints,
    Window,
)
from .training import train

if TYPE_CHECKING:
    from . import envs, plot
    from .agent import Isochrone
    from .check import check_env
    from .evaluation import Evaluation
    from .goal_wrapper import GoalWrapper
    from .plain_sac import PlainSac
    from .success_wrapper import SuccessWrapper

__all__ = [
    "ActionNoise",
    "AllGoals",
    "Bootstrapped",
    "ClonedPolicy",
    "DataWarning",
    "DistanceModel",
    "EpisodeScore",
    "EpsilonAdaptive",
    "EpsilonShare",
    "EpsilonSteps",
    "Euclidean",
    "Evaluation",
    "EvaluationSettings",
    "FirstPassage",
    "Follower",
    "FrameProgress",
    "FreshLabels",
    "Frontier",
    "GoalEpsilon",
    "GoalGan",
    "GoalWrapper",
    "Isochrone",
    "Navigator",
    "NearVisited",
    "NoPlanner",
    "OffPolicy",
    "OnPolicy",
    "PlainSac",
    "PooledLabels",
    "Reward",
    "Roadmap",
    "Route",
    "Sac",
    "Score",
    "SeparatedWindow",
    "SuccessWrapper",
    "TrainingPathLabels",
    "Trpo",
    "Uniform",
    "Waypoints",
    "Window",
    "check_env",
    "data",
    "envs",
    "markov",
    "plot",
    "train",
    "__version__",
]

# What needs more than NumPy is brought when it is asked for.
_LATER = {
    "Evaluation": ".evaluation",
    "GoalWrapper": ".goal_wrapper",
    "Isochrone": ".agent",
    "PlainSac": ".plain_sac",
    "SuccessWrapper": ".success_wrapper",
    "check_env": ".check",
}


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(importlib.import_module(_LATER[name], __name__), name)
    if name in ("envs", "plot"):
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
