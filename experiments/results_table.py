"""The table of an experiment as a CSV file: rows are added as they come, and what is in it already is not run again."""

from __future__ import annotations

import csv
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


class ResultsTable:
    """A CSV file with these columns; `key` names the columns that tell runs apart."""

    def __init__(self, file: Path, fields: Sequence[str], key: Sequence[str]) -> None:
        self.file, self.fields = file, list(fields)
        self.done: set[tuple[str, ...]] = set()
        if file.exists():
            with file.open(newline="") as rows:
                self.done = {tuple(row[name] for name in key) for row in csv.DictReader(rows)}

    def has(self, *values: object) -> bool:
        """Is there a row with these values of the key?"""
        return tuple(map(str, values)) in self.done

    def add(self, *rows: Mapping[str, Any]) -> None:
        """Appends rows, with the headings first if the file is new."""
        is_new = not self.file.exists()
        with self.file.open("a", newline="") as out:
            table = csv.DictWriter(out, self.fields, lineterminator="\n")
            if is_new:
                table.writeheader()
            table.writerows(rows)


def revision() -> str:
    """The revision of the checkout."""
    git = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False, cwd=Path(__file__).parent)
    return git.stdout.strip() or "unknown"
