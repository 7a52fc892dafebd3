"""`seamline ls`, `get`, `remove`, `forget`: the documents of an index by name."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from seamline.cli.asking import as_text
from seamline.cli.options import HelpFormatter
from seamline.cli.output import DONE, FAILED, Output, json_line, print_text
from seamline.cli.place import add_place_options, existing, open_place
from seamline.cli.terminal import plural, say, style_for, visible, visible_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from seamline.api.index import Head, Index, Version

_Commands = argparse._SubParsersAction

_LS = """\
examples:
  seamline ls                     all documents, with their chunks
  seamline ls docs/api/           those whose names start so
  seamline ls --removed --json    also those that are gone but can be cited

exit codes: 0 done, 1 no document has such a name, or the index cannot be used, 2 usage"""

_GET = """\
examples:
  seamline get docs/api.md                       the text that is indexed
  seamline get docs/api.md@2                     as it was in version 2
  seamline get docs/api.md --lines 10-40
  seamline get docs/api.md --section Errors      under this heading; "API > Errors" where there are several

Control characters are printed as escapes such as \\x1b where standard output is a terminal.
exit codes: 0 done, 1 no such document, version or section, 2 usage"""

_REMOVE = """\
examples:
  seamline remove docs/old.md          take a document out of the index
  seamline remove a.md b.md --index kb

What was cited of it stays known; `seamline forget` erases it for good. The file is not touched: where a folder that is
indexed still holds it, the next `seamline index` brings it back, unless .seamlineignore or --exclude names it.
exit codes: 0 done, 1 a document is unknown to this index, or the index cannot be used, 2 usage"""

_FORGET = """\
examples:
  seamline forget docs/contract.md          as `seamline search` names it
  seamline forget a.md b.md --index kb      of a named index

A document that is removed stays citable: its versions are kept. One that is forgotten is erased: its versions, entries
and vectors are deleted and overwritten, the database is rewritten and the search structures are made anew. Citations of
it are unknown afterwards. Cached vectors and answers that no document uses are erased with it. The source file is not
touched: remove it too, or the next `seamline index` brings the document back. Copies of the index, and what a file
system keeps of deleted files, are not reached.
exit codes: 0 done; 1 a document is unknown to this index, or the index cannot be used; 2 usage"""


def _parser(commands: _Commands[argparse.ArgumentParser], name: str, **texts: str) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, formatter_class=HelpFormatter, allow_abbrev=False, **texts)  # type: ignore[arg-type]
    return parser  # noqa: RET504 - for the type checker


def add_ls_parser(commands: _Commands[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    parser = _parser(
        commands,
        "ls",
        help="list the documents of an index",
        usage="seamline ls [options] [PREFIX]",
        description="List the documents of an index by name.",
        epilog=_LS,
    )
    parser.add_argument("prefix", nargs="?", default="", metavar="PREFIX", help="only names that start so")
    parser.add_argument("--removed", action="store_true", help="also documents that are gone but can be cited")
    parser.add_argument("--json", action="store_true", help="one JSON object per document and line")
    add_place_options(parser)
    return parser


def execute_ls(args: argparse.Namespace) -> int:
    prefix = as_text(args.prefix, "the prefix")
    with open_place(args, existing(args.index)) as index:
        heads = [head for head in index.heads(prefix) if args.removed or not head.deleted]
        if args.json:
            Output(None).write("".join(_json_head(index, head) for head in heads))
        else:
            print_text("".join(f"{_line(head)}\n" for head in heads))
        if not heads:
            say(
                f"error: no document of {index.url} has a name that starts with {prefix!r}"
                if prefix
                else "no documents"
            )
    return DONE if heads or not prefix else FAILED


def _line(head: Head) -> str:
    style = style_for(sys.stdout)
    state = f"moved to {visible(head.moved_to)}" if head.moved_to else "removed" if head.deleted else ""
    facts = state or f"{plural(head.chunks, 'chunk')}, {plural(head.tokens, 'token')}"
    title = f"  {visible(head.title)}" if head.title else ""
    return f"{style.paint(visible(head.doc), 'bold')}@{head.version}  {style.paint(facts, 'dim')}{title}"


def _json_head(index: Index, head: Head) -> str:
    return json_line(
        {
            "doc": head.doc,
            "version": head.version,
            "title": head.title,
            "chunks": head.chunks,
            "tokens": head.tokens,
            "indexed_at": head.indexed_at.isoformat(),
            "removed": head.deleted,
            "moved_to": head.moved_to,
            "root": str(index.root),
            "file": index.file_of(head.doc),
        }
    )


def add_get_parser(commands: _Commands[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    parser = _parser(
        commands,
        "get",
        help="print a document as it is indexed, or was",
        usage="seamline get [options] DOC[@VERSION]",
        description="Print the text of a document as the index holds it: now, or in an earlier version.",
        epilog=_GET,
    )
    parser.add_argument("document", metavar="DOC[@VERSION]", help="the name of a document, as `seamline ls` lists it")
    part = parser.add_mutually_exclusive_group()
    part.add_argument("--lines", metavar="A-B", help="only these lines, from 1; `10-` and `-20` are open")
    part.add_argument("--section", metavar="HEADING", help="only what stands under this heading")
    parser.add_argument("--json", action="store_true", help="one JSON object with the text and what is known of it")
    add_place_options(parser)
    return parser


def execute_get(args: argparse.Namespace) -> int:
    from seamline.api.passages import find_version, line_range, span_of_lines, span_of_section

    name = as_text(args.document, "the document")
    lines = line_range(args.lines, "--lines") if args.lines is not None else None
    with open_place(args, existing(args.index)) as index:
        version = find_version(index, name, index.url)
        start, end = 0, len(version.text)
        if lines is not None:
            start, end = span_of_lines(version, *lines)
        elif args.section is not None:
            start, end = span_of_section(version, as_text(args.section, "--section"))
        text = version.text[start:end]
        if args.json:
            Output(None).write(_json_version(index, version, text, start, end))
        elif sys.stdout.isatty():
            shown = visible_lines(text)
            print_text(shown if shown.endswith("\n") or not shown else f"{shown}\n")
        else:
            Output(None).write(text)
    return DONE


def _json_version(index: Index, version: Version, text: str, start: int, end: int) -> str:
    return json_line(
        {
            "doc": version.doc,
            "version": version.number,
            "title": version.title,
            "indexed_at": version.indexed_at.isoformat(),
            "root": str(index.root),
            "file": index.file_of(version.doc),
            "start": start,
            "end": end,
            "text": text,
        }
    )


def add_remove_parser(commands: _Commands[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    parser = _parser(
        commands,
        "remove",
        help="take documents out of an index",
        usage="seamline remove [options] DOC [DOC ...]",
        description="Take documents out of an index. What was cited of them stays known.",
        epilog=_REMOVE,
    )
    _add_documents(parser)
    return parser


def execute_remove(args: argparse.Namespace) -> int:
    names = _names(args)
    with open_place(args, existing(args.index)) as index:
        known = {head.doc for head in index.documents()}
        found = [name for name in names if name in known]
        for name in found:
            index.remove(name)
        brought = [name for name in found if index.file_of(name) and any(one.holds(name) for one in index.sources())]
        place = index.url
    if brought and not args.quiet:
        say(
            f"notice: the file of {', '.join(brought[:3])}{' and others' if len(brought) > 3 else ''} is still in an"
            " indexed folder: the next `seamline index` brings it back unless .seamlineignore names it"
        )
    return _conclude(args, names, found, place, "removed")


def add_forget_parser(commands: _Commands[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    parser = _parser(
        commands,
        "forget",
        help="erase documents with all their versions",
        usage="seamline forget [options] DOC [DOC ...]",
        description="Erase documents from an index, with every version of them.",
        epilog=_FORGET,
    )
    _add_documents(parser)
    return parser


def execute_forget(args: argparse.Namespace) -> int:
    names = _names(args)
    with open_place(args, existing(args.index)) as index:
        erased = index.forget(names)
        place = index.url
        if erased and not args.quiet:
            for remark in index.remarks():
                say(f"notice: {remark.message}")
    return _conclude(args, names, erased, place, "erased")


def _add_documents(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("documents", nargs="+", metavar="DOC", help="names of documents in the index")
    parser.add_argument("-q", "--quiet", action="store_true", help="only errors")
    add_place_options(parser)


def _names(args: argparse.Namespace) -> list[str]:
    return list(dict.fromkeys(as_text(name, "the document") for name in args.documents))


def _conclude(args: argparse.Namespace, names: Sequence[str], done: Sequence[str], place: str, word: str) -> int:
    for name in names:
        if name not in done:
            say(f"error: {name}: no such document in {place}: `seamline ls` shows the names of documents")
    if done and not args.quiet:
        say(f"{word} {plural(len(done), 'document')} from {place}")
    return DONE if len(done) == len(names) else FAILED
