"""What goes over the pipe between a process and its parsers: JSON, and beside it what would be slow as JSON."""

from __future__ import annotations

import json
import struct
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import astuple
from typing import Any

from seamline.anchors import Anchor, Anchors
from seamline.parse.raw import Limits, Parsed, Raw
from seamline.reading import Reading
from seamline.types import Block, Notice, Span

HEADER = struct.Struct(">QQ")
"""The lengths of the JSON and of the bytes that follow it."""


def asked(parser: str, seconds: float, raw: Raw) -> bytes:
    """A frame that asks to parse a source."""
    said = [parser, seconds, len(raw.data), raw.uri, raw.media_type, astuple(raw.reading), astuple(raw.limits)]
    return frame(said, raw.data + raw.text.encode())


def asked_for(said: list[Any], beside: bytes) -> tuple[str, float, Raw]:
    """The parser, the seconds it has, and the source."""
    parser, seconds, size, uri, media_type, reading, limits = said
    raw = Raw(beside[:size], beside[size:].decode(), uri, media_type, Reading(*reading), Limits(*limits))
    return parser, seconds, raw


def frame(said: list[Any], beside: bytes = b"") -> bytes:
    head = json.dumps(said, separators=(",", ":")).encode()
    return HEADER.pack(len(head), len(beside)) + head + beside


def answer(parsed: Parsed) -> bytes:
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
        [(*block[:5], dict(block.attrs) if block.attrs else None) for block in parsed.blocks],
        parsed.title,
        dict(parsed.meta),
        None if parsed.anchors is None else [runs, known],
        parsed.removed,
        parsed.notices,
        parsed.confidence,
    ]
    return frame(said, text + edges.tobytes())


def answered(said: list[Any], beside: bytes) -> Parsed:
    """The parsed document of such a frame."""
    _, size, blocks, title, meta, anchors, removed, notices, confidence = said
    edges = array("f")
    edges.frombytes(beside[size:])
    return Parsed(
        beside[:size].decode(),
        [Block(*block) for block in blocks],
        title,
        meta,
        None if anchors is None else Anchors(_anchors(anchors[0], anchors[1], edges)),
        tuple(Span(*span) for span in removed),
        tuple(Notice(*notice) for notice in notices),
        confidence,
    )


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
