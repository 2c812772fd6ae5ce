"""Policies for goals nearby, cloned from logged actions."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _isochrone
from ._numbers import with_counts
from ._trajectories import as_floats, as_rows, data_of, episodes_of, paths_of
from .settings import table

Path = Union[str, "os.PathLike[str]"]

WHOLE = {"max_lag_steps", "batch", "updates", "seed"}
"""Settings that are whole numbers."""


class ClonedPolicy:
    """A goal-conditioned policy by hindsight: the action that was logged on the way from a state to one a few steps later.

    It is right for goals nearby, about ``max_lag_steps`` away, and for no others: a :class:`Navigator` asks it for the next
    waypoint of a route.

    Parameters
    ----------
    max_lag_steps:
        Goals are states at most so many steps later.
    hidden:
        Widths of the hidden layers.
    batch, updates:
        Samples per update, and updates.
    learning_rate, final_learning_rate:
        Step sizes of Adam at the first and at the last update.
    seed:
        Seed of all random streams: the same seed and data give the same file, byte for byte.

    None is the default of ``isochrone clone``.
    """

    def __init__(
        self,
        *,
        max_lag_steps: int | None = None,
        hidden: Sequence[int] | None = None,
        batch: int | None = None,
        updates: int | None = None,
        learning_rate: float | None = None,
        final_learning_rate: float | None = None,
        seed: int | None = None,
    ) -> None:
        named = {
            "max_lag_steps": max_lag_steps,
            "hidden": hidden,
            "batch": batch,
            "updates": updates,
            "learning_rate": learning_rate,
            "final_learning_rate": final_learning_rate,
            "seed": seed,
        }
        self._settings: dict[str, Any] = table(with_counts(named, WHOLE, {"hidden"}))
        self._policy: _isochrone.Policy | None = None

    def fit(
        self,
        states: Any,
        actions: Any = None,
        episode_ids: ArrayLike | None = None,
        *,
        state: str | Sequence[str] | None = None,
        action: str | None = None,
        episode: str | None = None,
    ) -> ClonedPolicy:
        """Clones from a list of arrays of states and one of actions, one action per state, or from paths of files.

        The action of an episode's last state is not looked at; it may be left out.
        """
        if paths_of(states) is not None:
            if actions is not None:
                raise TypeError("files hold their actions: name their column with action=")
            given = data_of(states, None, state, episode)
            self._policy = _isochrone.Policy.clone_files(given, action, self._settings, None)
            return self
        if actions is None:
            raise TypeError("a policy is cloned from actions: give them beside the states")
        rows, lengths = episodes_of(states, episode_ids)
        acted = as_floats(actions) if episode_ids is not None else _actions(actions, lengths)
        self._policy = _isochrone.Policy.clone_arrays(
            rows, np.ascontiguousarray(acted), lengths, self._settings, None
        )
        return self

    def predict(self, observation: ArrayLike, goal: ArrayLike) -> NDArray[np.float32]:
        """The action in a state on the way to a goal; or of many states, each with the goal beside it."""
        states, goals = as_floats(observation), as_floats(goal)
        actions = self._learned.act(as_rows(states), as_rows(goals))
        return actions[0] if states.ndim == 1 else actions

    @property
    def about(self) -> dict[str, Any]:
        """What its file says of it."""
        return self._learned.about()

    def save(self, file: Path) -> None:
        """Writes an ``.isochrone`` file, whole or not at all."""
        self._learned.save(os.fspath(file))

    @classmethod
    def load(cls, file: Path) -> ClonedPolicy:
        """Reads a file of :meth:`save` or of ``isochrone clone``."""
        policy = cls()
        policy._policy = _isochrone.Policy.load(os.fspath(file))
        return policy

    def export_onnx(self, file: Path) -> None:
        """Writes an ONNX file: ``state`` and ``goal`` in, ``action`` out."""
        self._learned.save_onnx(os.fspath(file))

    def __getstate__(self) -> dict[str, Any]:
        return {"settings": self._settings, "bytes": self._learned.to_bytes()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._settings = state["settings"]
        self._policy = _isochrone.Policy.of_bytes(state["bytes"])

    @property
    def _learned(self) -> _isochrone.Policy:
        if self._policy is None:
            raise ValueError("nothing is learned yet: call fit, or load a file")
        return self._policy


def _actions(actions: Any, lengths: list[int]) -> NDArray[np.float32]:
    """Actions end to end, one for each state: an episode may lack its last."""
    episodes = [as_floats(episode) for episode in actions]
    if len(episodes) != len(lengths):
        raise ValueError(f"{len(lengths)} episodes of states and {len(episodes)} of actions were given")
    whole = []
    for number, (episode, length) in enumerate(zip(episodes, lengths)):
        if episode.ndim != 2 or len(episode) not in (length, length - 1):
            raise ValueError(
                f"the actions of episode {number} have shape {episode.shape}; it has {length} states, so {length} rows are "
                f"needed, or {length - 1}"
            )
        short = length - len(episode)
        whole.append(np.pad(episode, ((0, short), (0, 0))))
    return np.concatenate(whole)
