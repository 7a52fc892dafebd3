"""The protocols that parts of Seamline meet through, and nothing else."""

from __future__ import annotations

from typing import Protocol, runtime_checkable


@runtime_checkable
class Tokenizer(Protocol):
    """Counts tokens. Text that looks like a special token is ordinary text."""

    @property
    def name(self) -> str:
        """What a recipe calls it."""
        ...

    @property
    def additive(self) -> bool:
        """Whether counts add up over cuts before a line that is neither blank nor starts with a slash."""
        ...

    def count(self, text: str) -> int:
        """How many tokens `text` has."""
        ...
