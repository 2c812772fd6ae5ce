#!/usr/bin/env bash
# Brings what drawing without a graphics card needs: EGL with Mesa's software driver, and OSMesa for machines where
# EGL finds no device. Newer systems no longer have OSMesa; where EGL is, it can be missing. Installs only what the
# loader cannot find; a second run changes nothing.
set -euo pipefail

say() { echo "setup-render: $*" >&2; }
# Where the loader looks; ldconfig is often outside of an ordinary user's PATH.
libraries=$(PATH="$PATH:/sbin:/usr/sbin" ldconfig -p)
has_library() { grep -q "[[:space:]]$1 " <<<"$libraries"; }
has_driver() { compgen -G "/usr/lib*/dri/swrast_dri.so" || compgen -G "/usr/lib/*/dri/swrast_dri.so"; } >/dev/null

needed=()
has_library libEGL.so.1 && has_library libEGL_mesa.so.0 || needed+=(libegl1)
has_driver || needed+=(libgl1-mesa-dri)
wanted=()
has_library libOSMesa.so.8 || wanted+=(libosmesa6)
if [ ${#needed[@]} -eq 0 ] && [ ${#wanted[@]} -eq 0 ]; then
  exit 0
fi

# Why nothing can be installed here; empty if it can.
obstacle=""
if ! command -v apt-get >/dev/null 2>&1; then
  obstacle="there is no apt-get here; install what your system calls"
elif [ "$(id -u)" -ne 0 ]; then
  obstacle="run as root: apt-get install"
fi
if [ -n "$obstacle" ] && [ ${#needed[@]} -gt 0 ]; then
  say "$obstacle ${needed[*]} ${wanted[*]}"
  exit 1
fi
install() {
  say "installing $*"
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}
[ -n "$obstacle" ] || apt-get update -qq || [ ${#needed[@]} -eq 0 ]
[ ${#needed[@]} -eq 0 ] || install "${needed[@]}"
# On its own: where it no longer exists it must not keep the others away.
if [ ${#wanted[@]} -gt 0 ] && { [ -n "$obstacle" ] || ! install "${wanted[@]}"; }; then
  say "OSMesa (${wanted[*]}) is not here and was not installed. Pictures are drawn through EGL, which is here;" \
    "only the test render::both_ways_to_draw needs both"
fi
