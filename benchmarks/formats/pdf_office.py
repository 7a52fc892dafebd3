"""Documents of the judged half of `pdf_judged`: web pages that LibreOffice Writer sets."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from shutil import which

from benchmarks.formats.pdf_judged import MadePdf
from benchmarks.formats.pdf_languages import LANGUAGES
from benchmarks.formats.pdf_printed import HtmlSheet

_FONTS = {"ar": "Noto Sans Arabic", "he": "Noto Sans Hebrew", "hi": "Noto Sans Devanagari", "ja": "Noto Sans CJK JP", "zh": "Noto Sans CJK SC"}  # fmt: skip  # noqa: E501


def _sheets() -> Iterator[tuple[str, str, HtmlSheet]]:
    for language in LANGUAGES:
        direction = "rtl" if language.code in ("ar", "he") else "ltr"
        sheet = HtmlSheet(400, attributes=f"lang={language.code} dir={direction}")
        sheet.css = f"body, h1, h2, p, td, th {{ font-family: '{_FONTS[language.code]}' }}"
        sheet.head(1, language.headings[0]).speak(language, 2).head(2, language.headings[1]).speak(language, 2)
        sheet.raw("<style>td, th { border: 1px solid black }</style>").rows(language.table, "grid")
        sheet.head(2, language.headings[3]).speak(language, 2)
        yield f"office-{language.code}", f"script {language.code}", sheet
    for seed, look in ((410, "grid"), (411, "")):
        sheet = HtmlSheet(seed, "td, th { border: 1px solid black }" if look else "td, th { padding: 2pt 12pt }")
        sheet.head(1, "Stores of the Harbour").prose(2).table(("Store", "Rope", "Tar", "Canvas"), 8, look)
        sheet.head(2, "What is missing").prose(2).items(4).head(2, "Orders").prose(1).table(("Item", "Price"), 5, look)
        yield f"office-tables-{look or 'bare'}", "tables", sheet
    sheet = HtmlSheet(412)
    sheet.head(1, "Two Columns of News").raw("<multicol cols=2 gutter=20>").prose(5, 5).head(2, "From the quay").prose(
        4, 5
    )
    yield "office-columns", "columns", sheet.raw("</multicol>")
    sheet = HtmlSheet(413)
    sheet.head(1, "A Long Report")
    for number, word in enumerate(("Purpose", "Method", "Figures", "Costs", "Outlook"), 1):
        sheet.head(2, f"{number} {word}").prose(2).head(3, f"{number}.1 Details").prose(2).items(3)
    yield "office-report", "headings", sheet
    sheet = HtmlSheet(414)
    sheet.head(1, "Commands of the Crane")
    for word in ("Lift", "Lower", "Swing"):
        sheet.head(2, word).prose(1).raw("<b>").say("pre", f"crane {word.lower()} --slow", "code").raw("</b>").prose(1)
    yield "office-code", "headings", sheet


def make(fonts: Path, only: str) -> list[MadePdf]:
    """All documents; `fonts` is where Writer looks for fonts, too."""
    import os

    program = which("soffice")
    if program is None:
        raise SystemExit("LibreOffice Writer is not installed: apt-get install libreoffice-writer-nogui")
    made: list[MadePdf] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        config = folder / "fonts.conf"
        dirs = f"<dir>/usr/share/fonts</dir><dir>{fonts.resolve()}</dir><cachedir>{folder}</cachedir>"
        config.write_text(f"<fontconfig>{dirs}</fontconfig>")
        sheets = [(name, kind, sheet) for name, kind, sheet in _sheets() if only in name]
        for name, _, sheet in sheets:
            (folder / f"{name}.html").write_text(sheet.page, encoding="utf-8")
        if sheets:
            subprocess.run(
                [program, "--headless", f"-env:UserInstallation={(folder / 'profile').as_uri()}",
                 "--infilter=HTML (StarWriter)", "--convert-to", 'pdf:writer_pdf_Export:{"UseTaggedPDF":{"type":"boolean","value":"false"},"ExportBookmarks":{"type":"boolean","value":"false"}}',  # noqa: E501
                 "--outdir", str(folder), *(str(folder / f"{name}.html") for name, _, _ in sheets)],
                check=True, capture_output=True, timeout=300, env={**os.environ, "FONTCONFIG_FILE": str(config), "HOME": name},  # noqa: E501
            )  # fmt: skip
        for name, kind, sheet in sheets:
            made.append(MadePdf(name, kind, sheet.parts, (folder / f"{name}.pdf").read_bytes()))
    return made
