"""Trainings in the product's own worlds: what ``isochrone train`` does."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import _isochrone
from ._settings import pairs

__all__ = ["train"]


def train(
    preset: str,
    folder: str | os.PathLike[str],
    *,
    threads: int | None = None,
    callback: Callable[[int], Any] | None = None,
    **settings: Any,
) -> list[dict[str, Any]]:
    """Trains a preset (or a spec.toml) in a run folder, or goes on with what is there; its evaluations, one per line.

    The folder is the one that ``isochrone train`` writes, byte for byte: ``isochrone plot``, ``render --run`` and
    ``resume`` read it. Ctrl-C keeps what is done, and so does a callback that returns False; the same call goes on. It
    hears the number of every iteration that is done. ``threads`` change no byte; all cores are used if None.
    """
    try:
        _isochrone.train(preset, pairs(settings), os.fspath(folder), threads, callback and _heard(callback))
    except _Enough:
        pass
    lines = Path(folder, "eval.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


class _Enough(Exception):
    """The callback wants no more."""


def _heard(callback: Callable[[int], Any]) -> Callable[[int], None]:
    def hear(iteration: int) -> None:
        answer = callback(iteration)
        if answer is not None and not answer:
            raise _Enough

    return hear
