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
    callback: Callable[[int], Any] | None = None,
    **settings: Any,
) -> list[dict[str, Any]]:
    """Trains a preset (or a spec.toml) in a run folder, or goes on with what is there; its evaluations, one per line.

    The folder is the one that ``isochrone train`` writes, byte for byte: ``isochrone plot``, ``render --run`` and
    ``resume`` read it. Ctrl-C keeps what is done; the same call goes on.
    """
    _isochrone.train(preset, pairs(settings), os.fspath(folder), callback)
    lines = Path(folder, "eval.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]
