#!/usr/bin/env bash
# Makes third_party/door/venv: what the tests of the Python package need, and another engine to stand beside.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "$#" -gt 0 ]; then
  echo "setup-python-door: unknown: $*; there are no options" >&2
  exit 1
fi
exec scripts/make-venv.sh third_party/door/venv numpy==2.4.6 pytest==9.2.0 gymnasium==1.4.0 tqdm==4.70.1 scipy==1.17.1 h5py==3.16.0 pyarrow==26.0.1 matplotlib==3.11.2 mujoco==3.17.0 duckdb==2.0.0 lancedb==0.40.0 faiss-cpu==1.15.1
