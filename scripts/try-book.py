#!/usr/bin/env python3
"""Runs the snippets of the book as a reader would paste them: scripts/try-book.py [--pictures] [PAGE.md …]

Those of a page run one after the other in one empty folder, Python ones in one process, with the command of target/debug and
the Python package on the path. Two pages run at a time. `<!-- not run: why -->` before a snippet leaves it out; what is left in
should end within a minute. Rust snippets are doctests (crates/isochrone-cli/src/book.rs).

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
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = ["README.md", "docs/quickstart.md", "docs/logs.md", "docs/roadmaps.md", "docs/choosing.md", "docs/reproducing.md", "docs/python.md", "docs/scale.md", "docs/pixels.md", "docs/faq.md"]
TUTORIALS = sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs" / "tutorials").glob("*.md"))
PICTURE = re.compile(r"\]\(images/(.+?)\)")
SNIPPET = re.compile(r"^(<!-- not run: (?P<why>.+?) -->\n)?```(?P<language>bash|python)\n(?P<text>.*?)^```$", re.M | re.S)
LONGEST_S = 400  # only what hangs takes so long: other machines are slower, and two pages share this one
PAGES_AT_A_TIME = 2

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


def run_page(page, keeps_pictures):
    """Runs the snippets of a page. Returns how many ran, what went wrong, and a line about it."""
    text = (ROOT / page).read_text()
    snippets = list(SNIPPET.finditer(text))
    left_out = [snippet["why"] for snippet in snippets if snippet["why"]]
    complaints = []
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as desk:
        notebook = Notebook(desk)
        for snippet in (snippet for snippet in snippets if not snippet["why"]):
            complaint = run_bash(snippet["text"], desk) if snippet["language"] == "bash" else notebook.run(snippet["text"])
            if complaint:
                complaints.append(f"{page}:\n{snippet['text']}\n{complaint}")
        notebook.close()
        for picture in PICTURE.findall(text) if page in TUTORIALS else []:
            if not Path(desk, picture).exists():
                complaints.append(f"{page}: no snippet makes {picture}")
            elif keeps_pictures:
                shutil.copy(Path(desk, picture), ROOT / "docs" / "tutorials" / "images" / picture)
    ran = len(snippets) - len(left_out)
    line = f"{page}: {ran} snippets in {time.perf_counter() - start:.0f} s"
    return ran, complaints, f"{line}; not run: {', '.join(left_out)}" if left_out else line


def main():
    pages = [argument for argument in sys.argv[1:] if argument != "--pictures"] or TUTORIALS + PAGES
    failed, ran = 0, 0
    with ThreadPoolExecutor(PAGES_AT_A_TIME) as pool:
        for snippets, complaints, line in pool.map(lambda page: run_page(page, "--pictures" in sys.argv), pages):
            ran += snippets
            failed += len(complaints)
            for complaint in complaints:
                print(complaint, file=sys.stderr)
            print(line, flush=True)
    if not ran:
        sys.exit("there is no snippet to run")
    failed += subprocess.run([sys.executable, ROOT / "scripts" / "make-notebooks.py", "--check"]).returncode
    sys.exit(1 if failed else 0)


main()
