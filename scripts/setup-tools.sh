#!/usr/bin/env bash
# Brings the tools that check.sh needs and the machine lacks. Idempotent; versions are pinned.
set -euo pipefail

have() { command -v "$1" >/dev/null 2>&1; }
# Without optimisation, in one target folder: these programs wait for others, and half of what they depend on is the same.
build() {
  CARGO_TARGET_DIR="${XDG_CACHE_HOME:-$HOME/.cache}/isochrone-tools" CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_LTO=off \
    CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 cargo install --locked --quiet "$@"
}

if ! have cargo; then
  echo "setup-tools: cargo is missing; install the toolchain named in rust-toolchain.toml first" >&2
  exit 1
fi
have cc            || { apt-get update -qq && apt-get install -y -qq gcc libc6-dev >/dev/null; }
have cargo-nextest || build cargo-nextest@0.9.143
have cargo-deny    || build cargo-deny@0.20.2
have mdbook        || build --no-default-features mdbook@0.5.4
have typos         || pip install --quiet typos==1.51.1 || build typos-cli@1.51.1
