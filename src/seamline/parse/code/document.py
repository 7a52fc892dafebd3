"""Source code: the text is the source, its blocks are what the grammar of its language sees.

Source code without a grammar: blocks between blank lines, as far as indentation lets them end.
"""

from __future__ import annotations

import codecs
import re
from functools import cache
from importlib import import_module
from typing import Any

from seamline.code_outline import CodeOutline
from seamline.parse.code.detect import language_of
from seamline.parse.code.guard import parse_within, refuse_bomb, refused
from seamline.parse.code.languages import Language
from seamline.parse.code.names import NameReader
from seamline.parse.code.places import Places
from seamline.parse.code.statements import READ, StatementReader
from seamline.parse.code.tree import DEPTH, Tree
from seamline.parse.parser_types import ParseInput, ParseResult
from seamline.parse.xml import outside_doctype
from seamline.runtime import gc_paused
from seamline.types import Block, Notice

_INSTALL = "pip install 'seamline[code]'"
_ERRORS = 1000
"""Errors that are counted."""
_COOKIE = re.compile(r"\A(?:[^\n]*\n)?[ \t]*#[^\n]*?coding[:=][ \t]*([-\w.]+)")
_OBJECT = re.compile(r"!!?(?:python|ruby|java[\w.]*|perl|php)/")
"""How YAML asks for an object of a program."""
_READ_ALIKE = frozenset(("utf-8", "utf-8-sig", "ascii"))


def parse(raw: ParseInput) -> ParseResult:
    """Source code in any language: by its grammar where there is one, else by blank lines and indentation."""
    language = language_of(raw.text, raw.uri, raw.media_type)
    if language is None:
        return _plain(raw.text, "its language is not known, or has no grammar here")
    parser = _parser(language)
    if parser is None:
        return _plain(raw.text, f"the grammar of {language.name} is not installed ({_INSTALL})", language)
    refuse_bomb(language.name, raw)
    places = Places(raw.text)
    if why := refused(language.name, places.data):
        return _plain(raw.text, why, language)
    with gc_paused():  # the nodes are gone before it ends, so that the collector never looks through them
        return _read_tree(raw, places, parser, language)


def _read_tree(raw: ParseInput, places: Places, parser: Any, language: Language) -> ParseResult:
    syntax = parse_within(parser, places.data)
    if syntax is None:
        return _plain(raw.text, f"the grammar of {language.name} took too long over it and was stopped", language)
    root = syntax.root_node
    tree = Tree(places, language)
    blocks = tree.blocks(root)
    notices = (*_syntax(root, language), *_deep(tree), *_cookie(raw.text, language), *_outside(raw.text, language))
    outline = _outline(root, places, parser, language, raw.reading.outline)
    return ParseResult(raw.text, blocks, meta=_meta(language), notices=notices, code=outline)


def _outline(root: Any, places: Places, parser: Any, language: Language, extent: str) -> CodeOutline:
    """What is told of the statements and names of a source."""
    if extent == "none":
        return CodeOutline(language.name, extent=extent)
    names = NameReader(places, language)
    names.bind(root)
    if extent == "all":
        names.call(root, parser.language)
    statements, groups = StatementReader(places, language).read(root) if language.name in READ else ([], [])
    return CodeOutline(
        language.name,
        statements,
        groups,
        tuple(names.imports),
        names.uses,
        names.stores,
        names.calls,
        names.own,
        names.branches,
        extent,
    )


def parse_without_grammar(raw: ParseInput, why: str) -> ParseResult:
    """Source code whose grammar gave up."""
    return _plain(raw.text, why, language_of(raw.text, raw.uri, raw.media_type))


def _plain(text: str, why: str, language: Language | None = None) -> ParseResult:
    """Without a grammar."""
    message = f"read without a grammar: {why}; blocks are what stands between blank lines"
    outline = CodeOutline(language.name) if language else None
    notices = (Notice("no-grammar", message),)
    return ParseResult(text, plain_code(text), meta=_meta(language), notices=notices, code=outline)


def _meta(language: Language | None) -> dict[str, Any]:
    return {"programming_language": language.name} if language else {}


@cache
def _parser(language: Language) -> Any:
    """The parser of a language; None where its grammar is not installed."""
    try:
        import tree_sitter

        package = import_module(language.package)
    except ModuleNotFoundError:
        return None
    return tree_sitter.Parser(tree_sitter.Language(getattr(package, language.grammar)()))


def _syntax(root: Any, language: Language) -> tuple[Notice, ...]:
    """How many places the grammar cannot read, and where the first is."""
    if not root.has_error:
        return ()
    lines: list[int] = []
    stack = [root]
    while stack and len(lines) < _ERRORS:
        node = stack.pop()
        wrong = [] if node.is_error else [one for one in reversed(node.children) if one.has_error or one.is_missing]
        stack.extend(wrong)
        if not wrong:
            lines.append(node.start_point[0] + 1)
    count = f"{len(lines)}" if len(lines) < _ERRORS else f"at least {_ERRORS}"
    places = "place is" if len(lines) == 1 else "places are"
    message = f"{count} {places} no {language.name} that the grammar knows: blocks there may be wrong, no text is lost"
    return (Notice("syntax", message, f"line {min(lines, default=1)}"),)


def _outside(text: str, language: Language) -> tuple[Notice, ...]:
    """What a document asks for that is never done."""
    if language.name == "xml" and (name := outside_doctype(text)):
        return (Notice("doctype-outside", f"names a document type in another file, {name}, which is never read"),)
    if language.name == "yaml" and (count := len(_OBJECT.findall(text))):
        return (Notice("yaml-objects", f"asks for {count:,} objects of a program, which are never made: read as text"),)
    return ()


def _deep(tree: Tree) -> tuple[Notice, ...]:
    if not tree.deep:
        return ()
    return (Notice("deep", f"nested more than {DEPTH} blocks deep: what is inside is told apart by lines alone"),)


def _cookie(text: str, language: Language) -> tuple[Notice, ...]:
    """A Python source may name its encoding; one that it was hardly read in is worth a remark."""
    cookie = _COOKIE.match(text) if language.name == "python" else None
    if cookie is None:
        return ()
    try:
        is_alike = "a\n".encode(cookie[1]) == b"a\n"
        name = codecs.lookup(cookie[1]).name
    except (LookupError, ValueError):
        return (Notice("encoding", f"names an encoding that is not known, {cookie[1]}: read as it looked"),)
    if name in _READ_ALIKE or (is_alike and text.isascii()):
        return ()
    return (Notice("encoding", f"names {cookie[1]} as its encoding: check that it was read so"),)


_LINE = re.compile(r"(?:\A|(?<=[\r\n]))(?=[^\s)\]}])")
"""The start of a line that is not indented and closes nothing."""


def plain_code(text: str) -> list[Block]:
    """Blocks of code: a new one starts after a blank line, where the indentation ends too."""
    starts = [0]
    for line in _LINE.finditer(text):
        at = line.start()
        end = _trimmed(text, starts[-1], at)
        if end > starts[-1] and (text.count("\n", end, at) or text.count("\r", end, at)) > 1:
            starts.append(at)
    bounds = zip(starts, [*starts[1:], len(text)], strict=True)
    return [block for start, end in bounds if (block := _block(text, start, end))]


def _block(text: str, start: int, end: int) -> Block | None:
    end = _trimmed(text, start, end)
    while start < end and text[start] in "\r\n\ufeff":
        start += 1
    return Block("code", start, end) if start < end else None


def _trimmed(text: str, start: int, end: int) -> int:
    while end > start and text[end - 1].isspace():
        end -= 1
    return end
