#!/usr/bin/env bash
# Makes third_party/checks/venv: the Python packages that read what we write, for the tests and nothing else. Pinned,
# and done once: a second run only checks what is there.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=third_party/checks/venv
packages=(
  tensorboard==2.21.0
  numpy==2.4.6
  onnx==1.23.2
  onnxruntime==1.31.1
)
say() { echo "setup-python-checks: $*" >&2; }
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
