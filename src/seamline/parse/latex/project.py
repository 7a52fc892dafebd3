r"""LaTeX in several files, and without its comments: one text, and where each of its lines stands.

`\input`, `\include`, `\subfile` and `\import` are replaced by the files they name. Files are gathered before anything
is parsed, from below one folder only; the parser opens none. Comments, `comment` environments and what `\iffalse` hides
go to the end of the text, where no block covers them.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from seamline.anchors import Anchor, Anchors
from seamline.errors import SeamlineError
from seamline.parse.latex.lex import BEGIN, END, HIDDEN, LatexMarks, lex
from seamline.text.lines import line_starts
from seamline.types import Notice, Span

SUFFIXES = (".tex", ".latex", ".ltx", ".tikz", ".pgf")
"""Files that are followed; others are data or styles."""
MOST_PARTS = 500
"""Files that are put into one document, each as often as it is named."""
DEEPEST = 20
"""Files that name each other in a row."""
_BRACED = re.compile(r"\*?[ \t]*(?:\[[^\]\r\n]{0,200}\])?[ \t]*\{[ \t]*([^{}\r\n%]{1,400}?)[ \t]*\}")
_SECOND = re.compile(r"[ \t]*\{[ \t]*([^{}\r\n%]{1,400}?)[ \t]*\}")
_BARE = re.compile(r"[ \t]+([^\s\\{}%]{1,400})")
_FOLDER_FIRST = frozenset(("import", "subimport", "includefrom", "subincludefrom", "inputfrom", "subinputfrom"))
"""Commands that name a folder and then a file in it."""


class PartLink(NamedTuple):
    """A command that names another file, and the file."""

    start: int
    end: int
    name: str


class LatexProject(NamedTuple):
    """The files of a document, gathered."""

    main: str
    files: Mapping[str, str]
    """Their texts, by their paths from the folder of the main one."""
    links: Mapping[str, tuple[PartLink, ...]]
    """Per file, the commands that name others, in order."""
    notices: tuple[Notice, ...] = ()

    @property
    def digest(self) -> bytes:
        """Changes with every file but the main one, whose bytes are known already; empty where there is no other."""
        parts = sorted((name, text) for name, text in self.files.items() if name != self.main)
        if not parts:
            return b""
        return sha256("\0".join(f"{name}\0{text}" for name, text in parts).encode("utf-8", "surrogatepass")).digest()


def single(text: str, name: str = "") -> LatexProject:
    """A document of one file."""
    return LatexProject(name, {name: text}, {})


def gather(text: str, path: Path, root: Path, read: Callable[[Path, str], str]) -> LatexProject:
    """The files that a main file names, and those that they name. `read` gives the text of a file that stands at a real
    path. What is outside of `root`, by its name or by a link, is not read."""
    gatherer = _Gatherer(path, root, read)
    gatherer.run(text)
    return LatexProject(gatherer.main, gatherer.files, gatherer.links, tuple(gatherer.notices))


class _Gatherer:
    def __init__(self, path: Path, root: Path, read: Callable[[Path, str], str]) -> None:
        self.main = path.name
        self.files: dict[str, str] = {}
        self.links: dict[str, tuple[PartLink, ...]] = {}
        self.notices: list[Notice] = []
        self._folder = Path(os.path.abspath(path)).parent
        self._root = os.path.abspath(root)
        self._real_root = os.path.realpath(root)
        self._read = read

    def run(self, text: str) -> None:
        self.files[self.main] = text
        waiting = [self.main]
        while waiting:
            name = waiting.pop()
            links = []
            for command, start, end in lex(self.files[name]).parts:
                link = self._follow(name, command, start, end)
                if link is None:
                    continue
                links.append(link)
                if link.name not in self.files:
                    if len(self.files) > MOST_PARTS:
                        self._tell("latex-parts", f"{MOST_PARTS} files are read, and no more", name, start)
                        return
                    if (part := self._load(link, name)) is None:
                        links.pop()
                        continue
                    self.files[link.name] = part
                    waiting.append(link.name)
            self.links[name] = tuple(links)

    def _follow(self, name: str, command: str, start: int, end: int) -> PartLink | None:
        text = self.files[name]
        found = _BRACED.match(text, end) or (_BARE.match(text, end) if command == "input" else None)
        if found is None or "\\" in found[1] or "\0" in found[1]:
            return None
        wanted, stop = found[1].strip('"'), found.end()
        if command in _FOLDER_FIRST:
            second = _SECOND.match(text, stop)
            if second is None or "\\" in second[1] or "\0" in second[1]:
                return None
            wanted, stop = os.path.join(wanted, second[1]), second.end()
        own = (self._folder / name).parent
        folders = [own, self._folder] if command.endswith("import") else [self._folder, own]
        outside = False
        for folder in folders:
            for spelled in (wanted, f"{wanted}.tex") if wanted.endswith(SUFFIXES) else (f"{wanted}.tex", wanted):
                place = os.path.normpath(os.path.join(folder, spelled))
                if not _is_below(place, self._root):
                    outside = True
                elif place.lower().endswith(SUFFIXES) and os.path.isfile(place):
                    if not _is_below(os.path.realpath(place), self._real_root):
                        outside = True
                        continue
                    return PartLink(start, stop, Path(os.path.relpath(place, self._folder)).as_posix())
        shown = text[start:stop]
        if outside:
            self._tell("latex-outside", f"{shown} leads out of the folder of the document: not read", name, start)
        else:
            self._tell("latex-missing", f"{shown} names no LaTeX file below the folder: not read", name, start)
        return None

    def _load(self, link: PartLink, name: str) -> str | None:
        place = Path(os.path.normpath(self._folder / link.name))
        try:
            return self._read(place, os.path.realpath(place))
        except SeamlineError as error:
            self._tell("latex-missing", f"{link.name} is not read: {error}", name, link.start)
            return None

    def _tell(self, code: str, message: str, name: str, at: int) -> None:
        line = bisect_right(line_starts(self.files[name]), at)
        self.notices.append(Notice(code, message, f"{name}, line {line}" if name != self.main else f"line {line}"))


def _is_below(place: str, root: str) -> bool:
    return place.startswith(root.rstrip(os.sep) + os.sep)


# --- one text -----------------------------------------------------------------------------------------------------


class LatexText(NamedTuple):
    """A project as one text."""

    text: str
    """What is parsed; then what was taken out."""
    end: int
    """Where the part ends that is parsed."""
    removed: tuple[Span, ...]
    """The comments."""
    anchors: Anchors | None
    """Where each line stands; None where the text is the source itself."""
    notices: tuple[Notice, ...]


class _Edit(NamedTuple):
    start: int
    end: int
    link: PartLink | None = None


@dataclass(slots=True)
class _Joiner:
    """Writes the files of a project in the order that a reader of the paper sees them."""

    project: LatexProject
    keeps_comments: bool
    most: int
    """Characters in all."""
    parts: list[str] = field(default_factory=list)
    length: int = 0
    anchors: list[Anchor] = field(default_factory=list)
    comments: list[tuple[str, str, int]] = field(default_factory=list)
    """What was taken out: its text, file and first line."""
    notices: list[Notice] = field(default_factory=list)
    joined: int = 0
    lexed: dict[str, LatexMarks] = field(default_factory=dict)
    starts: dict[str, list[int]] = field(default_factory=dict)

    def add(self, name: str, chain: tuple[str, ...]) -> None:
        text = self.project.files[name]
        if name not in self.lexed:
            self.lexed[name] = lex(text)
            self.starts[name] = line_starts(text)
        at, stop = _typeset(self.lexed[name], len(text)) if chain else (0, len(text))
        for edit in self._edits(name, text):
            if edit.start < at or edit.end > stop:
                continue
            if edit.link is None:
                self._emit(name, text, at, edit.start)
                self.comments.append((text[edit.start : edit.end].strip(), name, self._line(name, edit.start)))
            elif not self._may_join(edit.link, (*chain, name)):
                continue
            else:
                self._emit(name, text, at, edit.start)
                self.joined += 1
                self.add(edit.link.name, (*chain, name))
                if self.parts and not self.parts[-1].endswith(("\n", "\r")):
                    self.parts.append("\n")
                    self.length += 1
            at = edit.end
        self._emit(name, text, at, stop)

    def _may_join(self, link: PartLink, chain: tuple[str, ...]) -> bool:
        where = f"{chain[-1]}, line {self._line(chain[-1], link.start)}"
        if link.name in chain:
            what = f"{link.name} is named by a file that it names itself: not read again"
            self.notices.append(Notice("latex-cycle", what, where))
            return False
        if self.joined >= MOST_PARTS or len(chain) > DEEPEST or self.length > self.most:
            self.notices.append(
                Notice("latex-parts", f"{link.name} is not read: the document has too many parts", where)
            )
            return False
        return True

    def _line(self, name: str, at: int) -> int:
        return bisect_right(self.starts[name], at)

    def _emit(self, name: str, text: str, start: int, end: int) -> None:
        if start >= end:
            return
        starts = self.starts[name]
        number = self._line(name, start)
        at = start
        while at < end:
            stop = min(starts[number] if number < len(starts) else len(text), end)
            if not text[at:stop].isspace():
                base = self.length - start
                self.anchors.append(Anchor(base + at, base + stop, self._place(name, number)))
            at, number = stop, number + 1
        self.parts.append(text[start:end])
        self.length += end - start

    def _place(self, name: str, first: int, last: int = 0) -> dict[str, object]:
        lines = [first, max(first, last)]
        return {"part": name, "lines": lines} if self.project.links.get(self.project.main) else {"lines": lines}

    def _edits(self, name: str, text: str) -> list[_Edit]:
        links = [_Edit(link.start, link.end, link) for link in self.project.links.get(name, ())]
        if self.keeps_comments:
            return links
        lexed = self.lexed[name]
        hidden = [(mark.start, mark.end) for mark in lexed.marks if mark.kind == HIDDEN]
        spans = [_comment_span(text, start, end) for start, end in (*lexed.comments, *hidden)]
        return sorted((*links, *(_Edit(*span) for span in spans if span is not None)), key=lambda one: one.start)

    def finish(self) -> LatexText:
        text = "".join(self.parts)
        if not self.comments and not self.joined:
            return LatexText(text, len(text), (), None, tuple(self.notices))
        kept = len(text.rstrip())
        gap = "\n\n" if kept else ""
        out, length, removed = [text[:kept], gap], kept + len(gap), []
        for comment, name, line in self.comments:
            size = len(comment)
            removed.append(Span(length, length + size))
            last = line + len(line_starts(comment)) - 1
            self.anchors.append(Anchor(length, length + size, self._place(name, line, last)))
            out += [comment, "\n"]
            length += size + 1
        whole = "".join(out) if self.comments else text
        end = kept if self.comments else len(text)
        return LatexText(whole, end, tuple(removed), Anchors(self.anchors), tuple(self.notices))


def join(project: LatexProject, *, keeps_comments: bool, most: int) -> LatexText:
    """The text of a project, with its parts where they are named."""
    joiner = _Joiner(project, keeps_comments, most)
    joiner.add(project.main, ())
    return joiner.finish()


def _comment_span(text: str, start: int, end: int) -> tuple[int, int] | None:
    """What goes with a comment: its line where nothing else is on it, else the blanks before it. A bare `%` that ends a
    line is no comment: it keeps two lines together."""
    first = start
    while first > 0 and text[first - 1] in " \t":
        first -= 1
    last = end
    while last < len(text) and text[last] in " \t":
        last += 1
    alone = (first == 0 or text[first - 1] in "\r\n") and (last == len(text) or text[last] in "\r\n")
    if alone:
        if text.startswith("\r\n", last):
            return first, last + 2
        return first, min(last + 1, len(text))
    if text[start] == "%" and not text[start:end].strip("% \t"):
        return None
    return first, end


def _typeset(lexed: LatexMarks, length: int) -> tuple[int, int]:
    """What of a part is put into another file: all of it, or what its own `document` environment holds."""
    begin = next((mark.end for mark in lexed.marks if mark.kind == BEGIN and mark.name == "document"), 0)
    if not begin:
        return 0, length
    ends = (mark.start for mark in lexed.marks if mark.kind == END and mark.name == "document")
    return begin, next(ends, length)


# --- files that are parts of others -------------------------------------------------------------------------------


def find_parts(paths: Sequence[str], gather_at: Callable[[str], LatexProject | None]) -> dict[str, str]:
    """Of files by their absolute paths, those that are parts of another of them: path of the part -> of that one. Files
    that name only each other are parts of none; what cannot be read is told when it is read for good."""
    if len(paths) < 2:
        return {}
    known = set(paths)
    named: dict[str, set[str]] = {}
    for path in paths:
        with suppress(SeamlineError, MemoryError):
            project = gather_at(path)
            folder = os.path.dirname(path)
            files = project.files if project is not None else ()
            named[path] = {os.path.normpath(os.path.join(folder, name)) for name in files} & known - {path}
    parts = set().union(*named.values())
    return {part: top for top in paths if top not in parts for part in sorted(named.get(top, ()))}
