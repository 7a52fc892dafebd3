"""Documents of the judged half of `pdf_judged`: set by reportlab in frames, and drawn by fpdf2."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.formats.pdf_judged import MadePdf
from benchmarks.formats.pdf_languages import ARABIC, GOTHIC, HEBREW, HINDI, JAPANESE, Language, letters
from benchmarks.formats.pdf_printed import as_pictures, drop_maps, turn_pages
from benchmarks.formats.pdf_words import Author, Part, heading

_WIDTH, _HEIGHT, _MARGIN = 595.0, 842.0, 60.0
Frame = tuple[float, float, float, float]
"""Left, top, width and height, in points from the top left corner."""
_FULL: Frame = (_MARGIN, 70, _WIDTH - 2 * _MARGIN, 700)
_PAIRS = (
    ("Owner", "Peter Lindqvist"), ("Vessel", "Maid of the Fen"), ("Built", "1958 at Haven Dock"), ("Length", "14.2 metres"),  # noqa: E501
    ("Draught", "1.1 metres"), ("Berth", "Pier 3, place 17"), ("Insured until", "30 June 2027"), ("Crew", "Two and a boy"),  # noqa: E501
)  # fmt: skip


class FrameText(NamedTuple):
    """Parts that one frame of a page holds, and how it is drawn."""

    frame: Frame
    parts: Sequence[Part]
    size: float = 10
    border: bool = False
    shade: bool = False


def set_frames(pages: Sequence[Sequence[FrameText]], decorate: Callable[[Any, int], None] | None = None) -> bytes:
    """Pages of frames, each with its own text."""
    from reportlab.pdfgen.canvas import Canvas

    out = BytesIO()
    canvas = Canvas(out, pagesize=(_WIDTH, _HEIGHT), invariant=1)
    for number, page in enumerate(pages, 1):
        if decorate is not None:
            decorate(canvas, number)
        for one in page:
            _fill(canvas, one)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def _fill(canvas: Any, one: FrameText) -> None:
    from reportlab.platypus import Frame as Box

    left, top, width, height = one.frame
    bottom = _HEIGHT - top - height
    if one.shade:
        canvas.setFillGray(0.88)
        canvas.rect(left - 6, bottom - 6, width + 12, height + 12, stroke=0, fill=1)
        canvas.setFillGray(0)
    if one.border:
        canvas.rect(left - 6, bottom - 6, width + 12, height + 12)
    story = [_flowable(part, one.size) for part in one.parts]
    Box(left, bottom, width, height, 0, 0, 0, 0).addFromList(story, canvas)
    if story:
        raise ValueError(f"{len(story)} parts do not fit into a frame of {width} x {height}")


def _flowable(part: Part, size: float) -> Any:
    from reportlab.lib import colors
    from reportlab.lib.styles import ParagraphStyle
    from reportlab.platypus import Paragraph, Preformatted, Table

    body = ParagraphStyle("body", fontName="Times-Roman", fontSize=size, leading=1.22 * size, spaceAfter=5)
    if part.kind == "heading":
        large = {1: 19.0, 2: 13.0, 3: 11.0}[part.level]
        look = ParagraphStyle(
            "head", body, fontName="Helvetica-Bold", fontSize=large, leading=1.2 * large, spaceBefore=6
        )
        return Paragraph(part.text, look)
    if part.kind == "code":
        return Preformatted(part.text, ParagraphStyle("code", body, fontName="Courier-Bold", fontSize=9, spaceAfter=6))
    if part.kind == "table":
        rules: list[Any] = [("FONT", (0, 0), (-1, -1), "Times-Roman", size - 1), ("TOPPADDING", (0, 0), (-1, -1), 1)]
        if part.ruled == "grid":
            rules.append(("GRID", (0, 0), (-1, -1), 0.4, colors.black))
        if part.ruled == "lines":
            last = len(part.rows) - 1
            rules += [
                ("LINEABOVE", (0, 0), (-1, 0), 0.7, colors.black),
                ("LINEBELOW", (0, 0), (-1, 0), 0.4, colors.black),
            ]
            rules.append(("LINEBELOW", (0, last), (-1, last), 0.7, colors.black))
        return Table([list(row) for row in part.rows], style=rules, hAlign="LEFT", spaceAfter=8, spaceBefore=4)
    if part.kind == "item":
        return Paragraph(f"\u2022 {part.text}", ParagraphStyle("item", body, leftIndent=12, firstLineIndent=-8))
    return Paragraph(part.text, body)


def _all_parts(pages: Sequence[Sequence[FrameText]]) -> list[Part]:
    return [part for page in pages for one in page for part in one.parts]


def _framed(
    name: str, kind: str, *pages: Sequence[FrameText], decorate: Callable[[Any, int], None] | None = None
) -> MadePdf:
    return MadePdf(name, kind, _all_parts(pages), set_frames(pages, decorate))


def _aside(seed: int) -> list[Part]:
    author = Author(1000 + seed)
    said = " ".join(author.sentence() for _ in range(5))
    return [Part("paragraph", f"In short: {said}")]


def _boxes() -> Iterator[MadePdf]:
    author = Author(201)
    head = [heading(1, "The Locks of the Upper Canal")]
    yield _framed(
        "drawn-box-right", "side box",
        [FrameText((60, 70, 475, 60), [*head]), FrameText((60, 130, 300, 210), author.paragraphs(3), 9.5),
         FrameText((385, 135, 145, 200), _aside(1), 9, border=True), FrameText((60, 345, 475, 420), [heading(2, "How they are kept"), *author.paragraphs(5)])],  # noqa: E501
    )  # fmt: skip
    author = Author(202)
    yield _framed(
        "drawn-box-left", "side box",
        [FrameText((60, 70, 475, 60), [heading(1, "Winter on the Lower Canal")]), FrameText((225, 130, 310, 260), author.paragraphs(4), 9.5),  # noqa: E501
         FrameText((66, 135, 135, 200), _aside(2), 9, shade=True), FrameText((60, 395, 475, 400), [heading(2, "Ice and thaw"), *author.paragraphs(5)])],  # noqa: E501
    )  # fmt: skip
    author = Author(203)
    yield _framed(
        "drawn-margin-notes", "side box",
        [FrameText((190, 70, 345, 700), [heading(1, "Letters of a Lock Keeper"), *author.paragraphs(3), heading(2, "Spring"), *author.paragraphs(4)]),  # noqa: E501
         FrameText((60, 150, 110, 60), [Part("paragraph", "Note one: the keeper was then forty years old.")], 8),
         FrameText((60, 300, 110, 60), [Part("paragraph", "Note two: no other copy of this letter is known.")], 8)],
    )  # fmt: skip
    author = Author(204)
    yield _framed(
        "drawn-columns-box", "side box",
        [FrameText((60, 70, 475, 40), [heading(1, "Timber Floats of the Year")]), FrameText((60, 115, 225, 640), [*author.paragraphs(6)]),  # noqa: E501
         FrameText((310, 115, 225, 400), [heading(2, "On the way"), *author.paragraphs(4)]), FrameText((316, 560, 213, 180), _aside(4), 9, border=True, shade=True)],  # noqa: E501
    )  # fmt: skip


def _tables() -> Iterator[MadePdf]:
    for index, ruled in enumerate(("grid", "lines", "")):
        author = Author(210 + index)
        grid = author.table(("Lock", "Rise", "Boats", "Toll"), 9, ruled)
        yield _framed(
            f"drawn-table-column-{ruled or 'bare'}", "columns and table",
            [FrameText((60, 70, 475, 40), [heading(1, "Tolls of the Canal")]), FrameText((60, 115, 225, 640), [*author.paragraphs(2), grid, *author.paragraphs(1)]),  # noqa: E501
             FrameText((310, 115, 225, 640), [*author.paragraphs(2), heading(2, "Exceptions"), *author.paragraphs(2)])],
        )  # fmt: skip
    author = Author(214)
    yield _framed(
        "drawn-two-tables", "columns and table",
        [FrameText((60, 70, 475, 120), [heading(1, "Two Tables Side by Side"), *author.paragraphs(1)]),
         FrameText((60, 200, 225, 200), [author.table(("Gate", "Width", "Depth"), 8, "grid")]),
         FrameText((310, 200, 225, 200), [author.table(("Boat", "Length", "Crew"), 6, "grid")]),
         FrameText((60, 420, 475, 300), author.paragraphs(3))],
    )  # fmt: skip


def _draw_pairs(canvas: Any, pairs: Sequence[tuple[str, str]], left: float, top: float, *, bold: bool = True) -> None:
    for row, (label, value) in enumerate(pairs):
        canvas.setFont("Helvetica-Bold" if bold else "Helvetica", 9.5)
        canvas.drawString(left, _HEIGHT - top - 17 * row, label)
        canvas.setFont("Helvetica", 9.5)
        canvas.drawString(left + 95, _HEIGHT - top - 17 * row, value)


def _pairs() -> Iterator[MadePdf]:
    own = [Part("pair", f"{label} {value}") for label, value in _PAIRS]
    author = Author(220)
    text = [FrameText((60, 70, 475, 100), [heading(1, "Register of Vessels"), *author.paragraphs(1)]), FrameText((60, 340, 475, 400), [heading(2, "Remarks of the master"), *author.paragraphs(3)])]  # fmt: skip  # noqa: E501
    for name, bold in (("bold", True), ("plain", False)):
        made = _framed(
            f"drawn-pairs-{name}",
            "label and value",
            text,
            decorate=lambda c, _, b=bold: _draw_pairs(c, _PAIRS, 60, 185, bold=b),
        )
        yield made._replace(parts=[*made.parts, *own])

    def both(canvas: Any, _: int) -> None:
        _draw_pairs(canvas, _PAIRS[:4], 60, 185)
        _draw_pairs(canvas, _PAIRS[4:], 320, 185)

    made = _framed("drawn-pairs-twice", "label and value", text, decorate=both)
    yield made._replace(parts=[*made.parts, *own])


def _forms() -> Iterator[MadePdf]:
    for index, change in enumerate((None, (b"/AP", b"/XP"))):
        for seed in (230, 231):
            data, parts = _form(seed)
            yield MadePdf(f"drawn-form-{index}-{seed}", "form", parts, data.replace(*change) if change else data)


def _form(seed: int) -> tuple[bytes, list[Part]]:
    """A form that somebody filled in."""
    from reportlab.pdfgen.canvas import Canvas

    out = BytesIO()
    canvas = Canvas(out, pagesize=(_WIDTH, _HEIGHT), invariant=1, pageCompression=0)
    author = Author(seed)
    intro = author.paragraph(3)
    _fill(canvas, FrameText((60, 70, 475, 110), [heading(1, "Request for a Berth"), intro]))
    parts = [heading(1, "Request for a Berth"), intro]
    draw = random.Random(seed)
    for row, (label, value) in enumerate(_PAIRS):
        y = _HEIGHT - 210 - 26 * row
        answer = f"{value} {draw.choice(('north', 'south', 'west'))}"
        canvas.setFont("Helvetica", 10)
        canvas.drawString(60, y, label)
        canvas.acroForm.textfield(
            value=answer, name=f"f{row}", x=170, y=y - 5, width=260, height=18, fontSize=10, borderWidth=0.5
        )
        parts.append(Part("pair", f"{label} {answer}"))
    y = _HEIGHT - 210 - 26 * len(_PAIRS)
    canvas.drawString(60, y, "Season")
    canvas.acroForm.choice(
        value="Summer", options=["Spring", "Summer", "Winter"], name="season", x=170, y=y - 5, width=120, height=18
    )
    parts.append(Part("pair", "Season Summer"))
    canvas.showPage()
    canvas.save()
    return out.getvalue(), parts


def _notes() -> Iterator[MadePdf]:
    for seed in (240, 241):
        author = Author(seed)
        made = _framed(
            f"drawn-notes-{seed}",
            "annotation",
            [FrameText(_FULL, [heading(1, "Draft of the Charter"), *author.paragraphs(4)])],
        )
        said = f"Comment {seed}: this must be settled before the ferry season"
        stamp = f"APPROVED BY THE HARBOUR OFFICE {seed}"
        yield made._replace(
            data=_annotate(made.data, said, stamp), parts=[*made.parts, Part("note", said), Part("note", stamp)]
        )


def _annotate(data: bytes, said: str, stamp: str) -> bytes:
    """A page with a text box and a stamp on it."""
    import ctypes

    import pypdfium2
    import pypdfium2.raw as raw

    def wide(text: str) -> Any:
        return ctypes.cast(ctypes.create_string_buffer(text.encode("utf-16-le") + b"\0\0"), raw.FPDF_WIDESTRING)

    document = pypdfium2.PdfDocument(data)
    page = document[0]
    for kind, text, top in ((raw.FPDF_ANNOT_FREETEXT, said, 200.0), (raw.FPDF_ANNOT_STAMP, stamp, 120.0)):
        note = raw.FPDFPage_CreateAnnot(page.raw, kind)
        raw.FPDFAnnot_SetRect(note, raw.FS_RECTF(80, top, 500, top - 30))
        if kind == raw.FPDF_ANNOT_STAMP:
            shown = raw.FPDFPageObj_NewTextObj(document.raw, b"Helvetica", 14.0)
            raw.FPDFText_SetText(shown, wide(text))
            raw.FPDFPageObj_Transform(shown, 1, 0, 0, 1, 85, top - 22)
            raw.FPDFAnnot_AppendObject(note, shown)
        else:
            raw.FPDFAnnot_SetStringValue(note, b"Contents", wide(text))
        raw.FPDFPage_CloseAnnot(note)
    out = BytesIO()
    document.save(out)
    return out.getvalue()


def _turned() -> Iterator[MadePdf]:
    for turn in (90, 180, 270):
        author = Author(250 + turn)
        page = [FrameText(_FULL, [heading(1, "Log of the Dredger"), *author.paragraphs(3), author.table(("Day", "Mud", "Sand"), 7, "grid"), heading(2, "Repairs"), *author.paragraphs(2)])]  # fmt: skip  # noqa: E501
        upright = _framed(f"drawn-rotate-{turn}", "rotated", page)
        yield upright._replace(data=turn_pages(upright.data, turn))
        yield _framed(f"drawn-content-{turn}", "rotated", page, decorate=lambda c, _, t=turn: _turn_content(c, t))
    author = Author(256)
    page = [FrameText((60, 70, 225, 690), [heading(1, "Scanned Askew"), *author.paragraphs(3)]), FrameText((310, 70, 225, 690), [heading(2, "Right hand"), *author.paragraphs(3)])]  # fmt: skip  # noqa: E501
    yield _framed("drawn-content-columns-180", "rotated", page, decorate=lambda c, _: _turn_content(c, 180))


def _turn_content(canvas: Any, degrees: int) -> None:
    """What is drawn later lies turned on the page."""
    canvas.setPageSize((_WIDTH, _HEIGHT) if degrees == 180 else (_HEIGHT, _WIDTH))
    shift = {90: (_HEIGHT, 0), 180: (_WIDTH, _HEIGHT), 270: (0, _WIDTH)}[degrees]
    canvas.translate(*shift)
    canvas.rotate(degrees if degrees != 270 else -90)


def _headings() -> Iterator[MadePdf]:
    author = Author(261)
    parts = [heading(1, "Using the Tide Recorder")]
    for word in ("Unpacking", "Mounting", "Reading", "Storing"):
        parts += [
            heading(2, word),
            *author.paragraphs(1),
            Part("code", f"tide {word.lower()} --port 3"),
            *author.paragraphs(1),
        ]
        parts += [heading(3, f"When {word.lower()} fails"), author.paragraph(2), Part("code", "tide reset")]

    def logo(canvas: Any, number: int) -> None:
        canvas.setFont("Helvetica-Bold", 22)
        canvas.drawString(440, _HEIGHT - 50, "NORDTIDE")
        canvas.setFont("Helvetica", 8)
        canvas.drawString(60, 30, f"Tide Recorder Manual    {number}")

    pages = [[FrameText(_FULL, parts[:14])], [FrameText(_FULL, parts[14:])]]
    made = _framed("drawn-bold-code", "headings", *pages, decorate=logo)
    yield made
    author = Author(262)
    parts = []
    for word in ("SCOPE", "TERMS", "DUTIES", "PENALTIES"):
        parts += [
            heading(2, f"{len(parts) // 4 + 1} {word}"),
            *author.paragraphs(1),
            Part("paragraph", f"<b>Clause.</b> {author.sentence()}"),
            author.paragraph(3),
        ]
    yield _framed("drawn-numbered", "headings", [FrameText(_FULL, [heading(1, "Bye-Laws of the Port"), *parts])])


def _running() -> Iterator[MadePdf]:
    def frame(canvas: Any, number: int) -> None:
        canvas.rect(40, 40, _WIDTH - 80, _HEIGHT - 80)
        canvas.setFont("Helvetica", 8)
        canvas.drawString(60, _HEIGHT - 55, "Port Authority")
        canvas.drawRightString(_WIDTH - 60, _HEIGHT - 55, f"Sheet {number}")
        canvas.line(40, _HEIGHT - 62, _WIDTH - 40, _HEIGHT - 62)

    author = Author(270)
    yield _framed(
        "drawn-page-frame", "frame",
        [FrameText((60, 90, 475, 660), [heading(1, "Order of the Day"), *author.paragraphs(5)])],
        [FrameText((60, 90, 475, 660), [heading(2, "Night watch"), *author.paragraphs(5)])],
        [FrameText((60, 90, 475, 660), [heading(2, "Relief"), *author.paragraphs(4)])],
        decorate=frame,
    )  # fmt: skip

    def lines(canvas: Any, number: int) -> None:
        canvas.setFont("Times-Roman", 9)
        for x, text in ((64, "Ship"), (200, "Harbour"), (330, "Cargo"), (450, f"page {number}")):
            canvas.drawString(x, _HEIGHT - 48, text)

    author = Author(271)
    rows = author.table(("Ship", "Tonnage", "Crew", "Days"), 25, "")
    yield _framed(
        "drawn-running-columns", "running",
        [FrameText(_FULL, [heading(1, "Arrivals"), author.paragraph(3), rows])],
        [FrameText(_FULL, [heading(2, "Departures"), *author.paragraphs(5)])],
        [FrameText(_FULL, [heading(2, "Delays"), *author.paragraphs(5)])],
        decorate=lines,
    )  # fmt: skip


class GlyphSheet:
    """Text drawn by fpdf2 in fonts that are embedded, with shaping."""

    def __init__(self, regular: Path, bold: Path | None = None) -> None:
        from fpdf import FPDF

        self.pdf = FPDF(unit="pt", format="A4")
        self.pdf.set_margin(60)
        self.pdf.add_font("own", "", str(regular))
        self.pdf.add_font("own", "B", str(bold or regular))
        self.pdf.set_text_shaping(True)
        self.pdf.add_page()
        self.parts: list[Part] = []

    def say(self, part: Part, width: float = 0, left: float = 60, align: str = "L") -> None:
        size = {0: 11.0, 1: 20.0, 2: 15.0}[part.level]
        self.pdf.set_font("own", "B" if part.level else "", size)
        self.pdf.set_x(left)
        self.pdf.multi_cell(width, 1.5 * size, part.text, align=align)
        self.pdf.ln(6)
        self.parts.append(part)

    def made(self, name: str, kind: str) -> MadePdf:
        return MadePdf(name, kind, self.parts, bytes(self.pdf.output()))


def _scripts(fonts: Path) -> Iterator[MadePdf]:
    for language, font in ((ARABIC, "NotoSansArabic"), (HEBREW, "NotoSansHebrew"), (HINDI, "NotoSansDevanagari")):
        for form in ("plain", "box"):
            sheet = GlyphSheet(_font(fonts, f"{font}-Regular.ttf"), _font(fonts, f"{font}-Bold.ttf"))
            _write_language(sheet, language, form)
            yield sheet.made(f"drawn-{language.code}-{form}", f"script {language.code}")


def _write_language(sheet: GlyphSheet, language: Language, form: str) -> None:
    draw = random.Random(280)
    align = "R" if language.code in ("ar", "he") else "L"
    sheet.say(heading(1, language.headings[0]), align=align)
    sheet.say(Part("paragraph", language.paragraph(draw, 6)), align=align)
    if form == "box":
        top = sheet.pdf.get_y()
        box_left, text_left = (60.0, 250.0) if align == "R" else (375.0, 60.0)
        sheet.pdf.rect(box_left - 5, top - 5, 170, 150)
        sheet.say(Part("paragraph", language.paragraph(draw, 3)), 160, box_left, align)
        sheet.pdf.set_y(top)
        sheet.say(Part("paragraph", language.paragraph(draw, 6)), 285, text_left, align)
        sheet.pdf.set_y(top + 170)
    sheet.say(heading(2, language.headings[1]), align=align)
    for _ in range(3):
        sheet.say(Part("paragraph", language.paragraph(draw, 6)), align=align)
    sheet.say(heading(2, language.headings[3]), align=align)
    sheet.say(Part("paragraph", language.paragraph(draw, 6)), align=align)


def _mathematics(fonts: Path) -> Iterator[MadePdf]:
    for alphabet in ("bold", "italic", "double", "fraktur"):
        sheet = GlyphSheet(_font(fonts, "NotoSansMath-Regular.ttf"))
        author = Author(290)
        sheet.say(heading(1, f"On {letters(alphabet, 'Groups')} and Rings"))
        for word in ("Kernel", "Image", "Limit"):
            sheet.say(author.paragraph(3))
            sheet.say(heading(2, f"The {letters(alphabet, word)} of a map"))
            sheet.say(
                Part(
                    "paragraph",
                    f"Take {letters(alphabet, 'G')} with {letters(alphabet, 'a')} in {letters(alphabet, word)}, then stop.",  # noqa: E501
                )
            )
        yield sheet.made(f"drawn-letters-{alphabet}", "mathematics")
    sheet = GlyphSheet(_font(fonts, "NotoSansGothic-Regular.ttf"))
    for _ in range(4):
        sheet.say(Part("paragraph", GOTHIC))
    yield sheet.made("drawn-gothic", "mathematics")


def _vertical(fonts: Path) -> Iterator[MadePdf]:
    """Characters one below the other, in columns from right to left."""
    for seed in (300, 301):
        from fpdf import FPDF

        draw = random.Random(seed)
        pdf = FPDF(unit="pt", format="A4")
        pdf.add_font("own", "", str(_font(fonts, "NotoSansCJK-Regular.ttc")))
        pdf.add_page()
        parts = [
            heading(1, JAPANESE.headings[seed % 4]),
            *(Part("paragraph", JAPANESE.paragraph(draw, 6)) for _ in range(4)),
        ]
        x = 510.0
        for part in parts:
            size = 20.0 if part.level else 11.0
            pdf.set_font("own", "", size)
            y = 80.0
            for character in part.text:
                if y > 740:
                    x, y = x - 20, 80.0
                pdf.text(x, y, character)
                y += 1.05 * size
            x -= 34
        yield MadePdf(f"drawn-vertical-{seed}", "vertical", parts, bytes(pdf.output()))


def _unread(fonts: Path) -> Iterator[MadePdf]:
    for seed in (310, 311):
        author = Author(seed)
        page = [
            FrameText(
                _FULL,
                [
                    heading(1, "Account of the Flood"),
                    *author.paragraphs(4),
                    heading(2, "Damage"),
                    *author.paragraphs(2),
                ],
                11,
            )
        ]
        made = _framed(f"drawn-no-text-{seed}", "no text", page)
        yield made._replace(data=as_pictures(made.data))
    sheet = GlyphSheet(_font(fonts, "NotoSans-Regular.ttf"), _font(fonts, "NotoSans-Bold.ttf"))
    author = Author(312)
    for part in (
        heading(1, "Names Without a Map"),
        *author.paragraphs(3),
        heading(2, "The second half"),
        *author.paragraphs(2),
    ):
        sheet.say(part)
    made = sheet.made("drawn-no-map", "no map")
    yield made._replace(data=drop_maps(made.data))


def _font(fonts: Path, name: str) -> Path:
    found = next(fonts.rglob(name), None)
    if found is None:
        raise SystemExit(f"{name} is not in {fonts}: name the folder of the Noto fonts with --fonts DIR")
    return found


def make(fonts: Path, only: str) -> list[MadePdf]:
    makers = (_boxes, _tables, _pairs, _forms, _notes, _turned, _headings, _running)
    with_fonts = (_scripts, _mathematics, _vertical, _unread)
    made = [one for maker in makers for one in maker()] + [one for maker in with_fonts for one in maker(fonts)]
    return [one for one in made if only in one.name]
