"""`seamline cite`: what a citation said, and what became of it. Two texts are compared word by word: what is gone is
red or in `[-...-]`, what is new is green or in `{+...+}`."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from pathlib import Path
from typing import Literal, NamedTuple

from seamline.api.search import Citation, Resolved
from seamline.cli.asking import as_text
from seamline.cli.hits import INDENT, crumbs, place, where
from seamline.cli.options import HelpFormatter
from seamline.cli.output import DONE, FAILED
from seamline.cli.place import add_place_options, existing, open_place
from seamline.cli.terminal import TerminalStyle, say, style_for, visible
from seamline.cli.view import whole, wrap
from seamline.types import Span

_COLOURS: Mapping[str, str] = {"current": "green", "moved": "cyan", "edited": "yellow", "deleted": "red"}
_LINES = 16
_MOST = 10_000
"""Lines and code points of a text, unless all is wanted."""


def render(resolved: Resolved, style: TerminalStyle, *, full: bool) -> str:
    """One citation that is known."""
    return "".join(f"{line}\n" for line in _lines(resolved, style, full))


def _lines(resolved: Resolved, style: TerminalStyle, full: bool) -> Iterator[str]:
    cited = resolved.cited
    if cited is None:
        return
    yield f"{style.paint(resolved.status, 'bold', _COLOURS[resolved.status])}  {place([cited], style)}"
    yield from crumbs([cited], style)
    yield f"{INDENT}{style.paint(visible(cited.key), 'dim')}  {visible(resolved.explanation)}"
    if resolved.status == "edited":
        yield from _successors(cited, resolved.now, style, full)
        return
    yield from _quote(cited.quote, style, full)
    if resolved.status == "moved":
        yield from _name_successors(resolved.now, style)


def _quote(text: str, style: TerminalStyle, full: bool) -> Iterator[str]:
    """A text, marked as quoted: as it is, or the first lines of it, wrapped."""
    bar = style.paint(style.mark("│", "|"), "dim")
    if full:
        rows = list(whole(text, (), style))
    else:
        start = text[:_MOST]
        rows = list(wrap(start, Span(0, len(start)), (), style, style.width - len(INDENT) - 2, airy=True))
        if len(rows) > _LINES + 1 or len(text) > _MOST:
            rows = [*rows[:_LINES], f"{style.mark('…', '...')} --full shows all"]
    yield from (f"{INDENT}{bar} {row}".rstrip() for row in rows)


def _successors(cited: Citation, now: Sequence[Citation], style: TerminalStyle, full: bool) -> Iterator[str]:
    """The most alike compared with the cited text, the others named."""
    bar = style.paint(style.mark("│", "|"), "dim")
    rows = compare_texts(cited.quote, now[0].quote, style, full=full)
    if rows is None:
        yield from _quote(cited.quote, style, full)
    else:
        yield from (f"{INDENT}{bar} {row}".rstrip() for row in rows)
    yield from _name_successors(now, style)


def _name_successors(now: Sequence[Citation], style: TerminalStyle) -> Iterator[str]:
    """What to cite from now on."""
    for successor in now:
        yield f"{INDENT}{style.paint(visible(successor.key), 'dim')}  {where(successor, style)}"


Kind = Literal["same", "gone", "new"]

_MOST_DIFFERENCES = 4_000_000
"""Pairs of words up to which texts are compared word by word, and pairs of lines beyond that; half a second."""
# Runs of letters and digits, but single characters of scripts that put no spaces between words.
_WORD = re.compile(r"[^\W\u0e00-\u0eff\u1000-\u109f\u2e80-\ua4cf\uf900-\ufaff]+|\n|[^\S\n]+|.", re.DOTALL)
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_AROUND = 1
"""Unchanged lines that are shown around a change."""


class DiffRun(NamedTuple):
    """A run of words that both texts have, or only one of them."""

    kind: Kind
    text: str


def compare_texts(before: str, after: str, style: TerminalStyle, *, full: bool = False) -> list[str] | None:
    """The lines of both texts as one, those without a change left out unless all is wanted; None where the texts are
    too long to be compared."""
    pieces = differences(before.replace("\r\n", "\n"), after.replace("\r\n", "\n"))
    if pieces is None:
        return None
    lines = list(_difference_lines(pieces))
    kept = range(len(lines)) if full else _near_changes(lines)
    return list(_render_lines(lines, list(kept), style))


def differences(before: str, after: str) -> list[DiffRun] | None:
    """Pieces that make up `before` without the new ones, and `after` without those that are gone."""
    for unit in (_WORD, _LINE):
        left, right = unit.findall(before), unit.findall(after)
        if len(left) * len(right) <= _MOST_DIFFERENCES:
            return list(_pieces(left, right))
    return None


def _pieces(left: list[str], right: list[str]) -> Iterator[DiffRun]:
    """What both have, and what one of them has; words that were replaced side by side are one piece."""
    gone = new = between = ""
    for tag, i, j, k, m in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        before, after = "".join(left[i:j]), "".join(right[k:m])
        if tag == "equal":
            if gone and new and before.isspace() and "\n" not in before:
                between = before
                continue
            yield from _nonempty_runs(gone, new, before)
            gone = new = ""
        elif between and tag == "replace":
            gone, new = gone + between + before, new + between + after
        else:
            yield from _nonempty_runs(gone, new, between)
            gone, new = before, after
        between = ""
    yield from _nonempty_runs(gone, new, between)


def _nonempty_runs(gone: str, new: str, same: str) -> Iterator[DiffRun]:
    pieces = (DiffRun("gone", gone), DiffRun("new", new), DiffRun("same", same))
    return (piece for piece in pieces if piece.text)


def _difference_lines(pieces: list[DiffRun]) -> Iterator[list[DiffRun]]:
    """The pieces line by line; one that goes over a line end is in both lines."""
    line: list[DiffRun] = []
    for kind, text in pieces:
        first, *rest = text.split("\n")
        line.append(DiffRun(kind, first))
        for more in rest:
            yield line
            line = [DiffRun(kind, more)]
    yield line


def _near_changes(lines: list[list[DiffRun]]) -> list[int]:
    """The lines with a change, and those beside them that say something."""
    changed = [n for n, line in enumerate(lines) if _is_changed(line)]
    near = {n + step for n in changed for step in range(-_AROUND, _AROUND + 1)}
    return sorted(n for n in near if 0 <= n < len(lines) and not _is_blank(lines[n]))


def _is_changed(line: list[DiffRun]) -> bool:
    return any(piece.kind != "same" and piece.text for piece in line)


def _is_blank(line: list[DiffRun]) -> bool:
    return not any(piece.text.strip() for piece in line)


def _render_lines(lines: list[list[DiffRun]], kept: list[int], style: TerminalStyle) -> Iterator[str]:
    """The kept lines, with a mark where something that is not blank was left out."""
    dots, last = style.mark("…", "..."), -1
    for n in kept:
        if not all(map(_is_blank, lines[last + 1 : n])):
            yield dots
        yield "".join(_paint(piece, style) for piece in lines[n])
        last = n
    if not all(map(_is_blank, lines[last + 1 :])):
        yield dots


def _paint(piece: DiffRun, style: TerminalStyle) -> str:
    text = visible(piece.text)
    if piece.kind == "same" or not text:
        return text
    if style.colour:
        return style.paint(text, "red" if piece.kind == "gone" else "green")
    return f"[-{text}-]" if piece.kind == "gone" else f"{{+{text}+}}"


_EPILOG = """\
examples:
  seamline cite fc7e2993148ac01f0a63cf73@1        as it was in version 1, and what it is now
  seamline cite fc7e2993148ac01f0a63cf73          the latest version that has it
  seamline search retries --json | jq -r '.hits[].citations[0] | "\\(.id)@\\(.version)"' | xargs seamline cite --json

A citation is current, moved (same text, another place), edited (with what replaced it), deleted, or unknown. Edited
texts are compared word by word: [-gone-] {+new+}.
exit codes: 0 done, whatever became of it; 1 unknown to this index, or the index cannot be used; 2 usage"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        "cite",
        help="resolve a citation, whatever became of it",
        usage="seamline cite [options] ID[@VERSION] [ID[@VERSION] ...]",
        description="Show what a citation said, whether it still holds, and what replaced it.",
        epilog=_EPILOG,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("keys", nargs="+", metavar="ID[@VERSION]", help="as `seamline search` prints it")
    parser.add_argument("--full", action="store_true", help="show long texts whole, edited ones too")
    parser.add_argument("--json", action="store_true", help="one JSON object per citation and line")
    add_place_options(parser)
    return parser


def execute(args: argparse.Namespace) -> int:
    keys = [as_text(key, "the id") for key in args.keys]
    with open_place(args, existing(args.index)) as index:
        found = [index.cite(key) for key in keys]
        place, root = index.url, index.root
        files = [index.file_of(one.cited.doc) if one.cited else None for one in found]
    if args.json:
        _print_json(found, files, str(root))
    else:
        _print(args, [_from_here(one, root) for one in found], place)
    return FAILED if any(one.status == "unknown" for one in found) else DONE


def _from_here(resolved: Resolved, root: Path) -> Resolved:
    from seamline.cli.hits import from_here

    cited = from_here(resolved.cited, root) if resolved.cited else None
    return replace(resolved, cited=cited, now=tuple(from_here(one, root) for one in resolved.now))


def _print_json(found: Sequence[Resolved], files: Sequence[str | None], root: str) -> None:
    from seamline.cli.output import Output, json_line

    rows = [{**one.to_dict(), "root": root, "file": file} for one, file in zip(found, files, strict=True)]
    Output(None).write("".join(map(json_line, rows)))


def _print(args: argparse.Namespace, found: Sequence[Resolved], place: str) -> None:
    from seamline.cli.output import print_text

    style = style_for(sys.stdout)
    print_text("\n".join(render(one, style, full=args.full) for one in found if one.cited))
    for one in found:
        if not one.cited:
            say(f"error: {one.explanation} (looked in {place}; --index names another)")
