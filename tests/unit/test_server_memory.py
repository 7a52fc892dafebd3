"""Memory of the server: threads share what is free."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

_COUNT = """
import ctypes, sys, threading
from seamline.server.run import share_arena
if sys.argv[1] == "shared":
    share_arena()
libc = ctypes.CDLL(None)
libc.malloc.restype = libc.fdopen.restype = ctypes.c_void_p
libc.malloc_info.argtypes = [ctypes.c_int, ctypes.c_void_p]
together = threading.Barrier(4)
def take():
    libc.malloc(100_000)
    together.wait()
threads = [threading.Thread(target=take) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
out = libc.fdopen(1, b"w")
libc.malloc_info(0, out)
libc.fflush(ctypes.c_void_p(out))
"""


def _arenas(how: str) -> int:
    """How many arenas the allocator has after four threads took memory at once."""
    ran = subprocess.run([sys.executable, "-c", _COUNT, how], capture_output=True, text=True, check=True)
    return ran.stdout.count("<heap nr=")


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other allocators have no arenas")
def test_threads_of_the_server_share_one_arena() -> None:
    assert _arenas("apart") > 1
    assert _arenas("shared") == 1
