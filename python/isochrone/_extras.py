"""Optional dependencies."""

from __future__ import annotations

import importlib
from types import ModuleType


def need(module: str, extra: str | None = None) -> ModuleType:
    """Imports a module, or says how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.split(".")[0]
        how = f'pip install "isochrone[{extra}]"' if extra else f"pip install {package}"
        raise ImportError(f"this needs the package {package}, which is not here: {how}") from error
