"""Libraries that read documents of many formats, each asked for the same: words, headings, and where they stand.

Every reader is called as its documentation shows, offline and without models. What it finds is taken from its own
objects and not from an export, so nothing is lost on the way out.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

MEDIA = {".md": "text/markdown", ".html": "text/html"}


class Read(NamedTuple):
    """What a reader makes of one file."""

    text: str
    headings: list[tuple[int, str]] | None
    """Level, by the reader's own numbers, and title; None where they were not asked for."""
    items: int
    """Units of text it hands out."""
    placed: int
    """Units that say where they stand in the source: characters, boxes or a path."""
    places: frozenset[str]
    """What they say."""
    are_titles_markdown: bool = False
    """Whether titles are still as they are written in the source."""


class Reader(NamedTuple):
    name: str
    package: str
    formats: frozenset[str]
    read: Callable[[Path], Read]

    def label(self) -> str:
        return f"{self.name} {version(self.package)}"

    def is_installed(self) -> bool:
        return find_spec(self.package) is not None


# --- seamline --------------------------------------------------------------------------------------------------------


def seamline(path: Path) -> Read:
    from seamline.parse.parser_types import ParseInput, load_parser
    from seamline.text.headings import heading_text

    data = path.read_bytes()
    text = data.decode("utf-8") if path.suffix in MEDIA else ""
    if path.suffix == ".md":
        return _markdown(text, path.name)
    parsed = load_parser({".docx": "docx:parse", ".html": "html:parse", ".pdf": "pdf:parse"}[path.suffix])(
        ParseInput(data, text, path.name)
    )
    headings = [(one.level, heading_text(parsed.text, one)) for one in parsed.blocks if one.kind == "heading"]
    tops = [one for one in parsed.blocks if one.parent < 0]
    runs = [list(parsed.anchors.runs_in(one.start, one.end)) if parsed.anchors else [] for one in tops]
    names = {key for found in runs for run in found for key in run.place}
    told = " ".join(one.message for one in parsed.notices if one.code == "running-text")
    return Read(f"{parsed.text} {told}", headings, len(tops), sum(map(bool, runs)), frozenset(names))


def _markdown(text: str, name: str) -> Read:
    """The text is the source, so each block's span is its place."""
    from seamline.parse import parse_text
    from seamline.text.headings import heading_text

    document = parse_text(text, id=name, media_type="text/markdown")
    headings = [(one.level, heading_text(text, one)) for one in document.blocks if one.kind == "heading"]
    count = len(document.tops)
    return Read(text, headings, count, count, frozenset({"source"}), are_titles_markdown=True)


def shown_title(source: str) -> str:
    """What a browser shows of a title in Markdown."""
    from benchmarks.formats.html import reference

    return "".join(reference(rendered(source)).itertext())


def rendered(text: str) -> str:
    from markdown_it import MarkdownIt

    return str(MarkdownIt("commonmark").enable("table").render(text))


# --- docling ---------------------------------------------------------------------------------------------------------


@cache
def _converter() -> Any:
    from docling.datamodel.base_models import InputFormat  # type: ignore[import-not-found,unused-ignore]
    from docling.document_converter import DocumentConverter  # type: ignore[import-not-found,unused-ignore]

    return DocumentConverter(allowed_formats=[InputFormat.DOCX, InputFormat.HTML, InputFormat.MD])


def docling(path: Path) -> Read:
    """All texts and table cells of its document, those it takes for page furniture too."""
    document = _converter().convert(path).document
    items = [*document.texts, *document.tables]
    cells = [cell.text for one in document.tables for cell in one.data.table_cells]
    headings = list(_docling_headings(document))
    placed = [one for one in items if one.prov]
    text = "\n".join([*(one.text for one in document.texts), *cells])
    return Read(text, headings, len(items), len(placed), frozenset({"page and box"} if placed else ()))


def _docling_headings(document: Any) -> Iterator[tuple[int, str]]:
    """Those of the body; the title in a page's head is furniture there."""
    from docling_core.types.doc import SectionHeaderItem, TitleItem  # type: ignore[import-not-found,attr-defined,unused-ignore]

    for item, _ in document.iterate_items():
        if isinstance(item, SectionHeaderItem | TitleItem):
            yield getattr(item, "level", 0), _docling_text(document, item)


def _docling_text(document: Any, item: Any) -> str:
    """The text of an item, else that of what it holds: a heading with links or bold words is a group."""
    own: str = getattr(item, "text", "")
    return own or " ".join(_docling_text(document, child.resolve(document)) for child in item.children)


# --- unstructured ----------------------------------------------------------------------------------------------------


TAGGER = "en_core_web_sm"
"""The model by which it tells prose from other text. In PDF, and only there, it also tells titles."""


@cache
def has_tagger() -> bool:
    """Whether the model is there; where not, words are cut and sentences ended by rules, and nothing is downloaded.

    Comes before all else of the library, which reports its use to its makers unless told not to.
    """
    for name in ("DO_NOT_TRACK", "SCARF_NO_ANALYTICS", "UNSTRUCTURED_DISABLE_NOTICE"):
        os.environ.setdefault(name, "1")
    import spacy  # type: ignore[import-not-found,unused-ignore]
    from unstructured.nlp import tokenize  # type: ignore[import-not-found,unused-ignore]

    if spacy.util.is_package(TAGGER):
        return True
    rules = spacy.blank("en")
    rules.add_pipe("sentencizer")
    tokenize._get_nlp = lambda: rules  # type: ignore[assignment,unused-ignore]
    print(f"unstructured: {TAGGER} is not installed; its titles in PDF are not measured")
    return False


def unstructured(path: Path) -> Read:
    """Its titles are the headings; a title without a depth counts as one of the first level, as it does there."""
    is_told = has_tagger() or path.suffix != ".pdf"
    elements = _partition(path)
    headings = [(one.metadata.category_depth or 0, one.text) for one in elements if one.category == "Title"]
    placed = [one for one in elements if one.metadata.coordinates is not None]
    text = "\n".join(one.text for one in elements)
    places = frozenset({"box"} if placed else ())
    return Read(text, headings if is_told else None, len(elements), len(placed), places)


def _partition(path: Path) -> list[Any]:
    module = import_module(f"unstructured.partition.{path.suffix[1:]}")
    extra = {"strategy": "fast"} if path.suffix == ".pdf" else {}
    found: list[Any] = getattr(module, f"partition_{path.suffix[1:]}")(filename=str(path), **extra)
    return found


READERS = (
    Reader("seamline", "seamline", frozenset({"docx", "html", "md", "pdf"}), seamline),
    Reader("docling", "docling", frozenset({"docx", "html", "md"}), docling),
    Reader("unstructured", "unstructured", frozenset({"docx", "html", "md", "pdf"}), unstructured),
)
