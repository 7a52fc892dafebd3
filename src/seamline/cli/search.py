"""`seamline search`: a question -> the passages that answer it best, with citations."""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from seamline.cli.asking import (
    MODES,
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
from seamline.cli.terminal import plural, say, style_for
from seamline.errors import ConfigError

if TYPE_CHECKING:
    from seamline.api.search import Results

PASSAGES = 5
"""What is shown unless -k says otherwise: about a screen."""

_EPILOG = """\
examples:
  seamline search "why did the 429 retry fail"
  seamline search retry schedule -k 3 --explain       the parts of every score
  seamline search '"exit code 137" -docker'           a phrase that must be there, a word that must not
  seamline search retries --where 'language = "en" and created_at >= 2024-01-01'
  seamline search "compare v1 and v2" --adaptive      let the kind of question decide how
  seamline search "429" --legs bm25 --json            words only, for a program
  seamline search - < question.txt

Each passage has a score (0-1, how likely it answers), where it stands, and an id@version that
`seamline cite` resolves for ever. Filters: docs/reference/filters.md.
exit codes: 0 done, also where nothing was found; 1 the index cannot be used; 2 usage or configuration"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        "search",
        help="find passages that answer a question",
        usage="seamline search [options] QUERY",
        description="Find the passages of an index that answer a question best, by meaning and by words.",
        epilog=_EPILOG,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    add_question(parser, "QUERY")
    show = parser.add_argument_group("output")
    show.add_argument("-k", type=int, metavar="N", help=f"how many passages ({PASSAGES}; with --adaptive the plan's)")
    show.add_argument("--full", action="store_true", help="show passages whole, not only the part that matches best")
    show.add_argument(
        "--fields", metavar="A,B", default="", help="fields to show with each: density,freshness,meta.team"
    )
    show.add_argument("--sort", metavar="FIELD", default="", help="order by a field; FIELD:desc for the highest first")
    show.add_argument("--explain", action="store_true", help="show the parts of every score, and the plan")
    show.add_argument("--json", action="store_true", help="one JSON object with all passages")
    show.add_argument("-q", "--quiet", action="store_true", help="no notices, only errors")
    show.add_argument("-v", "--verbose", action="store_true", help="say which index was searched, and how long it took")
    find = add_search_options(parser)
    find.add_argument("--mode", choices=MODES, help="chunks (leaf, default), or how sections take part")
    find.add_argument("--adaptive", action="store_true", help="let the kind of question decide mode and number")
    add_place_options(parser)
    parser.hints = {"--limit": "expected -k N for the number of passages; --limit is the size of chunks, in tokens"}  # type: ignore[attr-defined]
    return parser


def execute(args: argparse.Namespace) -> int:
    if args.adaptive and args.mode is not None:
        raise ConfigError("--adaptive and --mode: choose one, as the plan chooses the mode")
    query = question(args)
    begun = time.monotonic()
    results, found = _search(args, query)
    if args.json:
        _print_json(results, found)
    else:
        _print(args, query, results, found)
    if args.verbose:
        say(f"searched {found.url}: {plural(len(results.hits), 'passage')} in {time.monotonic() - begun:.2f} s")
    if not args.quiet:
        for notice in results.notices:
            say(f"notice: {notice.message}")
        if not results.hits and not results.notices and not args.json:
            say(_nothing(args))
    return DONE


class Searched(NamedTuple):
    """Where was searched, and which files the hits are from."""

    url: str
    root: Path
    files: list[str | None]


def _search(args: argparse.Namespace, query: str) -> tuple[Results, Searched]:
    """What was found and where."""
    k = args.k if args.adaptive or args.k is not None else PASSAGES
    with in_own_words():
        options = options_of(args, args.mode or MODES[0])
        where = as_text(args.where, "--where")
        reranker = reranker_of(args)
    with open_place(args, existing(args.index)) as index, in_own_words():
        results = index.search(query, k=k, where=where, options=options, adaptive=args.adaptive, reranker=reranker)
        found = Searched(index.url, index.root, [index.file_of(hit.citation.doc) for hit in results.hits])
    return results, found


def _print_json(results: Results, found: Searched) -> None:
    from seamline.cli.output import Output, json_line

    record = results.to_dict()
    hits = [{**hit, "file": file} for hit, file in zip(record["hits"], found.files, strict=True)]
    Output(None).write(json_line({**record, "root": str(found.root), "hits": hits}))


def _print(args: argparse.Namespace, query: str, results: Results, found: Searched) -> None:
    from seamline.cli.hits import HitView, hits_from_here, render
    from seamline.cli.output import print_text

    fields = [name.strip() for name in args.fields.split(",") if name.strip()]
    view = HitView(style_for(sys.stdout), query, args.full, args.explain, fields)
    near = replace(results, hits=tuple(hits_from_here(results.hits, found.root)))
    print_text(render(near, results.plan, view))


def _nothing(args: argparse.Namespace) -> str:
    if args.where:
        return "nothing found: no passage that the filter lets through answers this"
    return "nothing found: no passage has these words" if args.legs == "bm25" else "nothing found: the index is empty"
