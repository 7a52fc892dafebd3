"""Documentation pages, cut as an index cuts them, and a resolver from links to the chunks they point to."""

from __future__ import annotations

import gzip
import json
import posixpath
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

import markup
from markup import Heading

import seamline

MEDIA = {"md": "text/markdown", "mdx": "text/mdx", "ipynb": "text/markdown", "rst": "text/x-rst"}
LIMIT, TARGET = 256, 240
_NUMBER = re.compile(r"^\d+[-_.]")
_FRONT = re.compile(r"\A\s*---\s*\n.*?\n---\s*\n", re.S)


@dataclass
class Piece:
    """A chunk: the line of its headings and its body, as they are embedded; `start` and `end` place it in the page."""

    path: str
    body: str
    start: int
    end: int


@dataclass
class Page:
    repo: str
    path: str
    kind: str
    text: str
    pieces: list[Piece] = field(default_factory=list)
    headings: list[Heading] = field(default_factory=list)

    @property
    def name(self) -> str:
        return f"{self.repo}:{self.path}"

    def piece_at(self, offset: int) -> int:
        """The chunk that holds this place, or -1."""
        at = bisect_right([piece.start for piece in self.pieces], offset) - 1
        return at if at >= 0 and offset < self.pieces[at].end else -1

    def opening(self, offset: int) -> int:
        """The first chunk with a body of its own from this place on, or -1."""
        at = max(0, bisect_right([piece.start for piece in self.pieces], offset) - 1)
        for near in range(at, min(at + 3, len(self.pieces))):
            if len(self.pieces[near].body) >= 160 and self.pieces[near].end > offset:
                return near
        return -1


def load(file: Path, languages: frozenset[str] = frozenset({"en"}), most: int = 0) -> Iterator[Page]:
    """The pages of a corpus of documents, cut into chunks."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            row = json.loads(line)
            if row["lang"] in languages and (not most or number % most == 0):
                yield read(row["repo"], row["path"], row["format"], row["text"])


def read(repo: str, path: str, kind: str, text: str) -> Page:
    if kind == "sgml":
        text, kind = markup.from_docbook(text), "md"
    elif kind == "xml":
        text, kind = markup.from_nginx(text), "md"
    page = Page(repo, path, kind, text)
    chunks = seamline.chunk(text, target=TARGET, limit=LIMIT, media_type=MEDIA[kind])
    front = _FRONT.match(text)
    for chunk in chunks:
        if front and chunk.end <= front.end():
            continue
        line = chunk.render("embed").partition("\n\n")[0] if chunk.path or chunk.document.title else ""
        line = re.sub(r"\s*\{/?\*?\s*#?[\w.-]+\s*\*?/?\}", "", line)
        body = drop_headings(chunk.text, chunk.path)
        if body.strip():
            page.pieces.append(Piece(line, body, chunk.start, chunk.end))
    page.headings = markup.headings(text, kind)
    return page


def drop_headings(text: str, path: tuple[str, ...]) -> str:
    """A chunk without the headings at its top: the line above it names them already."""
    lines, at = text.split("\n"), 0
    names = {_letters(re.sub(r"\{[^}]*\}", "", name)) for name in path}
    while at < len(lines):
        bare = _letters(re.sub(r"\{[^}]*\}", "", lines[at]))
        underline = bool(re.fullmatch(r"\s*([=\-~^\"'`#*+.])\1{2,}\s*", lines[at]))
        if lines[at].strip() and not underline and bare not in names:
            break
        at += 1
    return "\n".join(lines[at:]).strip("\n")


def _letters(text: str) -> str:
    return re.sub(r"\W+", "", re.sub(r"\]\([^)]*\)", "", text)).lower()


def key(path: str) -> tuple[str, ...]:
    """A path as links name it: no extension, no index file, no numbers before names."""
    parts = [_NUMBER.sub("", part) for part in path.lower().split("/") if part not in ("", ".")]
    if parts:
        parts[-1] = re.sub(r"\.(md|mdx|rst|txt|html?|xml|sgml|ipynb)$", "", re.sub(r"\.md\.erb$", "", parts[-1]))
        if parts[-1] in ("index", "_index", "readme", "overview"):
            parts.pop()
    return tuple(parts)


class Resolver:
    """Where a link of a page leads: the page, and the place in it."""

    def __init__(self, pages: list[Page]) -> None:
        self._full: dict[tuple[str, tuple[str, ...]], Page] = {}
        self._suffix: dict[tuple[str, tuple[str, ...]], set[str]] = defaultdict(set)
        self._labels: dict[tuple[str, str], tuple[Page, int]] = {}
        self._anchors: dict[str, dict[str, int]] = {}
        self._pages = {page.name: page for page in pages}
        for page in pages:
            own = key(page.path)
            self._full[page.repo, own] = page
            for size in range(1, min(6, len(own)) + 1):
                self._suffix[page.repo, own[-size:]].add(page.name)
            self._anchors[page.name] = {name.lower(): h.offset for h in reversed(page.headings) for name in h.anchors}
            if page.kind == "rst" or page.repo.startswith("postgres/"):
                for heading in page.headings:
                    for name in heading.anchors:
                        self._labels.setdefault((page.repo, name.lower()), (page, heading.offset))

    def resolve(self, page: Page, target: str, role: str) -> tuple[Page, int] | None:
        if role == "ref" or (page.repo.startswith("postgres/") and target.startswith("#")):
            return self._labels.get((page.repo, target.lstrip("#").lower()))
        target = re.sub(r"\{\{[^}]*\}\}/?", "", unquote(target))
        url = urlsplit(target) if "://" in target else None
        if url:
            words = [word for word in re.split(r"\W", page.repo.lower()) if len(word) > 3]
            if not any(word[:6] in url.netloc for word in words):
                return None
            target = (
                "/"
                + re.sub(r"^/(en|latest|stable|docs/latest|en-us|main|current)(?=/)", "", url.path)
                + (f"#{url.fragment}" if url.fragment else "")
            )
        if target.startswith(("mailto:", "xref:")):
            return None
        address, _, anchor = target.partition("#")
        address = address.partition("?")[0]
        found = page if not address else self._find(page, address)
        if found is None:
            return None
        if not anchor:
            return (found, 0) if found is not page else None
        offset = self._anchors[found.name].get(anchor.lower())
        return None if offset is None else (found, offset)

    def _find(self, page: Page, address: str) -> Page | None:
        folder = posixpath.dirname(page.path)
        if not address.startswith("/"):
            for base in (folder, posixpath.splitext(page.path)[0]):
                found = self._full.get((page.repo, key(posixpath.normpath(posixpath.join(base, address)))))
                if found is not None:
                    return found
        parts = tuple(part for part in key(address) if part != "..")
        for size in range(min(6, len(parts)), 0, -1):
            names = self._suffix.get((page.repo, parts[-size:]), set())
            if len(names) == 1 and (size > 1 or len(parts) == 1):
                return self._pages[next(iter(names))]
            if names:
                return None
        return None
