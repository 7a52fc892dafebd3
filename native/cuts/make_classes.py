"""Writes classes.inc: where the classes of code points change that the pre-tokenizers tell apart.

Run it with the `dev` extra installed (it brings `regex`) when the vocabularies' own regex engine takes a newer Unicode;
tests/property/test_native_tokens.py compares every code point with that engine.
"""

from __future__ import annotations

from pathlib import Path

import regex

CLASSES = (
    ("UPPER", r"[\p{Lu}\p{Lt}]"),
    ("LOWER", r"\p{Ll}"),
    ("LETTER", r"[\p{Lm}\p{Lo}]"),
    ("MARK", r"\p{M}"),
    ("NUMBER", r"\p{N}"),
    ("LINE", r"[\r\n]"),
    ("SPACE", r"\s"),
    ("SYMBOL", r"."),
)
PER_LINE = 6


def changes() -> list[tuple[int, str]]:
    """The first code point of every run of one class."""
    patterns = [(name, regex.compile(pattern, regex.DOTALL)) for name, pattern in CLASSES]
    out: list[tuple[int, str]] = []
    for point in range(0x110000):
        name = next(name for name, pattern in patterns if pattern.match(chr(point)))
        if not out or out[-1][1] != name:
            out.append((point, name))
    return out


def main() -> None:
    cells = [f"{{0x{point:X}, {name}}}" for point, name in changes()]
    rows = [", ".join(cells[i : i + PER_LINE]) for i in range(0, len(cells), PER_LINE)]
    head = "/* Written by make_classes.py: the first code point of every run of one class. */\n"
    Path(__file__).with_name("classes.inc").write_text(head + ",\n".join(rows) + ",\n", encoding="utf-8")


if __name__ == "__main__":
    main()
