"""Which sources are kept from their grammar: those it would take too long over, or crash on."""

from __future__ import annotations

import re
from time import thread_time
from typing import Any

from seamline.errors import ParseError
from seamline.parse.parser_types import ParseInput

_LARGEST = 6_000_000
"""Bytes that are given to a grammar: its tree takes up to sixty times as much memory."""
_SECONDS = 0.7
"""CPU time of a grammar, and a second more for each million bytes. Sources as people write them take 0.1 to 0.3 s for a
million; recovery from errors is quadratic in most grammars, and 48 kB of `[[a]]` took 10 s as C."""
_STEP = 256
"""Bytes that a grammar gets at a time: the clock is looked at before each step."""
_DEEPEST = 200
"""Elements inside each other. The grammar of XML copies the list of them at every tag."""
_LEVELS = re.compile(rb"^ {200}|(?:[-?:][ \t]+){64}", re.MULTILINE)
"""Levels inside each other in YAML. Its grammar has room for some 250 of them, and runs over it."""
_NODES = 1_000_000
"""Values that an alias may stand for, in all that it names."""
_ANCHOR = re.compile(r"(?<![^\s\[\]{},:-])([&*])([\w-]{1,100})")
_BRACKET = re.compile(r"(?<=[\[{:,\s-])[\[{]|^[\[{]|[\]}]", re.MULTILINE)
_TAG = re.compile(rb"</|<[^<>!?/\s][^<>]*>")


def refused(language: str, data: bytes) -> str:
    """Why a source is not given to its grammar; empty where it is."""
    if len(data) > _LARGEST:
        return f"it is too large for one ({len(data) / 1e6:.1f} MB, at most {_LARGEST / 1e6:.0f})"
    if (language == "yaml" and _LEVELS.search(data)) or (language == "xml" and _is_deep(data)):
        return "it is nested too deep for one"
    return ""


def parse_within(parser: Any, data: bytes) -> Any:
    """The tree of a source; None where its grammar takes too long.

    Once its time is over a grammar reads the end of the source, and comes to an end itself. The binding knows no other
    way: its `progress_callback` crashes (tree-sitter 0.26). What takes long after the last byte is stopped by the limit
    of the process.
    """
    end = thread_time() + _SECONDS + len(data) / 1_000_000
    is_late = False

    def read(at: int, _: Any) -> bytes:
        nonlocal is_late
        is_late = is_late or thread_time() > end
        return b"" if is_late else data[at : at + _STEP]

    tree = parser.parse(read)
    return None if is_late else tree


def refuse_bomb(language: str, raw: ParseInput) -> None:
    """Raise a ParseError for YAML that would fill the memory of whoever loads it."""
    if language != "yaml":
        return
    if _nodes(raw.text) > _NODES:
        raise ParseError(f"its aliases stand for more than {_NODES:,} values: write them out, or leave it out", raw.uri)
    if (depth := _flow_depth(raw.text)) > raw.limits.depth:
        raise ParseError(
            f"nests brackets {depth:,} deep, more than {raw.limits.depth}: no reader of YAML follows that", raw.uri
        )


def _nodes(text: str) -> int:
    """How many values the largest anchor stands for, once all aliases in it are written out; counted up to a limit."""
    if "&" not in text or "*" not in text:
        return 0
    sizes: dict[str, int] = {}
    stack: list[tuple[str, int]] = []
    """Anchors around a line, and the columns that they stand in."""
    for line in text.splitlines():
        content = line.lstrip(" ")
        column = len(line) - len(content)
        while content and stack and not _is_inside(content, column, stack[-1][1]):
            stack.pop()
        for sign, word in _ANCHOR.findall(line) if "&" in line or "*" in line else ():
            if sign == "&":
                stack.append((word, column))
                sizes[word] = 1
            elif stack and word != stack[-1][0]:
                around = stack[-1][0]
                sizes[around] = min(sizes[around] + sizes.get(word, 1), _NODES + 1)
    return max(sizes.values(), default=0)


def _is_inside(content: str, column: int, outer: int) -> bool:
    """Whether a line belongs to what opened in a column: it stands further right, or is an item of it."""
    return column > outer or (column == outer and content.startswith("- "))


def _flow_depth(text: str) -> int:
    """How many brackets are open at once, where each stands at the beginning of a value."""
    depth = deepest = 0
    for found in _BRACKET.finditer(text):
        depth = max(depth + (1 if found[0] in "[{" else -1), 0)
        deepest = max(deepest, depth)
    return deepest


def _is_deep(data: bytes) -> bool:
    depth = 0
    for tag in _TAG.finditer(data):
        if tag[0] == b"</":
            depth -= 1
        elif not tag[0].endswith(b"/>"):
            depth += 1
            if depth > _DEEPEST:
                return True
    return False
