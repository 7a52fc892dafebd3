"""Text that PostgreSQL can hold: any string in, the same string out, in the same order.

PostgreSQL refuses NUL and surrogates. They become two code points each, as do the two that stand for them:

    NUL            U+0001 U+0001        a surrogate    U+E000 U+0100 and up
    U+0001         U+0001 U+0002        U+E000         U+E000 U+0900

No other code point changes. What sorts before another text still does, and what another text starts with still is its
start: filters compare what is stored.
"""

from __future__ import annotations

import re

_NUL, _PRIVATE = "\x01", "\ue000"
_FIRST = 0x0100
"""What stands for U+D800, after U+E000."""
_SURROGATES = 0xD800
_ITSELF = "\u0900"
_UNSAFE = re.compile("[\x00\x01\ud800-\udfff\ue000]")
_ESCAPED = re.compile("\x01[\x01\x02]|\ue000[\u0100-\u0900]")


def safe(text: str) -> str:
    """The text as it is stored."""
    return _UNSAFE.sub(_escape, text) if _UNSAFE.search(text) else text


def unsafe(text: str) -> str:
    """The reverse of `safe`."""
    return _ESCAPED.sub(_restore, text) if _NUL in text or _PRIVATE in text else text


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    if char <= _NUL:
        return _NUL + chr(ord(char) + 1)
    return _PRIVATE + (_ITSELF if char == _PRIVATE else chr(ord(char) - _SURROGATES + _FIRST))


def _restore(match: re.Match[str]) -> str:
    lead, code = match[0][0], match[0][1]
    if lead == _NUL:
        return chr(ord(code) - 1)
    return _PRIVATE if code == _ITSELF else chr(ord(code) - _FIRST + _SURROGATES)
