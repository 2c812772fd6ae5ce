#!/usr/bin/env bash
# Runs the examples as they stand, each in an empty folder; one that fails or takes more than a minute is named. Needs what
# check.sh has built before: the workspace with its examples, and the Python module in its place.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
built=$(realpath "${CARGO_TARGET_DIR:-target}")/debug/examples
python=$root/third_party/door/venv/bin/python
export PYTHONPATH=$root/python MPLBACKEND=Agg
desk=$(mktemp -d)
trap 'rm -rf "$desk"' EXIT
cd "$desk"
try() {
  local name=$1 began=$SECONDS
  shift
  if ! timeout 60 "$@" >"$desk/said" 2>&1; then
    cat "$desk/said" >&2
    echo "try-examples: $name failed, or took more than a minute" >&2
    exit 1
  fi
  echo "$name: $((SECONDS - began)) s"
}
for example in "$root"/examples/rust/*.rs; do
  name=$(basename "$example" .rs)
  try "$name" "$built/$name"
done
programs=$(dirname "$built")
try agent "$programs/example-agent"
"$programs/isochrone" collect "$root/examples/mazes/open-5x5.txt" --episodes 50 --steps 40 -o walks.parquet >/dev/null
"$programs/isochrone" fit walks.parquet --passes 2 -o walks.isochrone >/dev/null
try logs "$programs/example-logs" walks.isochrone walks.parquet
# A program that reads logs brings neither a simulator nor a command line.
if cargo tree --manifest-path "$root/Cargo.toml" -p example-logs -e normal --offline | grep -Ei 'mujoco|clap|indicatif|kuva'; then
  echo "try-examples: example-logs depends on the crates above" >&2
  exit 1
fi
for example in own_environment logs exact search features; do
  try "$example.py" "$python" "$root/examples/python/$example.py"
done
