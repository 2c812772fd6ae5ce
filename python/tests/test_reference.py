"""The page on the Python API is that of this package."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "python-reference.py"


@pytest.mark.skipif(not SCRIPT.exists(), reason="not in a checkout")
def test_the_reference_is_current() -> None:
    pytest.importorskip("gymnasium")
    done = subprocess.run([sys.executable, SCRIPT, "--check"], capture_output=True, text=True, cwd=SCRIPT.parents[1] / "python")
    assert done.returncode == 0, done.stderr
