#!/usr/bin/env python3
"""Writes a notebook of every tutorial: docs/tutorials/NAME.ipynb from NAME.md. Needs the standard library alone.

    scripts/make-notebooks.py
    scripts/make-notebooks.py --check      # exits with 1 if a notebook is out of date

Python snippets become code cells, all the rest Markdown cells, in the order of the page. There are no outputs. A snippet after
`<!-- not run: why -->` stays in the text, as commands do.
"""

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CODE = re.compile(r"^(<!-- not run: .+? -->\n)?```python\n(.*?)\n```$", re.M | re.S)


def notebook(text):
    cells, end = [], 0
    for snippet in CODE.finditer(text):
        if snippet[1]:
            continue
        cells += [("markdown", text[end : snippet.start()]), ("code", snippet[2])]
        end = snippet.end()
    cells.append(("markdown", text[end:]))
    cells = [(kind, source.strip("\n")) for kind, source in cells if source.strip()]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    content = {
        "cells": [cell(number, kind, source) for number, (kind, source) in enumerate(cells)],
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def cell(number, kind, source):
    found = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}, "source": source.splitlines(keepends=True)}
    return found | {"execution_count": None, "outputs": []} if kind == "code" else found


def main():
    stale = []
    for page in sorted((ROOT / "docs" / "tutorials").glob("*.md")):
        file, content = page.with_suffix(".ipynb"), notebook(page.read_text(encoding="utf-8"))
        if not file.exists() or file.read_text(encoding="utf-8") != content:
            stale.append(str(file.relative_to(ROOT)))
            if "--check" not in sys.argv:
                file.write_text(content, encoding="utf-8")
    if stale and "--check" in sys.argv:
        sys.exit(f"out of date: {', '.join(stale)}; scripts/make-notebooks.py writes notebooks from their pages")


if __name__ == "__main__":
    main()
