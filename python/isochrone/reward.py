"""A distance as a reward and as the "reached" test."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from ._numbers import above_zero

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from .distance import DistanceModel


Kind = Literal["sparse", "dense", "linear", "potential"]

PREVIOUS = "previous_achieved_goal"
"""Where ``info`` keeps the achieved goal before the step."""
TERMINATED = "terminated"
"""Where ``info`` keeps whether the step ended the episode for good."""


class Reward:
    """What a step towards a goal is worth.

    ``"sparse"``: ``reached`` if the goal is within ``epsilon`` steps, ``otherwise`` if not.
    ``"dense"``: ``exp(-steps / epsilon)``.
    ``"linear"``: ``-steps / max_steps``, at least −1.
    ``"potential"``: sparse, plus ``discount * phi(after) - phi(before)`` where ``phi`` is the linear reward, and 0 after a
    step that terminates. This shaping does not change which policy is best (Ng et al. 1999).

    Called with achieved and desired goals, one of each or many, and ``info``: the signature of ``compute_reward`` of goal
    environments. Only ``"potential"`` reads ``info``: the achieved goal before the step is in
    ``info["previous_achieved_goal"]``, and ``info["terminated"]`` says whether the step ended the episode.
    """

    def __init__(
        self,
        distance: DistanceModel,
        epsilon: float,
        kind: Kind = "sparse",
        *,
        reached: float = 0.0,
        otherwise: float = -1.0,
        max_steps: float | None = None,
        discount: float | None = None,
    ) -> None:
        if kind not in get_args(Kind):
            raise ValueError(f"a reward is sparse, dense, linear or potential, not {kind!r}")
        if kind in ("linear", "potential") and max_steps is None:
            raise ValueError(
                f"the {kind} reward divides by max_steps: give the distance at which it is −1, for example the largest "
                "between states of your data"
            )
        if kind == "potential" and discount is None:
            raise ValueError("the potential reward needs the learner's discount factor: give discount, for example 0.99")
        self.distance = distance
        self.kind = kind
        self.epsilon = above_zero("epsilon", epsilon)
        self.reached = float(reached)
        self.otherwise = float(otherwise)
        self.max_steps = None if max_steps is None else above_zero("max_steps", max_steps)
        self.discount = None if discount is None else above_zero("discount", discount)
        if self.discount is not None and self.discount > 1:
            raise ValueError(f"discount is {discount}; it must be at most 1")

    def is_reached(self, achieved: ArrayLike, desired: ArrayLike) -> Any:
        """Is the goal within ε? A bool, or an array of them."""
        return self.distance(achieved, desired) < self.epsilon

    def __call__(
        self, achieved: ArrayLike, desired: ArrayLike, info: Any = None
    ) -> float | NDArray[np.float32]:
        steps = np.asarray(self.distance(achieved, desired))
        rewards = self._of(steps)
        if self.kind == "potential":
            before = np.asarray(self.distance(_previous(info, steps.ndim), desired))
            # Nothing is left behind an end: shaping keeps the best policy only with a potential of 0 there.
            after = np.where(_has_ended(info, steps.ndim), 0.0, self._linear(steps))
            rewards = rewards + self.discount * after - self._linear(before)
        return float(rewards) if rewards.ndim == 0 else rewards.astype(np.float32)

    def _of(self, steps: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.kind == "dense":
            return np.exp(-steps / self.epsilon)
        if self.kind == "linear":
            return self._linear(steps)
        return np.where(steps < self.epsilon, self.reached, self.otherwise)

    def _linear(self, steps: NDArray[np.float64]) -> NDArray[np.float64]:
        return -np.minimum(steps / self.max_steps, 1.0)

    def __repr__(self) -> str:
        sparse = f"{self.reached:g} within {self.epsilon:g} steps, {self.otherwise:g} otherwise"
        texts = {
            "sparse": sparse,
            "dense": f"exp(-steps / {self.epsilon:g})",
            "linear": f"-min(steps / {self.max_steps}, 1)",
            "potential": f"{sparse}, plus {self.discount} phi(after) - phi(before), phi = -min(steps / {self.max_steps}, 1)",
        }
        return f"Reward({texts[self.kind]})"


def _previous(info: Any, ndim: int) -> NDArray[Any]:
    """The achieved goals before the steps."""
    infos = [info] if ndim == 0 else info
    if infos is None or not all(isinstance(one, Mapping) and PREVIOUS in one for one in infos):
        raise ValueError(
            f'the potential reward needs info["{PREVIOUS}"], the achieved goal before the step. GoalWrapper puts it there; '
            "HER keeps it with HerReplayBuffer(copy_info_dict=True), in Stable-Baselines3 "
            "replay_buffer_kwargs=dict(copy_info_dict=True)"
        )
    places = np.stack([np.asarray(one[PREVIOUS]) for one in infos])
    return places[0] if ndim == 0 else places


def _has_ended(info: Any, ndim: int) -> Any:
    """Whether the steps ended their episodes for good; a time limit does not."""
    ended = np.array([bool(one.get(TERMINATED, False)) for one in ([info] if ndim == 0 else info)])
    return ended[0] if ndim == 0 else ended
