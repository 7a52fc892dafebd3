"""Front matter: the YAML or TOML block that may open a document, as plain JSON values.

Two rules guard the text. What is not clearly front matter (a thematic break, prose, another break) is none.
Front matter that cannot be read is reported, so that its caller keeps it as text.

Most YAML is keys, nested by indentation, with words, numbers, dates, quoted text, lists of such, and `>` or `|` text.
That is read here, five times faster than by a library and to the same values. What goes beyond it, or only might, is
`UnusualYaml`: the safe loader reads it, after a look at its events that refuses tags, alias bombs and deep nesting
before anything is built.
"""

from __future__ import annotations

import math
import re
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any, NamedTuple

from seamline.types import Notice

if TYPE_CHECKING:
    from yaml.events import Event


MOST_CHARACTERS = 64 * 1024
MOST_ALIASES = 10
"""Aliases multiply: ten can make a document about forty times larger, a hundred could make it endless."""
MOST_DEPTH = 20
_MOST_BITS = 1024
"""Of an integer: Python refuses to print one of more than 4,300 digits."""
_MOST_DOTS = 200
"""In one line of TOML: tomllib takes 15 s for a key of 30,000 parts."""

_OPENING = re.compile(r"\ufeff?(?P<fence>---|\+\+\+)[ \t]*(?=(?P<end>\r\n?|\n))")
_CLOSING = {
    "---": re.compile(r"(?:\r\n?|\n)(?:---|\.\.\.)[ \t]*(?:(?P<end>\r\n?|\n)|\Z)"),
    "+++": re.compile(r"(?:\r\n?|\n)\+\+\+[ \t]*(?:(?P<end>\r\n?|\n)|\Z)"),
}
# A line that only someone who meant metadata would write: `key:` or, in TOML, `key =` or `[table]`.
_ATTEMPT = {
    "---": re.compile(r"^[\"']?[\w.-]+[\"']?[ \t]*:(?:[ \t]|$)", re.MULTILINE),
    "+++": re.compile(r"^[\"']?[\w.-]+[\"']?[ \t]*=|^\[", re.MULTILINE),
}
_LEADING_BLANK = re.compile(r"[ \t]*[\r\n]")
_LOWER_WORD = re.compile(r"[a-z_][\w-]*")
_NEWLINE = re.compile(r"\r\n?")
_TOML_PLACE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")
_PLAIN_TAGS = frozenset({"!", *(f"tag:yaml.org,2002:{kind}" for kind in ("str", "seq", "map"))})


class FrontMatterBlock(NamedTuple):
    """Where front matter stands and what it says."""

    start: int
    """Offset of the opening delimiter."""
    end: int
    """Just after the line end of the closing delimiter."""
    data: dict[str, Any]
    """Plain JSON values; empty where it could not be read."""
    notice: Notice | None
    """Set where it could not be read: then it is text, not metadata."""


_ANCHORS_TAGS_OR_DEPTH = re.compile(rf"[&*!?]|^[ \t\-]{{{MOST_DEPTH}}}", re.MULTILINE)


class _Broken(Exception):
    """Why a block is no front matter, and in which of its lines, from 0."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.line = line


class _Prose(Exception):
    """`Note: like this` between two thematic breaks happens to be YAML; as metadata it would be lost."""


def split(text: str) -> FrontMatterBlock | None:
    """The front matter at the very start of `text`, or None where there is none."""
    opening = _OPENING.match(text)
    if opening is None:
        return None
    fence = opening["fence"]
    closing = _CLOSING[fence].search(text, opening.end())
    if closing is None:
        return None
    start, end = opening.start("fence"), closing.end()
    content = text[opening.end("end") : max(closing.start(), opening.end("end"))]
    try:
        return FrontMatterBlock(start, end, _read(fence, content), None)
    except _Prose:
        return None
    except _Broken as broken:
        if not _ATTEMPT[fence].search(_NEWLINE.sub("\n", content[:MOST_CHARACTERS])):
            return None
        return FrontMatterBlock(start, end, {}, _notice(fence, broken))


def _notice(fence: str, broken: _Broken) -> Notice:
    language = "YAML" if fence == "---" else "TOML"
    line = 1 if broken.line is None else broken.line + 2  # the delimiter is line 1
    message = f"front matter is not readable as {language}, so it stays in the text: {broken}"
    return Notice("front-matter-broken", message, f"line {line}")


def _read(fence: str, content: str) -> dict[str, Any]:
    if len(content) > MOST_CHARACTERS:
        raise _Broken(f"expected at most {MOST_CHARACTERS} characters, got {len(content)}")
    if not content.strip():
        return {}
    plain = _values(fence, _NEWLINE.sub("\n", content) if "\r" in content else content)
    if _LEADING_BLANK.match(content) and not all(map(_LOWER_WORD.fullmatch, plain)):
        raise _Prose
    return plain


def _values(fence: str, content: str) -> dict[str, Any]:
    if fence == "---":
        try:
            return load(content)
        except UnusualYaml:
            value = _load_yaml(content)
    else:
        value = _load_toml(content)
    if not isinstance(value, dict):
        raise _Broken(f"expected `key: value` lines, got {_NAMES.get(type(value), 'a single value')}", 0)
    plain: dict[str, Any] = _plain(value)
    return plain


_NAMES: dict[type, str] = {list: "a list", type(None): "only comments"}


def _load_toml(content: str) -> object:
    import tomllib

    for number, line in enumerate(content.split("\n")):
        if line.count(".") > _MOST_DOTS:
            raise _Broken(f"expected at most {_MOST_DOTS} dots in a line", number)
    try:
        return tomllib.loads(content)
    except tomllib.TOMLDecodeError as error:
        place = _TOML_PLACE.search(str(error))
        line_at = int(place[1]) - 1 if place and place[1] else None
        raise _Broken(_TOML_PLACE.sub("", str(error)), line_at) from None
    except RecursionError:
        raise _Broken(f"expected at most {MOST_DEPTH} levels") from None
    except ValueError as error:  # a number beyond Python's limit of digits
        raise _Broken(str(error)) from None


def _load_yaml(content: str) -> object:
    import yaml

    # The C loader reads the same language ten times faster; wheels have it, a build from source may not.
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        if _is_suspect(content):
            _check_events(yaml.parse(content, Loader=loader))
        return _build(loader(content))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _Broken(error.problem or "invalid", mark.line if mark else None) from None
    except yaml.YAMLError as error:
        raise _Broken(str(error).split("\n")[0]) from None
    except (ValueError, OverflowError) as error:  # such as the date 2024-13-45, which looks like one
        raise _Broken(str(error)) from None


def _build(loader: Any) -> object:
    try:
        return loader.get_single_data()
    finally:
        loader.dispose()


def _is_suspect(content: str) -> bool:
    """Whether YAML could hold anchors, tags or deep nesting; all else is safe to build without a look at its events."""
    brackets = content.count("[") + content.count("{")
    return brackets > MOST_DEPTH or _ANCHORS_TAGS_OR_DEPTH.search(content) is not None


def _check_events(events: Any) -> None:
    """Refuse what would be dangerous to build. Events cost nothing: aliases are not expanded in them."""
    open_anchors: list[str | None] = []
    aliases = 0
    for event in events:
        kind = type(event).__name__
        _check_tag(event)
        if kind == "AliasEvent":
            aliases += 1
            if aliases > MOST_ALIASES or event.anchor in open_anchors:
                raise _Broken(f"expected at most {MOST_ALIASES} aliases, none to itself", _line(event))
        elif kind in ("MappingStartEvent", "SequenceStartEvent"):
            open_anchors.append(event.anchor)
            if len(open_anchors) > MOST_DEPTH:
                raise _Broken(f"expected at most {MOST_DEPTH} levels", _line(event))
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            open_anchors.pop()


def _check_tag(event: Any) -> None:
    tag = getattr(event, "tag", None)
    if tag is not None and tag not in _PLAIN_TAGS:
        raise _Broken(f"expected plain values, got the tag {tag!r}", _line(event))


def _line(event: Event) -> int:
    return event.start_mark.line if event.start_mark else 0


def _plain(value: object, depth: int = 0) -> Any:
    """Only what JSON has, so that it can be stored and compared anywhere; dates in ISO form."""
    if depth > MOST_DEPTH * (MOST_ALIASES + 1):
        raise _Broken(f"expected at most {MOST_DEPTH} levels")
    if isinstance(value, dict):
        return {_key(key): _plain(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner, depth + 1) for inner in value]
    return _scalar(value)


def _scalar(value: object) -> str | int | float | bool | None:
    if isinstance(value, date | datetime | time):
        return value.isoformat()
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, int):
        return _int(value)
    if isinstance(value, str):
        return _str(value)
    if value is None:
        return None
    raise _Broken(f"expected plain values, got {type(value).__name__}")


def _int(value: int) -> int:
    if value.bit_length() > _MOST_BITS:
        raise _Broken(f"expected integers of at most {_MOST_BITS} bits")
    return value


def _str(value: str) -> str:
    """An escape such as \\ud800 makes half a character, which no file and no store takes."""
    if not value.isascii() and any("\ud800" <= c <= "\udfff" for c in value):
        raise _Broken("expected text, got a lone surrogate")
    return value


def _key(key: object) -> str:
    """As JSON would write it: true, null, 1, an ISO date."""
    plain = _scalar(key)
    if plain is None:
        return "null"
    return str(plain).lower() if isinstance(plain, bool) else str(plain)


Line = tuple[int, str, bool]
"""Columns of indentation, what follows them, and whether lines without text stand before it."""

MOST_COLUMNS = 16
"""So no more levels than that."""

# Line ends but LF, control characters, half characters and byte order marks mean something to YAML, or are not in it.
_UNUSUAL = re.compile(r"[^\n\x20-\x7e\xa1-\u2027\u2030-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010fffd]")
_KEY = re.compile(r"([A-Za-z_][\w.-]*):(?: +|$)", re.ASCII)
_WORDS = re.compile(r"(?:[^\W\d_]|[/(]|\./)(?:[^:#]|:(?=[^ ])|(?<=[^ ])#)*\Z")
_NUMBER = re.compile(r"(?:0|[1-9]\d{0,17})(\.\d+)?\Z", re.ASCII)
_DATE = re.compile(r"\d{4}-\d\d-\d\d\Z", re.ASCII)
_DOTTED = re.compile(r"\d+(?:[./]\d+){2,}\Z", re.ASCII)
_QUOTED = re.compile(r"\"[^\"\\]*\"\Z|'[^']*'\Z")
_FLOW = re.compile(r"\[(?: *(?:[A-Za-z][\w ./-]*|\d{1,9}|\"[^\"\\,]*\")(?: *,(?! *\])|(?= *\])))* *\]\Z", re.ASCII)
_TEXT = {">": (" ", "\n"), ">-": (" ", ""), "|": ("\n", "\n"), "|-": ("\n", "")}
"""How the lines of a text are joined, and what ends it."""
_CONSTANTS = {
    spelling: value
    for value, words in ((True, ("yes", "true", "on")), (False, ("no", "false", "off")), (None, ("null",)))
    for word in words
    for spelling in (word, word.capitalize(), word.upper())
}
"""What looks like a word and is none."""


class UnusualYaml(Exception):
    """Not for this reader."""


def load(content: str) -> dict[str, Any]:
    """The values of front matter that is a mapping, as JSON has them; dates in ISO form."""
    if "\t" in content or _UNUSUAL.search(content):
        raise UnusualYaml
    reader = _Reader(_lines(content), ends_in_line="\n" not in content[-1:])
    if reader.lines[0][0]:
        raise UnusualYaml
    values = reader.mapping(0)
    if reader.at < len(reader.lines) - 1:
        raise UnusualYaml
    return values


def _lines(content: str) -> list[Line]:
    """The lines that say something, and one that ends everything."""
    lines: list[Line] = []
    follows_gap = False
    has_text = ">" in content or "|" in content
    for line in content.split("\n"):
        text = line.lstrip(" ")
        if not text or text[0] == "#":
            follows_gap = True
            if line and has_text:
                raise UnusualYaml  # it may be part of a text
        else:
            lines.append((len(line) - len(text), text, follows_gap))
            follows_gap = False
    return [*lines, (-1, "", follows_gap)]


class _Reader:
    """A place in the lines."""

    def __init__(self, lines: list[Line], ends_in_line: bool) -> None:
        self.lines = lines
        self.ends_in_line = ends_in_line
        self.at = 0

    def mapping(self, indent: int) -> dict[str, Any]:
        out: dict[str, Any] = {}
        columns, text, _ = self.lines[self.at]
        while columns == indent and (key := _KEY.match(text)) and key[1] not in _CONSTANTS:
            self.at += 1
            value = text[key.end() :].rstrip(" ")
            if not value:
                out[key[1]] = self._below(indent, may_be_level=True)
            elif value in _TEXT:
                out[key[1]] = self._text(indent, value)
            else:
                out[key[1]] = self._scalar(value, indent)
            columns, text, _ = self.lines[self.at]
        if columns > indent or not out:
            raise UnusualYaml
        return out

    def sequence(self, indent: int) -> list[Any]:
        out: list[Any] = []
        columns, text, _ = self.lines[self.at]
        while columns == indent and (text.startswith("- ") or text == "-"):
            inner = text[1:].lstrip(" ")
            column = indent + len(text) - len(inner)
            if not inner:
                self.at += 1
                out.append(self._below(indent, may_be_level=False))
            elif inner.startswith("- ") or _KEY.match(inner):
                if column > MOST_COLUMNS:
                    raise UnusualYaml
                self.lines[self.at] = (column, inner, False)
                out.append(self.sequence(column) if inner[0] == "-" else self.mapping(column))
            else:
                self.at += 1
                out.append(self._scalar(inner.rstrip(" "), indent))
            columns, text, _ = self.lines[self.at]
        if columns > indent:
            raise UnusualYaml
        return out

    def _below(self, indent: int, *, may_be_level: bool) -> Any:
        """What is nested under a line; a list may stand at its key's own level."""
        columns, text, _ = self.lines[self.at]
        is_list = text.startswith("- ") or text == "-"
        if columns > MOST_COLUMNS:
            raise UnusualYaml
        if columns > indent:
            return self.sequence(columns) if is_list else self.mapping(columns)
        return self.sequence(columns) if is_list and may_be_level and columns == indent else None

    def _text(self, indent: int, style: str) -> str:
        """Lines of equal indentation, joined."""
        inner, parts = self.lines[self.at][0], []
        while (line := self.lines[self.at])[0] > indent:
            if line[0] != inner or line[2]:
                raise UnusualYaml
            parts.append(line[1])
            self.at += 1
        if not parts:
            raise UnusualYaml
        between, end = _TEXT[style]
        is_last = self.at == len(self.lines) - 1
        return between.join(parts) + ("" if is_last and self.ends_in_line else end)

    def _scalar(self, value: str, indent: int) -> Any:
        if self.lines[self.at][0] > indent:
            raise UnusualYaml  # it goes on below
        return _plain_value(value)


def _plain_value(value: str) -> Any:
    if _WORDS.match(value):
        if value[-1] == ":":
            raise UnusualYaml
        return _CONSTANTS.get(value, value)
    if _QUOTED.match(value):
        return value[1:-1]
    if number := _NUMBER.match(value):
        return float(value) if number[1] else int(value)
    if _DATE.match(value):
        return _date(value)
    if _DOTTED.match(value):
        return value
    if _FLOW.match(value):
        return [_plain_value(item.strip(" ")) for item in value[1:-1].split(",") if item.strip(" ")]
    raise UnusualYaml


def _date(value: str) -> str:
    try:
        return date.fromisoformat(value).isoformat()
    except ValueError:
        raise UnusualYaml from None
