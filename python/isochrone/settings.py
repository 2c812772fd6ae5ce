"""Settings by name and type: learners, goal generators, distances, targets, labels and planners.

>>> from isochrone import GoalGan, Trpo
>>> Trpo(kl_limit=0.03)
Trpo(kl_limit=0.03)
>>> GoalGan(noise_std_m=0.3, batch=32)
GoalGan(batch=32, noise_std_m=0.3)

None means the value of the preset. If the kind differs from the preset's, it means that kind's default
(``presets/kinds.toml`` in the Rust sources, the same for the command line).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, Union

__all__ = [
    "ActionNoise",
    "AllGoals",
    "Bootstrapped",
    "EpsilonAdaptive",
    "EpsilonShare",
    "EpsilonSteps",
    "Euclidean",
    "EvaluationSettings",
    "FirstPassage",
    "FreshLabels",
    "Frontier",
    "GoalGan",
    "NearVisited",
    "NoPlanner",
    "OffPolicy",
    "OnPolicy",
    "PooledLabels",
    "Sac",
    "SeparatedWindow",
    "TrainingPathLabels",
    "Trpo",
    "Uniform",
    "Waypoints",
    "Window",
]

Head = Literal["symmetric", "potential", "quasimetric"]
Scaling = Literal["off", "running"]
HopsFrom = Literal["history", "replay"]
WaypointRegion = Literal["nearest", "within_epsilon"]


class Settings:
    """A group of settings: the base of all classes here."""

    argument: ClassVar[str]
    """The argument that takes it."""
    kind: ClassVar[str | None] = None
    """Its name in spec files and on the command line."""
    renamed: ClassVar[dict[str, str]] = {}
    """Fields whose setting is a reserved word of Python."""

    def given(self) -> dict[str, Any]:
        """The fields that are not None."""
        values = ((field.name, getattr(self, field.name)) for field in fields(self))  # type: ignore[arg-type]
        return {name: value for name, value in values if value is not None}

    def table(self) -> dict[str, Any]:
        """As spec files have it: the kind, and the settings that are given."""
        kind = {} if self.kind is None else {"kind": self.kind}
        settings = {self.renamed.get(name, name): _value(name, value) for name, value in self.given().items()}
        return {**kind, **settings}

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.given().items())
        return f"{type(self).__name__}({given})"


# Learners


@dataclass(frozen=True, kw_only=True, repr=False)
class Trpo(Settings):
    """Trust-region policy optimisation (Schulman et al. 2015) with a Gaussian policy."""

    argument = "learner"
    kind = "trpo"
    renamed = {"gae_lambda": "lambda"}

    input: Literal["state_goal", "state_goal_difference"] | None = None
    """What the policy and the value estimate see."""
    hidden: Sequence[int] | None = None
    """Widths of the policy's hidden layers."""
    std: Literal["fixed", "learned"] | None = None
    """Whether the standard deviations of actions are learned."""
    first_std: float | None = None
    """Their initial value."""
    baseline: Literal["linear", "mlp"] | None = None
    """The value estimate."""
    discount: float | None = None
    """γ."""
    gae_lambda: float | None = None
    """λ of generalised advantage estimation; ``lambda`` in spec files."""
    timeout_value: Literal["zero", "bootstrap"] | None = None
    """The value of the state at a time-out."""
    kl_limit: float | None = None
    """The largest mean KL divergence of an update."""
    conjugate_steps: int | None = None
    """Conjugate-gradient steps."""
    damping: float | None = None
    """Added to the diagonal of the Fisher matrix."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Sac(Settings):
    """Soft actor-critic (Haarnoja et al. 2018) with goals relabelled in hindsight (Andrychowicz et al. 2017)."""

    argument = "learner"
    kind = "sac"

    input: Literal["state_goal", "state_goal_difference"] | None = None
    """What policy and critics see."""
    hidden: Sequence[int] | None = None
    """Widths of the hidden layers of policy and critics."""
    learning_rate: float | None = None
    """Step size of Adam."""
    batch: int | None = None
    """Transitions of an update."""
    tau: float | None = None
    """τ: how far the target critics follow in an update."""
    target_entropy: float | None = None
    """The entropy asked for, per entry of an action."""
    first_temperature: float | None = None
    """α at the beginning."""
    discount: float | None = None
    """γ."""
    reward: Literal["step_cost", "success", "linear", "potential"] | None = None
    """−1 for every step that does not reach the goal; 1 for the step that does; −d / ``max_distance``; or the first, shaped
    by the change of the third."""
    max_distance: float | None = None
    """The distance that counts as far, in its own units (steps, or metres if Euclidean), for ``"linear"`` and ``"potential"``."""
    updates_per_step: float | None = None
    """Updates per environment step."""
    warm_up_steps: int | None = None
    """Environment steps before the first update."""
    replay_steps: int | None = None
    """Steps that are kept."""
    future_share: float | None = None
    """The share of transitions whose goal is a later state of their episode, …"""
    final_share: float | None = None
    """… the last one of the policy, …"""
    random_share: float | None = None
    """… a state of any episode. The others keep their goal."""
    imitation_weight: float | None = None
    """With a planner: how much the policy imitates, towards far goals, what it does for the next waypoint."""


# Goal generators


@dataclass(frozen=True, kw_only=True, repr=False)
class Uniform(Settings):
    """Goals drawn uniformly from the range of goals."""

    argument = "generator"
    kind = "uniform"


@dataclass(frozen=True, kw_only=True, repr=False)
class GoalGan(Settings):
    """A GAN that learns to propose goals of intermediate difficulty (Florensa et al. 2018)."""

    argument = "generator"
    kind = "goal_gan"

    noise_dims: int | None = None
    """Dimensions of the generator's input noise."""
    generator_hidden: Sequence[int] | None = None
    """Widths of the generator's hidden layers."""
    discriminator_hidden: Sequence[int] | None = None
    """Widths of the discriminator's hidden layers."""
    learning_rate: float | None = None
    """Step size of RMSprop."""
    batch: int | None = None
    """Goals per GAN iteration."""
    iterations: int | None = None
    """GAN iterations per iteration of the training."""
    initial_iterations: int | None = None
    """GAN iterations before the first."""
    noise_std_m: float | None = None
    """Standard deviation of the noise added to every proposal, in units of goals."""


@dataclass(frozen=True, kw_only=True, repr=False)
class ActionNoise(Settings):
    """States reached by random actions after a success become the next goals."""

    argument = "generator"
    kind = "action_noise"

    tail_steps: int | None = None
    """Random actions after a success."""
    size: int | None = None
    """Goals in the queue."""
    replaced: int | None = None
    """Goals of the queue that are replaced in every iteration."""
    tolerance: float | None = None
    """Goals nearer than this are one, in units of goals."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Frontier(Settings):
    """Visited states of lowest density."""

    argument = "generator"
    kind = "frontier"

    neighbours: int | None = None
    """Density is measured by the distance to the so many-th nearest visited state."""
    candidates: int | None = None
    """States drawn for each goal; the rarest is proposed."""
    kept_states: int | None = None
    """Visited states that are kept."""


# Targets of learned distances


@dataclass(frozen=True, kw_only=True, repr=False)
class Window(Settings):
    """Mean steps until a state is reached, given that it is reached within the window: the paper's target."""

    argument = "target"
    kind = "window"

    steps: int | None = None
    """The longest lag."""


@dataclass(frozen=True, kw_only=True, repr=False)
class SeparatedWindow(Settings):
    """The window's, and at least a window between states that are farther apart in time, so that two sides of a wall stay apart."""

    argument = "target"
    kind = "separated_window"

    steps: int | None = None
    """The longest lag, and the least distance of the others."""
    far_share: float | None = None
    """Pairs beyond the window for each pair within, at most 1."""


@dataclass(frozen=True, kw_only=True, repr=False)
class FirstPassage(Settings):
    """Mean steps until a ball is entered, given that it is entered within the trajectory."""

    argument = "target"
    kind = "first_passage"

    radius_m: float | None = None
    """The ball's radius, in units of the states."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Bootstrapped(Settings):
    """Mean steps until a ball is entered, however long that takes."""

    argument = "target"
    kind = "bootstrapped"

    radius_m: float | None = None
    """The ball's radius, in units of the states."""
    steps: int | None = None
    """The longest lag that is observed."""


Target = Union[
    Window,
    SeparatedWindow,
    FirstPassage,
    Bootstrapped,
    Literal["window", "separated_window", "first_passage", "bootstrapped"],
    Mapping[str, Any],
]

# ε of a learned distance


@dataclass(frozen=True, kw_only=True, repr=False)
class EpsilonSteps(Settings):
    """ε is ``epsilon_steps``."""

    argument = "epsilon"
    kind = "steps"


@dataclass(frozen=True, kw_only=True, repr=False)
class EpsilonShare(Settings):
    """The ball round a goal holds a share of the archived goals."""

    argument = "epsilon"
    kind = "share"

    share: float | None = None
    """That share."""


@dataclass(frozen=True, kw_only=True, repr=False)
class EpsilonAdaptive(Settings):
    """The share shrinks while nearly all goals are reached, and grows while hardly any are."""

    argument = "epsilon"
    kind = "adaptive"

    max_share: float | None = None
    """The largest share."""
    min_share: float | None = None
    """The smallest share."""
    rate: float | None = None
    """How fast it moves in an iteration, from 0 to 1."""


Epsilon = Union[EpsilonSteps, EpsilonShare, EpsilonAdaptive, Literal["steps", "share", "adaptive"], Mapping[str, Any]]


# Distances


@dataclass(frozen=True, kw_only=True, repr=False)
class Euclidean(Settings):
    """The Euclidean distance in goal space."""

    argument = "distance"
    kind = "euclidean"

    radius_m: float | None = None
    """A goal nearer than this is reached; :class:`Isochrone` has ``epsilon`` for it."""
    feasible_goals: Literal["any", "only_feasible"] | None = None
    """Whether a goal where no body can be counts as reached nearby; only built-in worlds know which those are."""


@dataclass(frozen=True, kw_only=True, repr=False)
class _Learned(Settings):
    argument = "distance"

    epsilon_steps: float | None = None
    """A goal nearer than this is reached; :class:`Isochrone` has ``epsilon`` for it."""
    epsilon: Epsilon | None = None
    """How ε follows the distance; ``epsilon_steps`` is where it begins."""
    input: Literal["goal_space", "whole_state"] | None = None
    """What the predictor sees of a state."""
    target: Target | None = None
    """What the predictor is fitted to."""
    fourier_features: int | None = None
    """Random Fourier features of the input that the layers see; 0: the input itself. With 64 a small network tells both sides of a thin wall apart."""
    fourier_frequency: float | None = None
    """Standard deviation of their frequencies, in radians per unit of the input."""
    hidden: Sequence[int] | None = None
    """Widths of the predictor's hidden layers."""
    dims: int | None = None
    """Dimensions of the embedding."""
    head: Head | None = None
    """Whether the distance can differ by direction."""
    p: float | None = None
    """p of the norm."""
    q: float | None = None
    """Power of the norm."""
    scaling: Scaling | None = None
    """Whether targets are divided by their running mean."""
    batch: int | None = None
    """Pairs per update."""
    learning_rate: float | None = None
    """Step size of Adam."""
    initial_samples: int | None = None
    """States of the untrained policy that the predictor is first fitted to."""
    initial_epochs: int | None = None
    """Epochs on those."""
    replay_states: int | None = None
    """States of earlier trajectories that it learns from again; 0: only the newest trajectories."""


@dataclass(frozen=True, kw_only=True, repr=False)
class OnPolicy(_Learned):
    """A distance in steps, learned from the rollouts that the policy learns from."""

    kind = "on_policy"


@dataclass(frozen=True, kw_only=True, repr=False)
class OffPolicy(_Learned):
    """A distance in steps, learned from random actions at the end of episodes."""

    kind = "off_policy"

    tail_steps: int | None = None
    """Random actions at the end of an episode."""


# Labels


@dataclass(frozen=True, kw_only=True, repr=False)
class _Labels(Settings):
    argument = "labels"

    rollouts: int | None = None
    """Rollouts per goal that a label needs."""
    min: float | None = None
    """R_min: a goal with at most this success rate is hard."""
    max: float | None = None
    """R_max: a goal with at least this success rate is easy."""


@dataclass(frozen=True, kw_only=True, repr=False)
class FreshLabels(_Labels):
    """Goals are labelled easy, intermediate or hard by new rollouts after the updates, with the planner if there is one."""

    kind = "fresh"


@dataclass(frozen=True, kw_only=True, repr=False)
class TrainingPathLabels(_Labels):
    """Goals are labelled easy, intermediate or hard by the rollouts that the policy learned from."""

    kind = "training_paths"


@dataclass(frozen=True, kw_only=True, repr=False)
class PooledLabels(Settings):
    """Goals are labelled by the rollouts of the last iterations, and of goals nearby."""

    argument = "labels"
    kind = "pooled"

    iterations: int | None = None
    """Attempts of so many iterations count."""
    radius_m: float | None = None
    """Attempts at goals within this Euclidean distance count."""
    min: float | None = None
    """R_min: a goal with at most this success rate is hard."""
    max: float | None = None
    """R_max: a goal with at least this success rate is easy."""


# Which goals are tried


@dataclass(frozen=True, kw_only=True, repr=False)
class AllGoals(Settings):
    """Every proposed goal is tried."""

    argument = "goal_filter"
    kind = "off"


@dataclass(frozen=True, kw_only=True, repr=False)
class NearVisited(Settings):
    """Only proposed goals near a state that was visited are tried."""

    argument = "goal_filter"
    kind = "near_visited"

    radius_m: float | None = None
    """The largest Euclidean distance from it."""


# Planner


@dataclass(frozen=True, kw_only=True, repr=False)
class NoPlanner(Settings):
    """The policy is given the goal itself."""

    argument = "planner"
    kind = "off"


@dataclass(frozen=True, kw_only=True, repr=False)
class Waypoints(Settings):
    """The policy is given landmarks of a roadmap that grows during training, one after the other."""

    argument = "planner"
    kind = "waypoints"

    landmarks: int | None = None
    """The most landmarks."""
    spacing: float | None = None
    """Their smallest distance in multiples of ε; it grows when there are too many."""
    hop_steps: int | None = None
    """The longest hop that a trajectory witnesses; in :class:`~isochrone.Isochrone` 1.25 ε if ε is given in steps."""
    limit_steps: int | None = None
    """The most steps towards one waypoint."""
    tail_steps: int | None = None
    """Random actions at the end of an episode."""
    region: WaypointRegion | None = None
    """Where trajectories witness hops: ``"nearest"``, wherever the landmark is the nearest one, or ``"within_epsilon"``, only where it counts as reached."""
    hops_from: HopsFrom | None = None
    """Which trajectories witness hops: ``"history"``, all so far, each in the distance of its time, or ``"replay"``, those that the distance learns from again, in the distance of today."""


# Evaluation


@dataclass(frozen=True, kw_only=True, repr=False)
class EvaluationSettings(Settings):
    """How :func:`train` measures coverage."""

    argument = "evaluation"

    radius_m: float | None = None
    """A goal nearer than this Euclidean distance is reached."""
    horizon_steps: int | None = None
    """The longest rollout."""
    long_horizon_steps: int | None = None
    """Coverage within so many steps is measured, too; 0 for the same as ``horizon_steps``."""
    rollouts: int | None = None
    """Rollouts per goal."""


Learner = Union[Trpo, Sac, Literal["trpo", "sac"], Mapping[str, Any]]
Generator = Union[GoalGan, Frontier, ActionNoise, Uniform, Literal["goal_gan", "action_noise", "frontier", "uniform"], Mapping[str, Any]]
Distance = Union[Euclidean, OnPolicy, OffPolicy, Literal["euclidean", "on_policy", "off_policy"], Mapping[str, Any]]
Labels = Union[
    FreshLabels, TrainingPathLabels, PooledLabels, Literal["fresh", "training_paths", "pooled"], Mapping[str, Any]
]
GoalFilter = Union[AllGoals, NearVisited, Literal["off", "near_visited"], Mapping[str, Any]]
Planner = Union[NoPlanner, Waypoints, Literal["off", "waypoints"], Mapping[str, Any]]

_TABLES = {"learner", "generator", "distance", "target", "epsilon", "labels", "goal_filter", "planner", "evaluation"}


def table(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as the Rust side takes them: dictionaries, lists, numbers and strings. None is left out."""
    return {name: _value(name, value) for name, value in settings.items() if value is not None}


def _value(name: str, value: Any) -> Any:
    if name in _TABLES:
        return _table(name, value)
    if isinstance(value, Mapping):
        return table(value)
    if isinstance(value, Iterable) and not isinstance(value, str):
        return list(value)
    return value


def _table(name: str, value: Any) -> dict[str, Any]:
    if isinstance(value, Settings) and value.argument == name:
        return value.table()
    if isinstance(value, str):
        return {"kind": value}
    if isinstance(value, Mapping):
        return table(value)
    known = " or ".join(sorted(found.__name__ for found in _kinds(Settings) if found.argument == name))
    raise TypeError(f"{name} is {value!r}; it must be {known}, the name of a kind, or a dictionary")


def _kinds(base: type[Settings]) -> list[type[Settings]]:
    """The public classes of settings."""
    below = [found for child in base.__subclasses__() for found in _kinds(child)]
    return below if base.__name__.startswith("_") or base is Settings else [base, *below]
