"""Small valid documents of the binary formats that are archives of XML, and of letters."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

from benchmarks.hostile.texts import Seed

Parts = Mapping[str, bytes]
"""The parts of an archive by name."""

_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_SLIDE = "http://schemas.openxmlformats.org/presentationml/2006/main"
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
_ODF = "urn:oasis:names:tc:opendocument:xmlns:"
_ODF_NAMES = " ".join(
    f'xmlns:{prefix}="{_ODF}{name}:1.0"'
    for prefix, name in (("office", "office"), ("text", "text"), ("table", "table"), ("draw", "drawing"))
)


def packed(parts: Parts) -> bytes:
    """An archive, the same bytes for the same parts."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED, 1)
    return out.getvalue()


def unpacked(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _relations(*targets: tuple[str, str]) -> bytes:
    rows = "".join(
        f'<Relationship Id="rId{n}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for n, (kind, target) in enumerate(targets, 1)
    )
    return f'{_XML}<Relationships xmlns="{_PACKAGE}relationships">{rows}</Relationships>'.encode()


def _ooxml(main: str, parts: Mapping[str, str | bytes]) -> bytes:
    types = (
        f'{_XML}<Types xmlns="{_PACKAGE}content-types"><Default Extension="xml" ContentType="application/xml"/></Types>'
    )
    whole: dict[str, str | bytes] = {
        "[Content_Types].xml": types,
        "_rels/.rels": _relations(("officeDocument", main)),
        **parts,
    }
    return packed({name: part if isinstance(part, bytes) else part.encode() for name, part in whole.items()})


def docx() -> bytes:
    """Headings, a list, a merged table, a note."""

    def p(text: str, more: str = "") -> str:
        return f'<w:p><w:pPr>{more}</w:pPr><w:r><w:t xml:space="preserve">{text}</w:t></w:r></w:p>'

    cells = "".join(
        f'<w:tc><w:tcPr><w:gridSpan w:val="1"/><w:vMerge w:val="restart"/></w:tcPr>{p(t)}</w:tc>' for t in "ab"
    )
    table = f"<w:tbl><w:tblGrid><w:gridCol/><w:gridCol/></w:tblGrid><w:tr>{cells}</w:tr><w:tr>{cells}</w:tr></w:tbl>"
    listed = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'
    body = p("Parcels", '<w:pStyle w:val="Heading1"/>') + p("A parcel leaves.") + p("one", listed) + table
    body += '<w:p><w:r><w:footnoteReference w:id="2"/></w:r></w:p><w:sectPr/>'
    numbering = (
        '<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/>'
        '<w:lvlText w:val="%1."/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
    )
    styles = '<w:style w:styleId="Heading1"><w:name w:val="heading 1"/><w:basedOn w:val="Normal"/></w:style>'
    parts = {"document": f"<w:body>{body}</w:body>", "styles": styles, "numbering": numbering}
    parts["footnotes"] = f'<w:footnote w:id="2">{p("A note.")}</w:footnote>'
    files: dict[str, str | bytes] = {
        f"word/{name}.xml": f'{_XML}<w:{name} xmlns:w="{_WORD}">{inside}</w:{name}>' for name, inside in parts.items()
    }
    files["word/_rels/document.xml.rels"] = _relations(*((name, f"{name}.xml") for name in parts if name != "document"))
    return _ooxml("word/document.xml", files)


def xlsx() -> bytes:
    """Two sheets, shared strings, a merge, a date."""
    rows = "".join(
        f'<row r="{r}"><c r="A{r}" t="s"><v>{r % 3}</v></c><c r="B{r}" s="1"><v>{r * 1000}</v></c>'
        f'<c r="C{r}"><f>A{r}+1</f><v>2</v></c></row>'
        for r in range(1, 6)
    )
    sheet = f'<sheetData>{rows}</sheetData><mergeCells count="1"><mergeCell ref="A1:B1"/></mergeCells>'
    listed = "".join(f'<sheet name="S{n}" sheetId="{n}" r:id="rId{n}"/>' for n in (1, 2))
    strings = "".join(f"<si><t>word {n}</t></si>" for n in range(3))
    style = '<cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>'
    files: dict[str, str | bytes] = {
        f"xl/worksheets/sheet{n}.xml": f'{_XML}<worksheet xmlns="{_SHEET}"><dimension ref="A1:C5"/>{sheet}</worksheet>'
        for n in (1, 2)
    }
    files["xl/workbook.xml"] = (
        f'{_XML}<workbook xmlns="{_SHEET}" xmlns:r="{_OFFICE}"><sheets>{listed}</sheets></workbook>'
    )
    files["xl/sharedStrings.xml"] = f'{_XML}<sst xmlns="{_SHEET}" count="3" uniqueCount="3">{strings}</sst>'
    files["xl/styles.xml"] = f'{_XML}<styleSheet xmlns="{_SHEET}">{style}</styleSheet>'
    files["xl/_rels/workbook.xml.rels"] = _relations(
        *(("worksheet", f"worksheets/sheet{n}.xml") for n in (1, 2)),
        ("sharedStrings", "sharedStrings.xml"),
        ("styles", "styles.xml"),
    )
    return _ooxml("xl/workbook.xml", files)


def pptx() -> bytes:
    """Two slides with a title, a table and notes."""
    cell = "<a:tc gridSpan='1'><a:txBody><a:p><a:r><a:t>cell</a:t></a:r></a:p></a:txBody></a:tc>"
    table = (
        f"<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tblGrid><a:gridCol w='1'/></a:tblGrid>"
        f"<a:tr h='1'>{cell * 2}</a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>"
    )
    title = (
        '<p:sp><p:nvSpPr><p:cNvPr id="2" name="T"/><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr>'
        "<p:txBody><a:p><a:pPr lvl='0'/><a:r><a:t>Parcels</a:t></a:r></a:p></p:txBody></p:sp>"
    )
    names = f'xmlns:p="{_SLIDE}" xmlns:a="{_DRAWING}" xmlns:r="{_OFFICE}"'
    tree = f"<p:cSld><p:spTree><p:grpSp>{title}</p:grpSp>{table}</p:spTree></p:cSld>"
    listed = "".join(f'<p:sldId id="{255 + n}" r:id="rId{n}"/>' for n in (1, 2))
    files: dict[str, str | bytes] = {f"ppt/slides/slide{n}.xml": f"{_XML}<p:sld {names}>{tree}</p:sld>" for n in (1, 2)}
    files["ppt/notesSlides/notesSlide1.xml"] = f"{_XML}<p:notes {names}>{tree}</p:notes>"
    files["ppt/slides/_rels/slide1.xml.rels"] = _relations(("notesSlide", "../notesSlides/notesSlide1.xml"))
    files["ppt/presentation.xml"] = f"{_XML}<p:presentation {names}><p:sldIdLst>{listed}</p:sldIdLst></p:presentation>"
    files["ppt/_rels/presentation.xml.rels"] = _relations(*(("slide", f"slides/slide{n}.xml") for n in (1, 2)))
    return _ooxml("ppt/presentation.xml", files)


_ODT = (
    '<text:h text:outline-level="1">Parcels</text:h><text:p>A parcel<text:s text:c="3"/>leaves.<text:note>'
    "<text:note-body><text:p>A note.</text:p></text:note-body></text:note></text:p>"
    "<text:list><text:list-item><text:p>one</text:p></text:list-item></text:list>"
)
_ODS = (
    '<table:table table:name="S"><table:table-column table:number-columns-repeated="2"/><table:table-row'
    ' table:number-rows-repeated="2"><table:table-cell table:number-columns-repeated="2"'
    ' table:number-columns-spanned="1" office:value-type="float" office:value="4.2"><text:p>4.2</text:p>'
    "</table:table-cell></table:table-row></table:table>"
)


def _content(kind: str, inside: str, root: str = "document-content") -> bytes:
    body = f"<office:body><office:{kind}>{inside}</office:{kind}></office:body>"
    return f"{_XML}<office:{root} {_ODF_NAMES}>{body}</office:{root}>".encode()


def odf(kind: str) -> bytes:
    """An OpenDocument text or spreadsheet."""
    inside = _ODT + _ODS if kind == "text" else _ODS
    mime = f"application/vnd.oasis.opendocument.{kind}".encode()
    return packed({"mimetype": mime, "content.xml": _content(kind, inside), "META-INF/manifest.xml": b"<manifest/>"})


def epub() -> bytes:
    """A book of two chapters."""
    container = (
        f'{_XML}<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="OPS/a.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    items = "".join(f'<item id="c{n}" href="c{n}.xhtml" media-type="application/xhtml+xml"/>' for n in (1, 2))
    spine = "".join(f'<itemref idref="c{n}"/>' for n in (1, 2))
    package = (
        f'{_XML}<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata'
        ' xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Parcels</dc:title></metadata>'
        f"<manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    chapter = (
        f'{_XML}<html xmlns="http://www.w3.org/1999/xhtml"><head><title>a</title></head><body><h1>Parcels</h1>'
        "<p>A parcel leaves.</p><table><tr><td colspan='2'>1</td></tr></table></body></html>"
    )
    return packed(
        {
            "mimetype": b"application/epub+zip",
            "META-INF/container.xml": container.encode(),
            "OPS/a.opf": package.encode(),
            "OPS/c1.xhtml": chapter.encode(),
            "OPS/c2.xhtml": chapter.encode(),
        }
    )


def html_zip() -> bytes:
    page = b"<html><body><h1>Parcels</h1><p>A parcel <a href='b.html'>leaves</a>.</p></body></html>"
    return packed({"index.html": page, "b.html": page, "a.css": b"a {}"})


LETTER = (
    b"From: Ann <ann@example.org>\r\nTo: Bob <bob@example.org>\r\nSubject: =?utf-8?q?Parc=C3=A9ls?=\r\n"
    b"Date: Mon, 16 Nov 2026 10:00:00 +0000\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n"
    b"--x\r\nContent-Type: multipart/alternative; boundary=y\r\n\r\n--y\r\nContent-Type: text/plain; charset=utf-8\r\n"
    b"Content-Transfer-Encoding: quoted-printable\r\n\r\nA parcel =E2=82=AC leaves.\r\n> quoted\r\n--y\r\n"
    b"Content-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n\r\nPHA+QSBwYXJjZWw8L3A+\r\n--y--\r\n"
    b'--x\r\nContent-Type: text/csv; name="a.csv"\r\nContent-Disposition: attachment\r\n\r\na,b\r\n--x--\r\n'
)
_XML_MARKS = (
    "<",
    "</",
    "<a>",
    "</w:p>",
    "&#0;",
    "&#xD800;",
    "&a;",
    "<![CDATA[",
    "]]>",
    "<!--",
    "<?",
    '="9999999999"',
    "<w:p>",
)
_MAIL_MARKS = (
    "\r\n--x\r\n",
    "\r\n--y\r\n",
    "Content-Type: message/rfc822\r\n\r\n",
    "=?utf-8?b?",
    "?=",
    "\r\n\r\n",
    "=E2",
    "\r\n ",
)

ARCHIVES = (
    Seed("docx", ".docx", docx(), _XML_MARKS, (("<w:tbl><w:tr><w:tc>", "</w:tc></w:tr></w:tbl>"), ("<w:p>", "</w:p>"))),
    Seed("xlsx", ".xlsx", xlsx(), _XML_MARKS, (("<row>", "</row>"), ("<c>", "</c>"))),
    Seed("pptx", ".pptx", pptx(), _XML_MARKS, (("<p:grpSp>", "</p:grpSp>"), ("<a:p>", "</a:p>"))),
    Seed("odt", ".odt", odf("text"), _XML_MARKS, (("<text:list><text:list-item>", "</text:list-item></text:list>"),)),
    Seed("xlsx-ods", ".ods", odf("spreadsheet"), _XML_MARKS, (("<table:table>", "</table:table>"),)),
    Seed("epub", ".epub", epub(), _XML_MARKS, (("<div>", "</div>"), ("<table><tr><td>", "</td></tr></table>"))),
    Seed("htmlzip", ".zip", html_zip(), _XML_MARKS, (("<div>", "</div>"), ("<b>", "</b>"))),
)  # fmt: skip
"""Archives."""
FLAT = (
    Seed(
        "odt-fodt", ".fodt", _content("text", _ODT + _ODS, "document"), _XML_MARKS, (("<text:span>", "</text:span>"),)
    ),
    Seed(
        "eml", ".eml", LETTER, _MAIL_MARKS, (("--x\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n", "--x--\r\n"),)
    ),
    Seed("eml-mhtml", ".mhtml", LETTER.replace(b"mixed", b"related"), _MAIL_MARKS, (("<div>", "</div>"),)),
)
"""Read as binary, written as text."""
