"""`seamline forget`: erase documents from an index, with every version of them."""

from __future__ import annotations

import argparse

from seamline.cli.asking import as_text
from seamline.cli.options import HelpFormatter
from seamline.cli.output import DONE, FAILED
from seamline.cli.place import add_place_options, existing, open_place
from seamline.cli.terminal import plural, say

_EPILOG = """\
examples:
  seamline forget docs/contract.md          as `seamline search` names it
  seamline forget a.md b.md --index kb      of a named index

A document that is removed stays citable: its versions are kept. One that is forgotten is erased: its versions, entries
and vectors are deleted and overwritten, the database is rewritten and the search structures are made anew. Citations of
it are unknown afterwards. Cached vectors and answers that no document uses are erased with it. The source file is not
touched: remove it too, or the next `seamline index` brings the document back. Copies of the index, and what a file
system keeps of deleted files, are not reached.
exit codes: 0 done; 1 a document is unknown to this index, or the index cannot be used; 2 usage"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        "forget",
        help="erase documents with all their versions",
        usage="seamline forget [options] DOCUMENT [DOCUMENT ...]",
        description="Erase documents from an index, with every version of them.",
        epilog=_EPILOG,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("documents", nargs="+", metavar="DOCUMENT", help="names of documents in the index")
    parser.add_argument("--quiet", action="store_true", help="only errors")
    add_place_options(parser)
    return parser


def execute(args: argparse.Namespace) -> int:
    names = list(dict.fromkeys(as_text(name, "the document") for name in args.documents))
    with open_place(args, existing(args.index)) as index:
        erased = index.forget(names)
        place = index.url
    for name in names:
        if name not in erased:
            say(f"error: {name}: no such document in {place}: `seamline search --json` shows the names of documents")
    if erased and not args.quiet:
        say(f"erased {plural(len(erased), 'document')} from {place}")
    return DONE if len(erased) == len(names) else FAILED
