"""`seamline sources`: the files and folders that an index follows."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from seamline.cli.options import HelpFormatter
from seamline.cli.output import DONE, FAILED, Output, json_line, print_text
from seamline.cli.place import add_place_options, display_path, existing, open_place
from seamline.cli.terminal import plural, say, style_for, visible
from seamline.errors import ConfigError

if TYPE_CHECKING:
    from seamline.api.index import FollowedSource, Index

_EPILOG = """\
examples:
  seamline sources                        what `seamline index` keeps up to date, and how
  seamline sources remove notes/          follow it no longer; its documents stay
  seamline sources remove notes/ --prune  ... and are removed
  seamline sources move docs/ manual/     the folder was renamed: follow it, so that citations do

`move` touches no file: rename the folder first. Documents whose text is in the new place are moved, the others removed.
exit codes: 0 done, 1 no such source, some documents failed, or the index cannot be used, 2 usage"""

_ACTIONS = ("list", "remove", "move")


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        "sources",
        help="list, remove or move what an index follows",
        usage="seamline sources [list | remove PATH [PATH ...] | move OLD NEW] [options]",
        description="Show and change the list of files and folders that `seamline index` keeps up to date.",
        epilog=_EPILOG,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("action", nargs="?", choices=_ACTIONS, default="list", help="what to do (list)")
    parser.add_argument("paths", nargs="*", metavar="PATH", help="sources, as they are listed")
    parser.add_argument("--prune", action="store_true", help="remove: the documents as well")
    parser.add_argument("--json", action="store_true", help="list: one JSON object per source and line")
    parser.add_argument("-q", "--quiet", action="store_true", help="only errors")
    add_place_options(parser)
    return parser


def execute(args: argparse.Namespace) -> int:
    wanted = {"list": len(args.paths) == 0, "remove": len(args.paths) > 0, "move": len(args.paths) == 2}
    if not wanted[args.action]:
        expected = {"list": "no PATH", "remove": "at least one PATH", "move": "two: OLD NEW"}[args.action]
        raise ConfigError(f"{args.action}: expected {expected}, got {len(args.paths)}")
    if args.prune and args.action != "remove":
        raise ConfigError("--prune: expected `remove` before it")
    with open_place(args, existing(args.index)) as index:
        if args.action == "remove":
            return _remove(args, index)
        if args.action == "move":
            return _move(args, index)
        return _list(args, index)


def _list(args: argparse.Namespace, index: Index) -> int:
    records = index.sources()
    docs = [head.doc for head in index.documents()]
    rows = [(record, sum(map(record.holds, docs))) for record in records]
    if args.json:
        Output(None).write("".join(_json(index, record, count) for record, count in rows))
        return DONE
    style = style_for(sys.stdout)
    lines = []
    for record, count in rows:
        facts = ", ".join([plural(count, "document"), *_options(record), *_state(index, record)])
        lines.append(
            f"{style.paint(visible(display_path(index.root / record.path)), 'bold')}  {style.paint(facts, 'dim')}\n"
        )
    print_text("".join(lines))
    if not records:
        say(f"{index.url} has no sources yet: `seamline index PATH` adds one")
    return DONE


def _options(record: FollowedSource) -> Iterator[str]:
    yield from (f"--include {visible(glob)}" for glob in record.include)
    yield from (f"--exclude {visible(glob)}" for glob in record.exclude)
    if not record.ignore:
        yield "--no-ignore"
    if record.encoding:
        yield f"--encoding {visible(record.encoding)}"
    if record.media_type:
        yield visible(record.media_type)
    if record.follow_links:
        yield "--follow-links"


def _state(index: Index, record: FollowedSource) -> Iterator[str]:
    if not os.path.lexists(index.root / record.path):
        yield "gone"


def _json(index: Index, record: FollowedSource, documents: int) -> str:
    return json_line(
        {
            "path": record.path,
            "root": str(index.root),
            "file": os.path.abspath(index.root / record.path),
            "exists": os.path.lexists(index.root / record.path),
            "documents": documents,
            "include": list(record.include),
            "exclude": list(record.exclude),
            "base": record.base,
            "ignore": record.ignore,
            "encoding": record.encoding,
            "media_type": record.media_type,
            "follow_links": record.follow_links,
        }
    )


def _remove(args: argparse.Namespace, index: Index) -> int:
    for path in args.paths:
        report = index.remove_source(path, prune=args.prune)
        if not args.quiet:
            docs = f", {plural(report.removed, 'document')} removed" if args.prune else "; its documents stay"
            say(f"{path} is followed no longer{docs}")
    return DONE


def _move(args: argparse.Namespace, index: Index) -> int:
    from seamline.cli.index import IndexProgress, Ran, show

    progress = IndexProgress(wanted=not args.quiet)
    begun = time.monotonic()
    try:
        report = index.move_source(*args.paths, watcher=progress)
    finally:
        progress.clear()
    show(Ran(index, report, time.monotonic() - begun), as_json=args.json, quiet=args.quiet)
    return FAILED if report.failures else DONE
