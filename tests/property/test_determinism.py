"""C5: the same bytes and recipe give the same output bytes in any process, whatever its hash seed, locale or zone."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

HANDBOOK = Path(__file__).parents[2] / "examples" / "handbook"
SCRIPT = """
import json, sys
from pathlib import Path
import seamline
for path in sorted(Path(sys.argv[1]).glob("*.md*")):
    for recipe in ("default", "small", "packed", "window", "estimate", "knowledge-base"):
        for chunk in seamline.chunk(path, recipe=recipe, limit=128):
            print(json.dumps(chunk.to_dict() | {"doc": path.name}, sort_keys=True))
"""
SETTINGS = [
    {"PYTHONHASHSEED": "0"},
    {"PYTHONHASHSEED": "1"},
    {"PYTHONHASHSEED": "42", "RAYON_NUM_THREADS": "1"},
    {"PYTHONHASHSEED": "random", "TZ": "Asia/Tokyo", "RAYON_NUM_THREADS": "4"},
    {"PYTHONHASHSEED": "random", "LC_ALL": "C", "TZ": "America/Lima"},
]


def digest(settings: dict[str, str]) -> str:
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8", "PYTHONUTF8": "1", **settings}
    command = [sys.executable, "-c", SCRIPT, str(HANDBOOK)]
    run = subprocess.run(command, env=environment, capture_output=True, check=True)
    assert run.stdout.count(b"\n") > 100
    return hashlib.sha256(run.stdout).hexdigest()


@pytest.fixture(scope="module")
def reference() -> str:
    return digest({})


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_output_is_the_same_in_every_process(settings: dict[str, str], reference: str) -> None:
    assert digest(settings) == reference
