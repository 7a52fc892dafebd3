"""What a source imports: each statement, the names it binds, and where they are used."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from seamline.source.braces import BraceLines
from seamline.source.marks import LANGUAGES
from seamline.source.nodes import Outline
from seamline.source.python_lines import PythonLines
from seamline.source.python_names import PythonNames
from seamline.source.python_tokens import TOKEN, Token, bindings
from seamline.types import NO_DETAIL, Document


class Import(NamedTuple):
    """One statement, or one line of a group."""

    start: int
    end: int
    names: tuple[str, ...]
    """What it binds."""
    group: tuple[int, int, int] | None = None
    """Of a line of a group: where `import (` starts and ends, and where its `)` stands."""


class Imports:
    """The imports of one document, and the places that use them."""

    def __init__(self, document: Document, outline: Outline | None) -> None:
        self._document = document
        self.all = tuple(_imports(document, outline))
        self._by_name: dict[str, list[int]] = {}
        for index, one in enumerate(self.all):
            for name in one.names:
                self._by_name.setdefault(name, []).append(index)
        self._uses = self._find(outline) if self.all else []

    def names(self, start: int, end: int) -> tuple[str, ...]:
        """Imported names that a range uses, in order of their first use."""
        low, high = bisect_left(self._uses, (start, "")), bisect_left(self._uses, (end, ""))
        return tuple(dict.fromkeys([name for _, name in self._uses[low:high]]))

    def used(self, start: int, end: int) -> list[Import]:
        """Statements that bind what a range uses, but for those inside it."""
        found = {index for name in self.names(start, end) for index in self._by_name[name]}
        return [one for index in sorted(found) if not start <= (one := self.all[index]).start < end]

    def _find(self, outline: Outline | None) -> list[tuple[int, str]]:
        text = self._document.text
        wanted = frozenset(self._by_name)
        if isinstance(outline, PythonLines):
            return [(start, name) for start, name in PythonNames(text, outline, wanted).used()]
        inside = [(one.start, one.end) for one in self.all]
        starts = [start for start, _ in inside]
        out = []
        for found in _identifiers(self._document.language, wanted).finditer(text):
            at, name = found.start(), found[0]
            if name in wanted and not (at and (text[at - 1] in "._$" or text[at - 1].isalnum())):
                before = bisect_left(starts, at + 1) - 1
                if before < 0 or at >= inside[before][1]:
                    out.append((at, name))
        return out


def _identifiers(language: str, wanted: frozenset[str]) -> re.Pattern[str]:
    rules = LANGUAGES[language]
    names = "|".join([rf"{name.replace('$', '[$]')}(?![\w$])" for name in sorted(wanted)])
    return re.compile(rf"{rules.comments}|{rules.strings}|{names}", re.DOTALL)


def _imports(document: Document, outline: Outline | None) -> Iterator[Import]:
    if isinstance(outline, PythonLines):
        yield from _python(document.text, outline)
    elif isinstance(outline, BraceLines):
        yield from _braces(document, outline)


def _python(text: str, lines: PythonLines) -> Iterator[Import]:
    """Imports of the module, those under `if` and `try` as well; not those of functions and classes."""
    at = 0
    while at < len(lines.lines):
        line = lines.lines[at]
        if line.word.endswith("def") or line.word == "class":
            at = lines.stops[at]
            continue
        at += 1
        if line.word not in ("import", "from") or text.startswith("__future__", line.first + 5):
            continue
        tokens = [Token(one.lastgroup or "", one[0], one.start()) for one in TOKEN.finditer(text, line.first, line.end)]
        names = tuple(bound.text for _, bound in bindings([one for one in tokens if one.kind != "comment"]))
        if names:
            yield Import(line.first, line.end, names)


def _braces(document: Document, outline: BraceLines) -> Iterator[Import]:
    text, read = document.text, _BINDS.get(document.language)
    for block in document.blocks:
        if read is None or block.parent >= 0 or not (block.detail or NO_DETAIL).imports:
            continue
        for node in outline.nodes(block.start, block.end) or ():
            if document.language == "go":
                yield from _go(text, node.code, node.end)
            elif names := tuple(dict.fromkeys(read(text[node.code : node.end]))):
                yield Import(node.code, node.end, names)


# --- the names of each language ------------------------------------------------------------------------------------

_PATH = re.compile(r"(?:import|use)\s+(?:static\s+)?(?:\w*[.\\])*+(\w+)(?:\s+as\s+(\w+))?\s*;?\Z")
_SCRIPT_ALL = re.compile(r"\*\s*as\s+(\w+)")
_SCRIPT_FIRST = re.compile(r"import\s+(?:type\s+)?(?!type\b)([\w$]+)\s*(?:,|from\b|=)")
_SCRIPT_NAMES = re.compile(r"\{([^{}]*)\}")
_SCRIPT_NAME = re.compile(r"(?:type\s+)?([\w$]+)(?:\s+as\s+([\w$]+))?")
_LEAF = re.compile(r"(?<![\w])(\w+)(?:\s+as\s+(\w+))?\s*(?=[,;}]|\Z)")
_SELF = re.compile(r"(\w+)::\{[^{}]*\bself\b")
_SCALA = re.compile(r"(\w+)(?:\s*=>\s*(\w+))?\s*(?=[,}]|\Z)")
_GO_GROUP = re.compile(r"import\s*\(")
_GO_SPEC = re.compile(
    r'(?:^|(?<=[\r\n(;]))[ \t]*((?:import[ \t]+)?(?:(\w+|\.)[ \t]+)?(?:"([^"\r\n]+)"|`([^`\r\n]+)`))', re.MULTILINE
)
_VERSION = re.compile(r"v\d+\Z")


def _by_path(text: str) -> Iterator[str]:
    if found := _PATH.match(text):
        yield found[2] or found[1]


def _script(text: str) -> Iterator[str]:
    clause = text.partition(" from ")[0] if " from " in text else text
    if first := _SCRIPT_FIRST.match(text):
        yield first[1]
    yield from _SCRIPT_ALL.findall(clause)
    for names in _SCRIPT_NAMES.findall(clause if " from " in text or "}" in clause else ""):
        for name, alias in _SCRIPT_NAME.findall(_plain(names)):
            yield alias or name


def _rust(text: str) -> Iterator[str]:
    text = _plain(text)
    for name, alias in _LEAF.findall(text):
        if name != "self" and (alias or name) != "_":
            yield alias or name
    yield from _SELF.findall(text)


def _scala(text: str) -> Iterator[str]:
    for name, alias in _SCALA.findall(text.removeprefix("import")):
        if name != "_":
            yield alias or name


def _plain(text: str) -> str:
    return re.sub(r"//[^\r\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)


def _go(text: str, start: int, end: int) -> Iterator[Import]:
    """Paths, by the names their packages most likely have: the last part, without versions and `go-`."""
    group = _GO_GROUP.match(text, start)
    around = None
    if group:
        close = text.rfind(")", start, end)
        around = (start, group.end(), close)
    for spec in _GO_SPEC.finditer(text, group.end() if group else start, end):
        if spec[2] in ("_", "."):
            continue
        names = (spec[2],) if spec[2] else tuple(_packages(spec[3] or spec[4]))
        yield Import(spec.start(1), spec.end(1), names, around)


def _packages(path: str) -> Iterator[str]:
    parts = [part for part in path.split("/") if part]
    if len(parts) > 1 and _VERSION.match(parts[-1]):
        parts.pop()
    name = re.sub(r"\.v\d+\Z", "", parts[-1]) if parts else path
    yield from dict.fromkeys((name, name.removeprefix("go-"), name.rpartition("-")[2]))


_BINDS: Mapping[str, Callable[[str], Iterator[str]]] = {
    "java": _by_path,
    "kotlin": _by_path,
    "php": _by_path,
    "swift": _by_path,
    "scala": _scala,
    "javascript": _script,
    "typescript": _script,
    "tsx": _script,
    "rust": _rust,
    "go": _by_path,
}
