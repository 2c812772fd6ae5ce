#!/usr/bin/env bash
# Brings libmujoco 3.17.0 and its headers to third_party/mujoco, from the engine's own Python wheel. Pinned,
# checked by hash, and done once: a second run only checks what is there. With --with-python also the engine's Python
# package, in an environment of its own: the tests hold our worlds against it, and nothing else needs it.
set -euo pipefail
cd "$(dirname "$0")/.."

version=3.17.0
place=third_party/mujoco
arch=$(uname -m)
# SHA-256 of libmujoco.so.$version as the wheel has it.
declare -A known=(
  [x86_64]=23496b023ee80fb61ab71167e94bc649f9941710fde96b18bb8204fb332523ad
  [aarch64]=e2edd0204fb9229f75f332a4fcd1a32345bb9f90651dc0fddfa20ec0670db789
)
say() { echo "setup-mujoco: $*" >&2; }
fail() { say "$*"; exit 1; }

case "$*" in
  "") reference=no ;;
  --with-python) reference=yes ;;
  *) fail "unknown: $*; the only option is --with-python" ;;
esac

expected=${known[$arch]:-}
if [ -z "$expected" ]; then
  fail "no hash is known for $arch; add it to this script after checking the wheel by hand"
fi
library=$place/lib/libmujoco.so.$version
is_right() { [ -f "$library" ] && echo "$expected  $library" | sha256sum --check --status; }

# The engine's own Python package.
bring_reference() {
  if [ "$reference" = yes ]; then
    scripts/make-venv.sh "$place/venv" "mujoco==$version"
  fi
}

if is_right; then
  bring_reference
  exit 0
fi

say "fetching MuJoCo $version for $arch"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m pip --version >/dev/null 2>&1 || fail "this Python has no pip; install python3-pip, or what your system calls it"
python3 -m pip download --quiet --no-deps --only-binary=:all: --python-version 3.11 --implementation cp --abi cp311 \
  --platform "manylinux_2_28_$arch" --platform "manylinux_2_27_$arch" -d "$work" "mujoco==$version"
python3 -m zipfile -e "$work"/mujoco-"$version"-*.whl "$work/wheel"
mkdir -p "$place/lib"
cp -r "$work/wheel/mujoco/include" "$place/"
cp "$work/wheel/mujoco/libmujoco.so.$version" "$place/lib/"
ln -sf "libmujoco.so.$version" "$place/lib/libmujoco.so"
if ! is_right; then
  rm -f "$library" "$place/lib/libmujoco.so"
  fail "the library fetched is not the one expected (SHA-256 differs); nothing was accepted"
fi
bring_reference
say "libmujoco $version is in $place"
