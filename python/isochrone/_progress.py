"""Progress of long work, by tqdm where it is wanted."""

from __future__ import annotations

import logging
import sys
import warnings
from typing import Any

from ._extras import need

logger = logging.getLogger("isochrone")


class DataWarning(UserWarning):
    """A property of the data that may make a result useless: a constant column, a state far outside the training data."""


def warn_of_data(text: str) -> None:
    """Warns, and points at the first line outside this package."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__package__") == __package__:
        level, frame = level + 1, frame.f_back
    warnings.warn(text, DataWarning, stacklevel=level)


class _Said:
    """Notes and warnings."""

    def notes(self, text: str) -> None:
        logger.info(text)

    def warns(self, text: str) -> None:
        warnings.warn(text, DataWarning, stacklevel=3)


class Bar(_Said):
    """A tqdm bar: the methods are those of the Rust trait `Observer`."""

    def __init__(self) -> None:
        self._tqdm = need("tqdm.auto", "gym").tqdm
        self._bar: Any = None

    def begins(self, what: str, units: int) -> None:
        self.close()
        self._bar = self._tqdm(total=units or None, desc=what, unit=" states", unit_scale=True)

    def skips(self, units: int) -> None:
        self._bar.update(units)

    def advances(self, units: int, detail: str) -> None:
        self._bar.set_postfix_str(detail, refresh=False)
        self._bar.update(units)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


class Log(_Said):
    """The same for `logging`: a line per stage, details at level DEBUG."""

    def begins(self, what: str, units: int) -> None:
        logger.info(what)

    def skips(self, units: int) -> None:
        pass

    def advances(self, units: int, detail: str) -> None:
        logger.debug(detail)

    def close(self) -> None:
        pass


def progress(progress_bar: bool) -> Bar | Log:
    return Bar() if progress_bar else Log()
