"""Office files: are all words of a document there, and what does reading cost beside the libraries of the formats.

Samples are those of `documents/docx`, `pptx`, `odf` and `xlsx`. Judged: of the words in the XML of a DOCX or ODT (not
deleted, not hidden, boxes once) at least 99.5% for each sample, of the words on the slides of a PPTX and of the cells
of a workbook likewise. CPU time for a workbook of about 5 MB is shown beside python-calamine's own read of all its
cells, not judged. Peers that are not installed are left out.
"""

from __future__ import annotations

import io
import random
import re
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.common import need, options, save, table, verdict
from seamline.formats import BY_NAME
from seamline.parse.parser_types import ParseInput, Parser, load_parser

LEAST = 0.995
ROUNDS = 5
ROWS = 80_000
_WORD = re.compile(r"\w+")
_PARSERS = {"docx": "docx", "pptx": "pptx", "odt": "odt", "odp": "odt", "ods": "odt", "xlsx": "xlsx"}
_BREAKS = frozenset(("p", "tab", "br", "cr", "tc", "h", "s", "line-break", "si", "row"))
_UNSEEN = frozenset(
    ("del", "moveFrom", "instrText", "delText", "Fallback", "tracked-changes", "note-citation", "notes")
)


class Result(NamedTuple):
    """One sample."""

    file: str
    words: int
    ours: float
    peer: float | None
    headings: int
    tables: int
    megabytes: float
    """Per second of CPU time, of the file as it is."""


def main() -> None:
    arguments = options(__doc__).parse_args()
    folder = need(arguments.data / "documents")
    results = [judged(path) for path in samples(folder)]
    print(table(Result._fields, [result._replace(ours=round(result.ours, 4)) for result in results]))
    short = [result.file for result in results if result.ours < LEAST]
    print(f"\nwords found, at least {LEAST:.1%} each: {verdict(not short)} {', '.join(short)}")
    speed = workbook_speed()
    print(f"\nworkbook of {speed['megabytes']:.1f} MB, {ROWS:,} rows: CPU seconds, best of {ROUNDS}")
    for name in ("calamine", "ours"):
        print(f"  {name:9} {speed[name]:6.2f}")
    ratio = speed["ours"] / speed["calamine"]
    print(f"ours / calamine {ratio:.2f}")
    save(arguments.json, "formats/office", {"samples": [result._asdict() for result in results], "speed": speed})


def samples(folder: Path) -> Iterator[Path]:
    for kind in ("docx", "pptx", "odf", "xlsx"):
        yield from sorted(path for path in need(folder / kind).iterdir() if path.suffix[1:] in _PARSERS)


def judged(path: Path) -> Result:
    data, kind = path.read_bytes(), path.suffix[1:]
    parser = parser_of(kind)
    parsed = parser(ParseInput(data, "", path.name))
    spent = best(lambda: parser(ParseInput(data, "", path.name)))
    truth = Counter(_WORD.findall(TRUTHS[kind](data)))
    other = peer(kind, path)
    return Result(
        path.name,
        truth.total(),
        share(truth, parsed.text),
        None if other is None else round(share(truth, other), 4),
        sum(block.kind == "heading" for block in parsed.blocks),
        sum(block.kind == "table" for block in parsed.blocks),
        len(data) / 1e6 / spent,
    )


def parser_of(kind: str) -> Parser:
    return load_parser(BY_NAME[_PARSERS[kind]].parser)


def share(truth: Counter[str], text: str) -> float:
    """How many of the words are in a text, each as often."""
    return (truth & Counter(_WORD.findall(text))).total() / max(truth.total(), 1)


def best(call: Callable[[], object]) -> float:
    """CPU seconds of the fastest of some runs."""
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return max(min(times), 1e-6)


# --- what is in the files -------------------------------------------------------------------------------------------


def xml_text(data: bytes, parts: Callable[[str], bool], tags: frozenset[str] | None) -> str:
    """The text of parts of a package: that of the elements in `tags`, or all of it, changes and doubles aside."""
    from lxml import etree

    out: list[str] = []
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            if not parts(name):
                continue
            stack: list[Any] = [etree.fromstring(archive.read(name))]
            while stack:
                one = stack.pop()
                if isinstance(one, str):
                    out.append(one)
                    continue
                local = one.tag.rpartition("}")[2] if isinstance(one.tag, str) else "del"
                if local in _UNSEEN or hidden(one, local):
                    continue
                if local in _BREAKS:
                    out.append(" ")
                    stack.append(" ")
                for inner in reversed(one):
                    if tags is None and inner.tail:
                        stack.append(inner.tail)
                    stack.append(inner)
                if one.text and (tags is None or one.tag in tags):
                    out.append(one.text)
    return "".join(out)


def hidden(run: Any, local: str) -> bool:
    names = [inner.tag for one in run if local == "r" for inner in one if one.tag.endswith("}rPr")]
    return any(isinstance(name, str) and name.endswith("}vanish") for name in names)


_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main", "http://purl.oclc.org/ooxml/wordprocessingml/main"
_A = "http://schemas.openxmlformats.org/drawingml/2006/main"


def docx_words(data: bytes) -> str:
    return xml_text(data, lambda name: name == "word/document.xml", frozenset(f"{{{space}}}t" for space in _W))


def pptx_words(data: bytes) -> str:
    return xml_text(data, lambda name: name.startswith("ppt/slides/slide"), frozenset([f"{{{_A}}}t"]))


def odf_words(data: bytes) -> str:
    text = xml_text(data, lambda name: name == "content.xml", None)
    return re.sub(r"\b(?:true|false)\b", "", text) if b"spreadsheet" in data[:100] else text


def xlsx_words(data: bytes) -> str:
    """Cells as calamine gives them, whole numbers as such."""
    from python_calamine import CalamineWorkbook

    book = CalamineWorkbook.from_filelike(io.BytesIO(data))
    rows = (row for name in book.sheet_names for row in book.get_sheet_by_name(name).to_python())
    return " ".join(f"{cell:.15g}" if isinstance(cell, float) else str(cell) for row in rows for cell in row)


TRUTHS: dict[str, Callable[[bytes], str]] = {
    "docx": docx_words,
    "pptx": pptx_words,
    "odt": odf_words,
    "odp": odf_words,
    "ods": odf_words,
    "xlsx": xlsx_words,
}


# --- peers ----------------------------------------------------------------------------------------------------------


def peer(kind: str, path: Path) -> str | None:
    """What the usual library finds, used as its documentation shows; None where it is not installed or fails."""
    module, read = PEERS[kind]
    if find_spec(module) is None:
        return None
    try:
        return read(path)
    except Exception as error:
        print(f"{path.name}: {module} fails ({type(error).__name__})")
        return None


def python_docx(path: Path) -> str:
    import docx  # type: ignore[import-not-found,unused-ignore]

    document = docx.Document(str(path))
    cells = [cell.text for one in document.tables for row in one.rows for cell in row.cells]
    return "\n".join([*(paragraph.text for paragraph in document.paragraphs), *cells])


def python_pptx(path: Path) -> str:
    import pptx  # type: ignore[import-not-found,unused-ignore]

    shapes = [shape for slide in pptx.Presentation(str(path)).slides for shape in slide.shapes]
    texts = [shape.text_frame.text for shape in shapes if shape.has_text_frame]
    cells = [cell.text for shape in shapes if shape.has_table for row in shape.table.rows for cell in row.cells]
    return "\n".join([*texts, *cells])


def odfpy(path: Path) -> str:
    from odf import teletype, text  # type: ignore[import-not-found,unused-ignore]
    from odf.opendocument import load  # type: ignore[import-not-found,unused-ignore]

    document = load(str(path))
    found = [*document.getElementsByType(text.H), *document.getElementsByType(text.P)]
    return "\n".join(teletype.extractText(one) for one in found)


def openpyxl_text(path: Path) -> str:
    from openpyxl import load_workbook  # type: ignore[import-untyped,unused-ignore]

    book = load_workbook(path, read_only=True, data_only=True)
    rows = (row for sheet in book.worksheets for row in sheet.iter_rows(values_only=True))
    return " ".join(str(cell) for row in rows for cell in row if cell is not None)


PEERS: dict[str, tuple[str, Callable[[Path], str]]] = {
    "docx": ("docx", python_docx),
    "pptx": ("pptx", python_pptx),
    "odt": ("odf", odfpy),
    "odp": ("odf", odfpy),
    "ods": ("odf", odfpy),
    "xlsx": ("openpyxl", openpyxl_text),
}


# --- speed ----------------------------------------------------------------------------------------------------------


def workbook_speed() -> dict[str, float]:
    from python_calamine import CalamineWorkbook

    from seamline.parse.sheets.workbook import parse

    data = workbook()

    def calamine() -> object:
        return CalamineWorkbook.from_filelike(io.BytesIO(data)).get_sheet_by_index(0).to_python()

    return {"megabytes": len(data) / 1e6, "calamine": best(calamine), "ours": best(lambda: parse(ParseInput(data)))}


def workbook() -> bytes:
    """Orders: numbers, dates, names and remarks, most texts shared, as spreadsheet programs write them."""
    chance = random.Random(7)
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    links = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    texts = [f"{word} {n}" for word in ("customer", "product", "city of", "remark about order") for n in range(2_000)]
    head = ["id", "day", "customer", "city", "product", "count", "price", "total", "paid", "remark"]
    rows = ['<row r="1">' + "".join(f'<c r="{chr(65 + n)}1" t="str"><v>{name}</v></c>' for n, name in enumerate(head))]
    for n in range(2, ROWS + 2):
        count, price = chance.randint(1, 90), round(chance.random() * 100, 2)
        shared = [chance.randrange(at, at + 2_000) for at in (0, 4_000, 2_000, 6_000)]
        rows.append(
            f'</row><row r="{n}"><c r="A{n}"><v>{n}</v></c><c r="B{n}" s="1"><v>{45_000 + n % 700}</v></c>'
            f'<c r="C{n}" t="s"><v>{shared[0]}</v></c><c r="D{n}" t="s"><v>{shared[1]}</v></c>'
            f'<c r="E{n}" t="s"><v>{shared[2]}</v></c><c r="F{n}"><v>{count}</v></c><c r="G{n}"><v>{price}</v></c>'
            f'<c r="H{n}"><v>{count * price}</v></c><c r="I{n}" t="b"><v>{count % 2}</v></c>'
            f'<c r="J{n}" t="s"><v>{shared[3]}</v></c>'
        )
    sheet = f'<worksheet xmlns="{space}"><sheetData>{"".join(rows)}</row></sheetData></worksheet>'
    strings = "".join(f"<si><t>{text}</t></si>" for text in texts)
    named = (
        ("1", "worksheet", "worksheets/sheet1"),
        ("2", "sharedStrings", "sharedStrings"),
        ("3", "styles", "styles"),
    )
    relations = "".join(f'<Relationship Id="r{n}" Type="{links}/{kind}" Target="{to}.xml"/>' for n, kind, to in named)
    package = "http://schemas.openxmlformats.org/package/2006/relationships"
    parts = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
        "_rels/.rels": f'<Relationships xmlns="{package}"><Relationship Id="r1" Type="{links}/officeDocument"'
        ' Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{space}" xmlns:r="{links}"><sheets><sheet name="Orders" sheetId="1"'
        ' r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}">{relations}</Relationships>',
        "xl/worksheets/sheet1.xml": sheet,
        "xl/sharedStrings.xml": f'<sst xmlns="{space}">{strings}</sst>',
        "xl/styles.xml": f'<styleSheet xmlns="{space}"><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>'
        "</styleSheet>",
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return out.getvalue()


if __name__ == "__main__":
    main()
