"""Trajectories as people have them: files, lists of arrays, or one array with episode numbers."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _isochrone

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

LOST = 0.1
"""Of a usual step: so much may be lost when numbers are narrowed."""

FAR = 1e-6
"""Of the range of an entry: more is lost only if all its values lie some ten ranges or more away from 0."""

IMAGES = 4
"""Axes of images: states, height, width, channels."""


def data_of(
    data: Any,
    episode_ids: ArrayLike | None,
    state: str | Sequence[str] | None,
    episode: str | None,
) -> _isochrone.Data:
    if isinstance(data, Iterator):
        data = list(data)
    paths = paths_of(data)
    if paths is not None:
        if episode_ids is not None:
            raise TypeError("files say themselves which episode a state is of: episode_ids is for arrays")
        columns = [state] if isinstance(state, str) else list(state or [])
        return _isochrone.Data.files(paths, columns, episode)
    states, lengths = episodes_of(data, episode_ids)
    return _isochrone.Data.arrays(states, lengths)


def paths_of(data: Any) -> list[str] | None:
    if isinstance(data, (str, os.PathLike)):
        data = [data]
    if isinstance(data, np.ndarray) and data.dtype.kind == "U":
        data = data.ravel().tolist()
    if not isinstance(data, (list, tuple, set)) or not all(isinstance(path, (str, os.PathLike)) for path in data):
        return None
    names = [os.path.expanduser(os.fspath(path)) for path in (sorted(data) if isinstance(data, set) else data)]
    return names or None


def episodes_of(
    data: Any, episode_ids: ArrayLike | None
) -> tuple[NDArray[np.float32], list[int]]:
    """States end to end, and how many each episode has."""
    if episode_ids is not None:
        states, ids = as_pixels(data), np.asarray(episode_ids)
        check_resolution([data])
        if states.ndim != 2:
            raise ValueError(f"states have shape (states, entries), not {states.shape}")
        if len(states) == 0:
            raise ValueError("there are no states")
        states = np.ascontiguousarray(states)
        if ids.shape != (len(states),):
            raise ValueError(f"{len(states)} states were given, and episode_ids of shape {ids.shape}")
        last = np.flatnonzero(ids[1:] != ids[:-1])
        lengths = np.diff(np.concatenate([[-1], last, [len(ids) - 1]]))
        if len(np.unique(ids)) != len(lengths):
            raise ValueError("an episode comes back after another began: sort the states by episode, then by time")
        return states, [int(length) for length in lengths]
    if not isinstance(data, Iterable):
        raise TypeError(f"trajectories are a list of arrays or the path of a file, not {type(data).__name__}")
    episodes = [as_pixels(episode) for episode in data]
    if not episodes:
        raise ValueError("there are no episodes")
    for number, episode in enumerate(episodes):
        if episode.ndim != 2:
            hint = "; give all states as one array together with episode_ids" if episode.ndim < 2 else ""
            raise ValueError(f"episode {number} has shape {episode.shape}, not (steps, entries){hint}")
        if episode.shape[1] != episodes[0].shape[1]:
            raise ValueError(
                f"the states of episode {number} have {episode.shape[1]} entries, those of episode 0 have "
                f"{episodes[0].shape[1]}"
            )
        if not np.isfinite(episode).all():
            row, entry = np.argwhere(~np.isfinite(episode))[0]
            raise ValueError(f"episode {number}, row {row}, entry {entry}: the value is {episode[row, entry]}")
    check_resolution(data)
    return np.ascontiguousarray(np.concatenate(episodes)), [len(episode) for episode in episodes]


def check_resolution(episodes: Sequence[Any]) -> None:
    """Refuses numbers so far from 0 that 32 bits cannot tell a step from none: nothing could be learned from them."""
    for number, episode in enumerate(episodes):
        wide = np.asarray(episode)
        if wide.dtype.itemsize <= 4 or wide.ndim != 2 or len(wide) < 2 or not np.isfinite(wide).all():
            continue
        rounded = np.abs(wide - wide.astype(np.float32))
        lost = rounded.max(axis=0)
        for entry in np.flatnonzero(lost):
            steps = np.abs(np.diff(wide[:, entry]))
            steps = steps[steps > 0]
            # Small steps alone are no harm: a saturated feature near 1 hardly moves either.
            is_far = lost[entry] > FAR * np.ptp(wide[:, entry])
            if is_far and len(steps) and lost[entry] > LOST * np.median(steps):
                raise ValueError(
                    f"episode {number}, entry {entry}: values like {wide[rounded[:, entry].argmax(), entry]:.10g} lie so far from 0 that 32-bit floats "
                    "blur their steps; subtract an origin from that entry first"
                )


def image_shape(data: Any, episode_ids: ArrayLike | None) -> tuple[int, int, int] | None:
    """Height, width and channels of states that are images; None for rows of numbers, and for files, which say it themselves."""
    if paths_of(data) is not None:
        return None
    first = data if episode_ids is not None else next(iter(data), None)
    shape = np.shape(first)
    return (shape[1], shape[2], shape[3]) if len(shape) == IMAGES else None


def as_pixels(values: Any) -> NDArray[np.float32]:
    """States row by row; of images, all pixels in a row."""
    array = np.asarray(values)
    if array.ndim != IMAGES:
        return as_floats(array)
    if array.dtype != np.uint8:
        raise TypeError(f"images are arrays of uint8, 0 to 255, not of {array.dtype}")
    return as_floats(array.reshape(len(array), -1))


def as_floats(values: Any) -> NDArray[np.float32]:
    array = np.asarray(values)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"a state is made of numbers, not of {array.dtype}")
    with np.errstate(over="ignore"):
        return array.astype(np.float32, copy=False)


def as_goals(goals: NDArray[np.float32]) -> NDArray[np.float32]:
    if goals.ndim == 2 and len(goals) == 0:
        raise ValueError("there are no goals")
    return as_rows(goals)


def as_rows(states: NDArray[np.float32]) -> NDArray[np.float32]:
    if states.ndim not in (1, 2):
        raise ValueError(f"states have shape (entries) or (states, entries), not {states.shape}")
    return np.ascontiguousarray(np.atleast_2d(states))
