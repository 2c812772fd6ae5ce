"""An agent that learns to reach goals, and how far they are, in any Gymnasium environment."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _isochrone
from ._environment import Goal, flat, inspect
from ._extras import need
from ._progress import logger
from ._settings import pairs
from .distance import DistanceModel

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Evaluation", "Isochrone"]


@dataclass(frozen=True)
class Evaluation:
    """Which goals a policy reaches."""

    coverage: float
    """The mean over goals of the share of attempts that reach them."""
    interval: tuple[float, float]
    """95 % of what other goals of the same kind would have given (bootstrap over goals)."""
    success: NDArray[np.float64]
    """That share for each goal."""
    goals: NDArray[np.float32]
    """The goals."""

    def __str__(self) -> str:
        low, high = self.interval
        return f"coverage {self.coverage:.3f} [{low:.3f}, {high:.3f}] over {len(self.goals)} goals"


class Isochrone:
    """A goal-conditioned agent whose reward and test of "reached" is a distance in steps, learned beside it.

    Parameters
    ----------
    env:
        A Gymnasium environment, a vector of them, or the name of one. Observations and actions are arrays (``Box``);
        of goal environments the ``achieved_goal`` is taken. Rewards are not looked at.
    goal:
        What goals are about: a slice or indices of the observation, or a function of it; all of it if None.
    epsilon:
        A goal within so many steps is reached.
    seed:
        Of everything random; every episode resets the environment with a seed of its own.
    horizon:
        The longest episode; the environment's own time limit if it has one, else 500. Its time limit is taken off: the
        agent must be able to go on for a while after an episode has ended.
    goal_range:
        ``(low, high)`` of goals, where a generator needs to know; found by random steps if None.
    tensorboard_log:
        A folder for event files.
    settings:
        Any setting of a training, by its name in ``isochrone train``: ``batch_steps=8000``, ``generator="goal_gan"``,
        ``distance="on_policy"``, ….

    Examples
    --------
    >>> import gymnasium as gym                                                    # doctest: +SKIP
    >>> model = Isochrone(gym.make("MyRobot-v0"), goal=slice(0, 2), epsilon=20)    # doctest: +SKIP
    >>> model.learn(200_000, progress_bar=True)                                    # doctest: +SKIP
    >>> action, _ = model.predict(observation, goal=[4.0, 2.0])                    # doctest: +SKIP
    """

    def __init__(
        self,
        env: Any,
        goal: Goal = None,
        epsilon: float = 20.0,
        *,
        seed: int = 0,
        horizon: int | None = None,
        goal_range: Any = None,
        tensorboard_log: str | os.PathLike[str] | None = None,
        **settings: Any,
    ) -> None:
        self._inspect(env, goal, goal_range, seed)
        asked = {
            "seed": seed,
            "epsilon_steps": float(epsilon),
            "horizon_steps": horizon or self._limit or 500,
            "tail_steps": max(1, round(5 * epsilon)),
            "archive_spacing_m": self._spacing(),
            "queue_tolerance": 1e-4,
        }
        self._agent = _isochrone.Agent(self._world, pairs({**asked, **settings}))
        self._events = self._open(tensorboard_log)

    def _inspect(self, env: Any, goal: Goal, goal_range: Any, seed: int) -> None:
        self._world, self._limit = inspect(env, goal, goal_range, seed)

    def _spacing(self) -> float:
        """Goals nearer than a twentieth of where random steps lead are one."""
        return max(1e-6, 0.1 * float(np.mean(self._world["goal_half_width"])))

    @staticmethod
    def _open(folder: str | os.PathLike[str] | None) -> _isochrone.Events | None:
        if folder is None:
            return None
        name = f"isochrone-{time.strftime('%Y%m%d-%H%M%S')}"
        return _isochrone.Events(os.fspath(Path(folder) / name))

    # Learning

    def learn(
        self,
        total_timesteps: int,
        *,
        progress_bar: bool = False,
        callback: Callable[[dict[str, Any]], Any] | None = None,
    ) -> Isochrone:
        """Learns until so many more steps of the environment are taken, and returns itself.

        Parameters
        ----------
        total_timesteps:
            Steps of the environment, all of them: those that are learned from, random ones after an episode, those that
            goals are labelled by. Iterations are whole, so there may be a few more.
        progress_bar:
            Show one, by tqdm.
        callback:
            Called after every iteration with what it says of itself; returning False ends learning.
        """
        first = self.num_timesteps
        last = first + int(total_timesteps)
        bar = need("tqdm.auto", "gym").tqdm(total=int(total_timesteps), unit=" steps") if progress_bar else None
        try:
            while self.num_timesteps < last:
                before = self.num_timesteps
                told = self._iterate()
                if bar is not None:
                    bar.set_postfix_str(f"success {told['success_rate']:.2f}", refresh=False)
                    bar.update(min(self.num_timesteps, last) - min(before, last))
                if callback is not None and callback(told) is False:
                    break
        finally:
            if bar is not None:
                bar.close()
        return self

    def _iterate(self) -> dict[str, Any]:
        began = time.perf_counter()
        before = self.num_timesteps
        metrics, distance = self._agent.iterate()
        told = json.loads(metrics)
        told["success_rate"] = told["success"][-1] if told["success"] else 0.0
        told["distance"] = distance and json.loads(distance)
        told["num_timesteps"] = self.num_timesteps
        fps = (self.num_timesteps - before) / max(1e-9, time.perf_counter() - began)
        logger.info(
            "iteration %d, %d steps: success %.2f, %d of %d goals of intermediate difficulty, %.0f steps/s",
            *(told[key] for key in ("iteration", "num_timesteps", "success_rate", "intermediate")),
            told["easy"] + told["intermediate"] + told["hard"],
            fps,
        )
        self._record(told, fps)
        return told

    def _record(self, told: dict[str, Any], fps: float) -> None:
        if self._events is None:
            return
        scalars = [
            ("rollout/success_rate", told["success_rate"]),
            ("goals/easy", told["easy"]),
            ("goals/intermediate", told["intermediate"]),
            ("goals/hard", told["hard"]),
            ("train/kl", told["kl"][-1]),
            ("train/entropy", told["entropy"][-1]),
            ("time/fps", fps),
        ]
        if told["distance"]:
            scalars.append(("train/distance_loss", told["distance"]["loss"]))
        self._events.add(self.num_timesteps, [(tag, float(value)) for tag, value in scalars])

    # Asking

    @property
    def num_timesteps(self) -> int:
        """Steps of the environment so far, without those of :meth:`evaluate`."""
        return self._agent.steps[0]

    def predict(
        self, observation: Any, goal: ArrayLike, deterministic: bool = True
    ) -> tuple[NDArray[np.float32], None]:
        """The action for an observation and a goal, or for many; and None, where others have a state."""
        seen, goals = self._rows(observation), np.asarray(goal, dtype=np.float32)
        wanted = np.ascontiguousarray(np.atleast_2d(goals))
        rows = np.broadcast_to(wanted, (len(seen), wanted.shape[1])) if len(wanted) == 1 else wanted
        act = self._agent.act if deterministic else self._agent.act_randomly
        actions = self._stretched(act(seen, np.ascontiguousarray(rows)))
        return (actions if self._is_many(observation) else actions[0]), None

    def _is_many(self, observation: Any) -> bool:
        one = observation[self._world["keys"][0]] if self._world["keys"] else observation
        size = np.asarray(one).size
        return size > self._sizes()[0]

    def _sizes(self) -> list[int]:
        if not hasattr(self, "_seen_sizes"):
            env = self._world["env"]
            space = getattr(env, "observation_space", None) or env.envs.single_observation_space
            of = [space[key] for key in self._world["keys"]] if self._world["keys"] else [space]
            self._seen_sizes = [int(np.prod(part.shape)) for part in of]
        return self._seen_sizes

    def _rows(self, observation: Any) -> NDArray[np.float32]:
        if not self._is_many(observation):
            return flat(self._world, observation)[None]
        first = observation[self._world["keys"][0]] if self._world["keys"] else observation
        row = lambda at: (  # noqa: E731
            {key: of[at] for key, of in observation.items()} if self._world["keys"] else observation[at]
        )
        return np.stack([flat(self._world, row(at)) for at in range(len(first))])

    def _stretched(self, actions: NDArray[np.float32]) -> NDArray[np.float32]:
        low, high = (np.asarray(self._world[f"action_{side}"], dtype=np.float32) for side in ("low", "high"))
        with np.errstate(over="ignore", invalid="ignore"):
            stretched = low + 0.5 * (actions.clip(-1, 1) + 1) * (high - low)
        found = np.where(np.isfinite(high - low), stretched, actions.clip(low, high))
        return found.reshape(len(actions), *self._world["action_shape"]).astype(np.float32)

    @property
    def distance(self) -> DistanceModel:
        """The distance that it has learned, in steps between states of goal space: a copy, to ask or to save."""
        found = self._agent.distance()
        if found is None:
            raise ValueError("this agent has learned no distance: its distance is the straight line")
        return DistanceModel._of(found)

    def evaluate(
        self,
        goals: ArrayLike | None = None,
        *,
        n_goals: int = 100,
        radius: float | None = None,
        horizon: int | None = None,
        rollouts: int = 1,
    ) -> Evaluation:
        """Tries goals. Changes nothing: what is learned afterwards is the same to the byte.

        Parameters
        ----------
        goals:
            Which; ``n_goals`` drawn from places that it has met so far if None.
        radius:
            A goal nearer than this, as the crow flies, is reached; within ε of the learned distance if None.
        horizon:
            The longest attempt; that of training if None.
        rollouts:
            Attempts per goal.
        """
        rng = np.random.default_rng(0)
        if goals is None:
            met = self._agent.archive()
            if len(met) == 0:
                raise ValueError("no goals are known yet: learn first, or say which with goals=")
            goals = met[rng.permutation(len(met))[:n_goals]]
        wanted = np.ascontiguousarray(np.atleast_2d(np.asarray(goals, dtype=np.float32)))
        steps = horizon or self.settings["horizon_steps"]
        success = self._agent.attempt(wanted, radius, int(steps), int(rollouts))
        draws = rng.integers(len(success), size=(2_000, len(success)))
        low, high = np.quantile(success[draws].mean(axis=1), [0.025, 0.975])
        found = Evaluation(float(success.mean()), (float(low), float(high)), success, wanted)
        if self._events is not None:
            self._events.add(self.num_timesteps, [("eval/coverage", found.coverage)])
        return found

    # Keeping

    @property
    def settings(self) -> dict[str, Any]:
        """Every setting of the training."""
        return _parse(self._agent.spec)

    def save(self, file: str | os.PathLike[str]) -> None:
        """Writes everything that it needs to go on: one safetensors file, no pickle."""
        content = bytes(self._agent.to_bytes())
        target = Path(file)
        unfinished = target.with_name(target.name + ".unfinished")
        unfinished.write_bytes(content)
        os.replace(unfinished, target)

    @classmethod
    def load(
        cls,
        file: str | os.PathLike[str],
        env: Any,
        goal: Goal = None,
        *,
        goal_range: Any = None,
        tensorboard_log: str | os.PathLike[str] | None = None,
    ) -> Isochrone:
        """Reads a file, for an environment like the one it was trained in. It goes on as if it had never stopped."""
        content = Path(file).read_bytes()
        model = cls.__new__(cls)
        model._inspect(env, goal, goal_range, 0)
        model._agent = _isochrone.Agent.of_bytes(content, model._world)
        model._events = cls._open(tensorboard_log)
        return model

    def __repr__(self) -> str:
        goals = len(self._world["goal_entries"])
        return f"Isochrone(goals of {goals} numbers, {self.num_timesteps} steps learned from)"


def _parse(text: str) -> dict[str, Any]:
    """The flat TOML that settings are written in: numbers, words and lists, which JSON reads as well."""
    return {key: json.loads(value) for key, _, value in (line.partition(" = ") for line in text.splitlines()) if value}
