"""Steps the sub-environments (lanes) of a vector environment separately."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._extras import need


class VectorLanes:
    """The adapter that the Rust side steps: `reset` of one lane, `step` of some.

    With autoreset disabled, each lane resets on its own, with its episode's seed. Otherwise the environment decides when
    a lane resets, so all lanes begin together, with the seed of the first, and wait for the last to end.
    """

    def __init__(self, envs: Any) -> None:
        modes = need("gymnasium", "gym").vector.AutoresetMode
        self.envs = envs
        mode = envs.metadata.get("autoreset_mode", modes.NEXT_STEP)
        if not isinstance(mode, modes):
            known = ", ".join(repr(known.value) for known in modes)
            raise ValueError(f"the vector environment resets by {mode!r}, which is not one of Gymnasium's modes: {known}")
        self.resets_alone = mode == modes.DISABLED
        self._final_in_info = mode == modes.SAME_STEP
        space = envs.single_action_space
        self._shape = space.shape
        # For lanes that nobody reads: any legal action.
        idle = np.clip(0.0, space.low, space.high).astype(space.dtype)
        self._idle = np.broadcast_to(idle, (envs.num_envs, *space.shape))
        self._ended = np.zeros(envs.num_envs, dtype=bool)
        self._first: Any = None
        self._has_begun = False
        # What lanes showed last: those that are not asked to begin must stay there. Gymnasium's vectors hand out copies
        # unless they are told not to; what others hand out may be written over, and is copied here.
        self._last: Any = None
        self._hands_out_copies = bool(getattr(envs.unwrapped, "copy", False))

    def reset(self, lane: int, seed: int) -> Any:
        if self.resets_alone:
            return self._row(self._begin([lane], seed), lane)
        if lane == 0:
            self._first, _ = self.envs.reset(seed=seed)
        return self._row(self._first, lane)

    def _begin(self, lanes: Sequence[int] | np.ndarray, seed: int | None) -> Any:
        if not self._has_begun:
            # Before some lanes can begin alone, all must have begun.
            self.envs.reset()
            self._has_begun = True
        mask = np.zeros(self.envs.num_envs, dtype=bool)
        mask[list(lanes)] = True
        seeds = [seed if chosen else None for chosen in mask]
        try:
            seen, _ = self.envs.reset(seed=seeds, options={"reset_mask": mask})
        except Exception as error:
            if "seed" not in str(error).lower():
                raise
            raise ValueError(
                f"reset() does not take a list of seeds, one per lane ({error}): with autoreset disabled lanes begin alone. "
                "Take another autoreset mode, or make it as gymnasium.vector.SyncVectorEnv does"
            ) from error
        if self._last is not None:
            self._check_stayed(seen, np.flatnonzero(~mask & ~self._ended))
        self._last = self._kept(seen)
        self._ended[mask] = False
        return seen

    def _check_stayed(self, seen: Any, lanes: np.ndarray) -> None:
        """Raises an error if a reset changed lanes that the mask leaves out: trajectories would be mixed."""
        for lane in lanes:
            now, before = ([*row.values()] if isinstance(row, dict) else [row]
                           for row in (self._row(seen, lane), self._row(self._last, lane)))  # fmt: skip
            if not all(np.array_equal(a, b, equal_nan=True) for a, b in zip(now, before)):
                raise ValueError(
                    "reset(options={'reset_mask': …}) changed lanes that the mask leaves out, so that episodes would break off "
                    "in silence: honour the mask, as gymnasium.vector.SyncVectorEnv does, or take another autoreset mode"
                )

    def step(self, lanes: list[int], actions: np.ndarray) -> tuple[list[Any], np.ndarray, np.ndarray]:
        if self.resets_alone:
            idle = self._ended.copy()
            idle[lanes] = False
            if idle.any():
                # They must not be stepped after their end.
                self._begin(np.flatnonzero(idle), None)
        all_actions = self._idle.copy()
        all_actions[lanes] = actions.reshape(-1, *self._shape)
        seen, _, terminated, truncated, info = self.envs.step(all_actions)
        self._ended = np.asarray(terminated) | np.asarray(truncated)
        self._last = self._kept(seen) if self.resets_alone else None
        rows = []
        for lane in lanes:
            is_kept_apart = self._final_in_info and self._ended[lane]
            rows.append(info["final_obs"][lane] if is_kept_apart else self._row(seen, lane))
        ended = [np.ascontiguousarray(np.asarray(of, dtype=bool)[lanes]) for of in (terminated, truncated)]
        return rows, ended[0], ended[1]

    def _kept(self, seen: Any) -> Any:
        if self._hands_out_copies:
            return seen
        return {key: np.array(of) for key, of in seen.items()} if isinstance(seen, dict) else np.array(seen)

    @staticmethod
    def _row(seen: Any, lane: int) -> Any:
        return {key: of[lane] for key, of in seen.items()} if isinstance(seen, dict) else seen[lane]
