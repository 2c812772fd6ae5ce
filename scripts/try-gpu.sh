#!/bin/sh
# Trains on a GPU and on the CPU, and compares: the same loss to 1e-3 after 100 updates, the same points. Where there is no Vulkan, it installs
# Mesa's software device (Debian). Not part of check.sh: it builds wgpu.
set -eu

root=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$root"
scripts/setup-python-door.sh
if ! ls /usr/share/vulkan/icd.d/*.json /etc/vulkan/icd.d/*.json >/dev/null 2>&1; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq mesa-vulkan-drivers >/dev/null
fi
cargo build --locked -p isochrone-cli --features gpu
isochrone=${CARGO_TARGET_DIR:-$root/target}/debug/isochrone
cd "$work"
# Mesa asks for it.
export XDG_RUNTIME_DIR="${XDG_RUNTIME_DIR:-$work}"
"$isochrone" collect point-mass --starts anywhere --episodes 40 --steps 60 --image 16 -o walk.parquet
# At the default rate of 1e-3 differences in the last digit grow to 5 % of the loss in 100 updates.
settings="--target window --set clip_frames=8 --set batch=32 --set channels=[16,16] --set strides=[1,2] --set hidden=[32] --set held_out=0.1 --set learning_rate=1e-4 --passes 2"
for device in cpu gpu; do
  # shellcheck disable=SC2086
  "$isochrone" fit walk.parquet --state observation.image $settings --device "$device" -o "$device.isochrone" >/dev/null
  "$isochrone" embed cpu.isochrone walk.parquet --device "$device" -o "$device.parquet" >/dev/null
done
"$root/third_party/door/venv/bin/python" "$root/scripts/compare-devices.py" cpu gpu
# Without a device there is one sentence.
if VK_ICD_FILENAMES=/dev/null __EGL_VENDOR_LIBRARY_FILENAMES=/dev/null \
  "$isochrone" fit walk.parquet --device gpu -o none.isochrone 2>refusal; then
  echo "a GPU was found where there is none" >&2
  exit 1
fi
cat refusal
grep -q "no GPU was found" refusal
