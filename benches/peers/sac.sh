#!/bin/sh
# An update of soft actor-critic beside Stable-Baselines3's, in an environment of its own. All arguments go to sac.py.
set -eu

export PEERS_VENV="${PEERS_VENV:-${XDG_CACHE_HOME:-$HOME/.cache}/isochrone/peers-sac-venv}"
PEERS_REQUIREMENTS=requirements-sac.txt PEERS_SCRIPT=sac.py exec "$(dirname -- "$0")/distance.sh" "$@"
