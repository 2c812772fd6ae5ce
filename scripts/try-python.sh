#!/usr/bin/env bash
# Builds the Python module beside its package, as cargo builds everything else, and runs the package's tests: for
# development and the checks. Wheels are built by maturin from python/ (see python/README.md).
set -euo pipefail
cd "$(dirname "$0")/.."
venv=third_party/door/venv
if [ ! -e "$venv/bin/python" ]; then
  echo "try-python: the packages of its tests are not here yet; run scripts/setup-python-door.sh once" >&2
  exit 1
fi
# With the tests' dependencies, as the tests are built: without them features differ, and the tensor library is compiled again.
cargo build --workspace --lib --bins --examples --tests --locked --quiet
built="${CARGO_TARGET_DIR:-target}/debug/lib_isochrone.so"
# Written whole or not at all: a module that is being imported must not change under its reader.
cp "$built" python/isochrone/_isochrone.abi3.so.new
mv python/isochrone/_isochrone.abi3.so.new python/isochrone/_isochrone.abi3.so
scripts/place-engine.sh
cd python
exec "../$venv/bin/python" -m pytest "$@"
