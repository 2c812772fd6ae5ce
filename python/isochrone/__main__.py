"""The command ``isochrone``, the same as the one that cargo installs."""

from __future__ import annotations

import signal
import sys

from . import _isochrone


def main() -> int:
    """Runs it with the arguments of this process."""
    # Python's own handler only takes a note, which nobody reads meanwhile.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _isochrone.run_command(["isochrone", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
