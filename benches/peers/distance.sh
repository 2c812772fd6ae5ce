#!/bin/sh
# Installs the pinned peers of the distance's training step into a virtual environment
# outside the checkout and runs the comparison. All arguments go to distance.py.
set -eu

here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
venv=${PEERS_VENV:-${XDG_CACHE_HOME:-$HOME/.cache}/isochrone/peers-distance-venv}

[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
    -r "$here/${PEERS_REQUIREMENTS:-requirements-distance.txt}"
# So that compiled Python files do not appear in the checkout.
PYTHONDONTWRITEBYTECODE=1 exec nice "$venv/bin/python" "$here/${PEERS_SCRIPT:-distance.py}" "$@"
