"""`seamline doctor`: whether the installation works, part by part, and the index that is named or nearest."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from seamline.cli.options import HelpFormatter
from seamline.cli.output import DONE, FAILED, Output, json_line, print_text
from seamline.cli.place import add_place_options, existing, open_place
from seamline.cli.terminal import plural, style_for, visible
from seamline.errors import IndexMissing, MissingExtra, SeamlineError, StoreError, index_imports

if TYPE_CHECKING:
    from seamline.api.checks import Check
    from seamline.api.index import Problem
    from seamline.api.trust import Target

_EPILOG = """\
examples:
  seamline doctor           every part, one line each
  seamline doctor --json    the same for a bug report or a script
  seamline doctor --verify  and read the nearest index, byte by byte, against its checksums

exit codes: 0 all required components work, 1 one of them does not, or an index is damaged"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        "doctor",
        help="look at the installation",
        description="Check that everything seamline needs is installed and gives the results it should.",
        epilog=_EPILOG,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--json", action="store_true", help="one JSON object with all checks")
    parser.add_argument("--verify", action="store_true", help="read an index against its checksums")
    add_place_options(parser)
    return parser


def execute(args: argparse.Namespace) -> int:
    from seamline import __version__
    from seamline.api.checks import check_index_parts, check_installation

    problems = _problems(args) if args.verify else []
    checks = [*check_installation(__version__), *check_index_parts(), *_check_index(args, problems)]
    well = all(check.state != "failed" for check in checks)
    if args.json:
        found = {"problems": [problem._asdict() for problem in problems]} if args.verify else {}
        Output(None).write(json_line({"ok": well, "checks": [check._asdict() for check in checks], **found}))
    else:
        print_text("".join(f"{line}\n" for line in _lines(checks, problems)))
    return DONE if well else FAILED


def _lines(checks: list[Check], problems: list[Problem]) -> Iterator[str]:
    style = style_for(sys.stdout)
    colours = {"ok": "green", "failed": "red", "optional": "yellow"}
    for check in checks:
        state = style.paint(f"{check.state:<8}", colours[check.state])
        remedy = f"; run `{visible(check.remedy)}`" if check.remedy else ""
        yield f"{state}  {check.name:<24}{visible(check.detail)}{remedy}"
    yield from (f"{'':<10}{visible(problem.where)}: {visible(problem.message)}" for problem in problems)
    failed = sum(check.state == "failed" for check in checks)
    yield ""
    yield "all required components work" if not failed else f"{failed} of {len(checks)} checks failed"


def _check_index(args: argparse.Namespace, problems: list[Problem]) -> Iterator[Check]:
    """The index that is named or nearest."""
    from seamline.api.checks import Check, check_targets

    if problems:
        remedy = "restore it from a copy, or remove it and index again, which loses what was cited of older versions"
        yield Check("index", "failed", f"{plural(len(problems), 'problem')}: {remedy}")
        return
    try:
        held, targets = look(args)
        yield Check("index", "ok", f"{held}, all as it was written" if args.verify else held)
        yield from check_targets(targets)
    except MissingExtra as error:
        yield Check("index", "optional", str(error))
    except SeamlineError as error:
        yield Check("index", "failed", str(error))


def _problems(args: argparse.Namespace) -> list[Problem]:
    """What is not as it was written, in all of an index; one that cannot be opened has one problem."""
    place = existing(args.index)
    from seamline.api.index import Problem

    try:
        with open_place(args, place) as index:
            return list(index.verify())
    except IndexMissing:
        raise
    except StoreError as error:
        return [Problem(place, str(error))]


def look(args: argparse.Namespace) -> tuple[str, list[Target]]:
    """What an index holds, the nearest where none is named, and which services and files it names; raises where it
    cannot be opened. None of them is asked or opened."""
    with index_imports():
        from seamline.api.index import FOLDER, find_index
    from seamline.api.trust import models_of, targets_of

    found = find_index(Path.cwd())
    if args.index is None and found is None:
        return f"no {FOLDER} from here upward; `seamline index PATH` makes one", []
    with open_place(args, existing(args.index)) as index:
        heads = index.documents()
        held = f"{plural(len(heads), 'document')}, {plural(sum(head.chunks for head in heads), 'chunk')}"
        return f"{index.url}: {held}", targets_of(index.url, models_of(index.recipe, index.settings.embedder))
