"""The half of `pdf_judged` that rules are written on: pages printed by Chromium, without tags."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from html import escape
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from benchmarks.formats.pdf_judged import MadePdf
from benchmarks.formats.pdf_languages import ARABIC, CHINESE, GOTHIC, HEBREW, HINDI, JAPANESE, Language, letters
from benchmarks.formats.pdf_words import Author, Part, Rows

_BASE = """
body { font: 10.5pt 'DejaVu Serif', 'Noto Sans Math', 'Noto Sans Gothic', serif; line-height: 1.35; margin: 0 }
h1 { font-size: 20pt } h2 { font-size: 14pt } h3 { font-size: 11.5pt }
table { border-collapse: collapse; margin: 8pt 0 } td, th { padding: 3pt 8pt; text-align: left; vertical-align: top }
.grid td, .grid th { border: 0.7pt solid #333 } .lines tr { border-bottom: 0.5pt solid #666 }
.zebra tr:nth-child(even) { background: #e8e8e8 }
aside { border: 1pt solid #555; padding: 6pt; font-size: 9pt }
code, pre { font-family: 'DejaVu Sans Mono'; font-size: 9pt }
[lang=ar] { font-family: 'Noto Sans Arabic' } [lang=he] { font-family: 'Noto Sans Hebrew' }
[lang=hi] { font-family: 'Noto Sans Devanagari' } [lang=ja] { font-family: 'Noto Sans CJK JP' }
[lang=zh] { font-family: 'Noto Sans CJK SC' }
"""


_ATTRIBUTES = ("border=0 cellpadding=8", "border=1 cellpadding=4")
"""What a program that does not know the style sheet draws of a table without and with rules."""


class HtmlSheet:
    """HTML and what is true of it, written together."""

    def __init__(self, seed: int, css: str = "", *, attributes: str = "") -> None:
        self.author = Author(seed)
        self.draw = random.Random(seed)
        self.parts: list[Part] = []
        self.css = css
        self.attributes = attributes
        self.html: list[str] = []

    def raw(self, html: str) -> HtmlSheet:
        self.html.append(html)
        return self

    def say(self, tag: str, text: str, kind: str = "paragraph", level: int = 0) -> HtmlSheet:
        self.parts.append(Part(kind, text, level))
        return self.raw(f"<{tag}>{escape(text)}</{tag.split()[0]}>")

    def head(self, level: int, text: str) -> HtmlSheet:
        return self.say(f"h{level}", text, "heading", level)

    def prose(self, count: int = 1, sentences: int = 4) -> HtmlSheet:
        for _ in range(count):
            self.say("p", self.author.paragraph(sentences).text)
        return self

    def speak(self, language: Language, count: int = 1) -> HtmlSheet:
        for _ in range(count):
            self.say("p", language.paragraph(self.draw, 5))
        return self

    def items(self, count: int = 3) -> HtmlSheet:
        self.raw("<ul>")
        for _ in range(count):
            self.say("li", self.author.sentence(), "item")
        return self.raw("</ul>")

    def rows(self, rows: Rows, look: str = "grid") -> HtmlSheet:
        self.parts.append(Part("table", rows=rows))
        cells = [
            "".join(f"<{'th' if not at else 'td'}>{escape(cell)}</{'th' if not at else 'td'}>" for cell in row)
            for at, row in enumerate(rows)
        ]
        return self.raw(
            f"<table class='{look}' {_ATTRIBUTES[bool(look)]}>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"
        )

    def table(self, head: tuple[str, ...], count: int, look: str = "grid") -> HtmlSheet:
        return self.rows(self.author.table(head, count, "").rows, look)

    def box(self, opening: str, inner: Callable[[HtmlSheet], object]) -> HtmlSheet:
        self.raw(opening)
        inner(self)
        return self.raw(f"</{opening[1:].split()[0].rstrip('>')}>")

    def pairs(self, pairs: Sequence[tuple[str, str]], css: str = "") -> HtmlSheet:
        """Labels with their values: read together, never as two columns."""
        self.raw(f"<div style='display:grid; grid-template-columns: 110pt 1fr; {css}'>")
        for label, value in pairs:
            self.parts.append(Part("pair", f"{label} {value}"))
            self.raw(f"<div><b>{escape(label)}</b></div><div>{escape(value)}</div>")
        return self.raw("</div>")

    @property
    def page(self) -> str:
        return (
            f"<!doctype html><html {self.attributes}><head><meta charset=utf-8><style>{_BASE}{self.css}</style></head>"
            f"<body>{''.join(self.html)}</body></html>"
        )


class PrintCase(NamedTuple):
    name: str
    kind: str
    sheet: HtmlSheet
    landscape: bool = False
    turn: int = 0
    change: Callable[[bytes], bytes] | None = None
    running: tuple[str, str] = ("", "")


def _boxes() -> Iterator[PrintCase]:
    for name, css in (
        ("right", "aside { float: right; width: 150pt; margin: 0 0 6pt 14pt }"),
        ("left", "aside { float: left; width: 150pt; margin: 0 14pt 6pt 0 }"),
        ("shaded", "aside { float: right; width: 150pt; margin-left: 14pt; border: 0; background: #dde }"),
        ("columns", "body { columns: 2; column-gap: 18pt } aside { break-inside: avoid }"),
        ("beside", "body { display: grid; grid-template-columns: 1fr 140pt; gap: 18pt } aside { align-self: start }"),
    ):
        sheet = HtmlSheet(31, css)
        if name == "beside":
            sheet.raw("<div>")
        sheet.head(1, "Keeping the River Gauges").prose(2)
        if name != "beside":
            sheet.box(
                "<aside>",
                lambda s: s.say(
                    "p", "Box: a gauge that drifts is taken out and sent back to the yard within one week."
                ),
            )
        sheet.head(2, "What was measured").prose(4).head(2, "What was found").prose(4)
        if name == "beside":
            sheet.raw("</div>").box(
                "<aside>",
                lambda s: s.say(
                    "p", "Box: a gauge that drifts is taken out and sent back to the yard within one week."
                ).say("p", "The yard answers every letter and keeps a copy of each of them for ten years."),
            )
        yield PrintCase(f"box-{name}", "side box", sheet)


def _margins() -> Iterator[PrintCase]:
    for side in ("left", "right"):
        css = f"body {{ padding-{side}: 130pt; position: relative }} .n {{ position: absolute; {side}: 0; width: 112pt; font-size: 8pt }}"  # noqa: E501
        sheet = HtmlSheet(58, css).head(1, "Notes in the Margin")
        for number in range(3):
            sheet.raw("<div style='position: relative'>")
            note = f"Note {number}: the keeper of the gauge was then forty years old and had two sons at sea."
            sheet.say(f"div class=n style='{side}: -130pt'", note, "note").prose(2).raw("</div>")
        yield PrintCase(f"margin-{side}", "side box", sheet)


def _beside() -> Iterator[PrintCase]:
    for name, look in (("grid", "grid"), ("lines", "lines"), ("bare", "")):
        sheet = HtmlSheet(32, "body { columns: 2; column-gap: 20pt } table { width: 100% }")
        sheet.head(1, "Stocks of the Northern Yards").prose(1, 6).table(("Yard", "May", "June"), 7, look)
        sheet.prose(3, 5).head(2, "Remarks").prose(4, 5)
        yield PrintCase(f"table-in-columns-{name}", "columns and table", sheet)
    sheet = HtmlSheet(33, ".two { display: grid; grid-template-columns: 1fr 1fr; gap: 24pt }")
    sheet.head(1, "Table and Text").prose(1).raw("<div class=two><div>").prose(3, 5).raw("</div><div>")
    sheet.table(("Site", "Depth", "Flow"), 9).raw("</div></div>").head(2, "After the table").prose(2)
    yield PrintCase("table-beside-text", "columns and table", sheet)


def _pairs() -> Iterator[PrintCase]:
    data = [
        ("Applicant", "Mary Holloway"), ("Date of birth", "4 March 1971"), ("Street", "Mill Lane 14"), ("Town", "Lower Brook"),  # noqa: E501
        ("Telephone", "555 0134"), ("Reference", "WR 2026 118"), ("Purpose", "Drawing water from the mill race"),
        ("Quantity", "40 cubic metres a day"),
    ]  # fmt: skip
    sheet = HtmlSheet(34).head(1, "Application for a Water Right").prose(1).pairs(data).head(2, "Statement").prose(2)
    yield PrintCase("pairs", "label and value", sheet)
    sheet = HtmlSheet(35, ".two { display: grid; grid-template-columns: 1fr 1fr; gap: 30pt }")
    sheet.head(1, "Notice of Transfer").raw("<div class=two><div>").prose(2, 5).raw("</div><div>")
    sheet.prose(2, 5).raw("</div></div>").pairs(data[:5])
    yield PrintCase("pairs-below-columns", "label and value", sheet)


def _headings() -> Iterator[PrintCase]:
    sheet = HtmlSheet(36, ".logo { font: bold 26pt 'DejaVu Sans' } pre { font-weight: bold }")
    sheet.say("div class=logo", "ACME").head(1, "Guide to the Command Line").prose(1)
    for title in ("Installing", "First steps", "Commands", "Settings", "Help"):
        sheet.head(2, title).prose(1)
        sheet.say("pre", f"acme {title.split()[0].lower()} --verbose", "code").prose(1, 3)
        sheet.head(3, f"Notes on {title.lower()}").prose(1).say("pre", "acme status", "code")
    yield PrintCase("bold-code", "headings", sheet, running=("ACME", "page"))
    sheet = HtmlSheet(
        37,
        "h1 { font-size: 15pt } h2 { font-size: 10.5pt } h3 { font-size: 10.5pt; font-style: italic; font-weight: normal }",  # noqa: E501
    )
    sheet.head(1, "Rules of the House")
    for number in range(1, 7):
        sheet.head(2, f"{number}. Of the {('Yard', 'Office', 'Boats', 'Stores', 'Keys', 'Gates')[number - 1]}").prose(2)
        if number % 2:
            sheet.head(3, f"{number}.1 What is meant").prose(1)
    yield PrintCase("numbered-same-size", "headings", sheet)
    sheet = HtmlSheet(38)
    sheet.head(1, "Safety Sheet")
    for word in ("Storage", "Handling", "Transport", "Disposal"):
        sheet.head(2, word)
        sheet.raw("<p><b>Warning:</b> ").parts.append(
            Part("paragraph", "Warning: " + (said := sheet.author.paragraph(3).text))
        )
        sheet.raw(f"{escape(said)}</p>").items()
        sheet.say("p", "IMPORTANT", "paragraph").prose(1)
    yield PrintCase("bold-leads", "headings", sheet)


def _turned() -> Iterator[PrintCase]:
    for turn in (90, 180, 270):
        sheet = HtmlSheet(39 + turn)
        sheet.head(1, "Turned Report of the Survey").prose(2).table(("Line", "North", "South", "East"), 6)
        sheet.head(2, "Second part").prose(3)
        yield PrintCase(f"turned-{turn}", "rotated", sheet, turn=turn)
    for turn in (90, 180):
        sheet = HtmlSheet(50 + turn, "body { columns: 2; column-gap: 18pt }")
        sheet.head(1, "Columns on a Turned Page").prose(4).head(2, "More of them").prose(5)
        yield PrintCase(f"turned-columns-{turn}", "rotated", sheet, turn=turn)
    sheet = HtmlSheet(53, ".side { writing-mode: vertical-rl; float: left; height: 300pt; margin-right: 10pt }")
    sheet.say("div class=side", "Survey of the lower valley in the dry years").head(1, "Text Along the Edge").prose(5)
    yield PrintCase("edge-text", "rotated", sheet)


def _framed() -> Iterator[PrintCase]:
    sheet = HtmlSheet(54, "body { border: 1.5pt solid #222; padding: 14pt; min-height: 640pt }")
    sheet.head(1, "A Page in a Frame").prose(3).head(2, "Inside of it").prose(2)
    yield PrintCase("frame", "frame", sheet)
    sheet = HtmlSheet(
        55,
        ".f { border: 1.5pt solid #222; padding: 10pt } .h { border-bottom: 1pt solid #222; display: flex; justify-content: space-between }",  # noqa: E501
    )
    sheet.raw("<div class=f>").raw("<div class=h>").say("span", "Form 17 b").say("span", "Sheet 1 of 2").raw("</div>")
    sheet.head(1, "Record of Inspection").prose(3).items().prose(2).raw("</div>")
    yield PrintCase("frame-with-head", "frame", sheet)
    sheet = HtmlSheet(56).head(1, "Readings of the Year").prose(1).table(("Week", "Height", "Flow", "Rain"), 70)
    yield PrintCase(
        "running-and-table", "running", sheet, running=("Readings 2026      Lower Valley", "Office of Water")
    )
    sheet = HtmlSheet(57).head(1, "Ledger").table(("Entry", "Debit", "Credit", "Balance"), 60, "")
    yield PrintCase("running-and-bare-table", "running", sheet, running=("Ledger of the Yard", "Checked"))


def _spoken() -> Iterator[PrintCase]:
    for language, names in ((ARABIC, "ar"), (HEBREW, "he"), (HINDI, "hi"), (JAPANESE, "ja"), (CHINESE, "zh")):
        direction = "rtl" if names in ("ar", "he") else "ltr"
        for name, css in (
            ("plain", ""),
            ("columns", "body { columns: 2; column-gap: 20pt }"),
            ("box", f"aside {{ float: {'left' if direction == 'rtl' else 'right'}; width: 150pt; margin: 0 12pt }}"),
        ):
            sheet = HtmlSheet(60, css, attributes=f"lang={names} dir={direction}")
            sheet.head(1, language.headings[0]).speak(language, 2)
            if name == "box":
                sheet.box("<aside>", lambda s, own=language: s.speak(own))
            sheet.head(2, language.headings[1]).speak(language, 2)
            if name != "columns":
                sheet.rows(language.table)
            sheet.head(2, language.headings[2]).speak(language, 3)
            yield PrintCase(f"{names}-{name}", f"script {names}", sheet)
    sheet = HtmlSheet(61, "html { writing-mode: vertical-rl }", attributes="lang=ja")
    sheet.head(1, JAPANESE.headings[0]).speak(JAPANESE, 3).head(2, JAPANESE.headings[1]).speak(JAPANESE, 4)
    yield PrintCase("ja-vertical", "vertical", sheet)


def _mathematics() -> Iterator[PrintCase]:
    for index, alphabet in enumerate(("bold", "script", "fraktur", "sans")):
        sheet = HtmlSheet(70 + index)
        sheet.head(1, f"Spaces of {letters(alphabet, 'Vectors')}")
        for name in ("Alpha", "Beta", "Gamma", "Delta"):
            sheet.head(2, f"The space {letters(alphabet, name)}").prose(1)
            sheet.say(
                "p",
                f"Let {letters(alphabet, 'x')} be in {letters(alphabet, 'F')} and {letters(alphabet, name)} follow it.",
            )
        yield PrintCase(f"letters-{alphabet}", "mathematics", sheet)
    sheet = HtmlSheet(75).head(1, "A Script Beyond the First Plane").prose(1).say("p", GOTHIC).say("p", GOTHIC[::-1])
    yield PrintCase("gothic", "mathematics", sheet)


def _unread() -> Iterator[PrintCase]:
    for index in range(2):
        sheet = (
            HtmlSheet(80 + index).head(1, "Minutes of the Harbour Board").prose(3).head(2, "Decisions").prose(2).items()
        )
        yield PrintCase(f"no-map-{index}", "no map", sheet, change=drop_maps)
        sheet = HtmlSheet(82 + index).head(1, "Letters to the Harbour Board").prose(3).head(2, "Answers").prose(2)
        yield PrintCase(f"no-text-{index}", "no text", sheet, change=as_pictures)


def drop_maps(data: bytes) -> bytes:
    """A file whose fonts do not say which characters they hold."""
    return data.replace(b"/ToUnicode", b"/NoUnicode")


def as_pictures(data: bytes) -> bytes:
    """Pages as pictures at 200 dots per inch, without text."""
    import pypdfium2

    pages = [page.render(scale=200 / 72, grayscale=True).to_pil() for page in pypdfium2.PdfDocument(data)]
    out = BytesIO()
    pages[0].save(out, "PDF", resolution=200, save_all=True, append_images=pages[1:])
    return out.getvalue()


def turn_pages(data: bytes, degrees: int) -> bytes:
    """Every page shown turned."""
    import pypdfium2

    document = pypdfium2.PdfDocument(data)
    for page in document:
        page.set_rotation(degrees)
    out = BytesIO()
    document.save(out)
    return out.getvalue()


def cases() -> Iterator[PrintCase]:
    for own in (_boxes, _margins, _beside, _pairs, _headings, _turned, _framed, _spoken, _mathematics, _unread):
        yield from own()


def make(fonts: Path, only: str) -> list[MadePdf]:
    """All documents, printed by Chromium; `fonts` is linked where it looks for fonts."""
    import os
    import tempfile

    from playwright.sync_api import sync_playwright

    config = Path(tempfile.mkdtemp()) / "fonts.conf"
    config.write_text(
        f"<fontconfig><dir>/usr/share/fonts</dir><dir>{fonts.resolve()}</dir><cachedir>{config.parent}</cachedir></fontconfig>"
    )
    environment = {**os.environ, "FONTCONFIG_FILE": str(config)}
    made: list[MadePdf] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_chromium(), args=["--no-sandbox"], env=environment)
        for case in cases():
            if only not in case.name:
                continue
            page = browser.new_page()
            page.set_content(case.sheet.page)
            top, bottom = case.running
            data = page.pdf(
                format="A4", landscape=case.landscape, print_background=True, tagged=False,
                margin={"top": "80px", "bottom": "80px", "left": "75px", "right": "75px"},
                display_header_footer=bool(top),
                header_template=f"<div style='font-size:8pt;margin-left:56pt'>{escape(top)}</div>",
                footer_template=f"<div style='font-size:8pt;margin-left:56pt'>{escape(bottom)} <span class=pageNumber></span></div>",  # noqa: E501
            )  # fmt: skip
            page.close()
            data = turn_pages(data, case.turn) if case.turn else data
            made.append(MadePdf(case.name, case.kind, case.sheet.parts, case.change(data) if case.change else data))
        browser.close()
    return made


def _chromium() -> str | None:
    from shutil import which

    return which("chromium") or which("google-chrome")
