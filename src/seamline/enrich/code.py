"""What a chunk of source code defines and needs."""

from __future__ import annotations

from seamline.facts import CodeFacts
from seamline.source import source_of
from seamline.source.symbols import Symbols
from seamline.types import Chunk


def code_facts(chunk: Chunk) -> CodeFacts:
    """Names, imports and complexity of the body of a chunk; what it repeats of others is theirs."""
    source = source_of(chunk.document)
    symbols = source.symbols
    start, end = chunk.body
    held = _held(symbols, start, end)
    defined = symbols.defined(start, end)
    plain = {name.rpartition(".")[2] for name in defined}
    imports = source.imports.names(start, end)
    index, around = (held, symbols.all[held].parent) if held >= 0 else (-1, -1)
    return CodeFacts(
        name=symbols.all[index].name if index >= 0 else "",
        enclosing=symbols.all[around].name if around >= 0 else "",
        type=symbols.all[index].type if index >= 0 else "module",
        symbols=tuple(defined),
        uses=tuple(dict.fromkeys((*imports, *(name for name in symbols.used(start, end) if name not in plain)))),
        imports=imports,
        complexity=symbols.complexity(start, end),
    )


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
