"""Parsers that try to get out of their process. Real processes, real system calls."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from harness import environment
from seamline.errors import ParseError
from seamline.formats import FORMATS, Format
from seamline.parse.isolate import process, seccomp, watch
from seamline.parse.isolate import start as level
from seamline.parse.parser_types import ParseInput, ParseResult

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="the walls of Linux")]
SRC = Path(process.__file__).parents[3]


def parse(name: str, text: str = "") -> ParseResult:
    module = "faults" if name == "echo" else "escapes"
    made = Format("test", "x/test", (), f"harness.{module}:{name}", True)
    return process.parse_apart(made, ParseInput(b"", text, "bad.xyz", "text/plain"))


def attempts(name: str, text: str = "") -> dict[str, str]:
    found: dict[str, str] = json.loads(parse(name, text).text)
    return found


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "SECONDS", 1.0)
    monkeypatch.setattr(watch, "_LATE", 0.5)
    monkeypatch.setattr(process, "_WALL", 60)  # a busy machine must not look like a parser that hangs


needs_seccomp = pytest.mark.skipif(
    os.uname().machine not in seccomp._MACHINES or not Path("/proc/sys/kernel/seccomp").exists(),
    reason="no seccomp filter for this machine",
)


@pytest.fixture
def landlocked() -> int:
    found = process.isolation().landlock
    if not found:
        pytest.skip("this kernel has no Landlock")
    return found


# --- what the kernel refuses -----------------------------------------------------------------------------------------


def test_the_level_is_what_the_kernel_offers() -> None:
    from seamline.parse.isolate import landlock

    found = process.isolation()
    assert found.landlock == landlock.abi()
    assert found.limits
    assert not found.unbound


@needs_seccomp
def test_no_socket_is_opened() -> None:
    assert process.isolation().seccomp
    assert set(attempts("network").values()) == {"EPERM"}


@needs_seccomp
def test_no_process_is_started_and_none_is_reached() -> None:
    found = attempts("processes")
    assert found.pop("io_uring") == "ENOSYS"
    assert set(found.values()) == {"EPERM"}, found


def test_threads_may_be_started() -> None:
    assert attempts("loading") == {"thread": "done"}


def test_no_file_is_read_but_those_of_python(tmp_path: Path, landlocked: int) -> None:
    secret = tmp_path / "secret"
    secret.write_text("x")
    home = str(Path.home() / ".profile")
    refused = ["/etc/passwd", str(secret), "/proc/self/root/etc/passwd", f"/proc/{os.getpid()}/environ"]
    found = attempts("reading", "\n".join([*refused, os.__file__, __import__("seamline").__file__, home]))
    assert {path: found[path] for path in refused} == dict.fromkeys(refused, "EACCES")
    assert found[os.__file__] == found[__import__("seamline").__file__] == "done"
    assert found[home] in ("EACCES", "ENOENT")


def test_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("kept")
    before = (tmp_path / "a").stat()
    found = attempts("writing", str(tmp_path))
    if process.isolation().seccomp:
        assert set(found.values()) <= {"EPERM", "EACCES"}, found
    assert os.listdir(tmp_path) == ["a"]
    assert (tmp_path / "a").read_text() == "kept"
    after = (tmp_path / "a").stat()
    assert (after.st_mode, after.st_mtime_ns, after.st_uid) == (before.st_mode, before.st_mtime_ns, before.st_uid)


def test_limits_are_hard() -> None:
    found = {name: value.split() for name, value in attempts("limits").items()}
    assert {name: how for name, (_, how) in found.items()} == dict.fromkeys(found, "ValueError")
    hard = {name: int(value) for name, (value, _) in found.items()}
    assert hard["FSIZE"] == hard["CORE"] == hard["MSGQUEUE"] == 0
    assert hard["NOFILE"] == 256
    assert 0 < hard["DATA"] < hard["AS"] < 8_000_000_000 + 32_000_000 * (os.cpu_count() or 1)
    assert 0 < hard["CPU"] <= level.LIFETIME


def test_root_may_do_no_more_than_read_what_is_not_its_own() -> None:
    """Of anybody else nothing is left either: whoever is not root has no capability to begin with."""
    found = {name: int(value, 16) for name, value in attempts("capabilities").items()}
    read_others = 0b110
    assert found["CapEff"] & ~read_others == found["CapPrm"] & ~read_others == found["CapInh"] == 0


@needs_seccomp
def test_the_pipe_that_ends_it_with_its_parent_cannot_be_let_go() -> None:
    found = attempts("lifeline")
    assert found.pop("close_range") == "ENOSYS"
    assert set(found.values()) == {"EPERM"}, found


# --- what the parent measures ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("stubborn", "more than 1 s of CPU time"),
        ("gulp", "more than 512 MB"),
        ("shared", "more than 512 MB"),
        ("crowd", "more than 512 threads|RuntimeError: can't start new thread"),
        ("giant", "larger than 512 MB and was not read"),
        ("nested", "more than 16,000,000 values"),
        ("deep", "an answer that cannot be used"),
        ("begging", "asked for more than 86400 s"),
        ("misplaced", "block 0 is outside of the text"),
        ("orphaned", "block 0 is outside of the text"),
        ("mute", "the parser crashed"),
    ],
)
def test_what_it_takes_and_says_is_bounded(name: str, said: str) -> None:
    with pytest.raises(ParseError, match=said) as caught:
        parse(name)
    assert str(caught.value).startswith("bad.xyz: ")
    assert parse("echo", "next").text == "next"


def test_an_answer_that_does_not_end_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_WALL", 2)
    before = resident()
    with pytest.raises(ParseError, match=r"cannot be used|took longer than 2 s|more than 1 s of CPU time"):
        parse("flood")
    assert resident() - before < 1_000_000_000
    assert parse("echo", "next").text == "next"


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_a_child_that_stops_reading_does_not_hang_the_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_WALL", 2)
    assert attempts("deaf") == {}
    with pytest.raises(ParseError, match="took longer than"):
        parse("echo", "long " * 100_000)
    assert parse("echo", "next").text == "next"


def test_asking_again_and_again_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "MOST", 3.0)
    with pytest.raises(ParseError, match="asked for more than 3 s"):
        process.parse_apart(Format("t", "x/t", (), "harness.faults:slow", True), ParseInput(b"", "x", "bad.xyz"))


def test_a_document_that_may_take_more_gets_a_child_with_wider_limits() -> None:
    parse("echo", "x")
    assert process._workers[0].memory == process.MEMORY
    audio = Format("audio", "audio/*", (), "harness.escapes:limits", False)
    found = json.loads(process.parse_apart(audio, ParseInput(b"x", "", "a.wav")).text)
    assert int(found["DATA"].split()[0]) > 2 * 4 * process.MEMORY
    assert process._workers[0].memory == 4 * process.MEMORY


# --- where it runs ---------------------------------------------------------------------------------------------------


def test_it_has_no_secrets_and_no_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    process._stop()
    monkeypatch.setenv("SEAMLINE_API_KEY", "secret")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("PYTHONSTARTUP", "secret")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SEAMLINE_ASR_MODEL", "model")
    monkeypatch.setattr(sys, "path", ["", ".", "sub", str(tmp_path), *sys.path])
    found = attempts("surroundings")
    process._stop()
    assert "secret" not in found.values()
    assert not [name for name in found if name.startswith("PYTHON") or "KEY" in name]
    assert found["LC_ALL"] == "C.UTF-8"
    assert found["SEAMLINE_ASR_MODEL"] == str(tmp_path / "model")
    assert found["folder"] == os.path.abspath(os.sep)
    entries = found["path"].split(os.pathsep)
    assert all(map(os.path.isabs, entries))
    assert str(tmp_path) not in entries
    assert entries.index(os.path.dirname(os.__file__)) < entries.index(str(SRC))


def test_what_the_user_names_in_pythonpath_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    process._stop()
    monkeypatch.chdir(tmp_path)
    path = os.pathsep.join([str(SRC), str(tmp_path), "relative", ""])
    monkeypatch.setenv("PYTHONPATH", path)
    monkeypatch.setattr(sys, "path", [*path.split(os.pathsep), *sys.path])
    entries = attempts("surroundings")["path"].split(os.pathsep)
    process._stop()
    assert str(tmp_path) in entries
    assert all(map(os.path.isabs, entries))


SCRIPT = """
import sys, threading, time
from seamline.formats import Format
from seamline.parse.isolate import process
from seamline.parse.parser_types import ParseInput

def parse(name):
    made = Format("t", "x/t", (), f"harness.faults:{name}", True)
    return process.parse_apart(made, ParseInput(b"", "x", "x"))
"""


def python(code: str) -> subprocess.Popen[str]:
    env = environment({**os.environ, "PYTHONPATH": str(SRC)})
    return subprocess.Popen([sys.executable, "-c", SCRIPT + code], stdout=subprocess.PIPE, text=True, env=env)


@pytest.mark.parametrize("name", ["sleep", "spin"])
def test_it_ends_when_its_parent_is_killed(name: str) -> None:
    code = f"parse('echo'); print(process._workers[0]._process.pid, flush=True); parse('{name}')"
    with python(code) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        time.sleep(0.2)
        os.kill(child, 0)
        parent.send_signal(signal.SIGKILL)
    assert gone(child)


def gone(child: int) -> bool:
    """Whether a process ends soon; one that nobody waits for yet has ended."""
    until = time.monotonic() + 5
    while time.monotonic() < until:
        try:
            if Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except FileNotFoundError:
            return True
        time.sleep(0.02)
    return False


def test_it_outlives_the_thread_that_started_it() -> None:
    thread = threading.Thread(target=parse, args=("echo",))
    process._stop()
    thread.start()
    thread.join()
    first = process._workers[0]
    time.sleep(0.1)
    parse("echo")
    assert process._workers[0] is first


def test_loading_a_parser_starts_no_thread() -> None:
    """One that was started before the cage is closed would be outside of it."""
    modules = sorted({one.parser.split(":")[0] for one in FORMATS if not one.is_proved})
    assert modules
    code = "import os; from importlib import import_module\n" + "".join(
        f"import_module('{module}')\n" for module in modules
    )
    with python(code + "print(len(os.listdir('/proc/self/task')))") as ran:
        assert ran.communicate()[0] == "1\n"


# --- kernels that have less ------------------------------------------------------------------------------------------

WITHOUT = """
import ctypes, os, struct, sys
from seamline.parse.isolate.seccomp import _Program
steps = [(0x20, 0, 0, 0)]
for number in map(int, sys.argv[1].split(",")):
    steps += [(0x15, 0, 1, number), (0x06, 0, 0, 0x00050000 | 38)]
if sys.argv[2] == "no seccomp":
    prctl = {"x86_64": 157, "aarch64": 167}[os.uname().machine]
    steps += [(0x15, 0, 4, prctl), (0x20, 0, 0, 16), (0x15, 0, 1, 22), (0x06, 0, 0, 0x00050000 | 22)]
    steps += [(0x06, 0, 0, 0x7FFF0000)]
steps += [(0x06, 0, 0, 0x7FFF0000)]
library = ctypes.CDLL(None)
assert not library.prctl(38, 1, 0, 0, 0)
code = b"".join(struct.pack("=HBBI", *step) for step in steps)
assert not library.prctl(22, ctypes.c_ulong(2), ctypes.byref(_Program(len(steps), code)), 0, 0)
os.execv(sys.executable, [sys.executable, "-c", sys.argv[3]])
"""


@needs_seccomp
@pytest.mark.parametrize(
    ("seccomp", "said"),
    [
        ("seccomp", "seccomp, limits; this system has no Landlock"),
        ("no seccomp", "limits; this system has no Landlock and no seccomp"),
    ],
)
def test_a_kernel_that_has_less_is_told_of_and_documents_are_read(seccomp: str, said: str) -> None:
    code = SCRIPT + "print(parse('echo').text, process.isolation().describe())"
    env = environment({**os.environ, "PYTHONPATH": str(SRC)})
    command = [sys.executable, "-c", WITHOUT, "444,445,446", seccomp, code]
    ran = subprocess.run(command, capture_output=True, text=True, env=env)
    assert ran.stdout == f"x {said}\n", ran.stderr


@needs_seccomp
@pytest.mark.parametrize("name", ["phone", "start"])
def test_without_help_of_the_kernel_python_refuses(name: str) -> None:
    code = f"""{SCRIPT}
try:
    parse({name!r})
except Exception as error:
    print(error)
"""
    env = environment({**os.environ, "PYTHONPATH": str(SRC)})
    command = [sys.executable, "-c", WITHOUT, "444,445,446", "no seccomp", code]
    ran = subprocess.run(command, capture_output=True, text=True, env=env)
    assert "PermissionError: a parser tried s" in ran.stdout, ran.stderr


@needs_seccomp
@pytest.mark.parametrize("end", ["", "os.kill(os.getpid(), 9)", "time.sleep(60)"], ids=["exit", "killed", "sleeping"])
def test_without_seccomp_what_a_parser_started_ends_with_it(end: str) -> None:
    code = f"""{SCRIPT}
import os
made = Format("t", "x/t", (), "harness.escapes:brood", True)
print(process.parse_apart(made, ParseInput(b"", "x", "x")).text, flush=True)
process._stop() if {bool(end.startswith("time"))} else None
{end}
"""
    env = environment({**os.environ, "PYTHONPATH": str(SRC)})
    command = [sys.executable, "-c", WITHOUT, "444,445,446", "no seccomp", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env) as ran:
        assert ran.stdout is not None
        started = int(json.loads(ran.stdout.readline())["process"])
        assert started > 0
        assert gone(started)
        ran.kill()


def test_a_level_says_what_is_missing() -> None:
    assert level.IsolationLevel(4, True, True).describe() == "Landlock ABI 4, seccomp, limits"
    assert (
        level.IsolationLevel().describe()
        == "a process of its own; this system has no Landlock and no seccomp and no limits"
    )
    assert level.IsolationLevel(limits=True, unbound=["RLIMIT_AS"]).describe().startswith("limits but for RLIMIT_AS; ")
    assert not level.IsolationLevel(4, True, True, ["RLIMIT_AS"]).is_full


# --- the filter itself, on both architectures ------------------------------------------------------------------------

ALLOWED = 0x7FFF0000
PERMISSION, ACCESS, UNKNOWN = 0x50000 | 1, 0x50000 | 13, 0x50000 | 38


def judged(machine: str, call: int, *arguments: int, audit: int | None = None) -> int:
    """What the filter answers to a system call, by the rules of its machine language."""
    known = seccomp._MACHINES[machine]
    steps = list(seccomp._program(known, process=4242, lifeline=9))
    seen = {0: call, 4: known.audit if audit is None else audit}
    seen.update({16 + 8 * index: value for index, value in enumerate(arguments)})
    at = held = 0
    while True:
        operation, if_true, if_false, number = steps[at]
        at += 1
        if operation == 0x20:
            held = seen[number]
        elif operation == 0x06:
            return number
        else:
            is_true = {0x15: held == number, 0x35: held >= number, 0x45: bool(held & number)}[operation]
            at += if_true if is_true else if_false


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_refuses_what_it_lists_and_allows_the_rest(machine: str) -> None:
    known = seccomp._MACHINES[machine]
    for table, answer in ((seccomp._REFUSED, PERMISSION), (seccomp._UNKNOWN, UNKNOWN)):
        for name, numbers in table.items():
            if numbers[known.column] >= 0:
                assert judged(machine, numbers[known.column]) == answer, name
    assert judged(machine, 0x40000000 | 1) == UNKNOWN
    assert judged(machine, 500) == UNKNOWN
    assert judged(machine, 1, audit=known.foreign) == PERMISSION
    assert judged(machine, 41, audit=0xC00000F3) == ALLOWED
    read = {"x86_64": 0, "aarch64": 63}[machine]
    assert judged(machine, read, 0, 0, 10) == ALLOWED


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_looks_at_arguments(machine: str) -> None:
    known = seccomp._MACHINES[machine]
    for call in (known.kill, known.tgkill):
        assert judged(machine, call, 4242, 6) == ALLOWED
        assert judged(machine, call, 1, 6) == PERMISSION
        assert judged(machine, call, 0xFFFFFFFF, 6) == PERMISSION
    assert [judged(machine, known.prlimit, who) for who in (0, 4242, 1)] == [ALLOWED, ALLOWED, PERMISSION]
    assert judged(machine, known.clone, 0x3D0F00) == ALLOWED
    assert judged(machine, known.clone, 0x01200011) == PERMISSION
    for flags, answer in ((0, ALLOWED), (os.O_CLOEXEC, ALLOWED), (1, ACCESS), (2, ACCESS), (0o100, ACCESS)):
        assert judged(machine, known.openat, 0, 0, flags) == answer
        if known.open >= 0:
            assert judged(machine, known.open, 0, flags) == answer
    for call in (known.close, known.fcntl, known.ioctl):
        assert [judged(machine, call, number) for number in (8, 9)] == [ALLOWED, PERMISSION]
    assert [judged(machine, known.dup3, 0, number) for number in (8, 9)] == [ALLOWED, PERMISSION]


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_no_number_is_listed_twice(machine: str) -> None:
    known = seccomp._MACHINES[machine]
    numbers = [row[known.column] for table in (seccomp._REFUSED, seccomp._UNKNOWN) for row in table.values()]
    numbers += [number for number in known[3:] if number >= 0]
    listed = [number for number in numbers if number >= 0]
    assert len(listed) == len(set(listed))
