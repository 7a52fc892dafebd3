"""A program of a user, in a project of its own: it passes `mypy --strict`, and does what it says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = ROOT / "tests/fixtures/sample_project"


@pytest.mark.slow
def test_it_is_typed(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--config-file", "mypy.ini", "--cache-dir", str(tmp_path), "tickets.py"]
    env = {**os.environ, "MYPYPATH": str(ROOT / "src")}
    ended = subprocess.run(command, cwd=PROJECT, env=env, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_it_runs(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("# Pumps\n\nThe pump lifts water.\n")
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, str(PROJECT / "tickets.py"), str(tmp_path)]
    ended = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout) == {
        "ids": 1,
        "upload": "text/x-source",
        "added": 2,
        "done": [1, 2],
        "asked": ["ticket-1", "ticket-2"],
        "later": "ticket-2",
    }
