#!/usr/bin/env bash
# Fuzzes what reads foreign bytes, guided by coverage (libFuzzer), on the pinned toolchain:
#   fuzz.sh [--minutes N] [--seed N] [--csv FILE] [--corpus FOLDER] [TARGET]…
# Targets: parquet npz csv model roadmap spec chain; all without any. N minutes each, 1 by default. FOLDER keeps the inputs
# that reached something new, so that the next run begins there; FILE gets a row for each target. Stops at the first input
# that panics, hangs for 20 seconds or takes more than 2 GB, and says where it is. Needs a C++ compiler, and compiles for
# about ten minutes the first time.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD

minutes=1
seed=0
csv=""
corpus=$root/target/fuzz/corpus
targets=()
while [ "$#" -gt 0 ]; do
  case "$1" in
    --minutes) minutes=$2; shift ;;
    --seed) seed=$2; shift ;;
    --csv) csv=$(realpath -m "$2"); shift ;;
    --corpus) corpus=$(realpath -m "$2"); shift ;;
    parquet | npz | csv | model | roadmap | spec | chain) targets+=("$1") ;;
    *) echo "fuzz.sh: unknown: $1; see the head of this script" >&2; exit 2 ;;
  esac
  shift
done
[ "${#targets[@]}" -gt 0 ] || targets=(parquet npz csv model roadmap spec chain)

# Counters stand in our crates and in the readers of foreign formats alone (fuzz/rustc.sh): with them everywhere, the tensor
# library takes an hour to compile. With a --target build scripts and macros stay without them: they would not link.
host=$(rustc -vV | sed -n 's/^host: //p')
RUSTC_WRAPPER=$root/fuzz/rustc.sh CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target}/fuzz \
  cargo build --quiet --locked --manifest-path fuzz/Cargo.toml --target "$host"
programs=${CARGO_TARGET_DIR:-$root/target}/fuzz/$host/debug

# Whole files to begin with.
data=$root/crates/isochrone-cli/tests/data
mkdir -p "$corpus"/{parquet,npz,csv,model,roadmap,spec,chain}
cp "$data"/*.parquet "$corpus/parquet/"
cp "$data"/*.npz "$corpus/npz/"
cp "$data"/*.isochrone "$corpus/model/"
cp "$data"/*.roadmap "$corpus/roadmap/"
cp crates/isochrone-files/src/run_spec/version-1.toml experiments/base/*.toml "$corpus/spec/"
printf 'extends = "point-mass-sac-off-policy"\niterations = 3\n[epsilon]\nkind = "steps"\nsteps = 5.0\n' >"$corpus/spec/extends.toml"
printf 'episode_index,frame_index,observation.state.0,observation.state.1\n0,0,0.5,1e-3\n0,1,-2,3\n1,0,"8",9\n' >"$corpus/csv/a.csv"
printf 'from,to,probability\n0,1,0.5\n0,0,0.5\n1,0,1\n' >"$corpus/chain/edges.csv"
printf '..#\n.#.\n...\n' >"$corpus/chain/maze.txt"

revision=$(git rev-parse --short HEAD)
if [ -n "$csv" ] && [ ! -e "$csv" ]; then
  echo "target,seed,revision,inputs,seconds,edges,corpus,peak_mb" >"$csv"
fi
for target in "${targets[@]}"; do
  log=$corpus/$target.log
  echo "fuzz.sh: $target, $minutes min" >&2
  if ! "$programs/$target" "$corpus/$target" -max_total_time="$((minutes * 60))" -seed="$((seed + 1))" -timeout=20 \
    -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$corpus/$target-" >"$log" 2>&1; then
    grep -E "panicked|ERROR|assertion|Test unit written" -A2 "$log" >&2 || tail -20 "$log" >&2
    exit 1
  fi
  stat() { sed -n "s/^stat::$1: *//p" "$log"; }
  edges=$(grep -oE "cov: [0-9]+" "$log" | tail -1 | cut -d' ' -f2)
  row="$target,$seed,$revision,$(stat number_of_executed_units),$((minutes * 60)),$edges,$(find "$corpus/$target" -type f | wc -l),$(stat peak_rss_mb)"
  echo "$row"
  [ -z "$csv" ] || echo "$row" >>"$csv"
done
