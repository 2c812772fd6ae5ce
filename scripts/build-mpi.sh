#!/usr/bin/env bash
# Builds the MPI plugin once for every MPI family of this machine and puts it beside the command, which opens it under
# mpirun: build-mpi.sh [FOLDER], target/debug if no folder is named. Needs mpicc.openmpi, mpicc.mpich or mpicc, and libclang.
set -euo pipefail
cd "$(dirname "$0")/.."
target="${CARGO_TARGET_DIR:-target}"
folder="${1:-$target/debug}"
built=0
for family in openmpi mpich; do
  compiler="mpicc.$family"
  if ! command -v "$compiler" >/dev/null; then
    # Elsewhere than on Debian there is one mpicc, and only Open MPI's knows this option.
    compiler=mpicc
    command -v "$compiler" >/dev/null || continue
    if mpicc --showme:version >/dev/null 2>&1; then its=openmpi; else its=mpich; fi
    [ "$its" = "$family" ] || continue
  fi
  # A folder for each: the same crate is compiled against other headers.
  MPICC="$compiler" cargo build --package isochrone-mpi --release --locked --quiet --target-dir "$target/mpi-$family"
  mkdir -p "$folder"
  plugin="$folder/libisochrone_mpi_$family.so"
  # Written whole or not at all: a job may have it open.
  cp "$target/mpi-$family/release/libisochrone_mpi.so" "$plugin.new"
  mv "$plugin.new" "$plugin"
  echo "build-mpi: $plugin" >&2
  built=1
done
if [ "$built" -eq 0 ]; then
  echo "build-mpi: there is no mpicc here; scripts/setup-mpi.sh brings both on Debian" >&2
  exit 1
fi
