"""Jupyter notebooks (IPYNB): Markdown cells as they are, code cells as code, what they printed after them.

Pictures that code drew, widgets and pages of HTML have no text: they are counted in a notice.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from seamline.errors import ParserGaveUp
from seamline.parse.builder import DocumentBuilder, Place
from seamline.parse.markdown.blocks import parse_blocks
from seamline.parse.parser_types import ParseInput, ParseResult
from seamline.text.headings import heading_text
from seamline.types import NO_DETAIL, Block, Notice

_LONGEST_OUTPUT = 100_000
"""Characters of one output; the rest is left out with a notice."""
_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_DATA = re.compile(r"(?<=\()data:[^)\s]{200,}(?=\))")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f]")
_LEFT_OUT = {
    "image": ("outputs-drawn", "{:,} pictures that code drew are left out"),
    "other": ("outputs-other", "{:,} outputs of other kinds, such as widgets, are left out"),
    "html": ("outputs-html", "{:,} outputs that are HTML only are left out"),
    "cut": ("outputs-cut", "{:,} long outputs are cut off"),
    "cell": ("cells-damaged", "{:,} cells or outputs cannot be read and are left out"),
    "data": ("pictures-inline", "{:,} pictures inside the text are left out"),
    "surrogates": ("characters-broken", "{:,} cells hold broken characters, which are replaced"),
    "rest": ("text-limit", "{:,} cells after the most characters that may be read are left out"),
}


def parse(raw: ParseInput) -> ParseResult:
    """A notebook."""
    return _Notebook(raw).parse()


class _Notebook:
    """One notebook while it is read."""

    def __init__(self, raw: ParseInput) -> None:
        self._limits = raw.limits
        self._data = _load(raw)
        self._builder = DocumentBuilder()
        self._left_out: Counter[str] = Counter()
        self._title = ""
        about = self._data.get("metadata")
        self._about: Mapping[str, Any] = about if isinstance(about, dict) else {}
        self._language = _language(self._about)

    def parse(self) -> ParseResult:
        for number, cell in enumerate(_cells(self._data), 1):
            if self._builder.length > self._limits.characters:
                self._left_out["rest"] += 1
            elif isinstance(cell, dict):
                self._cell(cell, f"cell[{number}]")
            else:
                self._left_out["cell"] += 1
        text, blocks, anchors = self._builder.finish()
        title = self._about.get("title")
        meta = {"language": self._language} if self._language else {}
        notices = [
            Notice(_LEFT_OUT[what][0], _LEFT_OUT[what][1].format(count))
            for what, count in sorted(self._left_out.items())
            if count
        ]
        if not text:
            notices.append(Notice("no-text", "holds no text"))
        named = self._text(title) if isinstance(title, str) else self._title
        return ParseResult(text, blocks, named, meta, anchors, notices=tuple(notices))

    def _cell(self, cell: Mapping[str, Any], path: str) -> None:
        place = {"paragraph": path}
        kind = cell.get("cell_type")
        source = self._join_source(cell.get("source", cell.get("input", "")))
        if source is None:
            self._left_out["cell"] += 1
        elif kind == "code":
            self._builder.code(source, self._language, place)
            outputs = cell.get("outputs")
            for number, output in enumerate(outputs if isinstance(outputs, list) else [], 1):
                self._output(output, f"{path}/output[{number}]")
        elif kind == "heading":  # of notebooks before version 4
            level = cell.get("level")
            self._builder.heading(level if isinstance(level, int) else 1, source, place)
        elif kind == "raw":
            self._builder.code(source, "", place)
        else:
            self._markdown(source, place)

    def _output(self, output: Any, path: str) -> None:
        place = {"paragraph": path}
        if not isinstance(output, dict):
            self._left_out["cell"] += 1
            return
        kind = output.get("output_type")
        if kind in ("error", "pyerr"):
            trace = self._join_source(output.get("traceback"), "\n")
            said = trace or f"{output.get('ename')}: {output.get('evalue')}"
            self._write_printed(said, place)
        elif kind == "stream":
            self._write_printed(self._join_source(output.get("text")), place)
        else:
            data = output.get("data", output)
            self._write_best(data if isinstance(data, dict) else {}, place)

    def _write_best(self, data: Mapping[str, Any], place: Place) -> None:
        """The best of the forms an output has: Markdown, else text; a picture stands for what names it only."""
        if "text/markdown" in data:
            self._markdown(self._join_source(data["text/markdown"]) or "", place)
        elif any(str(key).startswith("image/") or key in ("png", "jpeg", "svg") for key in data):
            self._left_out["image"] += 1
        elif "text/plain" in data or "text" in data:
            self._write_printed(self._join_source(data.get("text/plain", data.get("text"))), place)
        elif "text/latex" in data:
            self._write_printed(self._join_source(data["text/latex"]), place)
        else:
            self._left_out["html" if "text/html" in data or "html" in data else "other"] += 1

    def _write_printed(self, text: str | None, place: Place) -> None:
        if text is None:
            self._left_out["cell"] += 1
            return
        text = _CONTROL.sub("", _COLOURS.sub("", text))
        self._left_out["cut"] += len(text) > _LONGEST_OUTPUT
        self._builder.code(text[:_LONGEST_OUTPUT], "", place)

    def _markdown(self, source: str, place: Place) -> None:
        source, count = _DATA.subn("", source)
        self._left_out["data"] += count
        source = source.replace("\r\n", "\n").replace("\r", "\n")
        blocks = parse_blocks(source)
        if fence := _missing_fence(blocks):
            source = f"{source.rstrip()}\n{fence}"
            blocks = parse_blocks(source)
        if not self._title:
            self._title = _first_title(source, blocks)
        self._builder.markdown(source, blocks, place)

    def _join_source(self, source: Any, between: str = "") -> str | None:
        """Text that is kept as a string or as its lines; None for anything else."""
        if isinstance(source, list) and all(isinstance(line, str) for line in source):
            source = between.join(source)
        return self._text(source) if isinstance(source, str) else None

    def _text(self, text: str) -> str:
        """Text that can be encoded: halves of characters, which JSON allows, are replaced."""
        try:
            text.encode()
        except UnicodeEncodeError:
            self._left_out["surrogates"] += 1
            return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return text


def _load(raw: ParseInput) -> Mapping[str, Any]:
    try:
        data = json.loads(raw.text)
    except ValueError as error:
        raise ParserGaveUp(f"is no notebook: {error}", raw.uri) from None
    except RecursionError:
        raise ParserGaveUp("nests too deep for a notebook", raw.uri) from None
    if not isinstance(data, dict) or not isinstance(data.get("cells", data.get("worksheets")), list):
        raise ParserGaveUp("is JSON, but no notebook: it has no cells; name it .json", raw.uri)
    return data


def _cells(data: Mapping[str, Any]) -> Iterator[Any]:
    if isinstance(data.get("cells"), list):
        yield from data["cells"]
        return
    for sheet in data["worksheets"]:
        if isinstance(sheet, dict) and isinstance(sheet.get("cells"), list):
            yield from sheet["cells"]


def _language(about: Mapping[str, Any]) -> str:
    """What the code is written in."""
    for group, key in (("language_info", "name"), ("kernelspec", "language")):
        found = about.get(group)
        if isinstance(found, dict) and isinstance(found.get(key), str) and re.fullmatch(r"[\w+#.-]{1,30}", found[key]):
            return str(found[key])
    return ""


def _missing_fence(blocks: list[Block]) -> str:
    """The fence that would close the last block, empty where none is open: a cell ends what it began."""
    return (blocks[-1].detail or NO_DETAIL).unclosed if blocks and blocks[-1].parent < 0 else ""


def _first_title(text: str, blocks: list[Block]) -> str:
    first = next((block for block in blocks if block.kind == "heading"), None)
    return heading_text(text, first) if first is not None and first.level == 1 else ""
