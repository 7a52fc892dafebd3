"""Sentences whose entities a reader marked: [[Ada|PERSON]]; [[open|CODE|`]] stands between ticks in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from seamline.enrich.entities.patterns import Mention

_MARK = re.compile(r"\[\[([^|\]]+)\|([A-Z]+)(?:\|(`))?\]\]")


def labelled(file: Path) -> Iterator[tuple[str, set[Mention]]]:
    """Each line of a file as plain text, and what is marked in it."""
    for line in file.read_text(encoding="utf-8").splitlines():
        text, at = "", 0
        marked: set[Mention] = set()
        for mark in _MARK.finditer(line):
            ticks = mark[3] or ""
            text += line[at : mark.start()] + ticks
            marked.add(Mention(len(text), len(text) + len(mark[1]), mark[2]))
            text += mark[1] + ticks
            at = mark.end()
        yield text + line[at:], marked
