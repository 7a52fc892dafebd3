"""`seamline stats`: what an index holds, and what it was made with."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from seamline.cli.options import HelpFormatter
from seamline.cli.output import DONE
from seamline.cli.place import add_place_options, existing, open_place
from seamline.cli.terminal import TerminalStyle, plural, style_for, visible
from seamline.text.stemming import ENGLISH

if TYPE_CHECKING:
    from seamline.api.index import Index, Stats

_GROUPS = 3
_LABELS = 3
"""Groups of duplicates that are shown, and members of each."""
_KINDS = 8

_EPILOG = """\
examples:
  seamline stats                      of the nearest index
  seamline stats --index build/docs --json

exit codes: 0 done, 1 the index cannot be used, 2 usage or configuration"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        "stats",
        help="show what an index holds",
        description="Show what an index holds, how much of it says the same twice, and what it was made with.",
        epilog=_EPILOG,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")
    add_place_options(parser)
    return parser


def execute(args: argparse.Namespace) -> int:
    with open_place(args, existing(args.index)) as index:
        stats = index.stats()
        if args.json:
            _print_json(index, stats)
        else:
            from seamline.cli.output import print_text

            print_text("".join(f"{line}\n" for line in _lines(index, stats, style_for(sys.stdout))))
    return DONE


def _print_json(index: Index, stats: Stats) -> None:
    from seamline.api.index import is_late
    from seamline.cli.output import Output, json_line

    settings = index.settings
    Output(None).write(
        json_line(
            {
                "index": index.url,
                **stats.counts,
                "duplicates": {"rate": stats.duplicates.rate, "groups": [list(g) for g in stats.duplicates.groups]},
                "needs_review": dict(stats.needs_review),
                "completeness": stats.completeness,
                "alerts": stats.alerts,
                "embedder": settings.embedder,
                "dimensions": settings.dimensions,
                "embedding": settings.embedding,
                "dual": settings.dual,
                "late": is_late(settings),
                "stemming": settings.stemming,
                "hierarchy": settings.options.get("hierarchy") == "yes",
                "fingerprint": settings.fingerprint,
                "recipe": settings.recipe,
                "size": stats.size,
                "indexed_at": stats.indexed_at.isoformat() if stats.indexed_at else None,
            }
        )
    )


def _lines(index: Index, stats: Stats, style: TerminalStyle) -> Iterator[str]:
    yield style.paint(visible(index.url), "bold")
    yield ""
    for name, value in _rows(index, stats):
        yield f"  {style.paint(f'{name:<14}', 'dim')}{value}"
    yield from (f"  {'':<14}{line}" for line in _examples(index, stats.duplicates.groups))
    for name, message in zip(("alerts", *[""] * len(stats.alerts)), stats.alerts, strict=False):
        yield f"  {style.paint(f'{name:<14}', 'dim')}{message}"


def _rows(index: Index, stats: Stats) -> Iterator[tuple[str, str]]:
    from seamline.api.index import is_late

    settings, recipe = index.settings, index.recipe
    mean = f", {stats.tokens / stats.chunks:,.0f} each" if stats.chunks else ""
    yield "documents", f"{stats.documents:,}" + (f", and {stats.removed:,} removed" if stats.removed else "")
    yield "versions", f"{stats.versions:,}"
    yield "chunks", f"{stats.chunks:,}, {plural(stats.tokens, 'token')}{mean}"
    if stats.missing_vectors:
        yield "vectors", f"{plural(stats.missing_vectors, 'chunk')} to go: run `seamline index`"
    yield "sections", f"{stats.sections:,}"
    if stats.about:
        yield "about them", f"{plural(stats.about, 'text')}: summaries, claims, rows"
    yield "kinds", _counts_text(stats.kinds)
    yield "languages", _counts_text(stats.languages)
    if stats.needs_review:
        docs = ", ".join(visible(doc) for doc in list(stats.needs_review)[:_GROUPS])
        more = f" and {len(stats.needs_review) - _GROUPS} more" if len(stats.needs_review) > _GROUPS else ""
        yield "to review", f"{plural(sum(stats.needs_review.values()), 'chunk')} of {docs}{more}: the text is unsure"
    kinds = ", dual" * settings.dual + ", late" * is_late(settings)
    yield "embedder", f"{visible(settings.embedder)}, {settings.dimensions} dimensions{kinds}"
    if settings.stemming != ENGLISH:
        yield "stemming", settings.stemming
    yield "recipe", f"{settings.fingerprint}, limit {recipe.budget.limit} ({visible(recipe.tokenizer)})"
    if stats.size:
        yield "size", _size(stats.size) + (f", {_size(stats.size / stats.chunks)} per chunk" if stats.chunks else "")
    if stats.indexed_at:
        yield "last indexed", f"{stats.indexed_at:%Y-%m-%d %H:%M:%S} UTC"
    groups = len(stats.duplicates.groups)
    share = f", {stats.duplicates.rate:.1%} of chunks would not be missed" if groups else ""
    yield "duplicates", f"{plural(groups, 'group')}{share}" if groups else "none"


def _counts_text(counts: Mapping[str, int]) -> str:
    """The most frequent, and how many are of other names."""
    items = list(counts.items())
    told = [f"{visible(name) or 'unknown'} {count:,}" for name, count in items[:_KINDS]]
    if rest := sum(count for _, count in items[_KINDS:]):
        told.append(f"others {rest:,}")
    return ", ".join(told) or "none"


def _size(size: float) -> str:
    for unit in ("bytes", "KB", "MB", "GB"):
        if size < 1000 or unit == "GB":
            break
        size /= 1000
    return f"{size:,.0f} {unit}" if size >= 10 or unit == "bytes" else f"{size:.1f} {unit}"


def _examples(index: Index, groups: Sequence[Sequence[str]]) -> Iterator[str]:
    """Where the largest groups of duplicates stand."""
    for group in groups[:_GROUPS]:
        found = [index.cite(id).cited for id in group[:_LABELS]]
        labels = " = ".join(visible(cited.label()) for cited in found if cited)
        yield labels + (f" and {len(group) - _LABELS} more" if len(group) > _LABELS else "")
    if len(groups) > _GROUPS:
        yield f"and {plural(len(groups) - _GROUPS, 'more group')}; --json lists all"
