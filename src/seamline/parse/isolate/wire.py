"""What goes over the pipe between a process and its parsers: JSON, and beside it what would be slow as JSON."""

from __future__ import annotations

import json
import struct
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import astuple, fields
from typing import Any

from seamline.anchors import Anchor, Anchors
from seamline.code_outline import CodeOutline, Group, Import, Name, Statement
from seamline.parse.parser_types import ParseInput, ParseLimits, ParseResult
from seamline.recipe.recipe import ParseOptions
from seamline.types import NO_DETAIL, Block, Column, Detail, Dialect, Enclosure, Notice, Span

HEADER = struct.Struct(">QQ")
"""The lengths of the JSON and of the bytes that follow it."""


def write_request(parser: str, seconds: float, raw: ParseInput) -> bytes:
    """A frame that asks to parse a source."""
    said = [parser, seconds, len(raw.data), raw.uri, raw.media_type, astuple(raw.reading), astuple(raw.limits)]
    return write_frame(said, raw.data + raw.text.encode())


def read_request(said: list[Any], beside: bytes) -> tuple[str, float, ParseInput]:
    """The parser, the seconds it has, and the source."""
    parser, seconds, size, uri, media_type, reading, limits = said
    raw = ParseInput(
        beside[:size], beside[size:].decode(), uri, media_type, ParseOptions(*reading), ParseLimits(*limits)
    )
    return parser, seconds, raw


def write_frame(said: list[Any], beside: bytes = b"") -> bytes:
    head = json.dumps(said, separators=(",", ":")).encode()
    return HEADER.pack(len(head), len(beside)) + head + beside


def write_answer(parsed: ParseResult) -> bytes:
    """A frame with a parsed document."""
    text = parsed.text.encode()
    places: dict[int, int] = {}
    known: list[Mapping[str, Any]] = []
    runs: list[tuple[int, int, int]] = []
    edges = array("f")
    for run in parsed.anchors or ():
        if id(run.place) not in places:
            places[id(run.place)] = len(known)
            known.append(_without_edges(run.place, edges))
        runs.append((run.start, run.end, places[id(run.place)]))
    said = [
        "parsed",
        len(text),
        [(*block[:5], _write_detail(block.detail) if block.detail else None) for block in parsed.blocks],
        parsed.title,
        dict(parsed.meta),
        None if parsed.anchors is None else [runs, known],
        parsed.removed,
        parsed.notices,
        parsed.confidence,
        None if parsed.code is None else [getattr(parsed.code, one.name) for one in fields(parsed.code)],
    ]
    return write_frame(said, text + edges.tobytes())


_SMALLEST = 32
"""Bytes that a value takes at least where an answer is made: an honest one has no more than memory / 32 of them. An
empty list is three bytes of JSON and 64 of memory, so what is short to send can be long to hold."""


def load_answer(said: bytes, memory: int) -> list[Any]:
    """The JSON of an answer, from a child that could hold `memory` bytes; ValueError where it is none or more."""
    if sum(map(said.count, (b",", b"[", b"{"))) > memory // _SMALLEST:
        raise ValueError(f"it has more than {memory // _SMALLEST:,} values")
    found = json.loads(said)
    if not isinstance(found, list) or not found or not isinstance(found[0], str):
        raise ValueError("it is no answer")
    return found


def read_answer(said: list[Any], beside: bytes) -> ParseResult:
    """The parsed document of such a frame; ValueError, TypeError or LookupError where it is none."""
    _, size, blocks, title, meta, anchors, removed, notices, confidence, code = said
    text = beside[:size].decode()
    edges = array("f")
    edges.frombytes(beside[size:])
    return ParseResult(
        text,
        _read_blocks(blocks, len(text)),
        title,
        meta,
        None if anchors is None else Anchors(_anchors(anchors[0], anchors[1], edges)),
        tuple(Span(*span) for span in removed),
        tuple(Notice(*notice) for notice in notices),
        confidence,
        None if code is None else _outline(code, len(text)),
    )


def _outline(said: list[Any], length: int) -> CodeOutline:
    """The outline of a source, checked: what is in it lies in the text, and indices only go up."""
    language, statements, groups, imports, uses, stores, calls, own, branches, extent = said
    found = CodeOutline(
        language,
        [Statement(*row) for row in statements],
        [Group(*row) for row in groups],
        tuple(Import(start, end, tuple(names), around and tuple(around)) for start, end, names, around in imports),
        [Name(*row) for row in uses],
        [Name(*row) for row in stores],
        [Name(*row) for row in calls],
        [Name(*row) for row in own],
        branches,
        extent,
    )
    places = [*branches, *[at for row in statements for at in row[:4]], *[at for row in groups for at in row[:4]]]
    places += [at for names in (uses, stores, calls, own) for at, _ in names]
    places += [at for one in found.imports for at in (one.start, one.end, *(one.group or ()))]
    if any(type(at) is not int or not -1 <= at <= length for at in places):
        raise ValueError("the outline is outside of the text")
    for firsts, size in (([row[5] for row in statements], len(groups)), ([row[6] for row in groups], len(statements))):
        if any(type(at) is not int for at in firsts) or firsts != sorted(firsts) or (firsts and firsts[-1] > size):
            raise ValueError("the outline is none")
    if any(inner <= index for index, row in enumerate(statements) for inner in _inner(found, index)):
        raise ValueError("a statement is inside itself")
    return found


def _inner(outline: CodeOutline, index: int) -> Iterator[int]:
    """The first statement of each group of a statement."""
    return (outline.groups[group].statements for group in outline.groups_of(index))


def _read_blocks(blocks: list[Any], length: int) -> list[Block]:
    """Blocks that lie in the text and under blocks before them: code in C walks them."""
    for index, block in enumerate(blocks):
        kind, start, end, level, parent, detail = block
        if not (type(kind) is str and type(start) is type(end) is type(level) is type(parent) is int):
            raise TypeError(f"block {index} is none")
        if not (0 <= start <= end <= length and -1 <= parent < index and 0 <= level < 1 << 31):
            raise ValueError(f"block {index} is outside of the text")
        if detail is not None:
            block[5] = _read_detail(detail, length)
    return [Block(*block) for block in blocks]


_TYPES: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("name", "type", "unclosed", "language", "title", "speaker", "caption", "image", "alt"), (str,)),
    **dict.fromkeys(("fenced", "imports", "header", "comment", "doctest", "line_block", "is_flat", "scene"), (bool,)),
    **dict.fromkeys(("pause", "confidence"), (float, int)),
    **dict.fromkeys(("enclosure", "columns", "dialect", "size"), (list,)),
    **dict.fromkeys(("first", "header_end"), (int,)),
}
"""What the fields of a detail are in JSON."""


def _write_detail(detail: Detail) -> dict[str, Any]:
    """The fields of a detail that say something."""
    known = zip(Detail._fields, detail, NO_DETAIL, strict=True)
    return {name: value for name, value, none in known if value != none}


def _read_detail(said: dict[str, Any], length: int) -> Detail:
    if type(said) is not dict or any(type(value) not in _TYPES[name] for name, value in said.items()):
        raise TypeError("a block has no detail")
    if "enclosure" in said:
        said["enclosure"] = start, end, close = Enclosure(*said["enclosure"])
        if not (type(start) is type(end) is int and type(close) is str and 0 <= start <= end <= length):
            raise ValueError("an enclosure is outside of the text")
    if not 0 <= said.get("header_end", 0) <= length:
        raise ValueError("a header ends outside of the text")
    if "columns" in said:
        said["columns"] = tuple([Column(str(name), str(kind)) for name, kind in said["columns"]])
    if "dialect" in said:
        said["dialect"] = Dialect(*map(str, said["dialect"]))
    if "size" in said:
        width, height = said["size"]
        said["size"] = float(width), float(height)
    return Detail(**said)


def _anchors(runs: list[tuple[int, int, int]], places: list[dict[str, Any]], edges: array[float]) -> Iterator[Anchor]:
    at = 0
    for place in places:
        if "edges" in place:
            count = place["edges"]
            place["edges"] = edges[at : at + count]
            at += count
    return (Anchor(start, end, places[index]) for start, end, index in runs)


def _without_edges(place: Mapping[str, Any], edges: array[float]) -> Mapping[str, Any]:
    """A place that says only how many edges it has; they go beside."""
    if "edges" not in place:
        return place
    edges.extend(place["edges"])
    return {**place, "edges": len(place["edges"])}
