"""Full disks, closed pipes, Ctrl-C, terminals: the world around the command."""

from __future__ import annotations

import os
import pty
import re
import resource
import select
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from harness.endpoint import talking

PAGE = "# Page\n\n" + "Some words here. " * 400


def parts(folder: Path) -> list[str]:
    """Files that a half-done run would leave behind."""
    return [name for name in os.listdir(folder) if name.endswith(".tmp")]


@pytest.mark.parametrize("args", [["chunk", "page.md"], ["chunk", "page.md", "--json"], ["--help"], ["doctor"]])
def test_stdout_on_a_full_disk(cli, write, args: list[str]) -> None:
    write("page.md", PAGE)
    with open("/dev/full", "wb") as full:
        process = cli.start(*args, stdout=full)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert err.decode().splitlines()[-1].startswith("seamline: error: standard output: cannot be written: No space")
    assert b"Traceback" not in err
    assert b"Exception ignored" not in err


def test_output_to_a_full_device(cli, write) -> None:
    write("page.md", PAGE)
    ended = cli("chunk", "page.md", "--output", "/dev/full")
    assert ended.code == 1
    assert ended.lines == [
        "seamline: error: /dev/full: cannot be written: No space left on device; "
        "free some space or choose another place"
    ]


def test_output_on_a_disk_that_fills_up(cli, write) -> None:
    write("page.md", PAGE)
    old = write("out.jsonl", "old\n")

    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    process = cli.start("chunk", "page.md", "--output", "out.jsonl", "--limit", "64", preexec_fn=little_room)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (1, b"")
    assert err.decode().startswith("seamline: error: out.jsonl: cannot be written: File too large")
    assert len(err.splitlines()) == 1
    assert old.read_text() == "old\n"
    assert not parts(cli.folder)


def test_a_reader_that_has_seen_enough(cli, write) -> None:
    for number in range(40):
        write(f"docs/{number}.md", PAGE)
    for options in (["--json"], ["--full"], ["--json", "--jobs", "2"]):
        process = cli.start("chunk", "docs", *options)
        assert process.stdout is not None
        assert process.stdout.readline()
        process.stdout.close()
        assert process.wait(timeout=60) == 0
        assert process.stderr is not None
        assert process.stderr.read() == b""
        process.stderr.close()


def test_closed_stdout(cli, write) -> None:
    write("page.md", PAGE)
    shell = subprocess.run(
        ["bash", "-c", '"$0" -m seamline chunk page.md >&-', sys.executable],
        cwd=cli.folder, env=cli.env, capture_output=True, timeout=60,
    )  # fmt: skip
    assert (shell.returncode, shell.stderr) == (0, b"")


@pytest.fixture
def stuck(cli, write):
    """Starts a command with a language model that never answers about the second input, and waits until it is asked."""
    for name in ("a", "b", "c"):
        write(f"{name}.md", f"# Page {name}\n\nAll about {name}.\n")
    asked, over = threading.Event(), threading.Event()
    running: list[subprocess.Popen[bytes]] = []

    def answer(question: str) -> object:
        if "All about b." in question:
            asked.set()
            over.wait(60)
        return {"texts": ["All about pages."]}

    def start(*options: str, group: bool = False) -> subprocess.Popen[bytes]:
        model = ("--derive", "summary", "--llm", f"openai:m@{server.url}", "--quiet")
        process = cli.start("chunk", "a.md", "b.md", "c.md", *model, *options, start_new_session=group)
        running.append(process)
        assert asked.wait(30)
        return process

    with talking(answer) as server:
        yield start
        for process in running:
            process.kill()
            process.communicate()
        over.set()


def says_how_far(err: bytes) -> bool:
    """One line; with two processes the second input may be open before the first is done."""
    return re.fullmatch(rb"seamline: interrupted: [01] of 3 inputs done\n", err) is not None


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c(cli, stuck, jobs: str) -> None:
    process = stuck("--output", "out.jsonl", "--jobs", jobs)
    assert parts(cli.folder)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert says_how_far(err), err
    assert out == b""
    assert sorted(os.listdir(cli.folder)) == ["a.md", "b.md", "c.md"]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_at_a_terminal_reaches_the_workers_too(stuck, jobs: str) -> None:
    process = stuck("--json", "--jobs", jobs, group=True)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert says_how_far(err), err
    assert not out or out.endswith(b"}\n")


def test_termination_cleans_up_as_well(cli, stuck) -> None:
    process = stuck("--output", "out.jsonl")
    process.terminate()
    _, err = process.communicate(timeout=30)
    assert process.returncode == 143
    assert err.decode() == "seamline: interrupted: 1 of 3 inputs done\n"
    assert not parts(cli.folder)


HOSTILE = "# Ti\x1b[31mtle\x07\n\nRed \x1b]0;owned\x07 \x9b31m \u202eright\x00 \x7f.\n"


def test_control_characters_never_reach_a_terminal(cli, write) -> None:
    write("a\x1b[2Jb.md", HOSTILE)
    ended = cli("chunk", "a\x1b[2Jb.md", "no\x1bsuch\nfile.md", "--explain")
    for text in (ended.out, ended.err):
        assert not set(text) & {chr(c) for c in (*range(10), *range(11, 32), *range(127, 160), 0x202E)}
    assert "\\x1b]0;owned\\x07 \\x9b31m \\u202eright\\x00 \\x7f." in ended.out
    assert "a\\x1b[2Jb.md" in ended.out
    assert ended.lines == [
        "seamline: notice: a\\x1b[2Jb.md: holds NUL characters (1), which stay as they are",
        "seamline: error: no\\x1bsuch\\nfile.md: no such file: check the name and the folder it is named from",
        "seamline: 1 of 2 inputs failed",
    ]


def test_json_keeps_them(cli, write) -> None:
    import json

    write("a.md", HOSTILE)
    assert json.loads(cli("chunk", "a.md", "--json").out)["text"] == HOSTILE.strip()


def on_terminal(cli, *args: str, stream: str, env: dict[str, str] | None = None) -> str:
    """What a command writes to one stream that is a terminal."""
    ours, theirs = pty.openpty()
    cli.env = {**cli.env, "TERM": "xterm", "COLUMNS": "90", **(env or {})}
    process = cli.start(*args, **{"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: theirs})
    os.close(theirs)
    seen = b""
    while select.select([ours], [], [], 30)[0]:
        try:
            data = os.read(ours, 65536)
        except OSError:  # the other side is gone
            break
        if not data:
            break
        seen += data
    os.close(ours)
    assert process.wait(timeout=30) == 0
    return seen.decode()


def test_colour_on_a_terminal_only(cli, write) -> None:
    write("page.md", PAGE)
    assert "\x1b[1m" in on_terminal(cli, "chunk", "page.md", stream="stdout")
    assert "\x1b" not in on_terminal(cli, "chunk", "page.md", stream="stdout", env={"NO_COLOR": "1"})
    assert "\x1b" not in on_terminal(cli, "chunk", "page.md", "--output", "x.txt", stream="stdout")


def test_colour_by_force(cli, write) -> None:
    write("page.md", PAGE)
    assert "\x1b[1m" in cli("chunk", "page.md", env={"FORCE_COLOR": "1"}).out
    assert "\x1b" not in cli("chunk", "page.md", env={"FORCE_COLOR": "1", "NO_COLOR": "1"}).out


def test_plain_where_the_encoding_has_no_marks(cli, write) -> None:
    write("page.md", "# Grüße\n\nText.\n")
    out = cli("chunk", "page.md", env={"PYTHONIOENCODING": "ascii"}).out
    assert out.isascii()
    assert "| # Gr\\xfc\\xdfe" in out


def test_progress_on_a_terminal_only(cli, write) -> None:
    for number in range(30):
        write(f"docs/{number:02}.md", "x\n")
    args = ("chunk", "docs", "--json", "--derive", "summary")
    with talking(lambda question: time.sleep(0.3) if "slow" in question else {"texts": []}) as server:
        write("docs/slow.md", "# Slow\n\nThis is slow.\n")
        seen = on_terminal(cli, *args, "--llm", f"openai:m@{server.url}", stream="stderr")
    assert "/31 " in seen
    assert seen.endswith("\r\x1b[K")
    assert cli("chunk", "docs", "--json").err == ""
