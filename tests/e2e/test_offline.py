"""Nothing is sent anywhere that nobody asked for, and everything starts on a machine without a network."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from conftest import COMMAND, Cli, copy_handbook

LISTENER = """
import os, sys

def tell(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "socket.sendmsg"):
        asked = [one for one in arguments if isinstance(one, (str, tuple))]
        if (event, asked) != ("socket.getaddrinfo", ["127.0.0.1"]):  # what a server listens on: nobody is asked for it
            with open(os.environ["TOLD"], "a") as file:
                file.write(f"{event} {asked}\\n")

sys.addaudithook(tell)
"""
"""Run by every Python that is started, before anything else: writes down who asks the network for what."""
COMMANDS = (
    ("index", "handbook"),
    ("search", "how are webhooks retried"),
    ("context", "how are webhooks retried", "--budget", "200"),
    ("chunk", "page.html", "--strategy", "semantic"),
    ("stats",),
    ("doctor",),
)


@pytest.fixture
def watched(cli: Cli, tmp_path: Path) -> Cli:
    """Commands in a folder with documents; what they ask the network for is in the file `told`."""
    copy_handbook(cli.folder)
    (cli.folder / "page.html").write_text("<h1>Page</h1><img src='http://127.0.0.1:9/a.png'><p>Some words.</p>")
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    (hooks / "sitecustomize.py").write_text(LISTENER)
    cli.env |= {"PYTHONPATH": os.pathsep.join([str(hooks), cli.env["PYTHONPATH"]]), "TOLD": str(tmp_path / "told")}
    return cli


def told(cli: Cli) -> str:
    file = Path(cli.env["TOLD"])
    return file.read_text() if file.exists() else ""


def test_no_command_asks_the_network(watched: Cli) -> None:
    for command in COMMANDS:
        ended = watched(*command)
        assert ended.code == 0, ended.err
        assert told(watched) == "", command
    ask = "import socket; socket.socket().connect_ex(('127.0.0.1', 9))"
    subprocess.run([sys.executable, "-c", ask], env=watched.env, check=True)
    assert "('127.0.0.1', 9)" in told(watched)  # whoever asked would have been seen


def test_a_server_asks_nobody(watched: Cli) -> None:
    assert watched("index", "handbook").code == 0
    with watched.start("serve", "--port", "0") as server:
        try:
            address = re.search(rb"http://\S+", server.stderr.readline())  # type: ignore[union-attr]
            assert address
            found = httpx.post(f"{address[0].decode()}/search", json={"query": "webhook retries"}, timeout=60)
            assert found.json()["hits"]
        finally:
            server.terminate()
    assert told(watched) == ""


def without_network(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """A program in a network of its own that has nothing in it, not even this machine."""
    program = ["unshare", "--map-root-user", "--net", *arguments]
    return subprocess.run(program, capture_output=True, text=True, timeout=120, **options)


@pytest.mark.skipif(
    shutil.which("unshare") is None or without_network("true").returncode != 0,
    reason="this system makes no network for a user",
)
def test_it_starts_without_a_network(cli: Cli) -> None:
    copy_handbook(cli.folder)
    for command in COMMANDS[:3]:
        done = without_network(*COMMAND, *command, cwd=cli.folder, env=cli.env)
        assert done.returncode == 0, done.stderr
    assert "handbook/webhooks.md" in done.stdout
