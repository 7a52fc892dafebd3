"""What holds the process of the parsers: limits that it cannot raise, no network, no programs, no files but Python's.

Each step is taken where the system has it. What holds is said by `IsolationLevel`, which `seamline doctor` prints.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Iterable

from seamline.parse.isolate.start import LIFETIME, IsolationLevel

_RESERVED = 1_000_000_000
"""Bytes of addresses that libraries reserve and do not use: OCR and speech take 550 MB more than they hold."""
_RESERVED_PER_CPU = 32_000_000
"""And for each processor, where libraries start a thread for each: a stack, and buffers of linear algebra."""
_MAPPED = 2_000_000_000
"""Bytes of files that are mapped: libraries, models."""
_OPEN_FILES = 256
_TASKS = 1024
"""Processes and threads more than the machine has when the child starts."""
_SET_NO_NEW_PRIVS = 38
_CAPABILITIES = 0x20080522
"""The version of the structure."""
_READING = 0b110
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH: root without them could not read packages that others own."""
_SYSTEM = (
    "/lib",
    "/lib64",
    "/usr",
    "/nix/store",
    "/gnu/store",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/ssl/openssl.cnf",
    "/etc/pki/tls/openssl.cnf",
    "/dev/null",
    "/dev/zero",
    "/dev/random",
    "/dev/urandom",
    "/proc/self",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/sys/vm/overcommit_memory",
    "/sys/devices/system",
    "/sys/fs/cgroup",
    "/sys/kernel/mm/transparent_hugepage",
)
"""What the C library, numpy and the runtimes of models read of a system. Not /proc as a whole: the environment of the
parent is in it."""


def close(memory: int, lifeline: int, readable: Iterable[str]) -> IsolationLevel:
    """Give up all that no parser needs, for good. Called before any document is seen, with one thread running."""
    if lifeline >= 0:
        _die_with(lifeline)
    base = _limit(memory)
    if sys.platform != "linux":
        return base
    _check_one_thread()
    _drop_capabilities()
    if ctypes.CDLL(None).prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        return base
    from seamline.parse.isolate import landlock, seccomp

    return base._replace(landlock=landlock.restrict([*_SYSTEM, *readable]), seccomp=seccomp.restrict(lifeline))


def _die_with(lifeline: int) -> None:
    """Have the kernel end this process and all of its group when the other end of a pipe closes, which is when its
    parent ends. Not by PR_SET_PDEATHSIG: that looks at the thread that started it, and servers end their threads."""
    import fcntl

    if hasattr(fcntl, "F_SETSIG"):
        fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(lifeline, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)


def _limit(memory: int) -> IsolationLevel:
    """Hard limits, which only a privileged process could raise again."""
    try:
        import resource
    except ImportError:  # Windows
        return IsolationLevel()
    data = 2 * memory + _RESERVED + _RESERVED_PER_CPU * (os.cpu_count() or 1)
    wanted = {
        "RLIMIT_DATA": data,
        "RLIMIT_AS": data + _MAPPED,
        "RLIMIT_FSIZE": 0,
        "RLIMIT_NOFILE": _OPEN_FILES,
        "RLIMIT_CORE": 0,
        "RLIMIT_CPU": LIFETIME,
        "RLIMIT_NPROC": _tasks() + _TASKS,
        "RLIMIT_MSGQUEUE": 0,
    }
    unbound = []
    for name, value in wanted.items():
        if (kind := getattr(resource, name, None)) is None:
            continue
        hard = resource.getrlimit(kind)[1]
        most = value if hard == resource.RLIM_INFINITY else min(value, hard)
        try:
            resource.setrlimit(kind, (most, most))
        except (OSError, ValueError):  # macOS names limits that it does not set
            unbound.append(name)
    return IsolationLevel(limits=True, unbound=unbound)


def _tasks() -> int:
    """Processes and threads of the whole machine, no fewer than the user's, which the kernel counts."""
    try:
        with open("/proc/loadavg", encoding="ascii") as file:
            return int(file.read().split()[3].partition("/")[2])
    except (OSError, ValueError, IndexError):
        return 1 << 16


def _check_one_thread() -> None:
    """Landlock holds the thread that asks for it: another, started before, would be free."""
    try:
        threads = len(os.listdir("/proc/self/task"))
    except OSError:
        return
    if threads > 1:
        raise RuntimeError(f"expected one thread before the cage is closed, got {threads}")


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("process", ctypes.c_int))


class _Sets(ctypes.Structure):
    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


def _drop_capabilities() -> None:
    """What root may do more than others, but for reading files. The limits would not bind it otherwise."""
    library = ctypes.CDLL(None)
    header, sets = _Header(_CAPABILITIES, 0), (_Sets * 2)()
    if library.capget(ctypes.byref(header), sets):
        return
    held = sets[0].effective & _READING
    sets[0], sets[1] = _Sets(held, held, 0), _Sets(0, 0, 0)
    library.capset(ctypes.byref(header), sets)
