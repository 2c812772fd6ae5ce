#!/bin/sh
# Installs the pinned peers of the rollouts into a virtual environment outside the
# checkout and runs the comparison. All arguments go to rollouts.py.
set -eu

here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
venv=${PEERS_VENV:-${XDG_CACHE_HOME:-$HOME/.cache}/isochrone/peers-rollouts-venv}

say() {
    printf 'rollouts.sh: %s\n' "$1" >&2
}

install_peers() {
    [ -x "$venv/bin/python" ] || python3 -m venv "$venv"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
        -r "$here/requirements-rollouts.txt"
}

# There is no wheel for every machine, and the rest is worth running anyway.
install_envpool() {
    log=$venv/envpool.log
    if "$venv/bin/python" -m pip install --disable-pip-version-check \
        -c "$here/requirements-rollouts.txt" \
        -r "$here/requirements-envpool.txt" >"$log" 2>&1; then
        return
    fi
    say "EnvPool left out, it could not be installed (all of it in $log):"
    tail -n 3 "$log" >&2
}

install_peers
install_envpool
# So that compiled Python files do not appear in the checkout.
PYTHONDONTWRITEBYTECODE=1 exec nice "$venv/bin/python" "$here/rollouts.py" "$@"
