"""A token count from characters alone: linear, deterministic, and needing no vocabulary."""

from __future__ import annotations

import re
from typing import NamedTuple


class Divisors(NamedTuple):
    """Characters per token."""

    prose: float
    code: float


BIASES = {
    "prose-heavy": Divisors(3.6, 3.0),  # more careful with prose
    "balanced": Divisors(4.0, 2.7),
    "code-heavy": Divisors(4.4, 2.4),  # more careful with code
}

_FENCED = re.compile(r"^[ \t>]*(`{3,}|~{3,})", re.MULTILINE)


class EstimateTokenizer:
    """Prose counts a token per four characters, code one per 2.7; the bias moves both."""

    name = "estimate"
    additive = False

    def __init__(self, bias: str = "balanced") -> None:
        self.bias = bias
        self._prose, self._code = BIASES[bias]

    def count(self, text: str) -> int:
        if "```" not in text and "~~~" not in text:
            return _ceil(len(text) / self._prose)
        code = _code_characters(text)
        return _ceil((len(text) - code) / self._prose + code / self._code)

    def __repr__(self) -> str:
        return f"EstimateTokenizer({self.bias!r})"


def _ceil(value: float) -> int:
    return -int(-value // 1)


def _code_characters(text: str) -> int:
    """Characters between fence lines, the fences included."""
    total, opened = 0, None
    for match in _FENCED.finditer(text):
        fence = match[1]
        if opened is None:
            opened = (match.start(), fence)
        elif fence[0] == opened[1][0] and len(fence) >= len(opened[1]):
            total += match.end() - opened[0]
            opened = None
    return total + (len(text) - opened[0] if opened else 0)
