"""Numbers as they must be, refused in a sentence."""

from __future__ import annotations

import math
import numbers
from typing import Any


def count(name: str, value: Any, least: int = 1) -> int:
    """A whole number, at least so much."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name} is {value!r}; it must be a whole number")
    if value < least:
        raise ValueError(f"{name} is {value}; it must be at least {least}")
    return int(value)


def above_zero(name: str, value: Any) -> float:
    """A finite number above 0."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} is {value!r}; it must be a number")
    if not (math.isfinite(value) and value > 0):
        raise ValueError(f"{name} is {value}; it must be finite and above 0")
    return float(value)
