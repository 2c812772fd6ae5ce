"""Progress of long work, by tqdm where it is wanted."""

from __future__ import annotations

import logging
import warnings
from typing import Any

from ._extras import need

logger = logging.getLogger("isochrone")


class DataWarning(UserWarning):
    """Something about the data that may make an answer useless: a column that never changes, a state far outside."""


class _Said:
    """What is said beside the work."""

    def notes(self, text: str) -> None:
        logger.info(text)

    def warns(self, text: str) -> None:
        warnings.warn(text, DataWarning, stacklevel=3)


class Bar(_Said):
    """What the Rust side tells: see `Onlooker` there."""

    def __init__(self) -> None:
        self._tqdm = need("tqdm.auto", "gym").tqdm
        self._bar: Any = None

    def begins(self, what: str, units: int) -> None:
        self.close()
        self._bar = self._tqdm(total=units or None, desc=what, unit=" states", unit_scale=True)

    def skips(self, units: int) -> None:
        self._bar.update(units)

    def advances(self, units: int, told: str) -> None:
        self._bar.set_postfix_str(told, refresh=False)
        self._bar.update(units)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


class Log(_Said):
    """The same for `logging`: a line per stage, and details for who wants them."""

    def begins(self, what: str, units: int) -> None:
        logger.info(what)

    def skips(self, units: int) -> None:
        pass

    def advances(self, units: int, told: str) -> None:
        logger.debug(told)

    def close(self) -> None:
        pass


def progress(progress_bar: bool) -> Bar | Log:
    return Bar() if progress_bar else Log()
