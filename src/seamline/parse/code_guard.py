"""Which sources are kept from their grammar: those it would take too long over, or crash on."""

from __future__ import annotations

import re

_LARGEST = 6_000_000
"""Bytes that are given to a grammar: its tree takes up to sixty times as much memory."""
_DEEPEST = 200
"""Elements inside each other. The grammar of XML copies the list of them at every tag."""
_LEVELS = re.compile(rb"^ {200}|(?:[-?:][ \t]+){64}", re.MULTILINE)
"""Levels inside each other in YAML. Its grammar has room for some 250 of them, and runs over it."""
_TAG = re.compile(rb"</|<[^<>!?/\s][^<>]*>")


def refused(language: str, data: bytes) -> str:
    """Why a source is not given to its grammar; empty where it is."""
    if len(data) > _LARGEST:
        return f"it is too large for one ({len(data) / 1e6:.1f} MB, at most {_LARGEST / 1e6:.0f})"
    if (language == "yaml" and _LEVELS.search(data)) or (language == "xml" and _is_deep(data)):
        return "it is nested too deep for one"
    return ""


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
