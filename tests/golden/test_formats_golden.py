"""Documents of formats with their own markup, as blocks and as chunks that people read. SEAMLINE_UPDATE_GOLDEN=1 writes
them anew."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import seamline
from seamline.parse import parse_bytes

pytest.importorskip("lxml")
HERE = Path(__file__).parent / "formats"
SOURCES = ("guide.adoc", "guide.org", "rules.rtf", "tides.xml", "manual.xml")


@pytest.mark.parametrize("name", SOURCES)
def test_blocks_and_chunks(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEAMLINE_ISOLATE", "0")
    document = parse_bytes((HERE / name).read_bytes(), uri=name)
    shown = [f"title: {document.title}", *(f"{key}: {value}" for key, value in document.meta.items())]
    shown += [f"notice: {notice.code}: {notice.message}" for notice in document.notices]
    depths: list[int] = []
    for block in document.blocks:
        depths.append(0 if block.parent < 0 else depths[block.parent] + 1)
        words = " ".join(document.text[block.start : block.end].split())
        shown.append(f"{'  ' * depths[-1]}{block.kind} {words[:60]}")
    for chunk in seamline.chunk(document, limit=64):
        place = {
            key: value
            for key, value in document.place_of(chunk.body).items()
            if key in ("lines", "paragraph", "element")
        }
        shown.append(f"=== {place}, {chunk.tokens} tokens, {chunk.breadcrumb or 'top'}")
        shown.append(chunk.text)
    text = "\n".join(shown) + "\n"
    golden = HERE / f"{name}.golden.txt"
    if os.environ.get("SEAMLINE_UPDATE_GOLDEN"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")
