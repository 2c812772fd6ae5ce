#!/usr/bin/env python3
"""Runs the snippets of the book as a reader would paste them: scripts/try-book.py [--pictures] [PAGE.md …]

Those of a page run one after the other in one empty folder, Python ones in one process, with the command of target/debug and
the Python package on the path. `<!-- not run: why -->` before a snippet leaves it out; what is left in must
end well within a minute. Rust snippets are doctests (crates/isochrone-cli/src/book.rs).

A tutorial must also make the pictures that it shows; --pictures replaces those in docs/tutorials/images. At the end,
scripts/make-notebooks.py --check.
"""

import json
import os
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = ["README.md", "docs/quickstart.md", "docs/logs.md", "docs/roadmaps.md", "docs/choosing.md", "docs/reproducing.md", "docs/python.md", "docs/scale.md", "docs/pixels.md", "docs/faq.md"]
TUTORIALS = sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs" / "tutorials").glob("*.md"))
PICTURE = re.compile(r"\]\(images/(.+?)\)")
SNIPPET = re.compile(r"^(<!-- not run: (?P<why>.+?) -->\n)?```(?P<language>bash|python)\n(?P<text>.*?)^```$", re.M | re.S)
LONGEST_S = 120  # twice what a snippet may take: machines are busy

python = ROOT / "third_party/door/venv/bin/python"
target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
environment = {
    **os.environ,
    "PATH": f"{target / 'debug'}:{python.parent}:{os.environ['PATH']}",
    "PYTHONPATH": str(ROOT / "python"),
    "MPLBACKEND": "Agg",
}


# Runs snippets in one namespace, as a notebook does, and answers each with its traceback or nothing.
NOTEBOOK = """
import json, os, sys, traceback
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
names = {"__name__": "__main__"}
for line in sys.stdin:
    try:
        exec(compile(json.loads(line), "snippet", "exec"), names)
        answer = ""
    except BaseException:
        answer = traceback.format_exc()
    print(json.dumps(answer), file=answers, flush=True)
"""


class Notebook:
    """A Python process that is told snippets."""

    def __init__(self, desk):
        options = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
        self.process = subprocess.Popen([python, "-c", NOTEBOOK], cwd=desk, env=environment, **options)

    def run(self, text):
        self.process.stdin.write(json.dumps(text) + "\n")
        self.process.stdin.flush()
        if not select.select([self.process.stdout], [], [], LONGEST_S)[0]:
            return f"takes more than {LONGEST_S} s"
        answer = self.process.stdout.readline()
        return json.loads(answer) if answer else "Python ended"

    def close(self):
        self.process.kill()
        self.process.wait()


def run_bash(text, desk):
    """What went wrong, if anything did."""
    options = {"cwd": desk, "env": environment, "capture_output": True, "text": True, "timeout": LONGEST_S}
    try:
        done = subprocess.run(["bash", "-e", "-c", text], **options)
    except subprocess.TimeoutExpired:
        return f"takes more than {LONGEST_S} s"
    return "" if done.returncode == 0 else done.stderr.strip() or f"ends with {done.returncode}"


failed, ran = 0, 0
keeps_pictures = "--pictures" in sys.argv
for page in [argument for argument in sys.argv[1:] if argument != "--pictures"] or PAGES + TUTORIALS:
    text = (ROOT / page).read_text()
    snippets = list(SNIPPET.finditer(text))
    left_out = [snippet["why"] for snippet in snippets if snippet["why"]]
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as desk:
        notebook = Notebook(desk)
        for snippet in snippets:
            if snippet["why"]:
                continue
            complaint = run_bash(snippet["text"], desk) if snippet["language"] == "bash" else notebook.run(snippet["text"])
            ran += 1
            if complaint:
                failed += 1
                print(f"{page}:\n{snippet['text']}\n{complaint}", file=sys.stderr)
        notebook.close()
        for picture in PICTURE.findall(text) if page in TUTORIALS else []:
            if not Path(desk, picture).exists():
                failed += 1
                print(f"{page}: no snippet makes {picture}", file=sys.stderr)
            elif keeps_pictures:
                shutil.copy(Path(desk, picture), ROOT / "docs" / "tutorials" / "images" / picture)
    print(f"{page}: {len(snippets) - len(left_out)} snippets in {time.perf_counter() - start:.0f} s", end="")
    print(f"; not run: {', '.join(left_out)}" if left_out else "")
if not ran:
    sys.exit("there is no snippet to run")
failed += subprocess.run([sys.executable, ROOT / "scripts" / "make-notebooks.py", "--check"]).returncode
sys.exit(1 if failed else 0)
