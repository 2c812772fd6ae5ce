"""Numbers as they must be, refused in a sentence."""

from __future__ import annotations

import math
import numbers
from collections.abc import Collection, Iterable, Mapping
from typing import Any


def count(name: str, value: Any, least: int = 1) -> int:
    """A whole number, at least so much."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name} is {value!r}; it must be a whole number")
    if value < least:
        raise ValueError(f"{name} is {value}; it must be at least {least}")
    return int(value)


def counts(name: str, values: Any) -> list[int]:
    """A list of whole numbers."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise TypeError(f"{name} is {values!r}; it must be a list of whole numbers, for example [64, 64]")
    return [count(f"an entry of {name}", value, 0) for value in values]


def with_counts(named: Mapping[str, Any], single: Collection[str], several: Collection[str]) -> dict[str, Any]:
    """Settings, of which some are whole numbers or lists of them. The Rust side knows the least of each."""
    found = dict(named)
    for name, value in named.items():
        if value is not None and name in single:
            found[name] = count(name, value, 0)
        elif value is not None and name in several:
            found[name] = counts(name, value)
    return found


def above_zero(name: str, value: Any) -> float:
    """A finite number above 0."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} is {value!r}; it must be a number")
    if not (math.isfinite(value) and value > 0):
        raise ValueError(f"{name} is {value}; it must be finite and above 0")
    return float(value)
