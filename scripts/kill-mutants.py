#!/usr/bin/env python3
"""Plants the mutants of crates/isochrone/tests/mutants.toml one by one in a copy of the checkout and runs the test that
must notice each. Exits with 1 if one survives or does not compile. Takes about a minute per mutant.

    scripts/kill-mutants.py
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import tomllib

root = pathlib.Path(__file__).resolve().parent.parent
mutants = tomllib.loads((root / "crates/isochrone/tests/mutants.toml").read_text())["mutant"]
target = os.environ.get("CARGO_TARGET_DIR", str(root / "target"))


def nextest(copy, *arguments):
    command = ["cargo", "nextest", "run", "--package", "isochrone", "--locked", *arguments]
    environment = {**os.environ, "CARGO_TARGET_DIR": target}
    return subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True)


survivors = 0
with tempfile.TemporaryDirectory() as folder:
    copy = pathlib.Path(folder) / "checkout"
    shutil.copytree(root, copy, ignore=shutil.ignore_patterns("target", ".git", "third_party", "runs"))
    (copy / "third_party").symlink_to((root / "third_party").resolve())
    for mutant in mutants:
        file = copy / mutant["file"]
        sound = file.read_text()
        assert sound.count(mutant["before"]) == 1, mutant["bug"]
        file.write_text(sound.replace(mutant["before"], mutant["after"]))
        compiled = nextest(copy, "--no-run")
        run = nextest(copy, "-E", f"test(={mutant['killed_by']})")
        file.write_text(sound)
        if compiled.returncode:
            verdict = "DOES NOT COMPILE"
        elif "1 failed" in run.stderr:
            verdict = "killed"
        else:
            verdict = "SURVIVED"
        survivors += verdict != "killed"
        print(f"{verdict}: {mutant['bug']} [{mutant['killed_by']}]", flush=True)
sys.exit(1 if survivors else 0)
