#!/usr/bin/env bash
# Puts libmujoco beside the Python module, which looks for it there: before a wheel is built, and before tests.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup-mujoco.sh
for library in third_party/mujoco/lib/libmujoco.so.*; do
  cmp --silent "$library" "python/isochrone/$(basename "$library")" || cp "$library" python/isochrone/
done
