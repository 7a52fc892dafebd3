"""`seamline export` and `import`: an index as Parquet files or datasets of Lance, and an index of them."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from seamline.cli.options import HelpFormatter, StoreOnce
from seamline.cli.output import DONE
from seamline.cli.place import add_place_options, existing, open_place, place_for
from seamline.cli.terminal import plural, say
from seamline.errors import index_imports

if TYPE_CHECKING:
    from seamline.api.transfer import TransferCounts

_Commands = argparse._SubParsersAction

_EXPORT = """\
examples:
  seamline export backup/                     the nearest index as tables, in a new folder
  seamline export lake/kb --format lance      as datasets of Lance
  seamline export lake/kb --index postgresql://me@host/db?schema=kb

Writes documents.parquet, versions.parquet (texts), chunks.parquet (with vectors) and index.json. Protect them like the
index: they hold the whole text of every version.
exit codes: 0 done, 1 the folder is there already, or the index cannot be used, 2 usage or a package is missing"""

_IMPORT = """\
examples:
  seamline import backup/                     as .seamline in the current folder
  seamline import backup/ --index kb          as the folder kb
  seamline import backup/ --index lance:kb    into another kind of store

Nothing is embedded again, and citations of the other index resolve. Its sources are not followed: name them once with
`seamline index PATH`. Import only what you would open as an index.
exit codes: 0 done, 1 an index is there already, or the tables are damaged, 2 usage or a package is missing"""


def add_export_parser(commands: _Commands[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        "export",
        help="write an index as Parquet or Lance",
        usage="seamline export [options] FOLDER",
        description="Write documents, all their versions, chunks and vectors of an index as Parquet or Lance.",
        epilog=_EXPORT,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("folder", metavar="FOLDER", help="where to; it must not be there yet")
    parser.add_argument("--format", choices=("parquet", "lance"), default="parquet", help="of the tables (parquet)")
    add_place_options(parser)
    return parser


def execute_export(args: argparse.Namespace) -> int:
    with open_place(args, existing(args.index)) as index:
        counts = index.export(args.folder, format=args.format)
    _report(counts, f"of {index.url} are in {args.folder}")
    return DONE


def add_import_parser(commands: _Commands[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        "import",
        help="make an index of exported files",
        usage="seamline import [options] FOLDER",
        description="Make a new index of what `seamline export` wrote.",
        epilog=_IMPORT,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("folder", metavar="FOLDER", help="what `seamline export` made")
    parser.add_argument(
        "--index",
        action=StoreOnce,
        metavar="PLACE",
        help="a new folder, postgresql://USER@HOST/DATABASE?schema=NAME, or lance:FOLDER (.seamline)",
    )
    return parser


def execute_import(args: argparse.Namespace) -> int:
    with index_imports():
        from seamline.api.index import FOLDER
        from seamline.api.transfer import import_index

    place = FOLDER if args.index is None else place_for(args.index, ())
    counts = import_index(Path(args.folder), place)
    _report(counts, f"are in {place}")
    return DONE


def _report(counts: TransferCounts, where: str) -> None:
    parts = (plural(count, name.removesuffix("s")) for name, count in counts._asdict().items())
    say(f"{', '.join(parts)} {where}")
