"""PDF of the kinds that are read badly: text, order, headings and tables known by construction, in two halves.

    pip install reportlab fpdf2 uharfbuzz playwright pypdf
    python -m benchmarks.formats.pdf_judged --fonts DIR [--half tune|judge] [--keep DIR] [--show NAME]

The half `tune` is printed by Chromium (`pdf_printed`); rules were written on it. The half `judge` is set by reportlab,
fpdf2 and LibreOffice (`pdf_drawn`, `pdf_office`); forms and annotations are in that half alone.
`--fonts` is a folder with the Noto fonts
of Arabic, Hebrew, Devanagari, CJK and mathematics (Debian: fonts-noto-core, fonts-noto-cjk).

What is judged:
- words: the share of all words that are in the text. Running heads are none of them.
- whole: the share of paragraphs, headings, items and cells whose words stand in the text without any other between.
- order: the share of neighbours among numbered paragraphs that follow each other.
- headings: by text; found too many.
- tables: by exact rows x columns; found too many.
- seconds: CPU time of the parser.
"""

from __future__ import annotations

import json
import re
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import quantiles
from typing import Any, NamedTuple

from benchmarks.common import options, save, table
from benchmarks.formats.pdf_words import Part
from seamline.parse.parser_types import ParseInput
from seamline.parse.pdf import parse
from seamline.text.tables import tables
from seamline.types import Document, Source

_SINGLE = re.compile("([\u2e80-\u9fff\uf900-\ufaff])")
"""Characters of scripts without spaces are words by themselves."""
_MARK = re.compile(r"Passage (\d+)")
_SHAPED = re.compile("[\ufb1d-\ufdff\ufe70-\ufefc]+")
"""Arabic letters in the shape they have in a word: the same letters."""
_INDEX = "index.json"
_TAG = re.compile("</?b>")
_HYPHEN = re.compile("(?<=[a-z])[-\u2010\u00ad]\\s+(?=[a-z])")


class MadePdf(NamedTuple):
    """A document of the set."""

    name: str
    kind: str
    parts: Sequence[Part]
    data: bytes


class PdfScore(NamedTuple):
    """How one document was read."""

    name: str
    kind: str
    words: float
    whole: float
    order: float
    headings: int
    found: int
    extra: int
    tables: int
    shapes: int
    more: int
    seconds: float
    notices: str


def words(text: str) -> list[str]:
    """The words of a text without punctuation, as they are compared."""
    shown = _SHAPED.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text.replace("\u200f", ""))
    spaced = _SINGLE.sub(r" \1 ", _HYPHEN.sub("", shown).lower())
    kept = "".join(c if unicodedata.category(c)[0] in "LNM" else " " for c in spaced)
    return kept.split()


def judge(made: MadePdf) -> PdfScore:
    start = time.process_time()
    result = parse(ParseInput(made.data, uri=f"{made.name}.pdf"))
    seconds = time.process_time() - start
    document = Document(made.name, Source(made.name, "application/pdf"), result.text, tuple(result.blocks))
    text = document.text
    own = words(text)
    wanted = Counter(word for part in made.parts for word in words(part.words))
    pieces = [
        piece
        for part in made.parts
        for piece in (_TAG.sub("", part.text), *(cell for row in part.rows for cell in row))
    ]
    spoken = f" {' '.join(own)} "
    known = [" ".join(words(piece)) for piece in pieces if words(piece)]
    marks = [int(mark) for mark in _MARK.findall(text)]
    pairs = set(pairwise(range(1, sum("Passage " in part.text for part in made.parts) + 1)))
    true = Counter(" ".join(words(part.text)) for part in made.parts if part.kind == "heading")
    shown = Counter(" ".join(words(text[b.start : b.end])) for b in document.blocks if b.kind == "heading")
    drawn = Counter((len(part.rows), len(part.rows[0])) for part in made.parts if part.rows)
    shapes = Counter((len(one.header) + len(one.body), len(one.columns)) for one in tables(document))
    found, right = (true & shown).total(), (drawn & shapes).total()
    return PdfScore(
        made.name,
        made.kind,
        (wanted & Counter(own)).total() / max(wanted.total(), 1),
        sum(f" {piece} " in spoken for piece in known) / max(len(known), 1),
        len(pairs & set(pairwise(marks))) / len(pairs) if pairs else 1.0,
        true.total(),
        found,
        shown.total() - found,
        drawn.total(),
        right,
        shapes.total() - right,
        round(seconds, 3),
        ",".join(sorted({notice.code for notice in result.notices} - {"running-text"})),
    )


def summarize(scores: Sequence[PdfScore]) -> str:
    """The figures that have a bar."""
    shares = sorted(one.words for one in scores)
    tenth = quantiles(shares, n=10)[0] if len(shares) > 1 else shares[0]
    total = {
        name: sum(getattr(one, name) for one in scores)
        for name in ("headings", "found", "extra", "tables", "shapes", "more", "seconds")
    }
    recall, precision = (
        total["found"] / max(total["headings"], 1),
        total["found"] / max(total["found"] + total["extra"], 1),
    )
    return (
        f"{len(scores)} files: words {tenth:.3f} at the tenth percentile, mean {sum(shares) / len(shares):.3f};"
        f" whole {sum(one.whole for one in scores) / len(scores):.3f}, order {sum(one.order for one in scores) / len(scores):.3f}\n"  # noqa: E501
        f"headings: recall {recall:.3f}, precision {precision:.3f} ({total['headings']}); tables by shape"
        f" {total['shapes']}/{total['tables']} = {total['shapes'] / max(total['tables'], 1):.3f}, too many {total['more']};"  # noqa: E501
        f" {total['seconds']:.2f} s CPU"
    )


def make_half(half: str, fonts: Path, only: str) -> list[MadePdf]:
    """The documents of a half whose name holds `only`."""
    from benchmarks.formats import pdf_drawn, pdf_office, pdf_printed

    makers: dict[str, tuple[Callable[[Path, str], list[MadePdf]], ...]] = {
        "tune": (pdf_printed.make,),
        "judge": (pdf_drawn.make, pdf_office.make),
    }
    return [made for maker in makers[half] for made in maker(fonts, only)]


def keep_half(made: Sequence[MadePdf], folder: Path) -> None:
    """Write documents and what is true of them, so that two versions of the parser read the same bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    for one in made:
        (folder / f"{one.name}.pdf").write_bytes(one.data)
    true = [[one.name, one.kind, [list(part) for part in one.parts]] for one in made]
    (folder / _INDEX).write_text(json.dumps(true, ensure_ascii=False, indent=1), encoding="utf-8")


def kept_half(folder: Path, only: str) -> list[MadePdf]:
    """The documents of a folder that `keep_half` wrote."""
    true = json.loads((folder / _INDEX).read_text(encoding="utf-8"))
    return [
        MadePdf(name, kind, [_part(part) for part in parts], (folder / f"{name}.pdf").read_bytes())
        for name, kind, parts in true
        if only in name
    ]


def _part(row: list[Any]) -> Part:
    kind, text, level, rows, ruled = row
    return Part(kind, text, level, tuple(tuple(cells) for cells in rows), ruled)


def main() -> int:
    parser = options(__doc__)
    parser.add_argument("--fonts", type=Path, required=True, metavar="DIR", help="folder of the Noto fonts")
    parser.add_argument("--half", choices=("tune", "judge"), action="append", help="which half; both where not given")
    parser.add_argument(
        "--keep", type=Path, metavar="DIR", help="write the documents there, and use those that are there"
    )
    parser.add_argument("--only", default="", metavar="NAME", help="only documents whose name holds this")
    parser.add_argument("--show", action="store_true", help="print what is read")
    args = parser.parse_args()
    rows = []
    for half in args.half or ("tune", "judge"):
        kept = args.keep / half if args.keep else None
        if kept is not None and (kept / _INDEX).exists():
            made = kept_half(kept, args.only)
        else:
            made = make_half(half, args.fonts, args.only)
            if kept is not None and not args.only:
                keep_half(made, kept)
        if args.show:
            for one in made:
                result = parse(ParseInput(one.data, uri=one.name))
                print(f"=== {one.name}", result.text, *result.notices, sep="\n")
        scores = [judge(one) for one in made]
        print(table(PdfScore._fields, scores))
        print(f"{half}: {summarize(scores)}\n")
        rows += [one._asdict() for one in scores]
    save(args.json, "pdf_judged", rows)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
