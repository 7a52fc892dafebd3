"""`seamline context`: a question -> a text for a prompt, with numbered passages, that keeps a token budget."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, NamedTuple

from seamline.cli.asking import (
    PACKINGS,
    SOURCES,
    add_question,
    add_search_options,
    as_text,
    in_own_words,
    options_of,
    question,
    reranker_of,
)
from seamline.cli.options import HelpFormatter
from seamline.cli.output import DONE
from seamline.cli.place import add_place_options, existing, open_place
from seamline.cli.terminal import plural, say, visible_lines
from seamline.errors import ConfigError

if TYPE_CHECKING:
    from seamline.api.search import ContextText

_NAMED = 3
"""Passages without room that are named."""

_EPILOG = """\
examples:
  seamline context "how are deliveries retried"
  seamline context "how are deliveries retried" --budget 1000 --sources list > prompt.txt
  seamline context "compare keys and tokens" --where 'path has "Security"' --json

The kind of question decides how many passages are looked for and how wide they are. They stand in the order of
their documents, numbered, each with its source, between delimiters that none of them contains. Control characters and
bidi overrides are printed as escapes such as \\x1b, unless --raw is given; --json holds the exact text either way.
exit codes: 0 done, also where nothing was found; 1 the index cannot be used; 2 usage or configuration"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        "context",
        help="collect passages for a prompt",
        usage="seamline context [options] QUESTION",
        description="Print the best passages for a question as one text for a prompt, within a token budget.",
        epilog=_EPILOG,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    add_question(parser, "QUESTION")
    show = parser.add_argument_group("output")
    show.add_argument("--budget", type=int, metavar="N", default=4000, help="tokens of the whole text (4000)")
    show.add_argument(
        "--packing", choices=PACKINGS, default=PACKINGS[0], help="best first (greedy, default), or most worth (exact)"
    )
    show.add_argument(
        "--sources",
        choices=SOURCES,
        default=SOURCES[0],
        help="where sources stand: at each passage, at the end, or nowhere",
    )
    show.add_argument("--full-paths", action="store_true", help="name the whole document at every passage")
    show.add_argument("--fill", action="store_true", help="fill the budget, also with passages far below the best")
    show.add_argument("--json", action="store_true", help="one JSON object with the text, its passages and citations")
    show.add_argument("--raw", action="store_true", help="control characters as they are, instead of as \\x1b")
    show.add_argument("-q", "--quiet", action="store_true", help="no notices, only errors")
    add_search_options(parser)
    add_place_options(parser)
    parser.hints = {  # type: ignore[attr-defined]
        "--limit": "expected --budget N for the tokens of the whole text; --limit is the size of chunks",
        "-k": "expected --budget N, which decides how many passages there are",
    }
    return parser


def execute(args: argparse.Namespace) -> int:
    if args.raw and args.json:
        raise ConfigError("--raw and --json: choose one, as JSON holds the exact text in any case")
    query = question(args)
    context, found = _context(args, query)
    if context.left_out and not context.passages:
        raise ConfigError(f"--budget: not even a sentence fits into {plural(args.budget, 'token')}; raise it")
    if args.json:
        _print_json(context, found)
    else:
        _print(args, context.text)
    if not args.quiet:
        for line in _remarks(args, context):
            say(line)
    return DONE


class _Files(NamedTuple):
    """What the names of documents start from, and the files of the passages."""

    root: str
    passages: list[str | None]


def _context(args: argparse.Namespace, query: str) -> tuple[ContextText, _Files]:
    with in_own_words():
        options, reranker = options_of(args), reranker_of(args)
        where = as_text(args.where, "--where")
    with open_place(args, existing(args.index)) as index, in_own_words():
        context = index.context(
            query,
            budget=args.budget,
            where=where,
            options=options,
            packing=args.packing,
            sources=args.sources,
            full_paths=args.full_paths,
            weak=0.0 if args.fill else None,
            reranker=reranker,
        )
        files = [index.file_of(passage.citations[0].doc) for passage in context.passages]
        return context, _Files(str(index.root), files)


def _print(args: argparse.Namespace, text: str) -> None:
    """The text for a program, or whole lines for a terminal; a pipe may end at one, too."""
    from seamline.cli.output import Output, print_text

    shown = text if args.raw else visible_lines(text)
    if sys.stdout.isatty():
        print_text(shown if shown.endswith("\n") or not shown else f"{shown}\n")
    else:
        Output(None).write(shown)


def _print_json(context: ContextText, found: _Files) -> None:
    from seamline.cli.output import Output, json_line

    record = context.to_dict()
    passages = [{**passage, "file": file} for passage, file in zip(record["passages"], found.passages, strict=True)]
    Output(None).write(json_line({**record, "root": found.root, "passages": passages}))


def _remarks(args: argparse.Namespace, context: ContextText) -> list[str]:
    """What is worth knowing: how full it is, and what had no room."""
    remarks = [f"notice: {notice.message}" for notice in context.notices]
    if not context.passages:
        return [*remarks, "nothing found: the text is empty"]
    remarks.append(f"{plural(len(context.passages), 'passage')}, {context.tokens:,} of {args.budget:,} tokens")
    if context.left_out:
        names = ", ".join(citation.label() for citation in context.left_out[:_NAMED])
        more = f" and {len(context.left_out) - _NAMED} more" if len(context.left_out) > _NAMED else ""
        remarks.append(f"no room for {names}{more}")
    if not args.json and not args.raw and visible_lines(context.text) != context.text:
        remarks.append("notice: control characters are printed as escapes; --raw prints them as they are")
    return remarks
