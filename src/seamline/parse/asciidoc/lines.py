"""What one line of AsciiDoc can be, what the lines above a block say of it, and the plain words of a title."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

DELIMITER = re.compile(r"(?:-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|/{4,}|--|[|,:!]={3,}|`{3,})\Z")
FENCE = re.compile(r"(`{3,})([^\s`]{0,40})\Z")
HEADING = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*)\Z")
ATTRIBUTE = re.compile(r":(!?[\w-]{1,60}!?):(?:[ \t]+(.*))?\Z")
MACRO = re.compile(r"([A-Za-z]\w{0,30})::([^\s\[][^\[]{0,2000})?\[(.*)\]\Z")
BULLET = re.compile(r"(\*{1,5}|-|•)[ \t]+(?=\S)")
NUMBER = re.compile(r"(\.{1,5}|[0-9]{1,9}\.|[A-Za-z]\.|[ivxIVX]{1,8}\)|<(?:[0-9]{1,4}|\.)>)[ \t]+(?=\S)")
TERM = re.compile(r"(?!//)(?:[^:;]|:(?!:)|;(?!;)|(?:::|;;)(?=[^\s:;]))+?(:{2,4}|;;)(?:[ \t]+(?=\S)|\Z)")
BLOCK_TITLE = re.compile(r"\.(?![\s.])(.+)\Z")
BLOCK_ATTRIBUTES = re.compile(r"\[(?:\[[^\[\]]{1,200}\]|[^\[\]\s][^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*|)\]\Z")
CONDITION = re.compile(r"(?:ifdef|ifndef|ifeval|endif)::[^\s\[]{0,200}\[.*\]\Z")
RULES = frozenset(("'''", "---", "***", "<<<"))
"""Lines that part what is above them from what is below: with ink, or by a page."""
_UNDERLINES = "=-~^+"
_PAIR = re.compile(r"""([\w-]{1,40})\s{0,3}=\s{0,3}(?:"([^"]{0,500})"|'([^']{0,500})'|([^\s,"']{1,500}))""")
_REFERENCE = re.compile(r"\{([\w-]{1,60})\}")
_ANCHOR = re.compile(r"\[\[[^\[\]]{1,200}\]\]")
_LINK = re.compile(r"(?:link:|xref:|https?://|mailto:)[^\s\[\]]{0,500}\[([^\[\]]{0,300})\]")
_CROSS = re.compile(r"<<[^<>,]{1,200}(?:,([^<>]{1,200}))?>>")
_MARKED = re.compile(r"(?<![\w*_`#])(\*\*?|__?|``?|##?|\+\+?)(?=\S)([^*_`#+]{1,300})(?<=\S)\1(?![\w])")
_LONGEST_TITLE = 2_000


@dataclass(slots=True)
class BlockLead:
    """The lines above a block that say what it is: attributes, a title, an anchor."""

    first: int
    """The first of them; the first line of the block where there are none."""
    attributes: str = ""
    """All attributes, without their brackets."""
    title: str = ""

    @property
    def style(self) -> str:
        """The first attribute, which names the block: source, NOTE, quote, stem, ..."""
        return re.split(r"[,%#.]", self.attributes, maxsplit=1)[0].strip().strip('"')

    @property
    def language(self) -> str:
        """The second attribute of code."""
        parts = self.attributes.split(",")
        found = self.named("language") or (parts[1].strip().strip('"') if len(parts) > 1 else "")
        return found if re.fullmatch(r"[\w+#.-]{1,40}", found) else ""

    def named(self, name: str) -> str:
        pairs = ((key, double or single or bare) for key, double, single, bare in _PAIR.findall(self.attributes))
        return next((value for key, value in pairs if key == name), "")

    def has_option(self, name: str) -> bool:
        options = f"{self.named('options')},{self.named('opts')}".replace(" ", "").split(",")
        return f"%{name}" in self.attributes or name in options


@dataclass(slots=True)
class AttributeValues:
    """Attributes that the document gave a value so far."""

    values: dict[str, str] = field(default_factory=dict)

    def read(self, line: str) -> bool:
        """Whether a line sets an attribute."""
        found = ATTRIBUTE.match(line)
        if found is None:
            return False
        name = found[1].strip("!").lower()
        if "!" in found[1]:
            self.values.pop(name, None)
        else:
            self.values[name] = (found[2] or "").strip()
        return True


def is_underline(title: str, line: str) -> bool:
    """Whether a line under another makes a title of it: one sign again and again, about as long."""
    if not line or line[0] not in _UNDERLINES or line.strip(line[0]) or len(line) < 2:
        return False
    return abs(len(title) - len(line)) < 2 and any(sign.isalnum() for sign in title) and not title.startswith(".")


def underline_level(line: str) -> int:
    return _UNDERLINES.index(line[0]) + 1


def plain_title(title: str, values: Mapping[str, str]) -> str:
    """A title without its marks, with the values of attributes that are known."""
    if len(title) > _LONGEST_TITLE:
        return title
    if "{" in title:
        title = _REFERENCE.sub(lambda found: values.get(found[1].lower(), found[0])[:_LONGEST_TITLE], title)
    title = _ANCHOR.sub("", title)
    title = _LINK.sub(lambda found: found[1] or found[0], title)
    title = _CROSS.sub(lambda found: found[1] or found[0], title)
    return " ".join(_MARKED.sub(lambda found: found[2], title)[:_LONGEST_TITLE].split())
