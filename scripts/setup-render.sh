#!/usr/bin/env bash
# Brings what drawing without a graphics card needs: EGL with Mesa's software driver, and OSMesa for machines where
# EGL finds no device. Installs only what the loader cannot find; a second run changes nothing.
set -euo pipefail

say() { echo "setup-render: $*" >&2; }
# Where the loader looks; ldconfig is often outside of an ordinary user's PATH.
libraries=$(PATH="$PATH:/sbin:/usr/sbin" ldconfig -p)
has_library() { grep -q "[[:space:]]$1 " <<<"$libraries"; }
has_driver() { compgen -G "/usr/lib*/dri/swrast_dri.so" || compgen -G "/usr/lib/*/dri/swrast_dri.so"; } >/dev/null

missing=()
has_library libEGL.so.1 && has_library libEGL_mesa.so.0 || missing+=(libegl1)
has_driver || missing+=(libgl1-mesa-dri)
has_library libOSMesa.so.8 || missing+=(libosmesa6)
if [ ${#missing[@]} -eq 0 ]; then
  exit 0
fi
if ! command -v apt-get >/dev/null 2>&1; then
  say "there is no apt-get here; install what your system calls ${missing[*]}"
  exit 1
fi
if [ "$(id -u)" -ne 0 ]; then
  say "run as root: apt-get install ${missing[*]}"
  exit 1
fi
say "installing ${missing[*]}"
apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
