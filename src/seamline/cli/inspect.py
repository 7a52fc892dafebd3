"""`seamline inspect`: what a parser makes of a file: class, tree, where everything stands, and what was noticed."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seamline.api.recipes import Recipe
from seamline.api.sources import File, out_of_memory, parse_bytes, parse_file, read_file
from seamline.cli.options import HelpFormatter, add_media_type, add_size_limit, max_bytes, media_type_of, read_stdin
from seamline.cli.output import DONE, FAILED
from seamline.cli.place import add_place_options, existing, open_place
from seamline.cli.terminal import TerminalStyle, clip, plural, say, style_for, visible
from seamline.errors import ConfigError, SeamlineError

if TYPE_CHECKING:
    from seamline.api.recipes import Classified
    from seamline.types import Block, Document

_INDENT = "  "
_DEEPEST = 12
"""Levels that are drawn by indentation; what is nested deeper stands under these."""
_COLOURS = {"heading": "bold", "code": "cyan", "scope": "cyan", "table": "green", "row": "dim", "figure": "yellow"}

_EPILOG = """\
examples:
  seamline inspect handbook.pdf              class, headings, kinds of blocks, notices
  seamline inspect --blocks handbook.pdf     the whole tree, with the page, line, row or time of every block
  seamline inspect --json notes.docx         the same for programs
  seamline inspect --web handbook.pdf        chunks, gaps and pages in a browser; search too, where there is an index

exit codes: 0 done, 1 some files could not be read, 2 usage or configuration"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        "inspect",
        help="show what a parser makes of a file",
        usage="seamline inspect [options] FILE [FILE ...] | seamline inspect --web [FILE ...]",
        description="Show what files are read as: their class and why, their blocks and where these stand, notices.",
        epilog=_EPILOG,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("paths", nargs="*", metavar="FILE", help="files to read")
    parser.add_argument("--web", action="store_true", help="show how files are cut, and why, on a page of this machine")
    parser.add_argument("--port", type=int, default=0, metavar="N", help="of --web (any that is free)")
    parser.add_argument("--blocks", action="store_true", help="every block, and not only headings")
    parser.add_argument("--json", action="store_true", help="one JSON object per file and line")
    parser.add_argument("--encoding", metavar="NAME", help="of files that are not UTF-8, such as cp1252")
    add_media_type(parser, "read as this format, whatever it is")
    parser.add_argument("--boilerplate", choices=("remove", "keep"), default="remove", help="of web pages (remove)")
    parser.add_argument("--comments", choices=("remove", "keep"), default="remove", help="in LaTeX (remove)")
    parser.add_argument("--ocr", choices=("auto", "on", "off"), default="auto", help="of pages without text (auto)")
    add_size_limit(parser)
    add_place_options(parser)
    return parser


def execute(args: argparse.Namespace) -> int:
    if args.web:
        return _serve_page(args)
    if not args.paths:
        args.parser.error("the following arguments are required: FILE")
    from seamline.api.recipes import classify
    from seamline.cli.output import Output, print_text

    style = style_for(sys.stdout)
    most = max_bytes(args)
    failed = False
    for name in args.paths:
        try:
            document = _read(args, name, most)
        except (SeamlineError, MemoryError) as error:
            say(f"error: {error if isinstance(error, SeamlineError) else out_of_memory(name)}")
            failed = True
            continue
        found = classify(document)
        if args.json:
            from seamline.cli.output import json_line

            Output(None).write(json_line(_record(document, found)))
        else:
            print_text("".join(f"{line}\n" for line in _report(document, found, style, whole=args.blocks)))
    return FAILED if failed else DONE


def _serve_page(args: argparse.Namespace) -> int:
    """The same files on a page, with the nearest index where there is one."""
    from contextlib import ExitStack

    from seamline.errors import needed

    if args.json or args.blocks:
        raise ConfigError("--web shows a page: leave --json and --blocks out")
    with needed("The web inspector", "serve"):
        from seamline.inspector.sources import OpenedSource
        from seamline.inspector.web import serve_page
    most, media_type = max_bytes(args), media_type_of(args)
    sources = [
        OpenedSource(
            Path(name).name,
            read_stdin(most) if name == "-" else read_file(Path(name), max_bytes=most).data,
            media_type,
            args.encoding,
        )
        for name in args.paths
    ]
    with ExitStack() as stack:
        index = stack.enter_context(open_place(args, existing(args.index))) if _has_index(args) else None
        serve_page(sources, index, lambda url: say(f"open {url} (Ctrl-C ends it)"), args.port)
    return DONE


def _has_index(args: argparse.Namespace) -> bool:
    """Whether an index is named, or there is one here."""
    if args.index is not None:
        return True
    try:
        from seamline.api.index import find_index
    except ImportError:  # without the extra `index` there is nothing to open
        return False
    return find_index(Path.cwd()) is not None


def _read(args: argparse.Namespace, name: str, most: int | None) -> Document:
    recipe = Recipe(boilerplate=args.boilerplate, comments=args.comments, ocr=args.ocr)
    media_type = media_type_of(args)
    if name == "-":
        return parse_bytes(read_stdin(most), recipe, media_type=media_type, encoding=args.encoding)
    return parse_file(File(Path(name)), recipe, media_type=media_type, encoding=args.encoding, max_bytes=most)


def _record(document: Document, found: Classified) -> dict[str, Any]:
    return {
        "doc": document.id,
        "media_type": document.source.media_type,
        "sha256": document.source.sha256,
        "title": document.title,
        "class": found.name,
        "reasons": list(found.reasons),
        "confidence": document.confidence,
        "metadata": {key: _plain(value) for key, value in document.front_matter.items()},
        "characters": len(document.text),
        "notices": [notice._asdict() for notice in document.notices],
        "blocks": [
            {
                "kind": block.kind,
                "level": block.level,
                "parent": block.parent,
                "start": block.start,
                "end": block.end,
                **document.place_of(block.span),
            }
            for block in document.blocks
        ],
    }


def _plain(value: Any) -> Any:
    return value if isinstance(value, str | int | float | bool | list | dict | type(None)) else str(value)


def _report(document: Document, found: Classified, style: TerminalStyle, *, whole: bool) -> Iterator[str]:
    counts = Counter(block.kind for block in document.blocks)
    size = f"{plural(len(document.text), 'character')}, {plural(len(document.blocks), 'block')}"
    yield style.paint(visible(document.id), "bold") + style.paint(f"  {document.source.media_type}, {size}", "dim")
    if document.title:
        yield _field("title", document.title, style)
    yield _field("class", f"{found.name} ({'; '.join(found.reasons[:3])})", style)
    for key, value in list(document.front_matter.items())[:8]:
        yield _field(str(key), str(_plain(value)), style)
    if document.confidence < 1:
        yield _field("confidence", f"{document.confidence:.2f}", style)
    yield _field("kinds", ", ".join(f"{count} {kind}" for kind, count in counts.most_common()) or "none", style)
    for notice in document.notices:
        where = f"{notice.where}: " if notice.where else ""
        yield style.paint(f"notice     {visible(where + notice.message)}", "yellow")
    yield ""
    yield from _tree(document, style, whole=whole)


def _field(name: str, value: str, style: TerminalStyle) -> str:
    return style.paint(f"{visible(name)[:10]:<10} ", "dim") + clip(visible(value), style.width - 11)


def _tree(document: Document, style: TerminalStyle, *, whole: bool) -> Iterator[str]:
    """One line for each block: headings by their level, other blocks one step below the heading above them."""
    under = 0
    depths: list[int] = []
    for block in document.blocks:
        if block.parent >= 0:
            depth = depths[block.parent] + 1
        elif block.kind == "heading":
            under = block.level
            depth = block.level - 1
        else:
            depth = under
        depths.append(depth)
        if whole or block.kind == "heading":
            yield _line(document, block, min(depth, _DEEPEST), style)


def _line(document: Document, block: Block, depth: int, style: TerminalStyle) -> str:
    from seamline.api.search import place_text

    kind = f"h{block.level}" if block.kind == "heading" else block.kind
    place = place_text(document.place_of(block.span)).strip()
    text = " ".join(document.text[block.start : block.end][:400].split())
    indent = _INDENT * depth
    room = max(20, style.width - len(indent) - len(kind) - len(place) - 6)
    shown = style.paint(clip(visible(text), room), *([_COLOURS[block.kind]] if block.kind in _COLOURS else []))
    return f"{indent}{style.paint(kind, 'dim')} {shown}  {style.paint(place, 'dim')}".rstrip()
