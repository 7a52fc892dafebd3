"""How a command ends: its exit code, and the two ends that are not results."""

from __future__ import annotations

from seamline.errors import SeamlineError

DONE = 0
FAILED = 1
"""Some inputs failed; the rest is done."""
USAGE = 2
"""Options or configuration that cannot work; nothing is done."""
INTERNAL = 70
"""A fault of seamline itself (EX_SOFTWARE)."""
INTERRUPTED = 130
"""128 + SIGINT."""
TERMINATED = 143
"""128 + SIGTERM."""


class Terminated(KeyboardInterrupt):
    """SIGTERM arrived: the same clean-up as after Ctrl-C."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C or SIGTERM in the middle of a batch; its text says how far it came."""

    def __init__(self, message: str, cause: KeyboardInterrupt) -> None:
        super().__init__(message)
        self.code = code_of(cause)


def code_of(cause: KeyboardInterrupt) -> int:
    """The exit code that a signal means."""
    return TERMINATED if isinstance(cause, Terminated) else INTERRUPTED


class WriteError(SeamlineError):
    """Results that could not be written."""


class WorkerDied(SeamlineError):
    """A process of the pool ended before its work did."""
