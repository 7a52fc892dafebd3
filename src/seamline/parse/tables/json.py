"""JSON and JSON lines: a row for each record of an array, a block for each key of an object. The text is the source.

Values are decoded only to find where they end and what they are. The decoder of the standard library recurses, so texts
that nest too deep are told apart before. Of large texts the ends are found by counting brackets, as decoded values take
ten times the memory of the text.
"""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import accumulate
from json import JSONDecodeError, JSONDecoder
from typing import Any, NamedTuple

from seamline.anchors import RecordAnchors
from seamline.parse.parser_types import ParseInput, ParseResult
from seamline.runtime import gc_paused
from seamline.text.lines import trimmed
from seamline.text.values import MOST, common, name_columns, sample, type_of
from seamline.types import Block, Column, Detail, Enclosure, Notice

_LARGE = 400
"""Characters above which a value inside an object is shown by its own parts."""
_DEPTH = 6
"""Levels of objects whose keys are blocks."""
_LONG_RECORD = 100_000
"""Characters of a record that is not looked at for the types of columns."""
_CLOSE = {"[": "]", "{": "}"}
_HALF = re.compile(r"\\u[dD](?:[89aAbB]..(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89aAbB]..\\u[dD])[c-fC-F])")
_LINE = re.compile(r"[^\n]+")
_TYPES = {bool: "boolean", int: "integer", float: "number", list: "array", dict: "object", type(None): "null"}


def parse(raw: ParseInput) -> ParseResult:
    """A JSON text."""
    text = raw.text
    reader = JsonReader(text)
    start = reader.skip(1 if text.startswith("\ufeff") else 0)
    if start == len(text):
        return ParseResult(text, [], notices=(_EMPTY,))
    if nesting_depth(text) > raw.limits.depth:
        message = f"brackets nest deeper than {raw.limits.depth} levels: kept as text, without structure"
        return ParseResult(text, [_code(text, start, len(text))], notices=(Notice("json-deep", message),))
    made = _Maker(text, reader)
    with gc_paused():
        made.document(start)
    anchors = RecordAnchors(made.records, range(1, len(made.records) + 1)) if made.records else None
    return ParseResult(text, made.blocks, anchors=anchors, notices=(*made.notices, *_remarks(text, reader)))


def parse_lines(raw: ParseInput) -> ParseResult:
    """JSON lines: one record on each line; only LF and CR LF end a line."""
    text = raw.text
    reader = JsonReader(text)
    with gc_paused():
        rows, bad = _lines(reader, raw.limits.depth)
    if not rows:
        return ParseResult(text, [], notices=(_EMPTY,))
    detail = Detail(header_end=rows[0].start, columns=_columns(reader, [row.span for row in rows]))
    table = Block("table", rows[0].start, rows[-1].end, 0, -1, detail)
    notices = (*_bad_lines(text, bad, len(rows)), *_remarks(text, reader))
    return ParseResult(text, [table, *rows], anchors=RecordAnchors(rows, range(1, len(rows) + 1)), notices=notices)


def _lines(reader: JsonReader, depth: int) -> tuple[list[Block], list[int]]:
    """A row for each line, and where those start that are no JSON."""
    text = reader.text
    rows: list[Block] = []
    bad: list[int] = []
    for found in _LINE.finditer(text):
        start, end = found.span()
        end = trimmed(text, start, end)
        start += start == 0 and text.startswith("\ufeff")
        if end <= start:
            continue
        if not _is_record(reader, start, end, depth):
            bad.append(start)
        rows.append(Block("row", start, end, 0, 0))
    return rows, bad


_EMPTY = Notice("table-empty", "there is no value in it")


def _is_record(reader: JsonReader, start: int, end: int, depth: int) -> bool:
    """Whether a line is one whole value."""
    text = reader.text
    if text.count("[", start, end) + text.count("{", start, end) > depth and nesting_depth(text[start:end]) > depth:
        return False
    return not isinstance(reader.whole(start, end), BrokenJson)


def _bad_lines(text: str, bad: Sequence[int], total: int) -> Iterable[Notice]:
    if bad:
        message = f"{len(bad)} of {total} lines are no JSON: kept as text"
        yield Notice("json-line-broken", message, f"line {_line(text, bad[0])}")


def _remarks(text: str, reader: JsonReader) -> Iterable[Notice]:
    """What other readers of JSON would stumble over."""
    if reader.constants:
        yield Notice(
            "json-constant", f"holds NaN or Infinity {reader.constants} times, which are no JSON: kept as written"
        )
    if (half := _HALF.search(text)) is not None:
        message = "an escape stands for half a character, which is no text: kept as written"
        yield Notice("json-half-character", message, f"line {_line(text, half.start())}")


def _line(text: str, at: int) -> int:
    """The number of a line; only LF ends one, as of JSON lines."""
    return text.count("\n", 0, at) + 1


def _code(text: str, start: int, end: int, parent: int = -1) -> Block:
    return Block("code", start, trimmed(text, start, end), 0, parent)


class _Maker:
    """Makes the blocks of one text."""

    def __init__(self, text: str, reader: JsonReader) -> None:
        self.text = text
        self.reader = reader
        self.blocks: list[Block] = []
        self.records: Sequence[Block] = ()
        self.notices: list[Notice] = []

    def document(self, start: int) -> None:
        """The value of the text, and what stands after it."""
        opening = self.text[start]
        end = start
        if opening in _CLOSE:
            found = self.reader.contents(start)
            if found.broken:
                self._note("json-broken", found.broken)
            if found.members:
                (self._records if opening == "[" else self._keys)(start, found)
                end = found.end
            elif not found.broken:
                self.blocks.append(_code(self.text, start, found.end))
                end = found.end
        else:
            value, end = self.reader.decode(start)
            if isinstance(value, BrokenJson):
                self._note("json-broken", value)
            else:
                self.blocks.append(Block("paragraph" if opening == '"' else "code", start, end))
        self._rest(self.reader.skip(end), has_value=end > start)

    def _rest(self, start: int, *, has_value: bool) -> None:
        """What is no part of the value, kept as text."""
        if start < len(self.text) and not self.text[start:].isspace():
            self.blocks.append(_code(self.text, start, len(self.text)))
            if has_value and not self.notices:
                self._note("json-trailing", BrokenJson(start, "text after the end of the value"))

    def _note(self, code: str, broken: BrokenJson) -> None:
        message = f"{broken.why}: the rest is kept as text, without structure"
        self.notices.append(Notice(code, message, f"line {_line(self.text, broken.at)}"))

    # --- arrays ---------------------------------------------------------------------------------------------------

    def _records(self, start: int, found: JsonContents) -> None:
        """The records of an array that is the whole text."""
        self._rows(start, found.end, start, found.members, -1)
        self.records = self.blocks[1:]

    def _rows(
        self,
        start: int,
        end: int,
        header_end: int,
        members: Sequence[JsonMember],
        parent: int,
        enclosure: Enclosure | None = None,
    ) -> None:
        table = len(self.blocks)
        columns = _columns(self.reader, [member[1:] for member in members])
        detail = Detail(enclosure, header_end=header_end, columns=columns)
        self.blocks.append(Block("table", start, end, 0, parent, detail))
        if header_end > start:
            self.blocks.append(Block("row", start, header_end, 0, table))
        self.blocks += [Block("row", member.start, member.end, 0, table) for member in members]

    # --- objects --------------------------------------------------------------------------------------------------

    def _keys(self, start: int, found: JsonContents) -> None:
        """The keys of an object that is the whole text: inside it where each has its line, else one after another."""
        if self._is_spread(start, found):
            self.blocks.append(self._scope(start, start, found.end, -1))
            self._members(found, 0, 1)
            return
        self._members(found, -1, _DEPTH, start)

    def _members(self, found: JsonContents, parent: int, depth: int, first: int | None = None) -> None:
        """The keys of an object, each with the comma after it, and those of large objects below it.

        Keys that no object is drawn around hold its brackets too: the first starts where the object does.
        """
        text, members = self.text, found.members
        starts = [members[0].start if first is None else first, *(member.start for member in members[1:])]
        ends = [*starts[1:], members[-1].end if first is None else found.end]
        for member, start, until in zip(members, starts, ends, strict=True):
            end = trimmed(text, start, until)
            inner = self._inside(member)
            if inner is None:
                self.blocks.append(Block("code", start, end, 0, parent))
            elif text[member.value] == "{" and depth < _DEPTH and self._is_spread(member.value, inner):
                self.blocks.append(self._scope(start, member.value, end, parent))
                self._members(inner, len(self.blocks) - 1, depth + 1)
            else:
                self._add_enclosed(start, end, member, inner, parent)

    def _inside(self, member: JsonMember) -> JsonContents | None:
        """What a large value holds; None where it is better left whole."""
        if member.end - member.value < _LARGE or self.text[member.value] not in _CLOSE:
            return None
        inner = self.reader.contents(member.value)
        return inner if inner.members and not inner.broken else None

    def _add_enclosed(self, start: int, end: int, member: JsonMember, inner: JsonContents, parent: int) -> None:
        """A key with a row for each part of its value; every piece of it opens with the key."""
        opened = member.value + 1
        enclosure = Enclosure(start, opened, _CLOSE[self.text[member.value]])
        self._rows(start, end, opened, inner.members, parent, enclosure)

    def _scope(self, start: int, value: int, end: int, parent: int) -> Block:
        """An object around its keys; every piece of it opens with its own key."""
        name = self.text[start:value].rstrip().rstrip(":").rstrip().strip('"')
        return Block("scope", start, end, 0, parent, Detail(Enclosure(start, value + 1, "}"), name, "object"))

    def _is_spread(self, start: int, found: JsonContents) -> bool:
        """Whether an object has each key on a line of its own."""
        return "\n" in self.text[start : found.members[0].start]


def _columns(reader: JsonReader, values: Sequence[tuple[int, int]]) -> tuple[Column, ...]:
    """Names and types of what the records hold, by a sample of them."""
    types: dict[str, set[str]] = defaultdict(set)
    for start, end in sample(values):
        if end - start > _LONG_RECORD:
            continue
        value = reader.whole(start, end)
        if isinstance(value, BrokenJson):
            continue
        for name, one in _fields(value):
            types[name].add(type_of(one) if isinstance(one, str) and type_of(one) == "date" else _type(one))
    names = list(types)[:MOST]
    return name_columns(names, [common(types[name]) for name in names])


def _fields(value: Any) -> Iterable[tuple[str, Any]]:
    if isinstance(value, dict):
        return value.items()
    if isinstance(value, list):
        return ((f"column {number}", one) for number, one in enumerate(value, 1))
    return (("value", value),)


def _type(value: Any) -> str:
    return _TYPES.get(type(value), "text")


LARGE = 16_000_000
"""Characters of a text whose nested values are not decoded."""
_PIECE = 1 << 20

_SPACE = re.compile(r"[ \t\r\n]*+")
_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_BRACKETS = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|([\[{])|([\]}])', re.DOTALL)
_STEPS = {**dict.fromkeys(range(256)), ord("["): "\x01", ord("{"): "\x01", ord("]"): "\xff", ord("}"): "\xff"}


class BrokenJson(NamedTuple):
    """Where a text is no JSON any more, and why."""

    at: int
    why: str


class JsonMember(NamedTuple):
    """One value of a container."""

    start: int
    """Of its key; of the value itself in an array."""
    value: int
    end: int


class JsonContents(NamedTuple):
    """What a container holds."""

    members: list[JsonMember]
    end: int
    """After its closing bracket; after the last whole member where it is broken."""
    broken: BrokenJson | None = None


class _BrokenError(Exception):
    def __init__(self, at: int, why: str) -> None:
        self.broken = BrokenJson(at, why)


class JsonReader:
    """Reads values of a text at given places."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.constants = 0
        """How many values were NaN or Infinity, which are no JSON."""
        self._decoder = JSONDecoder(strict=False, parse_constant=self._constant)
        self._tolerant = JSONDecoder(strict=False, parse_constant=self._constant, parse_int=_integer)
        self._is_large = len(text) > LARGE

    def skip(self, at: int) -> int:
        """The first place from `at` on that is no white space."""
        found = _SPACE.match(self.text, at)
        return found.end() if found else at

    def decode(self, at: int) -> tuple[Any, int]:
        """The value at a place and its end; a `BrokenJson` as value where there is none."""
        try:
            return self._decode(self.text, at)
        except _BrokenError as error:
            return error.broken, at

    def whole(self, start: int, end: int) -> Any:
        """The value that fills a span, a `BrokenJson` where none does. Only it is looked at: an error about a text
        counts all its lines, and a text may have as many errors as lines."""
        piece = self.text[start:end].strip(" \t\r\n")
        try:
            value, stop = self._decode(piece, 0)
        except _BrokenError as error:
            return error.broken
        return value if stop == len(piece) else BrokenJson(start + stop, "text after the end of the value")

    def contents(self, at: int) -> JsonContents:
        """The members of the array or object that opens at a place."""
        members: list[JsonMember] = []
        is_object = self.text[at] == "{"
        close = "}" if is_object else "]"
        end = at + 1
        try:
            at = self.skip(end)
            if self.text.startswith(close, at):
                return JsonContents(members, at + 1)
            while True:
                start = at
                if is_object:
                    at = self._key(at)
                member = JsonMember(start, at, self._end(at))
                members.append(member)
                end = member.end
                at = self.skip(end)
                if self.text.startswith(close, at):
                    return JsonContents(members, at + 1)
                if not self.text.startswith(",", at):
                    raise _BrokenError(at, f"expected a comma or {close}")
                at = self.skip(at + 1)
        except _BrokenError as error:
            return JsonContents(members, end, error.broken)

    def _key(self, at: int) -> int:
        """Past a key and its colon, where its value starts."""
        found = _STRING.match(self.text, at)
        if found is None:
            raise _BrokenError(at, "expected a key in quotes")
        at = self.skip(found.end())
        if not self.text.startswith(":", at):
            raise _BrokenError(at, "expected a colon")
        return self.skip(at + 1)

    def _end(self, at: int) -> int:
        if not self._is_large or not self.text.startswith(("[", "{"), at):
            return self._decode(self.text, at)[1]
        depth = 0
        for found in _BRACKETS.finditer(self.text, at):
            depth += (found.lastindex == 1) - (found.lastindex == 2)
            if depth == 0:
                return found.end()
        raise _BrokenError(len(self.text), "a bracket is never closed")

    def _decode(self, text: str, at: int) -> tuple[Any, int]:
        try:
            return self._decoder.raw_decode(text, at)
        except JSONDecodeError as error:
            raise _BrokenError(error.pos, error.msg) from None
        except ValueError:  # an integer of more digits than Python turns into a number
            return self._tolerant.raw_decode(text, at)
        except RecursionError:
            raise _BrokenError(at, "nested too deep") from None

    def _constant(self, name: str) -> None:
        self.constants += 1


def _integer(digits: str) -> int:
    return int(digits) if len(digits) < 1000 else 0


def nesting_depth(text: str) -> int:
    """How deep brackets nest outside strings; nothing recurses."""
    left = _STRING.sub("", text)
    depth = most = 0
    for start in range(0, len(left), _PIECE):
        brackets = re.sub(r"[^\[\]{}]+", "", left[start : start + _PIECE])
        if brackets:
            steps = array("b", brackets.translate(_STEPS).encode("latin-1"))
            levels = list(accumulate(steps, initial=depth))
            most, depth = max(most, *levels), levels[-1]
    return most
