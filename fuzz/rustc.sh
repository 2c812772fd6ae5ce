#!/usr/bin/env bash
# Calls rustc for scripts/fuzz.sh: counters at every edge, and what was compared with what, for crates that read foreign bytes.
# The address sanitizer would need a nightly toolchain.
set -euo pipefail
counters=(-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters
  -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1)
crate=""
is_for_target=no
previous=""
for argument in "$@"; do
  [ "$previous" != --crate-name ] || crate=$argument
  [ "$argument" != --target ] || is_for_target=yes
  previous=$argument
done
case "$is_for_target $crate" in
  "yes isochrone"* | "yes parquet" | "yes zip" | "yes csv"* | "yes safetensors" | "yes toml"* | "yes serde_json" | "yes png" | "yes thrift")
    exec "$@" "${counters[@]}" ;;
  "yes npz" | "yes model" | "yes roadmap" | "yes spec" | "yes chain") exec "$@" "${counters[@]}" ;;
esac
exec "$@"
