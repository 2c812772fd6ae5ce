#!/usr/bin/env bash
# Makes a Python environment with exactly these packages: make-venv.sh FOLDER NAME==VERSION …
# Done once: a second run only checks what is there, and what failed is not left behind.
set -euo pipefail
venv=$1
shift
say() { echo "make-venv: $*" >&2; }

is_right() {
  "$venv/bin/python" - "$@" 2>/dev/null <<'PYTHON'
import sys
from importlib.metadata import version

assert all(version(name) == pin for name, pin in (line.split("==") for line in sys.argv[1:]))
PYTHON
}

if is_right "$@"; then
  exit 0
fi
if ! python3 -c "import venv, ensurepip" 2>/dev/null; then
  say "this Python cannot make environments; install python3-venv, or what your system calls it"
  exit 1
fi
say "making $venv with $*"
rm -rf "$venv"
if ! { python3 -m venv "$venv" && "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "$@"; }; then
  rm -rf "$venv"
  say "$venv could not be made; what was there of it is removed"
  exit 1
fi
