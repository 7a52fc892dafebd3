"""`seamline cite`: what a citation said, and what became of it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from seamline.cli.asking import as_text
from seamline.cli.options import HelpFormatter
from seamline.cli.output import DONE, FAILED
from seamline.cli.place import add_place_options, existing, open_place
from seamline.cli.terminal import say, style_for

if TYPE_CHECKING:
    from seamline.api.search import Resolved

_EPILOG = """\
examples:
  seamline cite fc7e2993148ac01f0a63cf73@1        as it was in version 1, and what it is now
  seamline cite fc7e2993148ac01f0a63cf73          the latest version that has it
  seamline search retries --json | jq -r '.hits[].citations[0] | "\\(.id)@\\(.version)"' | xargs seamline cite --json

A citation is current, moved (same text, another place), edited (with what replaced it), deleted, or unknown. Edited
texts are compared word by word: [-gone-] {+new+}.
exit codes: 0 done, whatever became of it; 1 unknown to this index, or the index cannot be used; 2 usage"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        "cite",
        help="resolve a citation, whatever became of it",
        usage="seamline cite [options] ID[@VERSION] [ID[@VERSION] ...]",
        description="Show what a citation said, whether it still holds, and what replaced it.",
        epilog=_EPILOG,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("keys", nargs="+", metavar="ID[@VERSION]", help="as `seamline search` prints it")
    parser.add_argument("--full", action="store_true", help="show long texts whole, edited ones too")
    parser.add_argument("--json", action="store_true", help="one JSON object per citation and line")
    add_place_options(parser)
    return parser


def execute(args: argparse.Namespace) -> int:
    keys = [as_text(key, "the id") for key in args.keys]
    with open_place(args, existing(args.index)) as index:
        found = [index.cite(key) for key in keys]
        place, root = index.url, index.root
        files = [index.file_of(one.cited.doc) if one.cited else None for one in found]
    if args.json:
        _print_json(found, files, str(root))
    else:
        _print(args, [_from_here(one, root) for one in found], place)
    return FAILED if any(one.status == "unknown" for one in found) else DONE


def _from_here(resolved: Resolved, root: Path) -> Resolved:
    from seamline.cli.hits import from_here

    cited = from_here(resolved.cited, root) if resolved.cited else None
    return replace(resolved, cited=cited, now=tuple(from_here(one, root) for one in resolved.now))


def _print_json(found: Sequence[Resolved], files: Sequence[str | None], root: str) -> None:
    from seamline.cli.output import Output, json_line

    rows = [{**one.to_dict(), "root": root, "file": file} for one, file in zip(found, files, strict=True)]
    Output(None).write("".join(map(json_line, rows)))


def _print(args: argparse.Namespace, found: Sequence[Resolved], place: str) -> None:
    from seamline.cli.citations import render
    from seamline.cli.output import print_text

    style = style_for(sys.stdout)
    print_text("\n".join(render(one, style, full=args.full) for one in found if one.cited))
    for one in found:
        if not one.cited:
            say(f"error: {one.explanation} (looked in {place}; --index names another)")
