#!/usr/bin/env bash
# Tries a wheel on every CPython from 3.10 to 3.13 that is here, each in an environment of its own with NumPy and nothing
# else of what the package can use: try-wheel.sh [WHEEL]. Without one, a wheel is built first, which takes some minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
desk="$(mktemp -d)"
trap 'rm -rf "$desk"' EXIT
wheel="${1:-}"
if [ -z "$wheel" ]; then
  scripts/place-engine.sh
  python3 -m venv "$desk/builder"
  "$desk/builder/bin/pip" wheel --quiet --no-deps --wheel-dir "$desk" ./python
  wheel="$(ls "$desk"/isochrone-*.whl)"
fi
wheel="$(realpath "$wheel")"
# No source tree on the path: tests stand apart from the package they try.
mkdir "$desk/trial"
cp -r python/tests "$desk/trial/tests"
tried=0
for version in 3.10 3.11 3.12 3.13; do
  for python in "python$version" "$HOME"/.pyenv/versions/"$version".*/bin/python; do
    "$python" -c "import venv, ensurepip" 2>/dev/null || continue
    venv="$desk/venv-$version"
    "$python" -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check numpy pytest "$wheel"
    "$venv/bin/python" -c "import sys, numpy; print('Python', sys.version.split()[0], 'NumPy', numpy.__version__)"
    (cd "$desk/trial" && "$venv/bin/python" -m pytest -q -p no:cacheprovider tests)
    tried=$((tried + 1))
    break
  done
done
if [ "$tried" -eq 0 ]; then
  echo "try-wheel: there is no CPython from 3.10 to 3.13 here" >&2
  exit 1
fi
