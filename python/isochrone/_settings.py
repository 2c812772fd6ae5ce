"""Settings as the Rust side reads them: ``key=value`` with values in TOML."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np


def toml(value: Any) -> str:
    """A value as TOML."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Iterable):
        return "[" + ", ".join(toml(entry) for entry in value) + "]"
    raise TypeError(f"a setting is a number, a word or a list of them, not {type(value).__name__}")


def pairs(settings: Mapping[str, Any]) -> list[str]:
    """All that were given; None stands for the default."""
    return [f"{key}={toml(value)}" for key, value in settings.items() if value is not None]
