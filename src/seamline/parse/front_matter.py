"""Front matter: the YAML or TOML block that may open a document, as plain JSON values.

Two rules guard the text. What is not clearly front matter (a thematic break, prose, another break) is none.
Front matter that cannot be read is reported, so that its caller keeps it as text. What `plain_yaml` leaves of YAML is
read by the safe loader, after a look at its events that refuses tags, alias bombs and deep nesting before anything is
built.
"""

from __future__ import annotations

import math
import re
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any, NamedTuple

from seamline.parse import plain_yaml
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
            return plain_yaml.load(content)
        except plain_yaml.Unusual:
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
        return _built(loader(content))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _Broken(error.problem or "invalid", mark.line if mark else None) from None
    except yaml.YAMLError as error:
        raise _Broken(str(error).split("\n")[0]) from None
    except (ValueError, OverflowError) as error:  # such as the date 2024-13-45, which looks like one
        raise _Broken(str(error)) from None


def _built(loader: Any) -> object:
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
