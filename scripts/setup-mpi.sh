#!/usr/bin/env bash
# Brings both MPI families and libclang, which the plugin's bindings are made with. Debian and its relatives; elsewhere it
# says what is missing.
set -euo pipefail
missing() {
  ! command -v mpicc.openmpi >/dev/null || ! command -v mpicc.mpich >/dev/null || ! ls /usr/lib/llvm-*/lib/libclang*.so* >/dev/null 2>&1
}
missing || exit 0
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null 2>&1; then
  echo "setup-mpi: install Open MPI and MPICH with their headers, and libclang" >&2
  exit 1
fi
echo "setup-mpi: installing Open MPI, MPICH and libclang" >&2
apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq openmpi-bin libopenmpi-dev mpich libmpich-dev libclang-dev >/dev/null
