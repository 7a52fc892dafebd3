"""The command line as a user runs it: in a process of its own, in an empty folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from harness.warm import WarmProcess

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "seamline"]

GUIDE = """\
# Guide

How to send parcels.

## Retries

A delivery that fails is tried again. Each attempt waits longer than the one before.

- after a minute
- after an hour
- after a day
"""


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        """What it said to people."""
        return self.err.splitlines()


class Cli:
    """Runs commands in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        ours = ("PYTHON", "SEAMLINE", "NO_COLOR", "FORCE_COLOR", "COLUMNS")
        kept = {key: value for key, value in os.environ.items() if not key.startswith(ours)}
        # A user without a configuration: what the machine's own user trusts must not decide a test.
        user = {"XDG_CONFIG_HOME": str(folder / ".config")}
        self.env = {**kept, **user, "PYTHONPATH": str(ROOT / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
        self.env["XDG_CACHE_HOME"] = str(folder.parent / "cache")  # answers of one test are none of another

    def __call__(self, *args: str, stdin: bytes = b"", env: dict[str, str] | None = None) -> Ended:
        done = subprocess.run(
            [*COMMAND, *args], cwd=self.folder, env={**self.env, **(env or {})}, input=stdin, capture_output=True,
            timeout=120,
        )  # fmt: skip
        return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())

    def start(self, *args: str, **options: Any) -> subprocess.Popen[bytes]:
        """A command that is still running."""
        given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL, **options}
        return subprocess.Popen([*COMMAND, *args], cwd=self.folder, env=self.env, **given)


class Warm(Cli):
    """The same in one process that stays, for commands that would otherwise spend their time on loading a store."""

    def __init__(self, folder: Path, server: WarmProcess) -> None:
        super().__init__(folder)
        self.server = server

    def __call__(self, *args: str, stdin: bytes = b"", env: dict[str, str] | None = None) -> Ended:
        return Ended(*self.server.run(args, self.folder, {**self.env, **(env or {})}, stdin))

    def at(self, folder: Path) -> Warm:
        """The same in another folder."""
        return Warm(folder, self.server)


Write = Callable[..., Path]


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return Cli(tmp_path)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WarmProcess]:
    """A process that runs commands."""
    with WarmProcess(Cli(tmp_path_factory.mktemp("warm")).env) as process:
        yield process


@pytest.fixture
def warm(tmp_path: Path, server: WarmProcess) -> Warm:
    return Warm(tmp_path, server)


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a file into the folder commands run in; without content, a small guide."""

    def _write(name: str, content: str | bytes = GUIDE) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return _write


@pytest.fixture(scope="session")
def handbook(tmp_path_factory: pytest.TempPathFactory, server: WarmProcess) -> Warm:
    """The example handbook with an index beside it, to be read and not to be changed."""
    warm = Warm(tmp_path_factory.mktemp("handbook"), server)
    copy_handbook(warm.folder)
    ended = warm("index", "handbook", "--embedder", "hash", "--json")
    assert ended.code == 0, ended.err
    return warm


def copy_handbook(folder: Path) -> Path:
    """The example handbook in a folder, with times that are always the same."""
    shutil.copytree(ROOT / "examples" / "handbook", folder / "handbook")
    for path in (folder / "handbook").iterdir():
        os.utime(path, (1_700_000_000, 1_700_000_000))
    return folder / "handbook"
