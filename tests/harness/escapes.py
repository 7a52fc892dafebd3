"""Parsers that were taken over by what they read and try to get out, to see that the cage around them holds.

They call the C library and the kernel themselves, as code in a damaged library would: nothing of Python stops them.
Each says as its text how the attempt ended.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import json
import mmap
import os
import resource
import signal
import stat
import struct
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from seamline.parse.isolate.wire import HEADER, write_frame
from seamline.parse.parser_types import ParseInput, ParseResult
from seamline.types import Block

_LIBRARY = ctypes.CDLL(None, use_errno=True)
_FAMILIES = {"unix": 1, "inet": 2, "inet6": 10, "netlink": 16, "packet": 17}
_LIMITS = ("AS", "DATA", "FSIZE", "NOFILE", "CORE", "CPU", "NPROC", "MSGQUEUE")


def _told(attempts: dict[str, str]) -> ParseResult:
    text = json.dumps(attempts)
    return ParseResult(text, [Block("paragraph", 0, len(text))])


def _ended(result: int) -> str:
    """How a call of the C library ended: `done`, or the name of its error."""
    return "done" if result >= 0 else errno.errorcode[ctypes.get_errno()]


def _tried(action: Callable[[], object]) -> str:
    try:
        action()
    except (OSError, ValueError) as error:
        number = getattr(error, "errno", None)
        return errno.errorcode[number] if number else type(error).__name__
    return "done"


def network(raw: ParseInput) -> ParseResult:
    """Opens sockets of several families."""
    return _told({name: _ended(_LIBRARY.socket(number, 1, 0)) for name, number in _FAMILIES.items()})


def reading(raw: ParseInput) -> ParseResult:
    """Opens the files that are named in its text, one on each line."""
    return _told({path: _tried(lambda path=path: open(path, "rb").read(1)) for path in raw.text.splitlines()})  # type: ignore[misc]


def writing(raw: ParseInput) -> ParseResult:
    """Changes a folder, which its text names, that holds a file `a`."""
    file, other = f"{raw.text}/a", f"{raw.text}/b"
    attempts: dict[str, Callable[[], object]] = {
        "write": lambda: os.open(file, os.O_WRONLY),
        "create": lambda: os.open(other, os.O_CREAT | os.O_RDWR),
        "truncate": lambda: os.truncate(file, 0),
        "remove": lambda: os.unlink(file),
        "rename": lambda: os.rename(file, other),
        "link": lambda: os.link(file, other),
        "symlink": lambda: os.symlink(file, other),
        "mkdir": lambda: os.mkdir(other),
        "fifo": lambda: os.mkfifo(other),
        "mode": lambda: os.chmod(file, 0o600),
        "owner": lambda: os.chown(file, -1, -1),
        "times": lambda: os.utime(file, (1, 1)),
        "attribute": lambda: os.setxattr(file, "user.x", b"1"),
        "memory file": lambda: os.memfd_create("x"),
    }
    return _told({name: _tried(attempt) for name, attempt in attempts.items()})


def processes(raw: ParseInput) -> ParseResult:
    """Starts processes and programs, and reaches for its parent."""
    parent = os.getppid()
    arguments = (ctypes.c_char_p * 2)(b"/bin/true", None)
    attempts = {"fork": _forked(), "exec": _ended(_LIBRARY.execv(b"/bin/true", arguments))}
    attempts["ptrace"] = _ended(_LIBRARY.ptrace(16, parent, 0, 0))
    attempts["signal"] = _ended(_LIBRARY.kill(parent, 0))
    attempts["signal to all"] = _ended(_LIBRARY.kill(-1, 0))
    attempts["memory of the parent"] = _ended(_peek(parent))
    attempts["limits of the parent"] = _ended(_LIBRARY.prlimit(parent, 7, 0, ctypes.create_string_buffer(16)))
    attempts["session"] = _ended(_LIBRARY.setsid())
    attempts["namespace"] = _ended(_LIBRARY.unshare(0x10000000))
    attempts["mount"] = _ended(_LIBRARY.mount(b"none", b"/tmp", b"tmpfs", 0, None))
    attempts["io_uring"] = _ended(_LIBRARY.syscall(425, 1, ctypes.create_string_buffer(128)))
    attempts["shared memory"] = _ended(_LIBRARY.shmget(0, 4096, 0o1600))
    return _told(attempts)


def _forked() -> str:
    child = _LIBRARY.fork()
    if child == 0:
        os._exit(0)
    return _ended(child)


def _peek(process: int) -> int:
    here = ctypes.create_string_buffer(8)
    vector = struct.pack("PN", ctypes.addressof(here), 8)
    return int(_LIBRARY.process_vm_readv(process, vector, 1, vector, 1, 0))


def limits(raw: ParseInput) -> ParseResult:
    """Raises its limits; says what they are and how that ended."""
    attempts = {}
    for name in _LIMITS:
        kind = getattr(resource, f"RLIMIT_{name}")
        hard = resource.getrlimit(kind)[1]
        attempts[name] = f"{hard} {_tried(lambda kind=kind, hard=hard: resource.setrlimit(kind, (hard, hard + 1)))}"  # type: ignore[misc]
    return _told(attempts)


def lifeline(raw: ParseInput) -> ParseResult:
    """Lets go of the pipe by which it ends with its parent."""
    pipe = next(number for number in _pipes(os.O_RDONLY) if number > 0)
    attempts = {
        "close": _ended(_LIBRARY.close(pipe)),
        "fcntl": _ended(_LIBRARY.fcntl(pipe, fcntl.F_SETFL, 0)),
        "ioctl": _ended(_LIBRARY.ioctl(pipe, 0x5452, ctypes.byref(ctypes.c_int(0)))),
        "dup2": _ended(_LIBRARY.dup2(0, pipe)),
        "dup3": _ended(_LIBRARY.dup3(0, pipe, 0)),
        "close_range": _ended(_LIBRARY.syscall(436, pipe, pipe, 0)),
    }
    return _told(attempts)


def surroundings(raw: ParseInput) -> ParseResult:
    """Says where it runs."""
    return _told({"folder": str(Path.cwd()), "path": os.pathsep.join(sys.path), **os.environ})


def capabilities(raw: ParseInput) -> ParseResult:
    """Says what it may do that other users may not."""
    said = [line.partition(":") for line in Path("/proc/self/status").read_text().splitlines()]
    return _told({name: value.strip() for name, _, value in said if name.startswith("Cap")})


def loading(raw: ParseInput) -> ParseResult:
    """Starts a thread, which parsers may."""
    done: list[int] = []
    thread = threading.Thread(target=done.append, args=(1,))
    thread.start()
    thread.join()
    return _told({"thread": "done" if done else "not run"})


def brood(raw: ParseInput) -> ParseResult:
    """Starts a process that stays when this one ends; says which."""
    child = _LIBRARY.fork()
    if child == 0:
        time.sleep(600)
        os._exit(0)
    return _told({"process": str(child)})


def crowd(raw: ParseInput) -> ParseResult:
    """Starts threads without end, with stacks so small that memory does not end it."""
    threading.stack_size(1 << 16)
    while True:
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()


def stubborn(raw: ParseInput) -> ParseResult:
    """Spins, and does not listen to the kernel's warning."""
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (hard, hard))
    while True:
        pass


def gulp(raw: ParseInput) -> ParseResult:
    """Takes more memory at once than it may."""
    held = bytearray(1 << 40)
    return _told({"taken": str(len(held))})


def shared(raw: ParseInput) -> ParseResult:
    """Takes memory that is shared, which no limit of private memory counts."""
    held = []
    while True:
        held.append(mmap.mmap(-1, 1 << 24))
        held[-1].write(b"x" * (1 << 24))


def giant(raw: ParseInput) -> ParseResult:
    """Announces an answer of 2**60 bytes."""
    return _answer(HEADER.pack(1 << 60, 1 << 60))


def flood(raw: ParseInput) -> ParseResult:
    """Answers without end."""
    return _answer(HEADER.pack(1 << 28, 0) + b"[" + b" " * (1 << 20), b" " * (1 << 20))


def nested(raw: ParseInput) -> ParseResult:
    """Sends lists that take twenty times as much memory as room on the pipe."""
    said = b"[" + b"[]," * 30_000_000 + b"0]"
    return _answer(HEADER.pack(len(said), 0) + said)


def deep(raw: ParseInput) -> ParseResult:
    """Sends a list in a list in a list, a million deep."""
    said = b"[" * 1_000_000
    return _answer(HEADER.pack(len(said), 0) + said)


def begging(raw: ParseInput) -> ParseResult:
    """Asks for more time than there is."""
    return _answer(write_frame(["more", float("inf")]))


def misplaced(raw: ParseInput) -> ParseResult:
    """Finds a block outside of the text."""
    return ParseResult("text", [Block("paragraph", 0, 1 << 40)])


def orphaned(raw: ParseInput) -> ParseResult:
    """Finds a block under one that does not exist."""
    return ParseResult("text", [Block("paragraph", 0, 4, 0, 7)])


def deaf(raw: ParseInput) -> ParseResult:
    """Reads nothing any more after this document."""
    os.dup(0)
    os.dup2(os.pipe()[0], 0)
    return _told({})


def mute(raw: ParseInput) -> ParseResult:
    """Hangs up, and stays."""
    for number in _pipes(os.O_WRONLY):
        os.close(number)
    while True:
        time.sleep(60)


def _pipes(mode: int) -> list[int]:
    """The pipes that this process reads from, or writes to."""
    return [number for number in range(64) if _is_pipe(number, mode)]


def _is_pipe(number: int, mode: int) -> bool:
    try:
        return stat.S_ISFIFO(os.fstat(number).st_mode) and fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE == mode
    except OSError as error:
        return error.errno == errno.EPERM and mode == os.O_RDONLY  # the lifeline, which cannot be asked


def _answer(first: bytes, rest: bytes = b"") -> ParseResult:
    """Write bytes in place of an answer, once or without end."""
    answers = _pipes(os.O_WRONLY)[0]
    while first:
        first = first[os.write(answers, first) :]
    while rest:
        os.write(answers, rest)
    while True:
        time.sleep(60)
