"""Source code: the text is the source, its blocks are what the grammar of its language sees."""

from __future__ import annotations

import codecs
import re
from functools import cache
from importlib import import_module
from typing import Any

from seamline.parse.code_detect import language_of
from seamline.parse.code_languages import Language
from seamline.parse.code_places import Places
from seamline.parse.code_plain import plain_code
from seamline.parse.code_tree import DEPTH, Tree
from seamline.parse.raw import Parsed, Raw
from seamline.types import Notice

_INSTALL = "pip install 'seamline[code]'"
_LARGEST = 8_000_000
"""Bytes that are given to a grammar: its tree takes thirty times as much memory."""
_ERRORS = 1000
"""Errors that are counted."""
_COOKIE = re.compile(r"\A(?:[^\n]*\n)?[ \t]*#[^\n]*?coding[:=][ \t]*([-\w.]+)")


def parse(raw: Raw) -> Parsed:
    """Source code in any language: by its grammar where there is one, else by blank lines and indentation."""
    text = raw.text
    language = language_of(text, raw.uri)
    if language is None:
        message = "no grammar is known for it: blocks are what stands between blank lines"
        return Parsed(text, plain_code(text), notices=(Notice("no-grammar", message),))
    meta = {"programming_language": language.name}
    parser = _parser(language)
    if parser is None:
        message = f"no grammar for {language.name} is installed, blocks are what stands between blank lines: {_INSTALL}"
        return Parsed(text, plain_code(text), meta=meta, notices=(Notice("no-grammar", message),))
    places = Places(text)
    if len(places.data) > _LARGEST:
        message = (
            f"too large for a grammar ({len(places.data) / 1e6:.1f} MB): blocks are what stands between blank lines"
        )
        return Parsed(text, plain_code(text), meta=meta, notices=(Notice("no-grammar", message),))
    root = parser.parse(places.data).root_node
    tree = Tree(places, language)
    blocks = tree.blocks(root)
    return Parsed(text, blocks, meta=meta, notices=(*_syntax(root, language), *_deep(tree), *_cookie(text, language)))


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
        if node.is_error or node.is_missing:
            lines.append(node.start_point[0] + 1)
        else:
            stack.extend([one for one in reversed(node.children) if one.has_error])
    count = f"{len(lines)}" if len(lines) < _ERRORS else f"at least {_ERRORS}"
    places = "place is" if len(lines) == 1 else "places are"
    message = f"{count} {places} no {language.name} that the grammar knows: blocks there may be wrong, no text is lost"
    return (Notice("syntax", message, f"line {min(lines, default=1)}"),)


def _deep(tree: Tree) -> tuple[Notice, ...]:
    if not tree.deep:
        return ()
    return (Notice("deep", f"what is nested more than {DEPTH} blocks deep is not told apart: {tree.deep} blocks"),)


def _cookie(text: str, language: Language) -> tuple[Notice, ...]:
    """A Python source may name its encoding; one that is not text as it was read is worth a remark."""
    cookie = _COOKIE.match(text) if language.name == "python" else None
    if cookie is None:
        return ()
    try:
        name = codecs.lookup(cookie[1]).name
    except LookupError:
        return (Notice("encoding", f"names an unknown encoding, {cookie[1]}: read as it looked", "line 1"),)
    if name in ("utf-8", "utf-8-sig", "ascii", "iso8859-1", "latin-1") or text.isascii() and "rot" not in name:
        return ()
    return (Notice("encoding", f"names {cookie[1]} as its encoding: check that it was read so", "line 1"),)
