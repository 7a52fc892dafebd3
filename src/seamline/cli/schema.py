"""`seamline schema`: the JSON Schema of what commands print with --json and `to_dict` returns."""

from __future__ import annotations

import argparse

from seamline.cli.options import HelpFormatter
from seamline.cli.output import DONE, Output

NAMES = ("chunk", "derived", "document", "citation", "hit", "results", "context", "resolved")

_EPILOG = """\
examples:
  seamline schema chunk > chunk.schema.json      of a line of `seamline chunk --json`
  seamline schema results                        of the output of `seamline search --json`
  seamline schema                                the names there are

derived: texts about chunks, between the chunks. context, resolved: of `seamline context` and `seamline cite`.
document: Document.to_dict() in Python. The last part of each $id is the version of the format: keys may be added to a
version, and it grows where one is removed or changes its meaning."""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        "schema",
        help="print the JSON Schema of an output",
        usage="seamline schema [NAME]",
        description="Print the JSON Schema (2020-12) of a kind of JSON output.",
        epilog=_EPILOG,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("name", nargs="?", metavar="NAME", choices=NAMES, help=", ".join(NAMES))
    return parser


def execute(args: argparse.Namespace) -> int:
    if args.name is None:
        Output(None).write("".join(f"{name}\n" for name in NAMES))
        return DONE
    import json

    from seamline.api.tables import json_schema

    Output(None).write(json.dumps(json_schema(args.name), indent=2, ensure_ascii=False) + "\n")
    return DONE
