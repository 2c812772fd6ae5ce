#!/usr/bin/env bash
# Makes third_party/checks/venv: the Python packages that read what we write, for the tests and nothing else.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "$#" -gt 0 ]; then
  echo "setup-python-checks: unknown: $*; there are no options" >&2
  exit 1
fi
exec scripts/make-venv.sh third_party/checks/venv tensorboard==2.21.0 numpy==2.4.6 onnx==1.23.2 onnxruntime==1.31.1
