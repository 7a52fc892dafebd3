"""What words of a document can point at: captions with numbers, numbered headings, labels and anchors."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator

from seamline.captions import Label, caption
from seamline.enrich.link_words import form_of
from seamline.headings import heading_text
from seamline.types import Block, Document

_LOOK = 2000
"""Characters of a block that are looked at for a caption."""
_NESTED = 50
"""Blocks before a place that may be around it and are looked at."""
_PICTURE = re.compile(r"\s*(?:!\[|<(?:img|picture|figure|svg)\b)", re.IGNORECASE)
_ALT = re.compile(r"\s*!?\[([^\]\n]{1,300})\]")
_SECTION = re.compile(
    r"(?:(?:section|chapter|abschnitt|kapitel|chapitre)\s|§\s?)?(\d+(?:\.\d+){0,5})[.:)]?\s+\S", re.IGNORECASE
)
_APPENDIX = re.compile(r"(?:appendix|anhang|annexe?)\s+([A-Z]|\d+)\b", re.IGNORECASE)
_TAG = re.compile(r"\\tag\{(\d+(?:\.\d+)*)\}")
_NUMBERED = re.compile(r"\((\d+(?:\.\d+)*)\)\s*(?:\$\$)?\s*\Z")
_LABEL = re.compile(r"\\label\{([^{}\s]{1,100})\}")
_ID = re.compile(r"<\w{1,12}\s(?:[^<>]{0,200}\s)?(?:id|name)=[\"']?([^\"'\s<>]{1,100})")
_HEADING_ID = re.compile(r"\{\s?#([\w:.-]{1,100})[^{}]{0,100}\}\s*\Z")
_RST_TARGET = re.compile(r"\s*\.\. _(`[^`\n]{1,100}`|[^:`\n]{1,100}):\s*\Z")
_RST_NAME = re.compile(r"^[ \t]+:name: ([^\n]{1,100})$", re.MULTILINE)
_NOT_SLUG = re.compile(r"[^\w\- ]")
_SHOWN = {"figure": "figure", "table": "table", "code": "listing", "math": "equation", "heading": "section"}
"""Kinds of blocks -> what is said of them."""


class Targets:
    """Per thing that can be pointed at, the places where it is; several where that is not clear."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.blocks = [block for block in document.blocks if block.kind != "row"]
        self._starts = [block.start for block in self.blocks]
        self.numbered: dict[tuple[str, str], set[int]] = defaultdict(set)
        """By kind and number."""
        self.named: dict[str, set[int]] = defaultdict(set)
        """By label, id or slug."""
        self.labels: dict[int, Label] = {}
        """Captions by the place of what they belong to; their own where that is not known."""
        self.own: set[int] = set()
        """Where the labels of captions start: they point at nothing."""
        self._captions()
        self._headings()
        self._equations()
        self._names()

    def kind_at(self, offset: int, default: str = "section") -> str:
        """What stands at a place: figure, table, listing, equation, section."""
        last = bisect_right(self._starts, offset) - 1
        for at in range(last, max(-1, last - _NESTED), -1):
            block = self.blocks[at]
            name = str((block.attrs or {}).get("name", ""))
            if block.end > offset and (block.kind in _SHOWN or name.rstrip("*") in ("figure", "table")):
                return _SHOWN.get(block.kind) or name.rstrip("*")
            if block.parent < 0:
                break
        return default

    # --- captions -------------------------------------------------------------------------------------------------

    def _captions(self) -> None:
        weak: list[tuple[tuple[str, str], int]] = []
        for index, block in enumerate(self.blocks):
            if block.kind not in ("figure", "paragraph", "item", "quote"):
                continue
            start, label = self._label(block)
            if label is None:
                continue
            self.own.add(start + label.start)
            label = label._replace(start=start + label.start, end=start + label.end)
            if label.continued:
                continue
            key = (label.kind, label.number)
            shown = self._shown(index, label.kind)
            self.labels.setdefault(block.start if shown is None else shown, label)
            if shown is None:
                weak.append((key, block.start))
            else:
                self.numbered[key].add(shown)
        seen = set(self.numbered)
        for key, at in weak:  # a caption whose figure is not seen counts where no other has its number
            if key not in seen:
                self.numbered[key].add(at)

    def _label(self, block: Block) -> tuple[int, Label | None]:
        """The label of a block's caption, and where the text starts in which it was found."""
        text = self.document.text[block.start : min(block.end, block.start + _LOOK)]
        label = caption(text)
        if label is None and (alt := _ALT.match(text)):
            return block.start + alt.start(1), caption(alt[1])
        return block.start, label

    def _shown(self, index: int, kind: str) -> int | None:
        """Where the thing starts that a caption belongs to: the block itself, or a neighbour of its kind."""
        block = self.blocks[index]
        if block.kind == "figure" and kind != "table":
            return block.start
        near = (index + 1, index - 1) if kind == "table" else (index - 1, index + 1)
        for other in near:
            if 0 <= other < len(self.blocks) and self._shows(self.blocks[other], kind):
                return self.blocks[other].start
        return block.start if block.kind == "figure" else None

    def _shows(self, block: Block, kind: str) -> bool:
        if block.kind in ("paragraph", "html", "jsx"):
            return kind == "figure" and _PICTURE.match(self.document.text, block.start, block.end) is not None
        return _SHOWN.get(block.kind) == kind or (kind == "algorithm" and block.kind in ("code", "figure"))

    # --- headings, equations, names -------------------------------------------------------------------------------

    def _headings(self) -> None:
        slugs: Counter[str] = Counter()
        for block in self.blocks:
            if block.kind != "heading":
                continue
            title = heading_text(self.document.text, block)
            if found := _SECTION.match(title):
                self.numbered["section", found[1]].add(block.start)
            if found := _APPENDIX.match(title):
                self.numbered["appendix", found[1].upper()].add(block.start)
            if found := _HEADING_ID.search(self.document.text[block.start : block.end]):
                self.named[found[1]].add(block.start)
            slug = _NOT_SLUG.sub("", title.lower()).replace(" ", "-")
            times = slugs[slug]
            slugs[slug] += 1
            self.named[f"{slug}-{times}" if times else slug].add(block.start)
            self.named[f"title:{title.lower()}"].add(block.start)

    def _equations(self) -> None:
        for block in self.blocks:
            if block.kind == "math":
                text = self.document.text[block.start : block.end]
                found = [*_TAG.finditer(text), *filter(None, [_NUMBERED.search(text)])]
                for one in found:
                    self.numbered["equation", one[1]].add(block.start)

    def _names(self) -> None:
        text, form = self.document.text, form_of(self.document)
        code = [block for block in self.blocks if block.kind == "code"]
        starts = [block.start for block in code]
        for name, at in self._found(text, form):
            index = bisect_right(starts, at) - 1
            if index < 0 or code[index].end <= at:
                self.named[name].add(at)

    def _found(self, text: str, form: str) -> Iterator[tuple[str, int]]:
        if "\\label" in text:
            yield from ((found[1], found.start()) for found in _LABEL.finditer(text))
        if "<" in text and form in ("markdown", "mdx"):
            yield from ((found[1], found.start()) for found in _ID.finditer(text))
        if form == "rst":
            yield from ((found[1].strip().lower(), found.start()) for found in _RST_NAME.finditer(text))
            yield from self._rst_targets()

    def _rst_targets(self) -> Iterator[tuple[str, int]]:
        """Names above a block mean that block."""
        waiting: list[str] = []
        for block in self.blocks:
            found = (
                _RST_TARGET.match(self.document.text[block.start : block.end]) if block.kind == "reference" else None
            )
            if found:
                waiting.append(found[1].strip("`").lower())
            elif waiting:
                yield from ((name, block.start) for name in waiting)
                waiting = []
