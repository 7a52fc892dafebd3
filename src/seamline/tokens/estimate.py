"""A token count from characters alone: linear, deterministic, and needing no vocabulary."""

from __future__ import annotations

from typing import NamedTuple, final


class Divisors(NamedTuple):
    """Characters per token."""

    prose: float
    code: float


BIASES = {
    "prose-heavy": Divisors(3.6, 3.0),  # more careful with prose
    "balanced": Divisors(4.0, 2.7),
    "code-heavy": Divisors(4.4, 2.4),  # more careful with code
}


def make(name: str, bias: str) -> EstimateTokenizer:
    """The estimate with the bias of a recipe."""
    return EstimateTokenizer(bias)


@final
class EstimateTokenizer:
    """Prose counts a token per four characters, code one per 2.7; the bias moves both."""

    name = "estimate"
    additive = False

    def __init__(self, bias: str = "balanced") -> None:
        self.bias = bias
        self._divisors = BIASES[bias]

    def count(self, text: str) -> int:
        return estimate(text, self._divisors)

    def __repr__(self) -> str:
        return f"EstimateTokenizer({self.bias!r})"


def estimate(text: str, divisors: Divisors) -> int:
    """About how many tokens a text has."""
    code = 0
    if ("`" in text and "```" in text) or ("~" in text and "~~~" in text):
        code = _fenced_characters(text)
    if not code and ("<" in text or text.startswith(_MODULE)):
        code = _markup_characters(text)
    if not code:
        return _ceil(len(text) / divisors.prose)
    return _ceil((len(text) - code) / divisors.prose + code / divisors.code)


def _ceil(value: float) -> int:
    return -int(-value // 1)


def _fenced_characters(text: str) -> int:
    """Characters between fence lines, the fences included."""
    total, opened, mark = 0, -1, ""
    marks = [mark for mark in ("```", "~~~") if mark in text]
    at = _next_fence(text, 0, marks)
    while at >= 0:
        run = _run(text, at)
        if opened < 0:
            opened, mark = at, run
        elif run.startswith(mark):
            total += at + len(run) - opened
            opened = -1
        at = _next_fence(text, at + len(run), marks)
    return total + (len(text) - opened if opened >= 0 else 0)


def _next_fence(text: str, at: int, marks: list[str]) -> int:
    """Where the next run of three marks starts that stands first on its line; -1 where none does."""
    while True:
        at = min([found for mark in marks if (found := text.find(mark, at)) >= 0], default=-1)
        if at < 0 or not text[text.rfind("\n", 0, at) + 1 : at].strip(" \t>"):
            return at
        at += len(_run(text, at))


def _run(text: str, at: int) -> str:
    """The row of equal marks at an offset."""
    end = at + 3
    while end < len(text) and text[end] == text[at]:
        end += 1
    return text[at:end]


_MODULE = ("import ", "export ")


def _markup_characters(text: str) -> int:
    """Characters of lines that start with a tag, and of the module lines a component page starts with."""
    at = total = 0
    if text.startswith(_MODULE):
        at = text.find("\n\n")
        total = at = len(text) if at < 0 else at
    at = text.find("<", at)
    while at >= 0:
        line = text.rfind("\n", 0, at) + 1
        if _opens_tag(text[at + 1 : at + 2]) and not text[line:at].strip():
            end = text.find("\n", at)
            end = len(text) if end < 0 else end + 1
            total += end - line
            at = text.find("<", end)
        else:
            at = text.find("<", at + 1)
    return total


def _opens_tag(character: str) -> bool:
    return character.isalpha() or character in ("/", ">")
