"""What one line of Org can be, and the plain words of a heading."""

from __future__ import annotations

import re

HEADING = re.compile(r"(\*{1,200})[ \t]+(\S.*)\Z")
KEYWORD = re.compile(r"#\+([\w-]{1,60})(?:\[[^\]\n]{0,300}\])?:(?:[ \t]+(.*))?\Z")
BEGIN = re.compile(r"#\+begin(?:_([^\s:\[\]]{1,60})|:)(?:[ \t]+(.*))?\Z", re.IGNORECASE)
END = re.compile(r"#\+end(?:_([^\s:\[\]]{1,60})|:)\Z", re.IGNORECASE)
DRAWER = re.compile(r":([\w-]{1,60}):\Z")
PROPERTY = re.compile(r":([\w+-]{1,60}):[ \t]+(.*)\Z")
BULLET = re.compile(r"(?:([-+*])|[0-9]{1,9}[.)])(?:[ \t]+|\Z)")
COUNTED = re.compile(r"(?:\[@[0-9A-Za-z]{1,9}\][ \t]+)?(?:\[[ xX-]\][ \t]+)?")
TERM = re.compile(r"(?=\S)[^\n]{1,300}?[ \t]::(?:[ \t]+|\Z)")
FOOTNOTE = re.compile(r"\[fn:[\w-]{1,60}\](?:[ \t]+|\Z)")
TABLE_RULE = re.compile(r"\|-[-+|]*\Z")
RULE = re.compile(r"-{5,}\Z")
PLANNING = re.compile(r"(?:SCHEDULED|DEADLINE|CLOSED):[ \t]*[<\[]")
ENVIRONMENT = re.compile(r"\\begin\{([A-Za-z]{1,40}\*?)\}")
PICTURE = re.compile(
    r"\[\[(?:file:|attachment:|https?://)?([^\]\n]{1,1000}\.(?:png|jpe?g|gif|svg|webp|bmp|tiff?))\]\]\Z", re.IGNORECASE
)
AFFILIATED = frozenset(("caption", "name", "header", "headers", "results", "plot", "tblname"))
"""Keywords that belong to the block below them; so do those that begin with `attr_`."""
_STATE = re.compile(
    r"(?:TO[D]O|DONE|NEXT|WAITING|HOLD|CANCELLED|CANCELED|STARTED|DOING|IN-PROGRESS|COMMENT)(?:[ \t]+|\Z)"
)
"""What people mark headings with, as work that is to be done or was."""
_PRIORITY = re.compile(r"\[#[A-Za-z0-9]{1,2}\][ \t]+")
_TAGS = re.compile(r"[ \t]+:(?:[\w@#%]{1,60}:)+\Z")
_LINK = re.compile(r"\[\[[^\[\]\n]{1,500}\](?:\[([^\[\]\n]{1,300})\])?\]")
_MARKED = re.compile(r"(?<![\w*/_=~+])([*/_=~+])(?=\S)([^*/_=~+\n]{1,300})(?<=\S)\1(?![\w])")
_COOKIE = re.compile(r"[ \t]*\[[0-9]{0,6}(?:%|/[0-9]{0,6})\]")
_LONGEST_TITLE = 2_000


def plain_title(title: str) -> str:
    """A heading without its state, priority, tags and marks."""
    if len(title) > _LONGEST_TITLE:
        return title
    if state := _STATE.match(title):
        title = title[state.end() :]
    if priority := _PRIORITY.match(title):
        title = title[priority.end() :]
    title = _COOKIE.sub("", _TAGS.sub("", title))
    title = _LINK.sub(lambda found: found[1] or found[0].strip("[]"), title)
    return " ".join(_MARKED.sub(lambda found: found[2], title).split())
