"""What an audit found, as a table for people or one JSON object."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from seamline.cli.lines import json_line
from seamline.cli.style import Style, clipped, plural, style_for, visible
from seamline.cut.audit import RULES, Violation
from seamline.recipe import Recipe

_SHOWN = 10


@dataclass
class Findings:
    """What an audit has seen so far."""

    documents: int = 0
    chunks: int = 0
    violations: list[Violation] = field(default_factory=list)
    without_source: list[str] = field(default_factory=list)
    """Documents that were judged by their records alone, each with the reason."""
    failures: list[str] = field(default_factory=list)


def json_report(recipe: Recipe, findings: Findings) -> str:
    counts = Counter(v.rule for v in findings.violations)
    return json_line(
        {
            "documents": findings.documents,
            "chunks": findings.chunks,
            "limit": recipe.budget.limit,
            "tokenizer": recipe.tokenizer,
            "rules": {rule: counts[rule] for rule in RULES},
            "violations": [v._asdict() for v in findings.violations],
            "without_source": findings.without_source,
            "errors": findings.failures,
        }
    )


def report(recipe: Recipe, findings: Findings) -> str:
    """The rules with their counts, the first violations, and the verdict; nothing where nothing was judged."""
    if not findings.documents:
        return ""
    return "".join(f"{line}\n" for line in _report(recipe, findings, style_for(sys.stdout)))


def _report(recipe: Recipe, findings: Findings, style: Style) -> Iterator[str]:
    what = f"{plural(findings.chunks, 'chunk')} of {plural(findings.documents, 'document')}"
    yield f"{style.paint(what, 'bold')}, limit {recipe.budget.limit} ({visible(recipe.tokenizer)})"
    yield ""
    counts = Counter(v.rule for v in findings.violations)
    for rule, meaning in RULES.items():
        number = style.paint(f"{counts[rule]:>7,}", "red" if counts[rule] else "green")
        yield f"  {rule:<18}{number}  {style.paint(meaning, 'dim')}"
    yield ""
    yield from _listed("first violations:", [_violation(v, style) for v in findings.violations])
    yield from _listed(
        "judged without the source, by sizes, order, ids and fences alone:",
        [visible(reason) for reason in findings.without_source],
    )
    yield _verdict(findings, style)


def _violation(violation: Violation, style: Style) -> str:
    place = f"{visible(violation.doc)} chunk {violation.chunk_index + 1}"
    message = clipped(visible(violation.message), 2 * style.width)
    return f"{place}: {style.paint(violation.rule, 'red')}: {message}"


def _listed(title: str, lines: Sequence[str]) -> Iterator[str]:
    """The first of the lines under a title, and how many more there are."""
    if not lines:
        return
    yield title
    yield from (f"  {line}" for line in lines[:_SHOWN])
    if len(lines) > _SHOWN:
        yield f"  … {len(lines) - _SHOWN} more; --json lists all"
    yield ""


def _verdict(findings: Findings, style: Style) -> str:
    if not findings.violations:
        return style.paint("clean", "green")
    return style.paint(plural(len(findings.violations), "violation"), "red")
