"""Is a caption cut from what it names, although both fit a chunk?

Captions are lines such as `Table 1: ...`, `Listing 2` or `Figure 3`, directly before or after a table, a picture or
code, and in LaTeX `\\caption` in a float. They are found by markdown-it-py and by patterns of this file; no code is
shared with seamline, which only says what the text of a document is and which span of it each chunk owns. A caption
between two things that it may name is parted where it is with neither. A pair fits where the tokenizer of OpenAI counts
no more than the limit for both, the headings directly above them and what the chunk of the caption repeats.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from markdown_it import MarkdownIt

from benchmarks import engine
from benchmarks.common import markdown, need, options, progress, ranks, save, table, verdict
from benchmarks.peers import counter

LIMITS = (128, 256, 512, 1024)
FOLDERS = ("docx", "epub", "html", "latex", "mdx", "odf", "pdf", "pptx", "rst")
SUFFIXES = (".docx", ".epub", ".html", ".tex", ".mdx", ".odt", ".odp", ".pdf", ".pptx", ".rst")
_LABEL = re.compile(
    r"(?:[*_>\s]|<[^<>\n]{1,60}>)*(?P<what>table|tab\.|figure|fig\.|listing|algorithm|tabelle|abbildung|abb\.|tableau)"
    r"[\s\u00a0]{0,2}(?P<number>[A-Z]?[.\-]?\d{1,3}(?:[.\-]\d{1,3}){0,3})[a-z]?"
    r"(?P<after>[*_]{0,3}[ ]?(?:[:.|–—]|-[ ])|[*_]{0,3}\s*\Z|[*_]{1,3}[ ])",
    re.IGNORECASE,
)
_CONTENTS = re.compile(r"(?:\.[ ]?){4,}\s*\d+\s*\Z")
_PICTURE = re.compile(r"\s*(?:\[?!\[[^\]]*\]\([^)]*\)|\[!\[|<img\b|<picture\b|!\[)", re.IGNORECASE)
_SHOWN = re.compile(r"<(?:table|img|picture|figure|svg|pre|video)\b", re.IGNORECASE)
_FLOAT = re.compile(r"\\(begin|end)\{((?:table|figure|listing|algorithm|wrapfigure|sidewaystable)\*?)\}")
_CONTENT = re.compile(
    r"\\(begin|end)\{((?:tabular[xy]?|longtable|lstlisting|verbatim|minted|tikzpicture|algorithmic)\*?)\}"
)
_CAPTION = re.compile(r"\\caption(?:of\{\w+\})?\*?(?:\[[^\]\n]*\])?\{")


class Leaf(NamedTuple):
    """One block without others in it."""

    kind: str
    """caption, thing, heading, text."""
    start: int
    end: int


class Pair(NamedTuple):
    """A caption, and the spans of which one must be in its chunk."""

    caption: tuple[int, int]
    wholes: tuple[tuple[int, int], ...]
    """Caption, thing and the headings directly above."""


class Cut(NamedTuple):
    """One caption that was parted from what it names."""

    path: str
    limit: int
    line: int
    text: str


def is_caption(text: str) -> bool:
    return _LABEL.match(text) is not None and _CONTENTS.search(text) is None and len(text) < 2000


def leaves(text: str) -> Iterator[Leaf]:
    """The leaves of Markdown, or of text that is written as such."""
    starts = [0, *(found.end() for found in re.finditer(r"\r\n?|\n", text))]
    starts.append(len(text))
    parser = MarkdownIt("commonmark").enable("table")
    tokens = parser.parse(re.sub(r"\r\n?", "\n", text))
    for index, token in enumerate(tokens):
        if token.map is None:
            continue
        first, last = starts[token.map[0]], starts[min(token.map[1], len(starts) - 1)]
        shown = text[first:last].strip()
        if token.type in ("table_open", "fence", "code_block"):
            yield Leaf("thing", first, last)
        elif token.type == "html_block":
            yield Leaf("thing" if _SHOWN.search(shown) else "text", first, last)
        elif token.type == "heading_open":
            yield Leaf("heading", first, last)
        elif token.type == "paragraph_open":
            words = tokens[index + 1].content
            kind = "thing" if _PICTURE.match(words) else "caption" if is_caption(words) else "text"
            yield Leaf(kind, first, last)


def pairs(text: str) -> Iterator[Pair]:
    """The captions of Markdown, each with what it may name."""
    found = list(leaves(text))
    for at, leaf in enumerate(found):
        if leaf.kind != "caption":
            continue
        wholes = []
        if at and found[at - 1].kind == "thing":
            top = _top(found, at - 1)
            wholes.append((found[top].start, leaf.end))
        if at + 1 < len(found) and found[at + 1].kind == "thing":
            wholes.append((found[_top(found, at)].start, found[at + 1].end))
        if wholes:
            yield Pair((leaf.start, leaf.end), tuple((start, _trim(text, end)) for start, end in wholes))


def _top(found: Sequence[Leaf], at: int) -> int:
    while at and found[at - 1].kind == "heading":
        at -= 1
    return at


def _trim(text: str, end: int) -> int:
    return len(text[:end].rstrip())


def floats(text: str) -> Iterator[Pair]:
    """The captions of LaTeX, each with the contents of its float."""
    opened: list[int] = []
    for mark in _FLOAT.finditer(text):
        if mark[1] == "begin":
            opened.append(mark.end())
        elif opened:
            start = opened.pop()
            if opened:
                continue
            for caption in _CAPTION.finditer(text, start, mark.start()):
                if text[text.rfind("\n", 0, caption.start()) + 1 : caption.start()].lstrip().startswith("%"):
                    continue
                stop = _closing(text, caption.end(), mark.start())
                if inside := _contents(text, start, mark.start()):
                    if len(_CAPTION.findall(text, start, mark.start())) > 1:  # parts with captions of their own
                        inside = [min(inside, key=lambda one: min(abs(one[0] - stop), abs(caption.start() - one[1])))]
                    whole = (min(caption.start(), inside[0][0]), max(stop, inside[-1][1]))
                    yield Pair((caption.start(), stop), (whole,))


def _closing(text: str, at: int, end: int) -> int:
    depth = 1
    for index in range(at, end):
        depth += (text[index] == "{") - (text[index] == "}")
        if not depth:
            return index + 1
    return end


def _contents(text: str, start: int, end: int) -> list[tuple[int, int]]:
    out, opened = [], []
    for mark in _CONTENT.finditer(text, start, end):
        if mark[1] == "begin":
            opened.append(mark.start())
        elif opened:
            begin = opened.pop()
            if not opened:
                out.append((begin, mark.end()))
    graphics = [
        (one.start(), one.end()) for one in re.finditer(r"\\includegraphics(?:\[[^\]]*\])?\{[^}]*\}", text[start:end])
    ]
    return out or [(start + a, start + b) for a, b in graphics]


def parted(document: Any, chunks: Sequence[Any], limit: int, count: Any, *, latex: bool) -> tuple[int, int, list[int]]:
    """How many captions there are, how many of them fit with what they name, and where the parted ones start."""
    text = document.text
    all_pairs = list(floats(text) if latex else pairs(text))
    removed = document.removed
    fitting, cuts = 0, []
    for pair in all_pairs:
        if any(start <= pair.caption[0] < end for start, end in removed):
            continue
        owner = next((one for one in chunks if one.start <= pair.caption[0] < one.end), None)
        if owner is None:
            continue
        borrowed = count(owner.text) - count(text[owner.start : owner.end])
        room = limit - max(borrowed, 0)
        able = [(start, end) for start, end in pair.wholes if count(text[start:end]) <= room]
        fitting += bool(able)
        if able and not any(
            one.start <= start + _blanks(text, start, end) and end <= one.end
            for one in chunks
            for start, end in pair.wholes
        ):
            cuts.append(pair.caption[0])
    return len(all_pairs), fitting, cuts


def _blanks(text: str, start: int, end: int) -> int:
    return end - start - len(text[start:end].lstrip())


def documents(data: Path, *, every: int) -> Iterator[tuple[str, Any, bool]]:
    for sample in markdown(data)[::every]:
        yield sample.path, engine.read(sample.text, sample.path, sample.media_type), False
    for folder in FOLDERS:
        for file in sorted(need(data / "documents" / folder).rglob("*")):
            if file.suffix.lower() in SUFFIXES and (document := engine.read_path(file)) is not None:
                yield file.name, document, file.suffix == ".tex"


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--limits", type=int, nargs="+", default=LIMITS)
    parser.add_argument(
        "--strategies",
        nargs="+",
        default=("structural", "semantic", "rechunk", "hierarchical", "tabular", "multimodal"),
    )
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every Nth document of markdown.jsonl only")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print N of the parted captions per row")
    args = parser.parse_args()
    count = counter(ranks(args.data))
    with_captions = []
    for path, document, latex in documents(args.data, every=args.every):
        if any(True for _ in (floats if latex else pairs)(document.text)):
            with_captions.append((path, document, latex))
    rows, failed = [], False
    results = []
    for strategy in args.strategies:
        for limit in args.limits:
            progress(f"{strategy} at {limit}")
            total = fitting = 0
            cuts: list[Cut] = []
            kinds: Counter[str] = Counter()
            for path, document, latex in with_captions:
                chunks = engine.leaves(document, strategy, limit)
                n, able, found = parted(document, chunks, limit, count, latex=latex)
                total += n
                fitting += able
                kinds[Path(path).suffix] += len(found)
                cuts += [
                    Cut(path, limit, document.text.count("\n", 0, at) + 1, document.text[at : at + 80]) for at in found
                ]
            failed = failed or bool(cuts)
            named = ", ".join(f"{kind} {n}" for kind, n in kinds.most_common() if n)
            rows.append((strategy, limit, total, fitting, len(cuts), verdict(not cuts), named))
            results.append({"strategy": strategy, "limit": limit, "captions": total, "fitting": fitting,
                            "parted": [f"{cut.path}:{cut.line}" for cut in cuts]})  # fmt: skip
            for cut in cuts[: args.show]:
                print(f"{strategy} {limit} {cut.path}:{cut.line} {cut.text!r}")
    progress("")
    print(f"{len(with_captions)} documents with captions")
    print(table(("strategy", "limit", "captions", "that fit", "parted", "bar", "where"), rows))
    save(args.json, "captions", results)
    if failed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
