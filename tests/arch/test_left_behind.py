"""A test that leaves an exception in a thread or in a finalizer fails, as `tests/conftest.py` promises."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from harness.endpoint import serving
from seamline.embed.hashing import HashEmbedder
from seamline.embed.remote import RemoteEmbedder
from seamline.errors import ProviderError
from seamline.remote.http import Patience

IN_A_THREAD = """
import threading

def test_it():
    thread = threading.Thread(target=lambda: 1 / 0)
    thread.start()
    thread.join()
"""
IN_A_FINALIZER = """
class Broken:
    def __del__(self):
        1 / 0

def test_it():
    Broken()
"""
FINE = """
import threading

def test_it():
    thread = threading.Thread(target=lambda: 1)
    thread.start()
    thread.join()
"""


@pytest.mark.parametrize(("test", "outcome"), [(IN_A_THREAD, 1), (IN_A_FINALIZER, 1), (FINE, 0)])
def test_an_exception_that_is_left_behind(tmp_path: Path, test: str, outcome: int) -> None:
    shutil.copy(Path(__file__).parents[1] / "conftest.py", tmp_path)
    (tmp_path / "test_one.py").write_text(test)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        str(tmp_path),
        str(tmp_path),
    ]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert ended.returncode == outcome, ended.stdout
    assert outcome == 0 or "ZeroDivisionError" in ended.stdout


def test_a_server_of_a_test_that_fails_says_so() -> None:
    def break_down(answer: object) -> dict[str, object]:
        raise ZeroDivisionError("a mistake in the test itself")

    def ask() -> None:
        with serving(HashEmbedder(), [break_down]) as server, pytest.raises(ProviderError):
            RemoteEmbedder(server.url, "m", patience=Patience(retries=0)).embed(["a"])

    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        ask()
