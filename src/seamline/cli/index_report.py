"""What an index run did, in two lines for people or as one JSON object."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from seamline.cli.lines import json_line
from seamline.cli.output import Output, print_text
from seamline.cli.style import plural, say, style_for, visible
from seamline.index import Index
from seamline.indexing.run import Report

_NAMED = 3
"""Changed files that are named."""


@dataclass(frozen=True, slots=True)
class Ran:
    """A run that came to its end."""

    index: Index
    report: Report
    seconds: float


def show(ran: Ran, *, as_json: bool, quiet: bool, changed: Sequence[str] = ()) -> None:
    """The report on standard output, in one line where only some files were looked at; remarks and failures on
    standard error."""
    if not quiet:
        for notice in ran.report.notices:
            say(f"notice: {notice}")
    if as_json:
        Output(None).write(json_report(ran))
    elif not quiet:
        print_text(_line(ran, changed) if changed else _lines(ran))
    for failure in ran.report.failures:
        say(f"error: {failure.doc}: {failure.message}" if failure.doc else f"error: {failure.message}")


def headline(report: Report) -> str:
    """`3 of 1,204 documents changed, 11 chunks embedded`; a part that is 0 is left out."""
    moved = report.moved
    counts = {
        "changed": report.changed,
        "added": max(0, report.added - moved),
        "moved": moved,
        "removed": report.removed - moved,
        "failed": len(report.failures),
    }
    total = plural(report.documents, "document")
    told = [f"{count:,} {word}" for word, count in counts.items() if count]
    if not told:
        return f"nothing changed: 0 of {total}, 0 chunks embedded"
    count, word = told[0].split()
    if word == "removed":  # what is gone is none of the documents that were looked at
        told = [f"{plural(counts[word], 'document')} removed", *told[1:], f"{report.unchanged:,} unchanged"]
    else:
        told[0] = f"{count} of {total} {word}"
    return ", ".join([*told, _work(report)])


def _work(report: Report) -> str:
    """What was new, and how much of it the model had to read."""
    if not report.cached:
        return f"{plural(report.chunks, 'chunk')} embedded"
    return f"{plural(report.chunks, 'chunk')} new, {plural(report.embedded, 'text')} embedded, {report.cached:,} known"


def _lines(ran: Ran) -> str:
    style = style_for(sys.stdout)
    heads = ran.index.documents()
    held = f"{plural(len(heads), 'document')}, {plural(sum(head.chunks for head in heads), 'chunk')}"
    place = f"{visible(ran.index.url)}: {held}, in {ran.seconds:.1f} s"
    return f"{style.paint(headline(ran.report), 'bold')}\n{style.paint(place, 'dim')}\n"


def _line(ran: Ran, changed: Sequence[str]) -> str:
    """What changed and what came of it; nothing where a file was saved as it was."""
    if not ran.report.touched and not ran.report.failures:
        return ""
    more = f" and {len(changed) - _NAMED} more" if len(changed) > _NAMED else ""
    return f"{', '.join(map(visible, changed[:_NAMED]))}{more}: {headline(ran.report)}\n"


def json_report(ran: Ran) -> str:
    """All numbers of a run as one line."""
    heads = ran.index.documents()
    return json_line(
        {
            "index": ran.index.url,
            **asdict(ran.report),
            "failures": [failure._asdict() for failure in ran.report.failures],
            "holds": {"documents": len(heads), "chunks": sum(head.chunks for head in heads)},
            "seconds": round(ran.seconds, 3),
        }
    )
