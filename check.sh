#!/usr/bin/env bash
# What CI runs, in the same order. Needs cargo, cargo-nextest, cargo-deny, typos, mdbook, libmujoco with its Python
# package, the Python packages that read what we write and those of the Python bindings, EGL and OSMesa, Open MPI and MPICH:
# scripts/setup-tools.sh, setup-mujoco.sh --with-python, setup-python-checks.sh, setup-python-door.sh, setup-render.sh and
# setup-mpi.sh bring what is missing.
set -euo pipefail
cd "$(dirname "$0")"
if [ ! -e third_party/mujoco/lib/libmujoco.so ] || [ ! -e third_party/mujoco/venv/bin/python ]; then
  echo "check.sh: MuJoCo or its Python package is not here yet; run scripts/setup-mujoco.sh --with-python once" >&2
  exit 1
fi
if [ ! -e third_party/checks/venv/bin/python ]; then
  echo "check.sh: the Python packages of the tests are not here yet; run scripts/setup-python-checks.sh once" >&2
  exit 1
fi
if [ ! -e third_party/door/venv/bin/python ]; then
  echo "check.sh: the Python packages of the bindings' tests are missing; run scripts/setup-python-door.sh once" >&2
  exit 1
fi
# Names the step that begins, and how long the one before took.
step() {
  [ -z "${began:-}" ] || printf '   (%s: %d s)\n' "$current" "$((SECONDS - began))"
  began=$SECONDS current=$*
  printf '\n== %s\n' "$*"
}

step "format";        cargo fmt --all --check
step "lints";         cargo clippy --workspace --all-targets --locked -- -D warnings
step "plugins";       scripts/build-mpi.sh
step "tests";         cargo nextest run --workspace --locked
step "doctests";      cargo test --workspace --doc --locked --quiet
step "Python";        scripts/try-python.sh
step "examples";      scripts/try-examples.sh
step "documentation"; RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked --quiet
step "licences";      cargo deny check --hide-inclusion-graph bans licenses sources
step "spelling";      typos
step "book";          mdbook build docs && scripts/check-links.py && scripts/try-book.py
printf '   (%s: %d s)\n\nall checks passed in %d s\n' "$current" "$((SECONDS - began))" "$SECONDS"
