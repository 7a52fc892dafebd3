"""Documents made for `pdf_held_out`: what each is made of, and how it is set.

Most are set by reportlab, which flows parts over pages and columns; slides and the bill are placed by fpdf2, line by line.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from typing import Any, NamedTuple

_TAG = re.compile(r"</?b>")
Rows = tuple[tuple[str, ...], ...]


class Part(NamedTuple):
    """A piece of a document, as its author means it."""

    kind: str
    """heading, paragraph, item, code, table, caption, quote, or leader: a line of a table of contents."""
    text: str = ""
    level: int = 0
    rows: Rows = ()
    ruled: str = ""
    """How a table is drawn: `grid`, `lines` above and below, or nothing."""

    @property
    def words(self) -> str:
        return " ".join([_TAG.sub("", self.text), *(cell for row in self.rows for cell in row)])


class Layout(NamedTuple):
    """A document: its parts, and what makes a file of them."""

    name: str
    parts: Sequence[Part]
    make: Callable[[Sequence[Part]], bytes]


# --- words ----------------------------------------------------------------------------------------------------------

_ENGLISH = (
    "the {n} of the {m} was checked before any {n} left the yard",
    "every {m} has its own {n}, and the {m} decides how long it lasts",
    "in most years the {n} is moved to the {m} when the river rises",
    "nobody had measured the {n} at this {m} until last spring",
    "a careful {m} needs less {n} than one might think at first",
    "it follows that the {n} and the {m} cannot be planned apart",
)
_GERMAN = (
    "der {n} wird vor jeder {m} geprüft und schriftlich bestätigt",
    "für die {m} gilt der zuletzt vereinbarte {n} als maßgeblich",
    "eine Änderung der {m} bedarf der Zustimmung beider Vertragsparteien",
    "soweit der {n} nicht ausreicht, trägt der Auftragnehmer die Mehrkosten",
)
_NOUNS = ("water gauge", "pump house", "supply line", "timber stock", "night shift", "ledger", "valve", "survey")
_NOMEN = ("Wartungsvertrag", "Lieferschein", "Übergabezeitpunkt", "Leistungsnachweis")
_FRAUEN = ("Rechnungsprüfung", "Gewährleistungsfrist", "Übergabe", "Abnahmeerklärung")


class Author:
    """Writes paragraphs that are numbered through, so that their order can be judged."""

    def __init__(self, seed: int, *, german: bool = False) -> None:
        self._draw = random.Random(seed)
        self._templates = _GERMAN if german else _ENGLISH
        self._words = (_NOMEN, _FRAUEN) if german else (_NOUNS, _NOUNS)
        self._number = 0

    def sentence(self) -> str:
        first, second = self._words
        said = self._draw.choice(self._templates).format(n=self._draw.choice(first), m=self._draw.choice(second))
        return said[0].upper() + said[1:] + "."

    def paragraph(self, sentences: int = 4) -> Part:
        self._number += 1
        said = " ".join(self.sentence() for _ in range(sentences))
        return Part("paragraph", f"Passage {self._number} begins here. {said}")

    def paragraphs(self, count: int = 2) -> list[Part]:
        return [self.paragraph(self._draw.randint(2, 6)) for _ in range(count)]

    def items(self, count: int = 4) -> list[Part]:
        return [Part("item", self.sentence()) for _ in range(count)]

    def table(self, head: tuple[str, ...], rows: int, ruled: str) -> Part:
        body = tuple(
            (f"{self._draw.choice(_NOUNS)} {row}", *(f"{self._draw.randint(1, 9_999):,}" for _ in head[1:]))
            for row in range(1, rows)
        )
        return Part("table", rows=(head, *body), ruled=ruled)


def heading(level: int, text: str) -> Part:
    return Part("heading", text, level)


def written(seed: int, tree: Sequence[tuple[int, str]], *, german: bool = False, count: int = 2) -> list[Part]:
    """Headings, each with paragraphs under it."""
    author = Author(seed, german=german)
    return [part for level, text in tree for part in (heading(level, text), *author.paragraphs(count))]


# --- what they are made of --------------------------------------------------------------------------------------------


def _report() -> list[Part]:
    author = Author(1)
    return [
        heading(1, "Annual Report of the Lower Valley Waterworks"),
        *author.paragraphs(1),
        heading(2, "1 Overview"), *author.paragraphs(3),
        heading(3, "1.1 Scope of this report"), *author.paragraphs(2), *author.items(),
        heading(3, "1.2 Sources"), *author.paragraphs(2),
        heading(2, "2 Supply"), *author.paragraphs(2),
        Part("caption", "Table 1: Volumes by quarter, in cubic metres"),
        author.table(("Station", "Spring", "Summer", "Autumn"), 6, "grid"),
        *author.paragraphs(2),
        heading(3, "2.1 Losses"), *author.paragraphs(3),
        heading(2, "3 Outlook"), *author.paragraphs(2),
    ]  # fmt: skip


def _paper() -> list[Part]:
    author = Author(2)
    return [
        heading(1, "Long-Term Drift of Float Gauges in Shallow Wells"),
        heading(2, "Abstract"), author.paragraph(6),
        heading(2, "I. INTRODUCTION"), *author.paragraphs(3),
        heading(2, "II. RELATED WORK"), *author.paragraphs(3),
        heading(2, "III. METHOD"), *author.paragraphs(1),
        heading(3, "A. Instruments"), *author.paragraphs(2),
        heading(3, "B. Sampling"), *author.paragraphs(2),
        Part("caption", "TABLE I: Drift per year"),
        author.table(("Gauge", "Mean", "Worst"), 5, "lines"),
        *author.paragraphs(1),
        heading(2, "IV. RESULTS"), *author.paragraphs(4),
        heading(2, "V. CONCLUSION"), *author.paragraphs(2),
    ]  # fmt: skip


def _manual() -> list[Part]:
    author = Author(3)
    return [
        heading(1, "Operating the Pump Controller"), *author.paragraphs(1),
        heading(2, "Before you start"), *author.paragraphs(2),
        heading(3, "What is in the box"), *author.items(5),
        heading(3, "Tools you need"), *author.paragraphs(1),
        heading(2, "Installation"), *author.paragraphs(2),
        Part("code", "pumpctl init --station north\npumpctl calibrate --runs 3\npumpctl start"),
        *author.paragraphs(1),
        heading(3, "Checking the wiring"), *author.paragraphs(2),
        heading(2, "Troubleshooting"), *author.paragraphs(1), *author.items(3),
    ]  # fmt: skip


_MEMO = (
    (1, "SUMMARY"),
    (1, "WHAT HAPPENED IN MARCH"),
    (1, "COSTS AND STAFF"),
    (1, "WHAT WE PROPOSE"),
)
_CONTRACT = (
    (1, "Wartungsvertrag über Förderanlagen"),
    (2, "§ 1 Vertragsgegenstand"),
    (2, "§ 2 Leistungen des Auftragnehmers"),
    (2, "§ 3 Vergütung und Zahlungsbedingungen"),
    (2, "§ 4 Gewährleistung"),
    (2, "§ 5 Schlussbestimmungen"),
)
_NEWS = (
    (1, "The Valley Gazette"),
    (2, "Bridge opens after two winters"),
    (2, "Council turns down the new weir"),
    (2, "A walk along the old canal"),
    (2, "Letters"),
)
_THESIS = (
    (1, "3 Methods"),
    (2, "3.1 Study area"),
    (3, "3.1.1 Climate"),
    (3, "3.1.2 Soils and land use"),
    (2, "3.2 Field work"),
    (2, "3.3 Statistical model"),
    (3, "3.3.1 Priors"),
    (1, "4 Results"),
    (2, "4.1 Water levels"),
    (2, "4.2 Sensitivity"),
)
_FAQ = (
    (1, "Questions about your connection"),
    (2, "How do I read my meter?"),
    (2, "What happens when I move?"),
    (2, "Why is my bill higher than last year?"),
    (2, "Can I pay in instalments?"),
    (2, "Who repairs a burst pipe?"),
)
_POLICY = (
    (1, "Data Retention Policy"),
    (2, "Purpose"),
    (2, "Scope"),
    (3, "Systems covered"),
    (3, "Systems not covered"),
    (2, "Retention periods"),
    (2, "Responsibilities"),
    (3, "Owners of records"),
)


def _with_quote(parts: list[Part]) -> list[Part]:
    """A sentence set large between paragraphs, as magazines do: it is no heading."""
    quote = Part("quote", "We had waited so long for this bridge that nobody believed in it, said the ferryman.")
    return [*parts[:5], quote, *parts[5:]]


_SLIDES = (
    ("Where the water goes", ("Three stations, one river", "Losses of a fifth", "Most of them at night")),
    ("How we measured", ("Float gauges at every outlet", "Readings each quarter of an hour")),
    ("What we found", ("Old joints leak most", "Two valves never close", "Nobody looks at the ledger")),
    ("Next steps", ("Replace the joints in spring", "Train the night shift")),
)
_BILL = (
    ("Item", "Quantity", "Price", "Amount"),
    ("Float gauge, brass", "2", "118.00", "236.00"),
    ("Valve seal, 40 mm", "12", "3.20", "38.40"),
    ("Labour, hours", "6", "54.00", "324.00"),
    ("Travel", "1", "40.00", "40.00"),
)


def _slides() -> list[Part]:
    return [part for title, said in _SLIDES for part in (heading(1, title), *(Part("item", one) for one in said))]


def _bill() -> list[Part]:
    return [
        heading(1, "Invoice 2026-114"),
        Part("paragraph", "Waterworks of the Lower Valley, Mill Lane 4, 90210 Riverside"),
        Part("table", rows=_BILL),
        Part("paragraph", "Please pay within thirty days to the account named below. We thank you for your order."),
    ]


_LAW = (
    (1, "Water Rights Act"),
    (2, "Part I: General"),
    (3, "Article 1. Purpose"),
    (3, "Article 2. Definitions"),
    (2, "Part II: Permits"),
    (3, "Article 3. Who may apply"),
    (3, "Article 4. Duration of a permit"),
)
_FRENCH = (
    (1, "Gestion des eaux souterraines"),
    (2, "1. Introduction"),
    (2, "2. Données et méthodes"),
    (3, "2.1. Zone d'étude"),
    (3, "2.2. Échantillonnage à l'été"),
    (2, "3. Résultats"),
    (2, "4. Conclusion"),
)
_INTERVIEW = (
    (1, "The ferryman remembers"),
    (2, "When did you first cross the river?"),
    (2, "What was the worst winter?"),
    (2, "Did you ever lose a passenger?"),
)


def _letter() -> list[Part]:
    """No heading at all; some words in bold, and a closing line."""
    author = Author(11)
    dear = [Part("paragraph", "Dear Ms Miller,"), *author.paragraphs(2)]
    deadline = Part(
        "paragraph", "<b>The deadline is the third of May.</b> " + author.sentence() + " " + author.sentence()
    )
    return [
        *dear,
        deadline,
        *author.paragraphs(2),
        Part("paragraph", "Yours sincerely,"),
        Part("paragraph", "Anna Berg"),
    ]


def _contents() -> list[Part]:
    """A table of contents, whose lines say what headings say and are none, and then the chapters."""
    author = Author(12)
    tree = ((2, "1 Where we stand"), (2, "2 What it costs"), (2, "3 Who decides"))
    listed = [Part("leader", f"{text} {'. ' * 50}{page}") for page, (_, text) in enumerate(tree, 2)]
    chapters = [part for level, text in tree for part in (heading(level, text), *author.paragraphs(4))]
    return [heading(1, "Plan for the Upper Weir"), heading(2, "Contents"), *listed, *chapters]


def _sheet() -> list[Part]:
    """More tables than text, one right under the other heading."""
    author = Author(13)
    return [
        heading(1, "Quarterly Figures"), author.paragraph(2),
        heading(2, "Volumes"), author.table(("Station", "Q1", "Q2", "Q3", "Q4"), 9, "grid"),
        heading(2, "Staff"), author.table(("Shift", "People", "Hours"), 5, "lines"),
        heading(2, "Stock"), author.table(("Part", "In store", "On order", "Price"), 7, ""),
        author.paragraph(3),
    ]  # fmt: skip


def _leads() -> list[Part]:
    """Paragraphs and items that open with bold words: those are no headings."""
    author = Author(14)
    said = [
        Part("item", f"<b>{lead}.</b> {author.sentence()}") for lead in ("Speed", "Cost of repair", "Noise at night")
    ]
    opened = [
        Part("paragraph", f"<b>{lead}</b> {author.sentence()} {author.sentence()}") for lead in ("Warning:", "Note:")
    ]
    figure = Part("caption", "<b>Figure 1.</b> The pump house from the north, with the old wheel.")
    return [
        heading(1, "Choosing a pump"), *author.paragraphs(2), *said, figure, *opened,
        heading(2, "After the purchase"), *author.paragraphs(2), *said, *author.paragraphs(1),
    ]  # fmt: skip


_SPECIFICATION = (
    (1, "1. SCOPE"),
    (1, "2. TERMS"),
    (2, "2.1 Station"),
    (2, "2.2 Outlet"),
    (1, "3. MESSAGES"),
)
_MIXED = (
    (1, "Notes on the old canal"),
    (2, "How it was dug"),
    (2, "What it carried"),
    (2, "Why it was given up"),
)
_SPANISH = (
    (1, "Informe de seguimiento"),
    (2, "1) Antecedentes"),
    (2, "2) Situación actual"),
    (2, "3) Próximos pasos"),
)
_BROCHURE = (
    (1, "Visit the Waterworks"),
    (2, "Getting here"),
    (2, "Opening hours"),
    (2, "For schools"),
    (2, "Prices"),
)


def _minutes() -> list[Part]:
    author = Author(17)
    agenda = ("1. Welcome", "2. Minutes of the last meeting", "3. State of the weir", "4. Any other business")
    return [
        heading(1, "Minutes of the Board"),
        author.table(("Present", "Hours"), 5, ""),
        *(part for text in agenda for part in (heading(2, text), *author.paragraphs(1), *author.items(2))),
    ]


def _long_table() -> list[Part]:
    """A table over several pages, its header on each; it is one table with the header once."""
    author = Author(18)
    return [
        heading(1, "Readings of the year"), *author.paragraphs(1),
        author.table(("Gauge", "Low", "High", "Mean"), 90, "grid"),
        heading(2, "Remarks"), *author.paragraphs(2),
    ]  # fmt: skip


# --- how they are set -------------------------------------------------------------------------------------------------


class Style(NamedTuple):
    """How the parts of a document look."""

    font: str = "Helvetica"
    bold: str = "Helvetica-Bold"
    size: float = 10
    heads: Mapping[int, Mapping[str, Any]] = {}  # noqa: RUF012  (never changed)
    """By level: fontName, fontSize, alignment and the like."""
    columns: int = 1
    running: str = ""
    """What stands at the top of every page; page numbers are at the bottom."""
    wide_title: bool = False
    """Whether the first heading spans all columns."""
    indent: float = 0
    """Of the first line of a paragraph; without one, space parts paragraphs."""


def set_by(style: Style) -> Callable[[Sequence[Part]], bytes]:
    return lambda parts: _flowed(parts, style)


def _flowed(parts: Sequence[Part], style: Style) -> bytes:
    from reportlab.lib.pagesizes import A4
    from reportlab.platypus import BaseDocTemplate, Frame, NextPageTemplate, PageTemplate

    out = BytesIO()
    width, height = A4
    margin, gutter, top = 62, 18, 40 if style.wide_title else 0
    column = (width - 2 * margin - (style.columns - 1) * gutter) / style.columns

    def frames(less: float) -> list[Any]:
        tall = height - 2 * margin - less
        return [
            Frame(margin + i * (column + gutter), margin, column, tall, 0, 0, 0, 0, id=f"c{i}")
            for i in range(style.columns)
        ]

    def furnished(canvas: Any, page: Any) -> None:
        canvas.setFont(style.font, 8)
        if style.running:
            canvas.drawString(margin, height - 36, style.running)
        canvas.drawCentredString(width / 2, 30, str(canvas.getPageNumber()))

    title = [Frame(margin, height - margin - top, width - 2 * margin, top, 0, 0, 0, 0, id="t")] if top else []
    template = BaseDocTemplate(out, pagesize=A4, invariant=1)
    template.addPageTemplates(
        [PageTemplate("first", [*title, *frames(top)], furnished), PageTemplate("other", frames(0), furnished)]
    )
    template.build([NextPageTemplate("other"), *_story(parts, style)])
    return out.getvalue()


def _story(parts: Sequence[Part], style: Style) -> list[Any]:
    from reportlab.lib.enums import TA_JUSTIFY
    from reportlab.lib.styles import ParagraphStyle
    from reportlab.platypus import FrameBreak, ListFlowable, ListItem, Paragraph, Preformatted

    body = ParagraphStyle(
        "body", fontName=style.font, fontSize=style.size, leading=1.25 * style.size, alignment=TA_JUSTIFY,
        firstLineIndent=style.indent, spaceAfter=0 if style.indent else 0.6 * style.size,
    )  # fmt: skip
    code = ParagraphStyle("code", fontName="Courier", fontSize=style.size - 1, leading=1.2 * style.size, spaceAfter=8)
    small = ParagraphStyle("caption", parent=body, fontSize=style.size - 1, spaceBefore=6, firstLineIndent=0)
    quote = ParagraphStyle(
        "quote", parent=body, fontName="Times-Italic", fontSize=1.3 * style.size, leading=1.6 * style.size
    )
    story: list[Any] = []
    for index, part in enumerate(parts):
        if part.kind == "heading":
            look = dict(style.heads[part.level])
            look.setdefault("leading", 1.2 * look.get("fontSize", style.size))
            own = ParagraphStyle("head", fontName=style.bold, spaceBefore=10, spaceAfter=4, keepWithNext=1)
            story.append(Paragraph(part.text, ParagraphStyle("own", own, **look)))
            if style.wide_title and not index:
                story.append(FrameBreak())
        elif part.kind == "item":
            item = ListItem(Paragraph(part.text, ParagraphStyle("item", body, firstLineIndent=0)))
            story.append(ListFlowable([item], bulletType="bullet", start="•", leftIndent=14))
        elif part.kind == "code":
            story.append(Preformatted(part.text, code))
        elif part.kind == "table":
            story.append(_drawn(part, style))
        else:
            others = {"caption": small, "quote": quote, "leader": ParagraphStyle("leader", body, alignment=0)}
            story.append(Paragraph(part.text, others.get(part.kind, body)))
    return story


def _drawn(part: Part, style: Style) -> Any:
    from reportlab.lib import colors
    from reportlab.platypus import Table as Drawn

    last = len(part.rows) - 1
    rules: list[tuple[Any, ...]] = [("FONT", (0, 0), (-1, -1), style.font, style.size - 1)]
    if part.ruled == "grid":
        rules.append(("GRID", (0, 0), (-1, -1), 0.5, colors.black))
    if part.ruled == "lines":
        places = (("LINEABOVE", 0), ("LINEBELOW", 0), ("LINEBELOW", last))
        rules += [(which, (0, row), (-1, row), 0.7, colors.black) for which, row in places]
    return Drawn([list(row) for row in part.rows], style=rules, repeatRows=1, spaceBefore=6, spaceAfter=10)


def _projected(parts: Sequence[Part]) -> bytes:
    from fpdf import FPDF

    page = FPDF("landscape", "pt", (405, 720))
    for part in parts:
        if part.kind == "heading":
            page.add_page()
            page.set_font("Helvetica", "", 32)
            page.text(48, 70, part.text)
            page.set_font("Helvetica", "", 9)
            page.text(660, 390, str(page.page_no()))
            top = 130
        else:
            page.set_font("Helvetica", "", 20)
            page.text(60, top, "-")
            page.text(80, top, part.text)
            top += 36
    return bytes(page.output())


def _billed(parts: Sequence[Part]) -> bytes:
    from fpdf import FPDF

    page = FPDF("portrait", "pt", "A4")
    page.add_page()
    title, address, rows, thanks = parts
    page.set_font("Helvetica", "", 10)
    for number, line in enumerate(address.text.split(", ")):
        page.text(60, 60 + 13 * number, line + ("," if number < 2 else ""))
    page.set_font("Helvetica", "B", 18)
    page.text(60, 150, title.text)
    for number, row in enumerate(rows.rows):
        page.set_font("Helvetica", "" if number else "B", 10)
        top = 200 + 18 * number
        page.text(60, top, row[0])
        for column, cell in enumerate(row[1:]):
            page.text(300 + 90 * column - page.get_string_width(cell), top, cell)
    page.set_font("Helvetica", "", 10)
    page.text(60, 340, thanks.text)
    return bytes(page.output())


_CENTRE = {"alignment": 1}

LAYOUTS = (
    Layout("report", _report(), set_by(Style("Times-Roman", "Times-Bold", 11, running="Waterworks 2026", heads={
        1: {"fontSize": 20}, 2: {"fontSize": 14}, 3: {"fontSize": 12}}))),
    Layout("paper in two columns", _paper(), set_by(Style("Times-Roman", "Times-Roman", 10, columns=2, indent=12,
        wide_title=True, heads={1: {"fontSize": 18, **_CENTRE}, 2: {"fontSize": 10, **_CENTRE},
        3: {"fontSize": 10, "fontName": "Times-Italic"}}))),
    Layout("manual", _manual(), set_by(Style(running="Pump Controller - User Manual", heads={
        1: {"fontSize": 22}, 2: {"fontSize": 14}, 3: {"fontSize": 10}}))),
    Layout("memo in capitals", written(4, _MEMO, count=3), set_by(Style("Times-Roman", "Times-Roman", 12, heads={
        1: {"fontSize": 12}}))),
    Layout("German contract", written(5, _CONTRACT, german=True, count=3), set_by(Style("Times-Roman", "Times-Bold", 11,
        heads={1: {"fontSize": 16, **_CENTRE}, 2: {"fontSize": 11, **_CENTRE}}))),
    Layout("newsletter in three columns", _with_quote(written(6, _NEWS, count=5)), set_by(Style("Times-Roman",
        "Helvetica-Bold", 9, columns=3, indent=9, wide_title=True, heads={1: {"fontSize": 28, **_CENTRE},
        2: {"fontSize": 13}}))),
    Layout("thesis", written(7, _THESIS, count=3), set_by(Style("Times-Roman", "Times-Roman", 11, running="Chapter",
        indent=14, heads={1: {"fontSize": 20}, 2: {"fontSize": 14}, 3: {"fontSize": 11, "fontName": "Times-Italic"}}))),
    Layout("questions and answers", written(8, _FAQ, count=2), set_by(Style(heads={
        1: {"fontSize": 18}, 2: {"fontSize": 10}}))),
    Layout("policy, headings in colour", written(9, _POLICY, count=2), set_by(Style("Helvetica", "Helvetica", 10, heads={
        1: {"fontSize": 18, "textColor": "#1a4f8a"}, 2: {"fontSize": 13, "textColor": "#1a4f8a"},
        3: {"fontSize": 11, "textColor": "#1a4f8a"}}))),
    Layout("slides", _slides(), _projected),
    Layout("bill", _bill(), _billed),
    Layout("law", written(10, _LAW, count=2), set_by(Style("Times-Roman", "Times-Bold", 11, running="Water Rights Act",
        heads={1: {"fontSize": 17, **_CENTRE}, 2: {"fontSize": 13, **_CENTRE}, 3: {"fontSize": 11}}))),
    Layout("letter without headings", _letter(), set_by(Style("Times-Roman", "Times-Bold", 11))),
    Layout("table of contents", _contents(), set_by(Style(heads={1: {"fontSize": 20}, 2: {"fontSize": 13}}))),
    Layout("sheet of tables", _sheet(), set_by(Style(size=9, heads={1: {"fontSize": 16}, 2: {"fontSize": 11}}))),
    Layout("bold leads", _leads(), set_by(Style(heads={1: {"fontSize": 18}, 2: {"fontSize": 12}}))),
    Layout("French paper in two columns", written(15, _FRENCH, count=4), set_by(Style("Times-Roman", "Times-Bold", 10,
        columns=2, indent=10, wide_title=True, running="Hydrologie, vol. 12", heads={1: {"fontSize": 17, **_CENTRE},
        2: {"fontSize": 11}, 3: {"fontSize": 10, "fontName": "Times-BoldItalic"}}))),
    Layout("interview in two columns", written(16, _INTERVIEW, count=4), set_by(Style("Times-Roman", "Times-Bold", 10,
        columns=2, heads={1: {"fontSize": 24}, 2: {"fontSize": 10}}))),
    Layout("typewriter specification", written(19, _SPECIFICATION, count=2), set_by(Style("Courier", "Courier", 10,
        heads={1: {"fontSize": 10}, 2: {"fontSize": 10}}))),
    Layout("minutes", _minutes(), set_by(Style("Helvetica", "Helvetica-Bold", 10, heads={
        1: {"fontSize": 16}, 2: {"fontSize": 10}}))),
    Layout("table over pages", _long_table(), set_by(Style(size=10, running="Readings", heads={
        1: {"fontSize": 16}, 2: {"fontSize": 12}}))),
    Layout("headings in another font", written(20, _MIXED, count=3), set_by(Style("Times-Roman", "Helvetica", 10, heads={
        1: {"fontSize": 18}, 2: {"fontSize": 10}}))),
    Layout("Spanish report", written(21, _SPANISH, count=2), set_by(Style("Times-Roman", "Times-Bold", 11, indent=12,
        heads={1: {"fontSize": 15}, 2: {"fontSize": 11}}))),
    Layout("brochure", written(22, _BROCHURE, count=1), set_by(Style("Helvetica", "Helvetica", 14, heads={
        1: {"fontSize": 40}, 2: {"fontSize": 22}}))),
)  # fmt: skip
"""All documents."""
