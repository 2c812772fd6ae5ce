"""Reads Minari and D4RL datasets as lists of episodes, for :meth:`isochrone.DistanceModel.fit`.

Parquet, npz and CSV files need nothing from here: ``fit`` reads them itself.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from ._extras import need

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["from_minari", "from_d4rl"]


def from_minari(dataset: Any, key: str | None = None) -> list[NDArray[np.float32]]:
    """The states of a Minari dataset, one array per episode.

    Parameters
    ----------
    dataset:
        A dataset, or the name of one: then Minari loads it, and downloads it if necessary.
    key:
        For dictionary observations: the entry to use as state, for example ``"achieved_goal"``. Without it dictionary
        observations are an error.
    """
    if isinstance(dataset, str):
        dataset = need("minari", "data").load_dataset(dataset, download=True)
    episodes = []
    for episode in dataset.iterate_episodes():
        observations = episode.observations
        if isinstance(observations, dict):
            if key is None:
                raise ValueError(f"observations are dictionaries of {sorted(observations)}: say which with key=")
            if key not in observations:
                raise ValueError(f"observations have no entry {key!r}; they have {sorted(observations)}")
            observations = observations[key]
        elif key is not None:
            raise ValueError(f"observations are not dictionaries; key={key!r} has no meaning here")
        episodes.append(_states(observations))
    return episodes


def from_d4rl(data: Any, key: str = "observations") -> list[NDArray[np.float32]]:
    """The states of D4RL data, one array per episode.

    Parameters
    ----------
    data:
        What ``env.get_dataset()`` returns, an open file of the same (h5py's, NumPy's), or the path of an HDF5 file. An episode ends where ``terminals`` or
        ``timeouts`` is true. D4RL does not store the state after the last action of an episode.
    key:
        The name of the states, for example ``"infos/qpos"``.
    """
    if isinstance(data, (str, os.PathLike)):
        return _from_hdf5(data, key)
    if key not in data:
        raise ValueError(f"the data have no {key!r}; they have {sorted(data)}")
    if "terminals" not in data:
        raise ValueError(f"the data have no 'terminals', which say where episodes end; they have {sorted(data)}")
    states = _states(_array(data[key]))
    ends = np.asarray(_array(data["terminals"]), dtype=bool).copy()
    if "timeouts" in data:
        ends |= np.asarray(_array(data["timeouts"]), dtype=bool)
    if ends.shape != (len(states),):
        raise ValueError(f"there are {len(states)} states, and terminals of shape {ends.shape}")
    parts = np.split(states, np.flatnonzero(ends) + 1)
    return [part for part in parts if len(part)]


def _from_hdf5(file: str | os.PathLike[str], key: str) -> list[NDArray[np.float32]]:
    h5py = need("h5py", "data")
    with h5py.File(file, "r") as opened:
        wanted = [key, "terminals", "timeouts"]
        if key not in opened:
            names: list[str] = []
            opened.visit(names.append)
            raise ValueError(f"{file} has no {key!r}; it has {names}")
        data = {name: opened[name][()] for name in wanted if name in opened}
    return from_d4rl(data, key)


def _states(observations: Any) -> NDArray[np.float32]:
    states = np.asarray(observations, dtype=np.float32)
    return states.reshape(len(states), -1)


def _array(of: Any) -> Any:
    """All of it, where a file would be read entry by entry."""
    return of[()] if hasattr(of, "shape") else of
