"""How the documents of `pdf_held_out` are set.

Most are set by reportlab, which flows parts over pages and columns; slides and the bill are placed line by line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from typing import Any, NamedTuple

from benchmarks.formats import pdf_texts as texts
from benchmarks.formats.pdf_words import Part, written


class Layout(NamedTuple):
    """A document: its parts, and what makes a file of them."""

    name: str
    parts: Sequence[Part]
    make: Callable[[Sequence[Part]], bytes]


class Style(NamedTuple):
    """How the parts of a document look."""

    font: str = "Helvetica"
    bold: str = "Helvetica-Bold"
    size: float = 10
    heads: Mapping[int, Mapping[str, Any]] = {}
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
    Layout(
        "report",
        texts.report(),
        set_by(
            Style(
                "Times-Roman",
                "Times-Bold",
                11,
                running="Waterworks 2026",
                heads={1: {"fontSize": 20}, 2: {"fontSize": 14}, 3: {"fontSize": 12}},
            )
        ),
    ),
    Layout(
        "paper in two columns",
        texts.paper(),
        set_by(
            Style(
                "Times-Roman",
                "Times-Roman",
                10,
                columns=2,
                indent=12,
                wide_title=True,
                heads={
                    1: {"fontSize": 18, **_CENTRE},
                    2: {"fontSize": 10, **_CENTRE},
                    3: {"fontSize": 10, "fontName": "Times-Italic"},
                },
            )
        ),
    ),
    Layout(
        "manual",
        texts.manual(),
        set_by(
            Style(
                running="Pump Controller - User Manual",
                heads={1: {"fontSize": 22}, 2: {"fontSize": 14}, 3: {"fontSize": 10}},
            )
        ),
    ),
    Layout(
        "memo in capitals",
        written(4, texts.MEMO, count=3),
        set_by(Style("Times-Roman", "Times-Roman", 12, heads={1: {"fontSize": 12}})),
    ),
    Layout(
        "German contract",
        written(5, texts.CONTRACT, german=True, count=3),
        set_by(
            Style(
                "Times-Roman", "Times-Bold", 11, heads={1: {"fontSize": 16, **_CENTRE}, 2: {"fontSize": 11, **_CENTRE}}
            )
        ),
    ),
    Layout(
        "newsletter in three columns",
        texts.with_quote(written(6, texts.NEWS, count=5)),
        set_by(
            Style(
                "Times-Roman",
                "Helvetica-Bold",
                9,
                columns=3,
                indent=9,
                wide_title=True,
                heads={1: {"fontSize": 28, **_CENTRE}, 2: {"fontSize": 13}},
            )
        ),
    ),
    Layout(
        "thesis",
        written(7, texts.THESIS, count=3),
        set_by(
            Style(
                "Times-Roman",
                "Times-Roman",
                11,
                running="Chapter",
                indent=14,
                heads={1: {"fontSize": 20}, 2: {"fontSize": 14}, 3: {"fontSize": 11, "fontName": "Times-Italic"}},
            )
        ),
    ),
    Layout(
        "questions and answers",
        written(8, texts.FAQ, count=2),
        set_by(Style(heads={1: {"fontSize": 18}, 2: {"fontSize": 10}})),
    ),
    Layout(
        "policy, headings in colour",
        written(9, texts.POLICY, count=2),
        set_by(
            Style(
                "Helvetica",
                "Helvetica",
                10,
                heads={
                    1: {"fontSize": 18, "textColor": "#1a4f8a"},
                    2: {"fontSize": 13, "textColor": "#1a4f8a"},
                    3: {"fontSize": 11, "textColor": "#1a4f8a"},
                },
            )
        ),
    ),
    Layout("slides", texts.slides(), _projected),
    Layout("bill", texts.bill(), _billed),
    Layout(
        "law",
        written(10, texts.LAW, count=2),
        set_by(
            Style(
                "Times-Roman",
                "Times-Bold",
                11,
                running="Water Rights Act",
                heads={1: {"fontSize": 17, **_CENTRE}, 2: {"fontSize": 13, **_CENTRE}, 3: {"fontSize": 11}},
            )
        ),
    ),
    Layout("letter without headings", texts.letter(), set_by(Style("Times-Roman", "Times-Bold", 11))),
    Layout("table of contents", texts.contents(), set_by(Style(heads={1: {"fontSize": 20}, 2: {"fontSize": 13}}))),
    Layout("sheet of tables", texts.sheet(), set_by(Style(size=9, heads={1: {"fontSize": 16}, 2: {"fontSize": 11}}))),
    Layout("bold leads", texts.leads(), set_by(Style(heads={1: {"fontSize": 18}, 2: {"fontSize": 12}}))),
    Layout(
        "French paper in two columns",
        written(15, texts.FRENCH, count=4),
        set_by(
            Style(
                "Times-Roman",
                "Times-Bold",
                10,
                columns=2,
                indent=10,
                wide_title=True,
                running="Hydrologie, vol. 12",
                heads={
                    1: {"fontSize": 17, **_CENTRE},
                    2: {"fontSize": 11},
                    3: {"fontSize": 10, "fontName": "Times-BoldItalic"},
                },
            )
        ),
    ),
    Layout(
        "interview in two columns",
        written(16, texts.INTERVIEW, count=4),
        set_by(Style("Times-Roman", "Times-Bold", 10, columns=2, heads={1: {"fontSize": 24}, 2: {"fontSize": 10}})),
    ),
    Layout(
        "typewriter specification",
        written(19, texts.SPECIFICATION, count=2),
        set_by(Style("Courier", "Courier", 10, heads={1: {"fontSize": 10}, 2: {"fontSize": 10}})),
    ),
    Layout(
        "minutes",
        texts.minutes(),
        set_by(Style("Helvetica", "Helvetica-Bold", 10, heads={1: {"fontSize": 16}, 2: {"fontSize": 10}})),
    ),
    Layout(
        "table over pages",
        texts.long_table(),
        set_by(Style(size=10, running="Readings", heads={1: {"fontSize": 16}, 2: {"fontSize": 12}})),
    ),
    Layout(
        "headings in another font",
        written(20, texts.MIXED, count=3),
        set_by(Style("Times-Roman", "Helvetica", 10, heads={1: {"fontSize": 18}, 2: {"fontSize": 10}})),
    ),
    Layout(
        "Spanish report",
        written(21, texts.SPANISH, count=2),
        set_by(Style("Times-Roman", "Times-Bold", 11, indent=12, heads={1: {"fontSize": 15}, 2: {"fontSize": 11}})),
    ),
    Layout(
        "brochure",
        written(22, texts.BROCHURE, count=1),
        set_by(Style("Helvetica", "Helvetica", 14, heads={1: {"fontSize": 40}, 2: {"fontSize": 22}})),
    ),
    # Made last: at first sight all headings of these were right, and 1 of 3 tables.
    Layout(
        "handbook",
        written(25, texts.HANDBOOK, count=2),
        set_by(
            Style(
                "Times-Roman",
                "Times-Bold",
                11,
                columns=2,
                heads={1: {"fontSize": 22}, 2: {"fontSize": 11}, 3: {"fontSize": 11, "fontName": "Times-BoldItalic"}},
            )
        ),
    ),
    Layout(
        "standard",
        written(26, texts.STANDARD, count=3),
        set_by(
            Style(running="Draft standard 114", heads={1: {"fontSize": 12}, 2: {"fontSize": 11}, 3: {"fontSize": 10}})
        ),
    ),
    Layout(
        "Italian report",
        written(27, texts.ITALIAN, count=3),
        set_by(Style("Helvetica", "Helvetica-Oblique", 10, heads={1: {"fontSize": 20}, 2: {"fontSize": 12}})),
    ),
    Layout("figures in words", texts.figures_in_words(), set_by(Style(heads={1: {"fontSize": 16}}))),
    Layout("program", texts.program(), set_by(Style())),
    Layout(
        "accounts",
        texts.accounts(),
        set_by(Style("Times-Roman", "Times-Bold", 10, heads={1: {"fontSize": 18}, 2: {"fontSize": 12}})),
    ),
)
"""All documents."""
