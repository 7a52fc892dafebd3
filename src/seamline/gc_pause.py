"""The garbage collector kept out of the making of a large result."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused() -> Iterator[None]:
    """Collect nothing meanwhile. All that a parse or a cut makes stays, and looking through it again and again made the
    time of 140,000 chunks grow 2.5 times with every doubling."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
