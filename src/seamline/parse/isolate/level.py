"""Which of the walls around a parser a system has. Apart from `cage`, so that the parent does not load ctypes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

LIFETIME = 2 * 86_400
"""Seconds of CPU time after which the kernel ends a child, whatever it asks for."""


class Level(NamedTuple):
    """What holds a parser."""

    landlock: int = 0
    """The version of Landlock's ABI; 0 where files and TCP are not held by the kernel."""
    seccomp: bool = False
    limits: bool = False
    unbound: Sequence[str] = ()
    """Limits that the system has, but would not set."""

    @property
    def is_full(self) -> bool:
        return bool(self.landlock and self.seccomp and self.limits and not self.unbound)

    def describe(self) -> str:
        """Such as `Landlock ABI 4, seccomp, limits`, and what is missing."""
        limits = f"limits but for {', '.join(self.unbound)}" if self.unbound else "limits"
        parts = ((f"Landlock ABI {self.landlock}", self.landlock), ("seccomp", self.seccomp), (limits, self.limits))
        held = ", ".join(name for name, holds in parts if holds) or "a process of its own"
        missing = " and no ".join(name.split(" ABI")[0] for name, holds in parts if not holds)
        return f"{held}; this system has no {missing}" if missing else held
