"""The command ``isochrone``, the same as the one that cargo installs."""

from __future__ import annotations

import sys

from . import _isochrone


def main() -> int:
    """Runs it with the arguments of this process."""
    return _isochrone.run_command(["isochrone", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
