"""An agent that learns to reach goals, and its own distance to them, in any Gymnasium environment."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _isochrone
from ._environment import Goal, World
from ._extras import need
from ._numbers import above_zero, count
from ._progress import logger
from ._trajectories import GOALS_ARE, as_floats
from .distance import DistanceModel
from .evaluation import Evaluation
from .settings import Distance, Generator, GoalFilter, Labels, Learner, Planner, table

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Isochrone"]

PRESETS = {"sac": "own-sac", "trpo": "own"}
"""The presets of agents in environments of the user's own, by learner."""
ARGUMENTS = {"distance.epsilon_steps": "epsilon", "distance.radius_m": "epsilon", "horizon_steps": "horizon"}
"""Settings whose argument has another name."""
TAIL_EPSILONS = 5
"""Random actions last this many times ε, so that states beyond ε are seen too."""
HOP_EPSILONS = 1.25
"""Hops between waypoints take at most this many times ε, as in the presets: an untrained policy misses longer ones."""


class Isochrone:
    """A goal-conditioned agent. Its reward and its "reached" test use a distance in steps, learned beside the policy.

    Parameters
    ----------
    env:
        A Gymnasium environment, a vector environment, or the name of an environment. Observations and actions are
        arrays (``Box``); for goal environments the ``achieved_goal`` is used. Rewards are ignored.
    goal:
        The goal space: a slice or indices of the observation, or a function of it; all of it if None.
    epsilon:
        A goal nearer than this many steps is reached; with ``distance="euclidean"`` it is a length in goal space.
    seed:
        Seed of all random streams, drawn if None; every episode resets the environment with its own seed.
    horizon:
        The largest number of steps of an episode; the environment's own time limit if it has one. That time limit is
        removed, because random actions follow an episode.
    goal_range:
        ``(low, high)`` of goals, where a generator needs it; estimated by 500 random steps if None.
    tensorboard_log:
        A folder for event files.
    learner:
        How the policy learns: ``Sac(…)``, ``Trpo(kl_limit=0.03)``, the name of a kind, or a dictionary.
    generator:
        How goals are proposed: ``GoalGan(…)``, ``ActionNoise(…)``, ``Uniform()``, or a name such as ``"goal_gan"``.
    distance:
        The distance to goals: ``OffPolicy(…)``, ``OnPolicy(…)``, ``Euclidean(…)``, or a name.
    labels:
        Which rollouts label goals easy, intermediate or hard: ``TrainingPathLabels(…)``, ``FreshLabels(…)``,
        ``PooledLabels(…)``.
    goal_filter:
        Which proposed goals are tried: ``AllGoals()``, or ``NearVisited(…)``.
    planner:
        Whether the agent goes by waypoints, in training, :meth:`evaluate` and :meth:`predict`: ``Waypoints(…)``, or
        ``NoPlanner()``.
    batch_steps:
        Policy steps per update, at least.
    updates_per_iteration:
        Updates with one working set of goals.
    new_goals, old_goals:
        Goals per iteration from the generator, and from the archive.
    archive_spacing_m:
        Minimum distance between goals in the archive; a twentieth of the range of goals if None.
    initial_states:
        States of the untrained policy for the generator's first training.
    on_policy_states:
        States of the policy added to the archive in every iteration.
    shards:
        The number of fixed parts of the work. It changes the result.

    None means the value of the preset ``own-sac``, or ``own`` if the learner is TRPO; the settings have the same names
    in spec files.

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
        epsilon: float | None = None,
        *,
        seed: int | None = 0,
        horizon: int | None = None,
        goal_range: Any = None,
        tensorboard_log: str | os.PathLike[str] | None = None,
        learner: Learner | None = None,
        generator: Generator | None = None,
        distance: Distance | None = None,
        labels: Labels | None = None,
        goal_filter: GoalFilter | None = None,
        planner: Planner | None = None,
        batch_steps: int | None = None,
        updates_per_iteration: int | None = None,
        new_goals: int | None = None,
        old_goals: int | None = None,
        archive_spacing_m: float | None = None,
        initial_states: int | None = None,
        on_policy_states: int | None = None,
        shards: int | None = None,
    ) -> None:
        if seed is None:
            seed = int(np.random.SeedSequence().entropy % 2**31)
        named = {
            "seed": count("seed", seed, 0),
            "learner": learner,
            "generator": generator,
            "distance": distance,
            "labels": labels,
            "goal_filter": goal_filter,
            "planner": planner,
            "batch_steps": batch_steps,
            "updates_per_iteration": updates_per_iteration,
            "new_goals": new_goals,
            "old_goals": old_goals,
            "archive_spacing_m": archive_spacing_m,
            "initial_states": initial_states,
            "on_policy_states": on_policy_states,
            "shards": shards,
        }
        settings = table(named)
        with _named_as_here():
            preset = _preset(settings)
            _set_epsilon(preset, settings, epsilon)
        self._world = World(env, goal, goal_range, named["seed"])
        steps = self._world.limit if horizon is None else count("horizon", horizon)
        settings |= table({"horizon_steps": steps})
        # Goals nearer than a twentieth of where random steps lead are one.
        extent = float(np.mean(self._world.facts["goal_half_width"]))
        settings.setdefault("archive_spacing_m", max(1e-6, 0.1 * extent))
        with _named_as_here():
            self._agent = _isochrone.Agent(self._world.facts, preset, settings)
        self._events = _events(tensorboard_log)
        self._steps = self._agent.steps[0]

    # Learning

    def learn(
        self,
        total_timesteps: int,
        *,
        progress_bar: bool = False,
        callback: Callable[[dict[str, Any]], Any] | None = None,
    ) -> Isochrone:
        """Trains for this many more environment steps, and returns itself.

        Parameters
        ----------
        total_timesteps:
            Environment steps: those that the policy learns from, random tails, and rollouts that label goals. The first
            20,000 are those of the untrained policy. Iterations are not cut, so it may take up to one iteration more: with
            the default settings about 10,000 steps, with TRPO 40,000.
        progress_bar:
            Show a tqdm progress bar.
        callback:
            Called after every iteration with its report; returning False stops learning. Exceptions of the callback or
            the environment, and Ctrl-C, stop it, too, and undo the current iteration.
        """
        wanted = count("total_timesteps", total_timesteps, 0)
        last = self.num_timesteps + wanted
        has_warned = False
        bar = need("tqdm.auto", "gym").tqdm(total=wanted, unit=" steps") if progress_bar else None
        try:
            while self.num_timesteps < last:
                before = self.num_timesteps
                report = self._iterate()
                if report["instabilities"] and not has_warned:
                    has_warned = True
                    logger.warning(
                        "%d episodes of iteration %d broke off because an observation was NaN or infinite: the agent learns "
                        "nothing from there. Mend the observation, or end the episode before; check_env(env) looks at 50 steps",
                        report["instabilities"],
                        report["iteration"],
                    )
                if bar is not None:
                    bar.set_postfix_str(f"success {report['success_rate']:.2f}", refresh=False)
                    bar.update(min(self.num_timesteps, last) - min(before, last))
                answer = None if callback is None else callback(report)
                if answer is not None and not answer:
                    break
        finally:
            if bar is not None:
                bar.close()
        return self

    def _iterate(self) -> dict[str, Any]:
        began = time.perf_counter()
        before = self.num_timesteps
        with _alone():
            metrics, distance = self._agent.iterate()
        self._steps = self._agent.steps[0]
        report: dict[str, Any] = metrics
        report["success_rate"] = report["success"][-1] if report["success"] else 0.0
        report["distance"] = distance
        report["num_timesteps"] = self.num_timesteps
        fps = (self.num_timesteps - before) / max(1e-9, time.perf_counter() - began)
        logger.info(
            "iteration %d, %d steps: success %.2f, %d of %d goals of intermediate difficulty, %.0f steps/s",
            *(report[key] for key in ("iteration", "num_timesteps", "success_rate", "intermediate")),
            report["easy"] + report["intermediate"] + report["hard"],
            fps,
        )
        if report["distance"] and report["distance"]["pairs"] == 0:
            logger.warning(
                "the distance learned nothing in iteration %d: no random steps followed its episodes, which the environment "
                "ended (terminated), or stopped by itself (%d of them)",
                report["iteration"],
                report["truncated"],
            )
        self._record(report, fps)
        return report

    def _record(self, report: dict[str, Any], fps: float) -> None:
        if self._events is None:
            return
        scalars = [
            ("rollout/success_rate", report["success_rate"]),
            ("goals/easy", report["easy"]),
            ("goals/intermediate", report["intermediate"]),
            ("goals/hard", report["hard"]),
            ("time/fps", fps),
        ]
        # What a learner does not report is empty, and None before its warm-up is over.
        last = {name: report[name][-1] for name in ("kl", "entropy") if report[name]}
        scalars += [(f"train/{name}", value) for name, value in last.items() if value is not None]
        if report["distance"]:
            scalars.append(("train/distance_loss", report["distance"]["loss"]))
        self._events.add(self.num_timesteps, [(tag, float(value)) for tag, value in scalars])

    # Asking

    @property
    def num_timesteps(self) -> int:
        """Environment steps so far, without those of :meth:`evaluate`."""
        return self._steps

    def predict(
        self,
        observation: Any,
        goal: ArrayLike,
        deterministic: bool = True,
        *,
        state: Any = None,
        planner: bool = True,
    ) -> tuple[NDArray[np.float32], Any]:
        """The action for an observation and a goal, or for many; and a state to pass to the next call.

        An agent with a planner goes by waypoints and remembers in ``state`` where it is on its way. Pass None at the
        beginning of an episode; without the state every call plans anew. ``planner=False`` gives the action towards
        the goal itself.
        """
        seen, is_many = self._world.rows(observation)
        goals = as_floats(goal, "goals")
        if goals.ndim not in (1, 2):
            raise ValueError(f"goals have shape (numbers) or (goals, numbers), not {goals.shape}")
        goals = np.atleast_2d(goals)
        if len(goals) == 1:
            goals = np.broadcast_to(goals, (len(seen), goals.shape[1]))
        act = self._agent.act if deterministic else self._agent.act_randomly
        goals, plans, pursuits = np.ascontiguousarray(goals), planner and self._has_planner, None
        with _alone():
            if plans:
                goals, pursuits = self._agent.waypoints(seen, goals, state)
            actions = act(seen, goals)
        actions = self._world.stretched(actions)
        return (actions if is_many else actions[0]), pursuits

    @cached_property
    def _has_planner(self) -> bool:
        return self.settings["planner"]["kind"] != "off"

    @property
    def distance(self) -> DistanceModel:
        """A copy of the learned distance, in steps between states of goal space."""
        with _alone():
            found, has_learned = self._agent.distance(), self._agent.has_learned
        if not has_learned:
            raise ValueError("nothing is learned yet: call learn, or load a file")
        if found is None:
            raise ValueError("this agent has learned no distance: its distance is Euclidean")
        return DistanceModel._of(found)

    def evaluate(
        self,
        goals: ArrayLike | None = None,
        *,
        n_goals: int = 100,
        radius: float | None = None,
        horizon: int | None = None,
        rollouts: int = 1,
        planner: bool = True,
    ) -> Evaluation:
        """Evaluates the policy on goals. Later training is the same to the byte with or without it.

        Parameters
        ----------
        goals:
            The goals; if None, ``n_goals`` drawn from the archive.
        radius:
            A goal nearer than this Euclidean distance is reached; if None, a goal within ε of the learned distance.
        horizon:
            The largest number of steps of an attempt; that of training if None.
        rollouts:
            Attempts per goal.
        planner:
            Whether an agent with a planner goes by waypoints; False: the policy alone.
        """
        if radius is None and not self._agent.has_learned and self.settings["distance"]["kind"] != "euclidean":
            raise ValueError("no distance is learned yet that could say what is reached: learn first, or give a radius")
        if goals is None:
            met = self._agent.archive()
            if len(met) == 0:
                raise ValueError("no goals are known yet: learn first, or say which with goals=")
            goals = met[np.random.default_rng(0).permutation(len(met))[: count("n_goals", n_goals)]]
        wanted = np.ascontiguousarray(np.atleast_2d(as_floats(goals, "goals", GOALS_ARE)))
        dims = len(self._world.facts["goal_entries"])
        if wanted.ndim != 2 or wanted.shape[1] != dims or not len(wanted):
            hint = f"; {GOALS_ARE}" if wanted.ndim > 2 else ""
            raise ValueError(f"goals have shape (goals, {dims}), not {np.shape(goals)}{hint}")
        steps = self.settings["horizon_steps"] if horizon is None else count("horizon", horizon)
        radius = None if radius is None else above_zero("radius", radius)
        success = self._agent.attempt(wanted, radius, steps, count("rollouts", rollouts), "on" if planner else "off")
        found = Evaluation.of(success, wanted)
        if self._events is not None:
            self._events.add(self.num_timesteps, [("eval/coverage", found.coverage)])
        return found

    # Keeping

    @property
    def settings(self) -> dict[str, Any]:
        """Every setting of the training, nested as in a spec file: ``settings["learner"]["kl_limit"]``."""
        with _alone():
            return self._agent.spec

    def save(self, file: str | os.PathLike[str]) -> None:
        """Writes the complete training state atomically to one safetensors file (no pickle)."""
        with _alone():
            self._agent.save(os.fspath(file))

    @classmethod
    def load(
        cls,
        file: str | os.PathLike[str],
        env: Any,
        goal: Goal = None,
        *,
        tensorboard_log: str | os.PathLike[str] | None = None,
    ) -> Isochrone:
        """Loads a saved agent, for an environment like the one it was trained in. Training continues exactly."""
        model = cls.__new__(cls)
        # Where goals come from is in the file.
        model._world = World(env, goal, (-1, 1), 0)
        model._agent = _isochrone.Agent.load(os.fspath(file), model._world.facts)
        model._events = _events(tensorboard_log)
        model._steps = model._agent.steps[0]
        return model

    def __reduce__(self) -> Any:
        raise TypeError(
            "an agent is not pickled, because its environment may not be: save(file) writes it, and "
            "Isochrone.load(file, env) resumes it"
        )

    def __repr__(self) -> str:
        goals = len(self._world.facts["goal_entries"])
        return f"Isochrone(goals of {goals} numbers, {self.num_timesteps} steps so far)"


@contextmanager
def _alone() -> Iterator[None]:
    """The agent does one thing at a time."""
    try:
        yield
    except RuntimeError as error:
        if "borrowed" not in str(error):
            raise
        raise RuntimeError(
            "the agent is busy in another thread, or with the environment that asks it: ask between iterations, in "
            "learn(callback=…)"
        ) from None


@contextmanager
def _named_as_here() -> Iterator[None]:
    """Errors name the arguments of :class:`Isochrone`."""
    try:
        yield
    except ValueError as error:
        words = str(error)
        for setting, argument in ARGUMENTS.items():
            words = words.replace(setting, argument)
        raise ValueError(words) from None


def _preset(settings: dict[str, Any]) -> str:
    """The preset of the learner."""
    learner = settings.get("learner", {})
    kind = learner if isinstance(learner, str) else learner.get("kind", "sac")
    # A kind that does not exist is refused by the preset.
    return PRESETS.get(kind, PRESETS["sac"])


def _set_epsilon(preset: str, settings: dict[str, Any], epsilon: float | None) -> None:
    """Puts ε where the distance has it, and lets random actions last long enough for it, and hops end soon enough."""
    complete = _isochrone.settings_of(preset, settings)
    is_euclidean = complete["distance"]["kind"] == "euclidean"
    name = "radius_m" if is_euclidean else "epsilon_steps"
    distance = settings.setdefault("distance", {})
    if epsilon is not None:
        if name in distance:
            raise ValueError(f"epsilon is given twice: as an argument and as {name} of the distance")
        distance[name] = above_zero("epsilon", epsilon)
    if is_euclidean or name not in distance:
        return
    steps = max(1, round(TAIL_EPSILONS * distance[name]))
    for part in ("distance", "generator"):
        if "tail_steps" in complete[part]:
            settings.setdefault(part, {}).setdefault("tail_steps", steps)
    if complete["planner"]["kind"] == "waypoints":
        settings["planner"].setdefault("hop_steps", max(1, round(HOP_EPSILONS * distance[name])))


def _events(folder: str | os.PathLike[str] | None) -> _isochrone.Events | None:
    """Event files in a folder of their own."""
    if folder is None:
        return None
    name = Path(folder) / f"isochrone-{time.strftime('%Y%m%d-%H%M%S')}"
    number, place = 1, name
    while place.exists():
        number, place = number + 1, Path(f"{name}-{number}")
    return _isochrone.Events(os.fspath(place))
