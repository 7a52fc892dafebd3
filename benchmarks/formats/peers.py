"""Readers of many formats beside ours on the same files: words, heading trees, places, CPU seconds.

Peers are docling (DOCX, HTML and Markdown, which need no models there) and unstructured (also PDF by its strategy
"fast"). One that is not installed, or cannot read a format here, is named and left out. Shown, not judged:

- words: of those a person sees, the share a reader hands out, and how many words it hands out beyond them. DOCX: the
  words of the body's XML; HTML: what a browser shows; Markdown: what a browser shows of markdown-it-py's HTML, front
  matter taken off before; PDF: as in `pdf.py`, agreement with the best of three libraries.
- headings: found in order by their words, leading numbers aside; `in place` has the right heading above it, whatever
  numbers a reader gives its levels; `extra` is a heading that is none. Truth is the outline level of the paragraph's
  style (DOCX), h1 to h6 (HTML, Markdown) and what a person marked (PDF). Paragraphs of the styles Title and Subtitle
  count neither way.
- places: the share of units that say where they stand in the source.
- Strict: each DOCX again with the namespaces of Strict OOXML; the data has no file of that kind.

CPU seconds are those of all files of a format, each read once: some readers keep what they have seen. Before that the
first file is read, so that all is loaded.
"""

from __future__ import annotations

import io
import re
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.common import markdown, need, options, save, table
from benchmarks.formats.html import pages, reference, shown
from benchmarks.formats.office import docx_words
from benchmarks.formats.pdf import BROKEN, SEEN, agreement
from benchmarks.formats.readers import READERS, Read, Reader, rendered, shown_title

NOTHING = -1
"""What stands above the highest headings."""
_WORD = re.compile(r"[^\W_]+")
"""Underscores are no part of words: in Markdown they may be marks."""
_FRONT = re.compile(r"\A---\r?\n.*?\r?\n---\r?\n", re.DOTALL)
_ANCHOR = re.compile(r"\{#[^{}\n]*\}")
_STRICT = (
    (b"http://schemas.openxmlformats.org/officeDocument/2006/relationships", b"officeDocument/relationships"),
    (b"http://schemas.openxmlformats.org/wordprocessingml/2006/main", b"wordprocessingml/main"),
    (b"http://schemas.openxmlformats.org/officeDocument/2006/math", b"officeDocument/math"),
    (b"http://schemas.openxmlformats.org/drawingml/2006/", b"drawingml/"),
)

Heading = tuple[int, tuple[str, ...]]


class Truth(NamedTuple):
    """What is in a file."""

    words: Counter[str]
    headings: list[Heading]
    titles: frozenset[tuple[str, ...]] = frozenset()
    """Headings that may be found or not."""


class Case(NamedTuple):
    """One file, what it is counted under, and what is in it."""

    name: str
    kind: str
    path: Path
    truth: Truth


class Found(NamedTuple):
    """One file as one reader gives it."""

    file: str
    words: int
    share: float
    more: int
    headings: int
    right: int
    in_place: int
    extra: int
    are_headings_measured: bool
    items: int
    placed: int
    seconds: float


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--markdown", type=int, default=80, help="how many Markdown documents, evenly spread")
    arguments = parser.parse_args()
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        cases = list(samples(need(arguments.data), Path(folder), arguments.markdown))
        for reader in READERS:
            if not reader.is_installed():
                print(f"{reader.name}: not installed")
                continue
            figures[reader.label()] = {
                kind: measured(reader, [one for one in cases if one.kind == kind])
                for kind in dict.fromkeys(one.kind for one in cases)
            }
    show(figures)
    save(arguments.json, "formats/peers", figures)


# --- the files and what is in them -----------------------------------------------------------------------------------


def samples(data: Path, folder: Path, count: int) -> Iterator[Case]:
    for path in sorted(need(data / "documents" / "docx").glob("*.docx")):
        truth = docx_truth(path.read_bytes())
        yield Case(path.name, "docx", path, truth)
        strict = folder / f"strict_{path.name}"
        strict.write_bytes(as_strict(path.read_bytes()))
        yield Case(path.name, "docx strict", strict, truth)
    for number, page in enumerate(pages(data)):
        yield Case(page.name, "html", written(folder / f"{number}.html", page.markup), html_truth(page.markup))
    texts = [one for one in markdown(data) if one.path.endswith(".md")]
    for number, sample in enumerate(texts[:: max(len(texts) // count, 1)][:count]):
        text = _FRONT.sub("", sample.text)
        yield Case(sample.path, "md", written(folder / f"{number}.md", text), html_truth(rendered(text)))
    for name, seen in SEEN.items():
        headings = [(level, words(title)) for level, title in seen.headings]
        yield Case(name, "pdf", need(data / "documents" / "pdf" / name), Truth(Counter(), headings))


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8", newline="")
    return path


def words(title: str) -> tuple[str, ...]:
    """The words of a heading without its number and its anchor."""
    found = _WORD.findall(_ANCHOR.sub("", title).lower())
    start = next((index for index, word in enumerate(found) if not word.isdigit()), 0)
    return tuple(found[start:])


def counted(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text.lower()))


def html_truth(markup: str) -> Truth:
    root = reference(markup)
    found = [one for one in root.iter() if re.fullmatch("h[1-6]", str(one.tag)) and words("".join(one.itertext()))]
    headings = [(int(one.tag[1]), words("".join(one.itertext()))) for one in found]
    return Truth(counted(shown(root)), headings)


def docx_truth(data: bytes) -> Truth:
    from lxml import etree

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        body = etree.fromstring(archive.read("word/document.xml"))
        styles = {one.get(named("styleId")): one for one in etree.fromstring(archive.read("word/styles.xml"))}
    styles.pop(None, None)  # defaults, which are no style
    headings, titles = [], set()
    for paragraph in body.iter(named("p")):
        title = words("".join(one.text or "" for one in paragraph.iter(named("t"))))
        style = next((one.get(named("val")) for one in paragraph.iter(named("pStyle"))), None)
        level = outline_level(paragraph.find(named("pPr")), style, styles)
        if title and level is not None:
            headings.append((level, title))
        elif title and str(style).casefold() in ("title", "subtitle"):
            titles.add(title)
    return Truth(counted(docx_words(data)), headings, frozenset(titles))


def outline_level(own: Any, style: str | None, styles: dict[str, Any]) -> int | None:
    """That of the paragraph itself, else of its style or of those this one is based on."""
    level = own.find(named("outlineLvl")) if own is not None else None
    while level is None and style in styles:
        level = next(styles[style].iter(named("outlineLvl")), None)
        style = next((one.get(named("val")) for one in styles[style].iter(named("basedOn"))), None)
    value = 9 if level is None else int(level.get(named("val")))
    return value if value < 9 else None


def named(name: str) -> str:
    return f"{{http://schemas.openxmlformats.org/wordprocessingml/2006/main}}{name}"


def as_strict(data: bytes) -> bytes:
    """The same file with the names of Strict OOXML."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            part = source.read(name)
            if name.endswith((".xml", ".rels")):
                for old, new in _STRICT:
                    part = part.replace(old, b"http://purl.oclc.org/ooxml/" + new)
            target.writestr(name, part)
    return out.getvalue()


# --- measures --------------------------------------------------------------------------------------------------------


def measured(reader: Reader, cases: list[Case]) -> dict[str, Any]:
    """All files of one kind by one reader; what fails is named and counts as nothing found."""
    kind = cases[0].kind
    if kind.split()[0] not in reader.formats:
        return {"left out": "not without models"}
    files: list[Found] = []
    failed: dict[str, str] = {}
    places: set[str] = set()
    attempt(reader, cases[0])
    for case in cases:
        read, seconds = attempt(reader, case)
        if isinstance(read, Exception):
            failed[case.name] = f"{type(read).__name__}: {read}"[:160]
            read = Read("", [], 0, 0, frozenset())
        files.append(judged(case, read, seconds))
        places |= read.places
    return {"files": [one._asdict() for one in files], "failed": failed, "places": sorted(places)}


def attempt(reader: Reader, case: Case) -> tuple[Read | Exception, float]:
    """What the reader gives, or how it fails, and the CPU seconds it took."""
    start = time.process_time()
    try:
        read: Read | Exception = reader.read(case.path)
    except Exception as error:
        read = error
    return read, time.process_time() - start


def judged(case: Case, read: Read, seconds: float) -> Found:
    got = counted(read.text)
    total, hits = case.truth.words.total(), (got & case.truth.words).total()
    share, more = hits / max(total, 1), got.total() - hits
    if case.kind == "pdf" and read.text:
        share, more = agreement(case.path, BROKEN.sub("", read.text))[0], 0
    show = shown_title if read.are_titles_markdown else str
    found = [(level, words(show(title))) for level, title in read.headings or ()]
    found = [one for one in found if one[1] and one[1] not in case.truth.titles]
    right, in_place = matched(case.truth.headings, found)
    shape = (len(case.truth.headings), right, in_place, len(found) - right)
    return Found(case.name, total, share, more, *shape, read.headings is not None, read.items, read.placed, seconds)


def matched(truth: list[Heading], found: list[Heading]) -> tuple[int, int]:
    """How many headings are found, and how many of those stand under the right one."""
    blocks = SequenceMatcher(None, [one[1] for one in truth], [one[1] for one in found], autojunk=False)
    pairs = {one.a + n: one.b + n for one in blocks.get_matching_blocks() for n in range(one.size)}
    above, theirs = parents(truth), parents(found)
    under = {NOTHING: NOTHING, **pairs}
    placed = sum(theirs[there] == under.get(above[here]) for here, there in pairs.items())
    return len(pairs), placed


def parents(headings: list[Heading]) -> list[int]:
    """The nearest heading before each that is of a higher rank."""
    out = []
    for index, (level, _) in enumerate(headings):
        out.append(next((at for at in range(index - 1, -1, -1) if headings[at][0] < level), NOTHING))
    return out


# --- tables ----------------------------------------------------------------------------------------------------------


def show(figures: dict[str, Any]) -> None:
    for kind in next(iter(figures.values())):
        print(f"\n{kind}")
        head = (
            "reader",
            "files",
            "failed",
            "words",
            "more",
            "headings",
            "in place",
            "extra",
            "placed",
            "what",
            "CPU s",
        )
        print(table(head, [row(name, of[kind]) for name, of in figures.items()]))
        for name, of in figures.items():
            for error, count in Counter(of[kind].get("failed", {}).values()).items():
                print(f"  {name} fails on {count}: {error}")
    for kind in ("docx", "docx strict", "pdf"):
        names = list(figures)
        files = [[one["share"] for one in figures[name][kind].get("files", ())] for name in names]
        rows = zip((one["file"] for one in figures[names[0]][kind]["files"]), *filter(None, files), strict=True)
        print(f"\nwords of each file, {kind}")
        print(
            table(("file", *(n for n, f in zip(names, files, strict=True) if f)), [(a, *map(pct, b)) for a, *b in rows])
        )


def pct(share: float) -> str:
    return f"{share:.2%}"


def row(name: str, of: dict[str, Any]) -> tuple[object, ...]:
    if "files" not in of:
        return name, of["left out"], *[""] * 9
    files = [Found(**one) for one in of["files"]]

    def add(field: str) -> Any:
        return sum(getattr(one, field) for one in files)

    total = add("words")
    share = sum(one.share * one.words for one in files) / total if total else add("share") / len(files)
    tree: tuple[object, ...] = (f"{add('right')}/{add('headings')}", add("in_place"), add("extra"))
    if not all(one.are_headings_measured for one in files):
        tree = ("not measured", "", "")
    places = (f"{add('placed')}/{add('items')}", ", ".join(of["places"]) or "none")
    return name, len(files), len(of["failed"]), pct(share), add("more"), *tree, *places, f"{add('seconds'):.2f}"


if __name__ == "__main__":
    main()
