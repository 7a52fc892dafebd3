"""Marks of Markdown on single lines, for parts that see text without its blocks: fences, list markers, table headers.

`cut/audit` finds these on its own: what checks the engine shares no pattern with it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

FENCE = r"(?:`{3,}|~{3,})"
"""A pattern of the marks that open and close a fence."""
MARKER = r"(?:[-+*]|\d{1,9}[.)])"
"""A pattern of the mark before a list item."""

RAW_ELEMENTS = frozenset(("pre", "script", "style", "textarea"))
"""Elements of HTML that start a block up to their own close, and in which other tags are no structure."""
BLOCK_ELEMENTS = RAW_ELEMENTS | frozenset(
    re.findall(
        r"\w+",
        "address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl "
        "dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend "
        "li link main menu menuitem nav noframes ol optgroup option p param search section summary table tbody td "
        "tfoot th thead title tr track ul",
    )
)
"""Elements that start a block of HTML wherever their tag starts a line, as CommonMark lists them."""

FENCE_MARK = re.compile(FENCE)
FENCE_LINE = re.compile(rf"^[ \t>]*{FENCE}", re.MULTILINE)
_INFO = re.compile(rf"[ \t>]*{FENCE}[ \t]*\{{?\.?([A-Za-z][\w+#.-]{{0,30}})")
_RULE = re.compile(r"[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")


def fence_language(text: str, start: int, end: int) -> str:
    """The language that the opening line of a fence names; empty where it names none."""
    info = _INFO.match(text, start, end)
    return info[1] if info else ""


def is_table_header(lines: Sequence[str]) -> bool:
    """Whether two lines are the names of columns and the rule below them."""
    return len(lines) == 2 and all("|" in line for line in lines) and bool(_RULE.match(lines[1].rstrip("\r\n")))
