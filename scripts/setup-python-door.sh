#!/usr/bin/env bash
# Makes third_party/door/venv: what the tests of the Python package need. Pinned, and done once: a second run only checks
# what is there.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=third_party/door/venv
packages=(
  numpy==2.4.6
  pytest==9.2.0
  gymnasium==1.4.0
  tqdm==4.70.1
  scipy==1.17.1
  h5py==3.16.0
  pyarrow==26.0.1
  matplotlib==3.11.2
)
say() { echo "setup-python-door: $*" >&2; }
fail() { say "$*"; exit 1; }

is_right() {
  "$venv/bin/python" - "${packages[@]}" 2>/dev/null <<'PYTHON'
import sys
from importlib.metadata import version

assert all(version(name) == pin for name, pin in (line.split("==") for line in sys.argv[1:]))
PYTHON
}

if [ "$#" -gt 0 ]; then
  fail "unknown: $*; there are no options"
fi
if is_right; then
  exit 0
fi
if ! python3 -c "import venv, ensurepip" 2>/dev/null; then
  fail "this Python cannot make environments; install python3-venv, or what your system calls it"
fi
say "making $venv with ${packages[*]}"
rm -rf "$venv"
# What failed is not left behind.
if ! { python3 -m venv "$venv" &&
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "${packages[@]}"; }; then
  rm -rf "$venv"
  fail "$venv could not be made; what was there of it is removed"
fi
