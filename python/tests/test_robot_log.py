"""Robot logs, with no setting chosen: progress within episodes, and "is it done?" on episodes of another draw."""

from __future__ import annotations

import pathlib
import runpy
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"


def test_progress_and_success_need_no_setting(monkeypatch) -> None:
    pytest.importorskip("pyarrow")  # the example writes Parquet
    monkeypatch.setattr(sys, "path", [str(EXAMPLES), *sys.path])
    found = runpy.run_path(str(EXAMPLES / "robot_log.py"))["main"]()
    assert found["progress"] >= 0.98
    assert found["successes"] >= 0.95
    assert found["failures"] <= 0.05
