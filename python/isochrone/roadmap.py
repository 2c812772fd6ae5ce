"""Roadmaps: landmarks of logged states, the hops that trajectories made between them, and routes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _isochrone
from ._numbers import count
from ._trajectories import as_floats, as_rows, data_of, refuse_info
from .distance import DistanceModel

Path = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Route:
    """A way from a state to a goal."""

    landmarks: NDArray[np.intp]
    """The landmarks on it, in order."""
    states: NDArray[np.float32]
    """Their states."""
    steps: NDArray[np.float64]
    """Steps of each leg: to the first landmark, from landmark to landmark, to the goal."""
    seen: NDArray[np.int64]
    """How often trajectories made each hop between landmarks."""
    total_steps: float
    largest_leg_steps: float


class Roadmap:
    """Landmarks, the hops that trajectories made between them, and routes over those hops.

    Parameters
    ----------
    landmarks:
        How many logged states become landmarks.
    hop_steps:
        The most steps in which a trajectory must go from one landmark's region to another's for a hop.
    selection:
        ``"random"``: as dense as the log; ``"farthest"``: spread evenly, in the learned distance.
    hops:
        ``"witnessed"``: only those that a trajectory made. ``"learned"``: any within ``hop_steps`` by the distance, seen
        or not; for comparison.
    seed:
        Of the choice of landmarks.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> episodes = [np.cumsum(rng.normal(size=(100, 2)), axis=0) for _ in range(50)]
    >>> distance = DistanceModel(window_steps=20, passes=2, seed=0).fit(episodes)
    >>> roadmap = Roadmap(landmarks=100, hop_steps=10).fit(episodes, distance)
    >>> route = roadmap.route([0.0, 0.0], episodes[0][-1])
    >>> route.total_steps > 0
    True
    """

    def __init__(
        self,
        *,
        landmarks: int = 1_000,
        hop_steps: float = 12,
        selection: Literal["random", "farthest"] = "random",
        hops: Literal["witnessed", "learned"] = "witnessed",
        seed: int = 0,
    ) -> None:
        self._settings = (count("landmarks", landmarks), selection, hops, float(hop_steps), count("seed", seed, 0))
        self._map: _isochrone.Roadmap | None = None

    def fit(
        self,
        data: Any,
        distance: DistanceModel,
        episode_ids: ArrayLike | None = None,
        *,
        state: str | Sequence[str] | None = None,
        episode: str | None = None,
        threads: int | None = None,
    ) -> Roadmap:
        """Chooses landmarks among the states of these trajectories and finds the hops between them.

        ``data`` is what :meth:`DistanceModel.fit` takes: a list of arrays, one array with ``episode_ids``, or paths.
        """
        known = distance.about["states"]
        given = data_of(data, episode_ids, state or known["state"], episode or known["episode"], distance._look)
        self._map = _isochrone.Roadmap.fit(distance._learned, given, *self._settings, threads, None)
        return self

    # Asking

    def route(self, state: ArrayLike, goal: ArrayLike) -> Route:
        """The cheapest way from a state to a goal, in steps of the distance.

        Raises
        ------
        ValueError
            If no trajectory leads there; it says how near one came.
        """
        ends = _row(state), _row(goal)
        self.distance._warn_of_outside(*ends)
        found = self._built.route(*ends)
        landmarks = np.asarray(found["landmarks"], dtype=np.intp)
        return Route(
            landmarks=landmarks,
            states=self.landmarks[landmarks],
            steps=np.asarray(found["steps"], dtype=np.float64),
            seen=np.asarray(found["seen"], dtype=np.int64),
            total_steps=found["total_steps"],
            largest_leg_steps=found["largest_leg_steps"],
        )

    def steps(self, states: ArrayLike, goal: ArrayLike) -> float | NDArray[np.float64]:
        """Steps from states to a goal along the map; infinite where no trajectory leads there."""
        states, end = as_floats(states), _row(goal)
        steps = self._built.steps_to(as_rows(states), end)
        self.distance._warn_of_outside(states, end)
        return float(steps[0]) if states.ndim == 1 else steps

    def fewest_steps(self, states: ArrayLike, goal: ArrayLike) -> float | NDArray[np.float64]:
        """The fewest steps from states to a goal that trajectories, put end to end, took; infinite where none leads there.

        :meth:`steps` adds up the distance's steps, which are means under the behaviour that made the data.
        """
        states, end = as_floats(states), _row(goal)
        steps = self._built.fewest_steps(as_rows(states), end)
        self.distance._warn_of_outside(states, end)
        return float(steps[0]) if states.ndim == 1 else steps

    def next_waypoint(self, state: ArrayLike, goal: ArrayLike) -> NDArray[np.float32]:
        """Where to go first on the way to a goal. It forgets: to follow a route, take :meth:`follower`."""
        return self.follower().waypoint(state, goal)

    def follower(
        self,
        *,
        lookahead_steps: float | None = None,
        waypoint_every_steps: int = 5,
        patience_waypoints: int = 12,
    ) -> Follower:
        """A follower of routes, with memory.

        ``lookahead_steps`` is how far ahead on the route it aims, two hops if None; after ``patience_waypoints`` waypoints
        without progress it plans anew.
        """
        ahead = 2.0 * self._built.hop_steps() if lookahead_steps is None else float(lookahead_steps)
        every = count("waypoint_every_steps", waypoint_every_steps)
        patience = count("patience_waypoints", patience_waypoints)
        return Follower(self._built.follower(ahead, every, patience))

    @property
    def landmarks(self) -> NDArray[np.float32]:
        """The states of all landmarks, one per row."""
        return self._built.landmarks()

    @property
    def hops(self) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """The two landmarks of every hop, one row each, and how often it was made."""
        return self._built.hops()

    @property
    def distance(self) -> DistanceModel:
        """The distance that it is measured in."""
        return DistanceModel._of(self._built.distance())

    @property
    def about(self) -> dict[str, Any]:
        """Counts of landmarks and hops, and the share of landmarks that can be reached from each other."""
        return self._built.about()

    # Keeping

    def save(self, file: Path) -> None:
        """Writes a ``.roadmap`` file, whole or not at all."""
        self._built.save(os.fspath(file))

    @classmethod
    def load(cls, file: Path) -> Roadmap:
        """Reads a ``.roadmap`` file, of :meth:`save` or of ``isochrone map``."""
        roadmap = cls.__new__(cls)
        roadmap._map = _isochrone.Roadmap.load(os.fspath(file))
        return roadmap

    def __repr__(self) -> str:
        if self._map is None:
            return "Roadmap(not built)"
        about = self.about
        return f"Roadmap({about['landmarks']} landmarks, {about['hops']} hops)"

    def __getstate__(self) -> dict[str, Any]:
        return {"bytes": self._built.to_bytes()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._map = _isochrone.Roadmap.of_bytes(state["bytes"])

    @property
    def _built(self) -> _isochrone.Roadmap:
        if self._map is None:
            raise ValueError("nothing is built yet: call fit, or load a file")
        return self._map


class Follower:
    """Follows routes: it keeps its route, moves along it only forwards, and plans anew when it makes no progress."""

    def __init__(self, follower: _isochrone.Follower) -> None:
        self._follower = follower
        self.steps_to_goal = float("nan")
        """From the state of the last call to its waypoint and along the route; infinite where no route leads there and the
        follower goes as near as it can."""
        self.plans = 0
        """How often a route was planned for this goal: 1 if all goes well."""

    def waypoint(self, state: ArrayLike, goal: ArrayLike) -> NDArray[np.float32]:
        """Where to go next: a landmark's state, or the goal. Call it once per step."""
        place, self.steps_to_goal, self.plans, _ = self._follower.waypoint(_row(state), _row(goal))
        return place

    def reset(self) -> None:
        """Forgets the route: at the beginning of an episode."""
        self._follower.reset()


class LocalPolicy(Protocol):
    """Anything that takes a body to a place nearby."""

    def predict(self, observation: NDArray[Any], goal: NDArray[Any]) -> NDArray[Any]: ...


class Navigator:
    """An agent that goes to far goals: a roadmap for the way, a local policy for the steps.

    Parameters
    ----------
    roadmap:
        Where to go next.
    policy:
        How: anything with ``predict(observation, goal) -> action``, or a function of the two.
    state_of:
        What of an observation the roadmap knows as the state; all of it if None. ``"observation"`` or ``"achieved_goal"``
        of a dictionary are taken by their names.
    """

    def __init__(
        self,
        roadmap: Roadmap,
        policy: Any,
        *,
        state_of: Any = None,
        **following: Any,
    ) -> None:
        self.follower = roadmap.follower(**following)
        self._act = policy.predict if hasattr(policy, "predict") else policy
        self._state_of = state_of

    def reset(self) -> None:
        """At the beginning of an episode."""
        self.follower.reset()

    def predict(
        self,
        observation: Any,
        goal: ArrayLike | None = None,
        state: Any = None,
        episode_start: ArrayLike | None = None,
        deterministic: bool = True,
    ) -> Any:
        """The action now.

        With ``goal`` it is the action alone. With an observation that is a dictionary with ``"desired_goal"`` it answers as
        the policies of Stable-Baselines3 do, ``(actions, None)``, so that it drops into ``evaluate_policy`` with one
        environment.
        """
        if goal is not None:
            return self._step(self._state(observation), np.asarray(goal, dtype=np.float32))
        if not isinstance(observation, dict) or "desired_goal" not in observation:
            raise ValueError("no goal was given, and the observation has no \"desired_goal\"")
        if episode_start is not None and np.any(episode_start):
            self.reset()
        goals = np.asarray(observation["desired_goal"], dtype=np.float32)
        if goals.ndim == 2 and len(goals) > 1:
            raise ValueError(f"{len(goals)} environments were given; a navigator follows one route: make one for each")
        action = self._step(self._state(observation), goals.reshape(-1))
        return (np.asarray(action)[None] if goals.ndim == 2 else action), None

    def _state(self, observation: Any) -> NDArray[np.float32]:
        key = self._state_of
        refuse_info(observation)
        if callable(key):
            return np.asarray(key(observation), dtype=np.float32).reshape(-1)
        if isinstance(observation, dict):
            observation = observation[key or "achieved_goal"]
        return np.asarray(observation, dtype=np.float32).reshape(-1)

    def _step(self, state: NDArray[np.float32], goal: NDArray[np.float32]) -> Any:
        return self._act(state, self.follower.waypoint(state, goal))


def _row(state: ArrayLike) -> NDArray[np.float32]:
    state = as_floats(state)
    if state.ndim != 1:
        raise ValueError(f"one state is needed, not an array of shape {state.shape}")
    return as_rows(state)
