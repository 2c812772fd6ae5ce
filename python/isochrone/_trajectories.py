"""Trajectories as people have them: files, lists of arrays, or one array with episode numbers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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

GOALS_ARE = "goals are states, one in each row, for example the last ones of episodes: [e[-1] for e in episodes]"


def data_of(
    data: Any,
    episode_ids: ArrayLike | None,
    state: str | Sequence[str] | None,
    episode: str | None,
    look: Callable[[NDArray[np.float32]], None] | None = None,
) -> _isochrone.Data:
    """Data for the Rust side. ``look`` gets the states of arrays; those of files are not read here."""
    if isinstance(data, Iterator):
        data = list(data)
    paths = paths_of(data)
    if paths is not None:
        if episode_ids is not None:
            raise TypeError("files say themselves which episode a state is of: episode_ids is for arrays")
        columns = [state] if isinstance(state, str) else list(state or [])
        return _isochrone.Data.files(paths, columns, episode)
    states, lengths = episodes_of(data, episode_ids)
    given = _isochrone.Data.arrays(states, lengths)
    if look is not None:
        look(states)
    return given


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
    refuse_tables(data, episode_ids)
    if episode_ids is not None:
        states, ids = as_pixels(data), np.asarray(episode_ids)
        check_resolution([data])
        if states.ndim != 2:
            hint = "; if a state is one number, give states[:, None]" if states.ndim == 1 else ""
            raise ValueError(f"states have shape (states, entries), not {states.shape}{hint}")
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
    data = data if isinstance(data, np.ndarray) else list(data)
    for number, episode in enumerate(data):
        refuse_groups(episode, number)
    episodes = [as_pixels(episode, f"episode {number}") for number, episode in enumerate(data)]
    if not episodes:
        raise ValueError("there are no episodes")
    for number, episode in enumerate(episodes):
        if episode.size == 0 and len(episode) == 0:
            # Without it, all later episodes would have other numbers than their owner's.
            raise ValueError(f"episode {number} has no states; leave it out")
        if episode.ndim != 2:
            raise ValueError(f"episode {number} has shape {episode.shape}, not (steps, entries){shape_hint(data, episode)}")
        if episode.shape[1] != episodes[0].shape[1]:
            raise ValueError(
                f"the states of episode {number} have {episode.shape[1]} entries, those of episode 0 have "
                f"{episodes[0].shape[1]}"
            )
        if not np.isfinite(episode).all():
            row, entry = np.argwhere(~np.isfinite(episode))[0]
            raise ValueError(
                f"episode {number}, row {row}, entry {entry}: the value is {episode[row, entry]}; fill in the value, or leave "
                "out its episode"
            )
    check_resolution(data)
    return np.ascontiguousarray(np.concatenate(episodes)), [len(episode) for episode in episodes]


def refuse_tables(data: Any, episode_ids: ArrayLike | None) -> None:
    """Refuses tables and dictionaries: they do not say which columns are the state, and where episodes end."""
    if isinstance(data, Mapping):
        raise TypeError(
            f"trajectories are a list of arrays, and this is a dictionary ({type(data).__name__}): if each of its values is "
            "an episode, give list(data.values())"
        )
    if episode_ids is None and hasattr(data, "columns"):
        raise TypeError(
            f"a {type(data).__name__} does not say which of its columns are the state, and where episodes end: give an array "
            'of the state columns and episode_ids, for example data[["x", "y"]].to_numpy(), '
            'episode_ids=data["episode"].to_numpy()'
        )


def refuse_groups(episode: Any, number: int) -> None:
    """Refuses what iterating over a groupby gives."""
    if isinstance(episode, tuple) and len(episode) == 2 and hasattr(episode[1], "columns"):
        raise TypeError(
            f"episode {number} is a pair of a key and a table, as groupby gives them: give a list of arrays of the state "
            'columns, for example [group[["x", "y"]].to_numpy() for _, group in data]'
        )


def shape_hint(data: Any, episode: NDArray[np.float32]) -> str:
    """What to do with arrays that have too few axes."""
    if episode.ndim > 2:
        return ""
    if episode.ndim == 0:
        return "; if these numbers are the states of one episode, give [np.asarray(numbers)[:, None]]"
    if isinstance(data, np.ndarray):
        return "; give these states together with episode_ids, or as a list, [states], if they are one episode"
    return (
        "; if a state is one number, give [e[:, None] for e in episodes]; if these are states, give all as one array "
        "together with episode_ids"
    )


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


def as_pixels(values: Any, what: str = "states") -> NDArray[np.float32]:
    """States row by row; of images, all pixels in a row."""
    array = as_array(values, what)
    if array.ndim != IMAGES:
        return as_floats(array)
    if array.dtype != np.uint8:
        raise TypeError(f"images are arrays of uint8, 0 to 255, not of {array.dtype}")
    return as_floats(array.reshape(len(array), int(np.prod(array.shape[1:]))))


def refuse_info(observation: Any) -> None:
    """Refuses what reset() and step() return, where an observation is meant."""
    if isinstance(observation, tuple) and len(observation) > 1 and isinstance(observation[-1], Mapping):
        raise TypeError(
            "this is (observation, …, info), all that reset() or step() returns: pass the observation alone, the first of them"
        )


def as_array(values: Any, what: str, advice: str = "a state is a row, and all rows have as many entries") -> NDArray[Any]:
    """One array, or a sentence why there is none."""
    refuse_info(values)
    try:
        return np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{what}: rows of different lengths make no array; {advice}") from error


def as_floats(values: Any, what: str = "states", *advice: str) -> NDArray[np.float32]:
    array = as_array(values, what, *advice)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"a state is made of numbers, not of {array.dtype}")
    with np.errstate(over="ignore"):
        return array.astype(np.float32, copy=False)


def as_goals(goals: NDArray[np.float32], name: str = "goals") -> NDArray[np.float32]:
    if goals.ndim == 2 and len(goals) == 0:
        raise ValueError("there are no goals")
    if goals.ndim > 2:
        raise ValueError(f"{name}: the shape is {goals.shape}, not (goals, entries); {GOALS_ARE}")
    return as_rows(goals)


def as_rows(states: NDArray[np.float32]) -> NDArray[np.float32]:
    if states.ndim not in (1, 2):
        raise ValueError(f"states have shape (entries) or (states, entries), not {states.shape}")
    return np.ascontiguousarray(np.atleast_2d(states))
