"""LaTeX, reStructuredText and MDX: heading trees, speed beside peers, growth on hostile files, block counts.

Judged: every heading tree equals the one a person wrote down (markup_headings.py), no document breaks the contract of
parsers, every environment that a chunk opens is closed in it, and time grows in step with the input on the hostile
files of both formats (exponent <= 1.2). Speeds are CPU time of parsing alone, documents in memory, minimum of five; the
peers parse the same files, docutils with all reading of files and raw text off. Block counts of MDX stand beside what
markdown-it-py sees in the same text read as plain Markdown, which knows no components: they are shown, not judged.
"""

from __future__ import annotations

import os
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.common import decode, hostile, mdx, need, options, save, table, verdict
from benchmarks.formats.markup_headings import LATEX, RST, expected
from benchmarks.speed.grow import BAR, stretched
from benchmarks.speed.growth import KEPT_MEMORY, Case, judged, measure, row

TEX_TYPE, RST_TYPE = "text/x-tex", "text/x-rst"
ROUNDS = 5
LIMITS = (64, 128, 256, 512)
_VERBATIM = re.compile(r"\\begin\{(verbatim|lstlisting|minted|comment)\}.*?\\end\{\1\}", re.DOTALL)
_SKIPPED = re.compile(r"(?<!\\)%[^\r\n]*|\\iffalse.*?\\fi\b", re.DOTALL)
_EDGE = re.compile(r"\\(begin|end)\{([^}]+)\}")

Parse = Callable[[str], object]


def samples(data: Path) -> Iterator[tuple[str, str, str, str]]:
    """(name, media type, text, expected headings) of every sample."""
    for folder, media_type, trees in (("latex", TEX_TYPE, LATEX), ("rst", RST_TYPE, RST)):
        for name, tree in trees.items():
            file = need(data / "documents" / folder / name)
            yield f"{folder}/{name}", media_type, decode(file.read_bytes()), tree


def fidelity(data: Path) -> tuple[list[tuple[object, ...]], bool]:
    """A row for each sample: headings, whether they are right, contract, open environments."""
    from seamline.parse import parse_text
    from seamline.testing.parsers import check_document
    from seamline.text.headings import heading_text

    rows: list[tuple[object, ...]] = []
    fine = True
    for name, media_type, text, tree in samples(data):
        document = parse_text(text, id=name, media_type=media_type)
        headings = [(b.level, heading_text(text, b)) for b in document.blocks if b.kind == "heading"]
        right = headings == expected(tree)
        try:
            check_document(document)
            kept = True
        except AssertionError:
            kept = False
        torn = open_environments(document) if media_type == TEX_TYPE else 0
        fine = fine and right and kept and not torn
        rows.append((name, len(document.blocks), len(headings), verdict(right), verdict(kept), torn))
    return rows, fine


def open_environments(document: object) -> int:
    """Chunks at four limits that open what they do not close, or close what they did not open."""
    import seamline

    torn = 0
    for limit in LIMITS:
        for chunk in seamline.chunk(document, limit=limit):  # type: ignore[arg-type]
            stack: list[str] = []
            for which, name in _EDGE.findall(_SKIPPED.sub("", _VERBATIM.sub("", chunk.text))):
                if which == "begin":
                    stack.append(name)
                elif not stack or stack.pop() != name:
                    stack.append(name)
                    break
            torn += bool(stack)
    return torn


# --- speed -----------------------------------------------------------------------------------------------------------


def ours(media_type: str) -> Parse:
    from seamline.parse import parse_text

    return lambda text: parse_text(text, id="x", media_type=media_type)


def docutils() -> Parse:
    from docutils.core import publish_doctree

    safe = {"file_insertion_enabled": False, "raw_enabled": False, "report_level": 5, "halt_level": 5}
    return lambda text: publish_doctree(text, settings_overrides=safe)


def tree_sitter_rst() -> Parse:
    import tree_sitter_rst
    from tree_sitter import Language, Parser

    parser = Parser(Language(tree_sitter_rst.language()))
    return lambda text: parser.parse(text.encode())


def tree_sitter_latex() -> Parse:
    from tree_sitter_language_pack import get_parser

    parser = get_parser("latex")
    return lambda text: parser.parse(text.encode())


def pylatexenc() -> Parse:
    from pylatexenc.latexwalker import LatexWalker

    return lambda text: LatexWalker(text, tolerant_parsing=True).get_latex_nodes()


CONTESTANTS: tuple[tuple[str, str, Callable[[], Parse]], ...] = (
    ("latex", "seamline", lambda: ours(TEX_TYPE)),
    ("latex", "tree-sitter latex", tree_sitter_latex),
    ("latex", "pylatexenc", pylatexenc),
    ("rst", "seamline", lambda: ours(RST_TYPE)),
    ("rst", "tree-sitter rst", tree_sitter_rst),
    ("rst", "docutils, hardened", docutils),
)


def speed(data: Path) -> list[tuple[object, ...]]:
    """MB/s of parsing, per format and contestant."""
    rows: list[tuple[object, ...]] = []
    for folder, name, load in CONTESTANTS:
        texts = [text for sample, _, text, _ in samples(data) if sample.startswith(folder)]
        try:
            parse = load()
        except ImportError:
            rows.append((folder, name, None, "not installed"))
            continue
        size = sum(len(text.encode()) for text in texts)
        rows.append((folder, name, size / 1e6, f"{size / 1e6 / fastest(parse, texts):.2f}"))
    return rows


def fastest(parse: Parse, texts: list[str]) -> float:
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        for text in texts:
            parse(text)
        best = min(best, time.process_time() - start)
    return best


# --- growth ----------------------------------------------------------------------------------------------------------


def growth_cases(folder: Path) -> list[Case]:
    """The hostile files of both formats, grown as `benchmarks.speed.growth` grows those of Markdown."""
    cases = []
    for kind, media_type in (("latex", TEX_TYPE), ("rst", RST_TYPE)):
        for file in sorted((folder / kind).iterdir()):
            ways = ["repeat", "stretch"] if stretched(decode(file.read_bytes())) else ["repeat"]
            cases += [Case(f"{kind}/{file.name}", how, file, media_type) for how in ways]
    return cases


# --- MDX -------------------------------------------------------------------------------------------------------------

_TOKENS = {
    "heading_open": "heading",
    "fence": "code",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "table_open": "table",
    "paragraph_open": "paragraph",
}


def mdx_counts(data: Path) -> list[tuple[object, ...]]:
    """Blocks of each kind over all MDX files: ours, and those of plain Markdown."""
    from markdown_it import MarkdownIt

    from seamline.parse import parse_text

    reader = MarkdownIt("commonmark").enable("table")
    found: Counter[str] = Counter()
    plain: Counter[str] = Counter()
    files = mdx(data)
    for sample in files:
        document = parse_text(sample.text, id="x", media_type="text/mdx")
        found.update(block.kind for block in document.blocks)
        body = sample.text[document.removed[0].end :] if document.removed else sample.text
        plain.update(_TOKENS[token.type] for token in reader.parse(body) if token.type in _TOKENS)
    kinds = ("heading", "code", "list", "table", "paragraph", "esm", "jsx")
    return [(kind, found[kind], plain[kind] if kind in _TOKENS.values() else None) for kind in kinds]


def main() -> int:
    parser = options(__doc__)
    parser.add_argument("--no-growth", action="store_true", help="leave out the hostile files (minutes)")
    args = parser.parse_args()
    rows, fine = fidelity(need(args.data))
    print(table(("sample", "blocks", "headings", "as expected", "contract", "torn chunks"), rows))
    speeds = speed(args.data)
    print("\n" + table(("format", "parser", "MB", "MB/s"), speeds))
    counts = mdx_counts(args.data)
    print("\n" + table(("MDX blocks", "seamline", "as plain Markdown"), counts))
    figures: dict[str, object] = {"fidelity": rows, "speed": speeds, "mdx": counts}
    if not args.no_growth:
        os.environ.update(KEPT_MEMORY)
        results = measure(growth_cases(hostile(args.data)), args.data, 1)
        headers = ("pattern", "grown by", "M chars at 4n", "n s", "2n s", "4n s", "n-2n", "2n-4n", f"<= {BAR}")
        print("\n" + table(headers, [row(case, found) for case, found in results]))
        for case, found in results:
            if "error" in found:
                print(f"  {case.name}, {case.how}: {found['error']}")
        fine = fine and not any(judged(found) == "FAIL" for _, found in results)
        figures["growth"] = [{"pattern": case.name, "how": case.how, **found} for case, found in results]
    print(f"\nall bars: {verdict(fine)}")
    save(args.json, "formats-markup", figures)
    return 0 if fine else 1


if __name__ == "__main__":
    raise SystemExit(main())
