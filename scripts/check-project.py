#!/usr/bin/env python3
"""Checks that the files about the project agree: the version of Cargo.toml with CITATION.cff, python/pyproject.toml and
the workspace's own crates; and that the YAML of .github and CITATION.cff parses. Exits with 1 and one sentence if not.
Needs Python 3.11 and PyYAML.

    scripts/check-project.py
"""
import pathlib
import sys
import tomllib

root = pathlib.Path(__file__).resolve().parent.parent


def fail(sentence):
    sys.exit(f"check-project: {sentence}")


try:
    import yaml
except ImportError:
    fail("PyYAML is missing; install the Python package pyyaml")


def read_toml(name):
    try:
        return tomllib.loads((root / name).read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        fail(f"{name} cannot be read: {error}")


def read_yaml(path):
    name = path.relative_to(root)
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        mark = getattr(error, "problem_mark", None)
        place = f", line {mark.line + 1}" if mark else ""
        fail(f"{name}{place} cannot be read: {getattr(error, 'problem', None) or error}")


workspace = read_toml("Cargo.toml")["workspace"]
version = workspace["package"]["version"]

# Siblings name each other's version: a crate of this release must not ask for that of another.
for name, dependency in workspace["dependencies"].items():
    if isinstance(dependency, dict) and "path" in dependency and dependency.get("version") != version:
        fail(f"Cargo.toml has version {version}, but its dependency {name} asks for {dependency.get('version')}")

# The wheel takes its version from the crate of the bindings, and that from the workspace.
project = read_toml("python/pyproject.toml")["project"]
if "version" in project:
    wheel = project["version"]
elif "version" not in project.get("dynamic", []):
    fail("python/pyproject.toml has neither a version nor dynamic = [\"version\"]")
else:
    wheel = read_toml("python/Cargo.toml")["package"]["version"]
    wheel = version if wheel == {"workspace": True} else wheel
if wheel != version:
    fail(f"Cargo.toml has version {version}, the Python package {wheel}")

citation = read_yaml(root / "CITATION.cff")
if not isinstance(citation, dict) or str(citation.get("version")) != version:
    cited = citation.get("version") if isinstance(citation, dict) else None
    fail(f"Cargo.toml has version {version}, CITATION.cff {cited}")

for path in sorted((root / ".github").rglob("*.y*ml")):
    if not isinstance(read_yaml(path), dict):
        fail(f"{path.relative_to(root)} is not a mapping")
