"""Lines as texts that keep a limit of tokens: as many lines in each as fit, a line that is too long in parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

_STEP = 64
"""Characters that a part is first tried with."""
Count = Callable[[str], int]


def texts(head: str, lines: Sequence[str], limit: int, count: Count) -> Iterator[tuple[str, range]]:
    """Texts of the lines, each under `head`, and which lines each holds. A head that takes half of a text is left
    out. Nothing is lost: a line that fits no text alone is given in parts."""
    head = head if head and count(head + "\n") <= limit // 2 else ""
    room = limit - (count(head + "\n") if head else 0)
    sizes = [count(line + "\n") for line in lines]
    first = 0
    while first < len(lines):
        last, size = first + 1, sizes[first]
        while last < len(lines) and size + sizes[last] <= room:
            size += sizes[last]
            last += 1
        yield from _within(head, lines, range(first, last), limit, count)
        first = last


def _within(head: str, lines: Sequence[str], held: range, limit: int, count: Count) -> Iterator[tuple[str, range]]:
    """Lines as one text, or in halves where counts of lines did not add up to that of their text."""
    waiting = [held]
    while waiting:
        some = waiting.pop()
        text = _under(head, "\n".join(lines[some.start : some.stop]))
        if count(text) <= limit:
            yield text, some
        elif len(some) > 1:
            middle = some.start + len(some) // 2
            waiting += [range(middle, some.stop), range(some.start, middle)]
        else:
            parts = _parts(lines[some.start], lambda part: count(_under(head, part)) <= limit)
            yield from ((_under(head, part), some) for part in parts)


def _under(head: str, text: str) -> str:
    return f"{head}\n{text}" if head else text


def _parts(line: str, fits: Callable[[str], bool]) -> Iterator[str]:
    """A line in the longest parts that fit, between words where there are any."""
    start = 0
    while start < len(line):
        end = _longest(line, start, fits)
        space = line.rfind(" ", start + 1, end + 1) if end < len(line) else -1
        if space > start and fits(line[start:space]):
            end = space
        yield line[start:end]
        start = end
        while start < len(line) and line[start] == " ":
            start += 1


def _longest(line: str, start: int, fits: Callable[[str], bool]) -> int:
    """Where the longest part ends that starts at a place and fits, one character at least. Steps double until one is
    too far: a look at all that is left, for every part, would cost the square of the line."""
    low, step = start + 1, _STEP
    while low < len(line) and fits(line[start : min(len(line), low + step)]):
        low = min(len(line), low + step)
        step *= 2
    high = min(len(line), low + step)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(line[start:middle]) else (low, middle - 1)
    return low
