#!/bin/sh
# The training step on images beside PyTorch's: installs the pinned peers of the distance's
# training step, as distance.sh does, and runs the comparison. All arguments go to images.py.
set -eu

here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
venv=${PEERS_VENV:-${XDG_CACHE_HOME:-$HOME/.cache}/isochrone/peers-distance-venv}

[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
    -r "$here/requirements-distance.txt"
PYTHONDONTWRITEBYTECODE=1 exec nice "$venv/bin/python" "$here/images.py" "$@"
