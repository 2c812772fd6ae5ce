#!/bin/sh
# Installs the pinned peers into a virtual environment outside the checkout and
# runs the comparison. All arguments go to peers.py.
set -eu

here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
venv=${PEERS_VENV:-${XDG_CACHE_HOME:-$HOME/.cache}/isochrone/peers-venv}

say() {
    printf 'run.sh: %s\n' "$1" >&2
}

install_peers() {
    [ -x "$venv/bin/python" ] || python3 -m venv "$venv"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
        -r "$here/requirements.txt"
}

# CHOLMOD comes from the system, its Python binding is compiled here: this may
# fail on a machine without the packages, and the rest is worth running anyway.
install_cholmod() {
    log=$venv/scikit-sparse.log
    if "$venv/bin/python" -m pip install --disable-pip-version-check \
        -c "$here/requirements.txt" \
        -r "$here/requirements-cholmod.txt" >"$log" 2>&1; then
        return
    fi
    say "CHOLMOD left out: scikit-sparse could not be built (see $log)."
    say "On Debian: apt-get install libsuitesparse-dev libopenblas0-serial gcc g++ python3-dev"
}

install_peers
install_cholmod
# So that compiled Python files do not appear in the checkout.
PYTHONDONTWRITEBYTECODE=1 exec nice "$venv/bin/python" "$here/peers.py" "$@"
