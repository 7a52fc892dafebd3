"""What commands that ask share: the question, how it is searched for, and errors in words of the command line."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from seamline.errors import ConfigError, rename

if TYPE_CHECKING:
    from seamline.api.search import Reranker, SearchOptions

# As seamline.retrieve has them, the default first. Repeated here, since importing them would make every command start
# later.
LEGS = ("hybrid", "dense", "bm25")
MODES = ("leaf", "parents", "summary-first", "multi-level")
FUSIONS = ("blend", "min-max", "z-score", "share", "rrf")
ALPHA = 0.5
PACKINGS = ("greedy", "exact")
SHOWS = ("derived", "source")
SOURCES = ("inline", "list", "none")
PARTS = ("relevance", "freshness", "authority", "coherence", "language", "entities")
_WEIGHT = "$.search.weights"

_MOST_BYTES = 1 << 24
"""Of a question on standard input: what is longer is not a question, and may never end."""

_OPTIONS = {
    "$.embedder": "--embedder",
    "$.search.k": "-k",
    "$.search.alpha": "--alpha",
    "$.search.min_score": "--min-score",
    "$.search.reranker": "--reranker",
    "$.search.fields": "--fields",
    "$.search.sort": "--sort",
    _WEIGHT: "--weight",
    "$.context.budget": "--budget",
}
"""Where an error points, as the command line calls it."""


def add_question(parser: argparse.ArgumentParser, metavar: str) -> None:
    parser.add_argument("words", nargs="+", metavar=metavar, help="what to look for, or - to read it from stdin")


def add_search_options(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """What is searched, and how; the group, for options that one command has alone."""
    find = parser.add_argument_group("what is found")
    find.add_argument("--where", metavar="FILTER", default="", help="only there: 'language = \"en\" and tokens < 200'")
    find.add_argument("--legs", choices=LEGS, default=LEGS[0], help="by meaning and words (default), or by one")
    find.add_argument(
        "--fusion", choices=FUSIONS, default=FUSIONS[0], help=f"how both become one ranking ({FUSIONS[0]})"
    )
    find.add_argument(
        "--alpha",
        type=float,
        metavar="0-1",
        default=ALPHA,
        help=f"most weight of meaning; the rest is for words ({ALPHA})",
    )
    find.add_argument(
        "--min-score",
        type=float,
        metavar="0-1",
        help="leave out passages that are less likely to answer; 0 shows all, also where nothing is relevant",
    )
    find.add_argument(
        "--show",
        choices=SHOWS,
        default=SHOWS[0],
        help="where a summary, a claim or rows as sentences match best: that text (derived), or its chunk (source)",
    )
    find.add_argument(
        "--weight",
        action="append",
        metavar="PART=N",
        default=[],
        help="how much freshness, authority, coherence, or the language and the entities of the question count beside"
        " relevance=1; may be repeated",
    )
    find.add_argument(
        "--links",
        type=int,
        default=0,
        metavar="N",
        help="with each passage up to N that it leads to: figures, tables, sections, slides",
    )
    find.add_argument("--no-collapse", action="store_true", help="list near-duplicates as passages of their own")
    find.add_argument(
        "--reranker",
        metavar="NAME",
        help="seam, the bundled cross-encoder; MODEL.onnx with tokenizer.json beside it; or one of a plugin",
    )
    return find


def options_of(args: argparse.Namespace, mode: str = MODES[0]) -> SearchOptions:
    """How a command line wants to search."""
    from seamline.api.search import SearchOptions, Weights, weights_near

    return SearchOptions(
        legs=args.legs,
        mode=mode,  # type: ignore[arg-type]  # argparse let nothing else through
        fusion=args.fusion,
        alpha=args.alpha,
        show=args.show,
        fields=tuple(name.strip() for name in getattr(args, "fields", "").split(",") if name.strip()),
        sort=getattr(args, "sort", ""),
        collapse=not args.no_collapse,
        links=args.links,
        min_score=args.min_score,
        weights=Weights(**(_weights(args.weight) or weights_near(Path.cwd()))),
    )


def _weights(given: Sequence[str]) -> dict[str, float]:
    """`freshness=0.2` and the like, by the name of the part."""
    out = {}
    for one in given:
        part, _, number = one.partition("=")
        try:
            out[part] = float(number)
        except ValueError:
            out[part] = math.nan
        if part not in PARTS or math.isnan(out[part]):
            raise ConfigError(
                f"expected one of {', '.join(PARTS)} and a number, as freshness=0.2, got {one!r}", _WEIGHT
            )
    return out


def reranker_of(args: argparse.Namespace) -> Reranker | None:
    if args.reranker is None:
        return None
    from seamline.api.search import load_reranker

    return load_reranker(args.reranker)


def question(args: argparse.Namespace) -> str:
    """The words of the command line, or what standard input holds."""
    given = _stdin() if args.words == ["-"] else " ".join(args.words)
    return as_text(given, "the question")


def as_text(given: str, what: str) -> str:
    """An argument that is text; bytes of another encoding reach Python as lone surrogates."""
    try:
        given.encode()
    except UnicodeEncodeError:
        raise ConfigError(f"{what} is not valid UTF-8: convert it first") from None
    return given


def _stdin() -> str:
    try:
        data = sys.stdin.buffer.read(_MOST_BYTES + 1)
    except (OSError, AttributeError):  # a folder; closed, and so None
        raise ConfigError("standard input cannot be read: it is closed or a folder") from None
    if len(data) > _MOST_BYTES:
        raise ConfigError(f"the question on standard input has more than {_MOST_BYTES:,} bytes: ask a shorter one")
    return data.decode("utf-8-sig", "surrogateescape")


@contextmanager
def in_own_words() -> Iterator[None]:
    """Name the option instead of the setting, where one is refused."""
    try:
        yield
    except ConfigError as error:
        raise rename(error, _OPTIONS, "--where") from None
