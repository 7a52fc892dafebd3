"""What a chunk of source code defines and needs; and texts about code: what a file holds, and a function together with
what it calls."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from seamline.code_outline import CodeOutline, between
from seamline.facts import CodeFacts, Derived, holders
from seamline.protocols import Tokenizer
from seamline.recipe.recipe import Recipe
from seamline.types import NO_DETAIL, Chunk, Document, Span


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BUILT_IN = _words(
    "abs all any ascii bin bool bytearray bytes callable chr classmethod complex dict dir divmod"
    " enumerate eval exec filter float format frozenset getattr globals hasattr hash hex id input int"
    " isinstance issubclass iter len list locals map max memoryview min next object oct open ord pow print"
    " property range repr reversed round set setattr slice sorted staticmethod str sum super tuple type"
    " vars zip Exception ValueError TypeError KeyError IndexError AttributeError RuntimeError"
    " NotImplementedError StopIteration OSError NotImplemented Ellipsis __name__ __file__ self cls this"
)
"""Names that say nothing about what code needs."""


class Symbol(NamedTuple):
    """A class, function or the like."""

    start: int
    end: int
    name: str
    """Qualified: `Store.open`."""
    type: str
    parent: int
    """Index of the symbol around it, -1 for none."""
    signature: tuple[int, int]


class Symbols:
    """The symbols of one document, and the names its code speaks of."""

    def __init__(self, document: Document) -> None:
        self.outline = document.code or CodeOutline()
        self.all = list(_symbols(document))
        self._starts = [one.start for one in self.all]

    def around(self, start: int, end: int) -> int:
        """The innermost symbol that holds a range, -1 for none."""
        index = bisect_right(self._starts, start) - 1
        while index >= 0 and self.all[index].end < end:
            index = self.all[index].parent if self.all[index].end > start else index - 1
        return index

    def inside(self, start: int, end: int) -> list[int]:
        """Symbols that start in a range, in order."""
        return list(range(bisect_left(self._starts, start), bisect_left(self._starts, end)))

    def defined(self, start: int, end: int) -> list[str]:
        """Names that a range defines: its symbols, and in Python the variables of modules and classes."""
        found = [(self.all[index].start, self.all[index].name) for index in self.inside(start, end)]
        plain = {name.rpartition(".")[2] for _, name in found}
        found += [one for one in between(self.outline.stores, start, end) if one.text not in plain]
        return list(dict.fromkeys(name for _, name in sorted(found)))

    def used(self, start: int, end: int) -> list[str]:
        """Names that a range speaks of: those Python looks up in the module; elsewhere those that are called."""
        if self.outline.language == "python":
            found = [name for _, name in between(self.outline.uses, start, end)]
        else:
            found = [name for name, _ in self.called(start, end)]
        return [name for name in dict.fromkeys(found) if name not in _BUILT_IN]

    def called(self, start: int, end: int) -> list[tuple[str, bool]]:
        """(name, whether of the same object) of what is called in a range, or spoken of as its own."""
        calls = [(at, name, False) for at, name in between(self.outline.calls, start, end)]
        own = [(at, name, True) for at, name in between(self.outline.own, start, end)]
        return [(name, is_own) for _, name, is_own in sorted(calls + own)]

    def complexity(self, start: int, end: int) -> int:
        """Cyclomatic complexity of a range: one, and one more for every branch."""
        branches = self.outline.branches
        return 1 + bisect_left(branches, end) - bisect_left(branches, start)


def _symbols(document: Document) -> Iterator[Symbol]:
    names: dict[int, tuple[str, int]] = {-1: ("", -1)}
    count = 0
    for index, block in enumerate(document.blocks):
        detail = block.detail or NO_DETAIL
        around = names[block.parent]
        if block.kind != "scope" or detail.name is None:
            names[index] = around
            continue
        name = f"{around[0]}.{detail.name}" if around[0] else detail.name
        names[index] = (name, count)
        start, end = detail.enclosure[:2] if detail.enclosure is not None else (block.start, block.start)
        yield Symbol(block.start, block.end, name, detail.type, around[1], (start, end))
        count += 1


def code_facts(chunk: Chunk, symbols: Symbols | None = None) -> CodeFacts:
    """Names, imports and complexity of the body of a chunk; what it repeats of others is theirs."""
    symbols = symbols or Symbols(chunk.document)
    symbols.outline.check("all")
    start, end = chunk.body
    held = _held(symbols, start, end)
    defined = symbols.defined(start, end)
    plain = {name.rpartition(".")[2] for name in defined}
    imports = symbols.outline.imported_names(start, end)
    index, around = (held, symbols.all[held].parent) if held >= 0 else (-1, -1)
    return CodeFacts(
        name=symbols.all[index].name if index >= 0 else "",
        enclosing=symbols.all[around].name if around >= 0 else "",
        type=symbols.all[index].type if index >= 0 else "module",
        symbols=tuple(defined),
        uses=tuple(dict.fromkeys((*imports, *(name for name in symbols.used(start, end) if name not in plain)))),
        imports=imports,
        complexity=symbols.complexity(start, end),
        signature=_signature(chunk.document, symbols.all[index]) if index >= 0 else "",
        docstring=_docstring(chunk.document, symbols.all[index]) if index >= 0 else "",
        calls=tuple(dict.fromkeys(name for name, _ in symbols.called(start, end) if name not in _BUILT_IN)),
    )


def _signature(document: Document, symbol: Symbol) -> str:
    """On one line, without what opens the body."""
    start, end = symbol.signature
    return " ".join(document.text[start:end].split()).rstrip("{: ")


def _docstring(document: Document, symbol: Symbol) -> str:
    """The first paragraph of the string that a scope begins with, or of the comment right above it."""
    inside = _STRING.match(document.text, symbol.signature[1], symbol.end)
    if inside is not None:
        return " ".join((inside[1] or inside[2] or inside[3] or "").strip().split("\n\n")[0].split())
    above = _ABOVE.search(document.text[max(0, symbol.start - _LOOK_BACK) : symbol.signature[0] or symbol.start])
    if above is None:
        return ""
    lines = [_COMMENT_MARK.sub("", line).removesuffix("*/").strip() for line in above[0].strip().splitlines()]
    said = " ".join("\n".join(lines).strip().split("\n\n")[0].split())
    return said if any(map(str.isalpha, said)) else ""


def _held(symbols: Symbols, start: int, end: int) -> int:
    """The symbol that a chunk is of: the only one it holds, comments above it aside, else the one around it."""
    inside = symbols.inside(start, end)
    around = symbols.around(start, end)
    if around >= 0 and around not in inside:
        tops = [index for index in inside if symbols.all[index].parent == around]
    else:
        tops = [index for index in inside if symbols.all[index].parent not in inside]
    if len(tops) == 1 and symbols.all[tops[0]].end - symbols.all[tops[0]].start > (end - start) // 2:
        return tops[0]
    return around


_LOOK_BACK = 2_000
"""Characters before a scope in which the comment above it is looked for."""
_STRING = re.compile(r"[:\s]*[rRuU]?(?:\"\"\"(.{0,5000}?)\"\"\"|'''(.{0,5000}?)'''|\"([^\"\n]{1,500})\")", re.DOTALL)
_ABOVE = re.compile(r"(?:(?:^|\n)[ \t]*(?:///?!?|/\*\*?|\*|#(?!\[)) ?[^\n]*){1,60}\s*\Z")
_COMMENT_MARK = re.compile(r"^[ \t]*(?:///?!?|/\*\*?|\*/?|#)[ ]?")
_PAGE = 512
"""Tokens of a file summary; what is left goes to another one."""
_FUNCTIONS = frozenset(("function", "method", "macro"))
_DOCSTRING = re.compile(r"[rRuU]?(?:\"\"\"|'''|\"|')\s*+([^\r\n]*?)(?:\"\"\"|'''|\"|')?[ \t]*(?=[\r\n]|\Z)")

Line = tuple[str, tuple[Span, ...]]


def file_summary(document: Document, chunks: Sequence[Chunk], tokenizer: Tokenizer) -> list[Derived]:
    """What a file is for, what it imports and what it declares, by qualified names; in several texts where it has to.

    A file that declares and imports nothing has none.
    """
    symbols = Symbols(document)
    symbols.outline.check("statements")
    head = _head(document, symbols.outline)
    lines = [*_imports(symbols.outline), *_signatures(document, symbols)]
    out: list[Derived] = []
    page: list[Line] = []
    for line in lines:
        if page and tokenizer.count(_text(head, [*page, line])) > _PAGE:
            out.append(_derived(document, chunks, tokenizer, "file-summary", head, page))
            page = []
        page.append(line)
    if page:
        out.append(_derived(document, chunks, tokenizer, "file-summary", head, page))
    return [one for one in out if one.of]


def scopes(document: Document, chunks: Sequence[Chunk], recipe: Recipe, tokenizer: Tokenizer) -> list[Derived]:
    """Every function with the functions of its file that it calls, up to the depth and the limit of the recipe."""
    if not recipe.code.depth:
        return []
    symbols = Symbols(document)
    symbols.outline.check("all")
    known = _Known(symbols)
    out = []
    for index, symbol in enumerate(symbols.all):
        if symbol.type not in _FUNCTIONS:
            continue
        called = known.reached(index, recipe.code.depth)
        if not called:
            continue
        lines = _fitting(document, [symbol, *(symbols.all[one] for one in called)], recipe.budget.limit, tokenizer)
        if len(lines) > 1:
            out.append(_derived(document, chunks, tokenizer, "scope", None, lines))
    return [one for one in out if one.of]


# --- file summaries --------------------------------------------------------------------------------------------------


def _head(document: Document, outline: CodeOutline) -> Line:
    """The name of a file, and the first line of its docstring."""
    name = document.source.uri or document.id
    first = document.blocks[0] if document.blocks else None
    if outline.language != "python" or first is None or not (first.detail or NO_DETAIL).header:
        return name, ()
    said = _DOCSTRING.match(document.text, first.start, first.end)
    if said is None or not said[1]:
        return name, ()
    return f"{name}: {said[1]}", (Span(*said.span(1)),)


def _imports(outline: CodeOutline) -> Iterator[Line]:
    found = outline.imports
    names = list(dict.fromkeys(name for one in found for name in one.names[: 1 if one.group else None]))
    if names:
        yield "imports " + ", ".join(names), tuple(Span(one.start, one.end) for one in found)


def _signatures(document: Document, symbols: Symbols) -> Iterator[Line]:
    for symbol in symbols.all:
        start, end = symbol.signature
        said = _signature(document, symbol)
        own = symbol.name.rpartition(".")[2]
        if symbol.parent >= 0 and symbol.name not in said:
            said = f"{symbol.name}: {said}"
        elif not said:
            said = f"{symbol.type} {own}"
        yield said, (Span(start, end) if start < end else Span(symbol.start, symbol.start + 1),)


# --- a function and what it calls ------------------------------------------------------------------------------------


class _Known:
    """Which symbols of a file call which."""

    def __init__(self, symbols: Symbols) -> None:
        self._symbols = symbols
        self._tops: dict[str, int] = {}
        self._own: dict[tuple[int, str], int] = {}
        for index, symbol in enumerate(symbols.all):
            name = symbol.name.rpartition(".")[2]
            if symbol.parent < 0:
                self._tops.setdefault(name, index)
            else:
                self._own.setdefault((symbol.parent, name), index)

    def reached(self, index: int, depth: int) -> list[int]:
        """What a symbol calls, and what that calls, nearest first."""
        seen = {index: 0}
        waiting = deque([index])
        while waiting:
            here = waiting.popleft()
            if seen[here] == depth:
                continue
            for other in self._called(here):
                if other not in seen:
                    seen[other] = seen[here] + 1
                    waiting.append(other)
        return [one for one in seen if one != index]

    def _called(self, index: int) -> Iterator[int]:
        symbol = self._symbols.all[index]
        for name, is_own in self._symbols.called(symbol.signature[1], symbol.end):
            around = symbol.parent
            found = self._own.get((index, name), -1)
            while found < 0 and around >= 0:
                found = self._own.get((around, name), -1)
                around = self._symbols.all[around].parent
            if found < 0 and not is_own:
                found = self._tops.get(name, -1)
            if found >= 0:
                yield found


def _fitting(document: Document, wanted: Sequence[Symbol], limit: int, tokenizer: Tokenizer) -> list[Line]:
    """Texts of symbols within a limit: whole, or their signatures; the first comes first, the nearest next."""
    out: list[Line] = []
    for symbol in wanted:
        for start, end in ((symbol.start, symbol.end), symbol.signature):
            line = (document.text[start:end].strip("\r\n"), (Span(start, end),))
            if start < end and tokenizer.count(_text(None, [*out, line], "\n\n")) <= limit:
                out.append(line)
                break
    return out


# --- both ------------------------------------------------------------------------------------------------------------


def _text(head: Line | None, lines: Sequence[Line], between: str = "\n") -> str:
    return between.join(text for text, _ in ((head,) if head else ()) + tuple(lines))


def _derived(
    document: Document,
    chunks: Sequence[Chunk],
    tokenizer: Tokenizer,
    kind: str,
    head: Line | None,
    lines: Sequence[Line],
) -> Derived:
    text = _text(head, lines, "\n" if head else "\n\n")
    places = sorted({span for _, spans in ((head,) if head else ()) + tuple(lines) for span in spans})
    return Derived(document, kind, text, tuple(places), holders(chunks, places), tokens=tokenizer.count(text))
