"""Binary files thought up by hand: they unpack to too much, lie about sizes, name themselves, or never end."""

from __future__ import annotations

import sqlite3
import struct
import zipfile
import zlib
from collections.abc import Iterator
from io import BytesIO

from benchmarks.hostile.binaries import gif, mp4, pdf, png, stream, wav
from benchmarks.hostile.packages import LETTER, docx, epub, html_zip, odf, packed, pptx, unpacked, xlsx

K, M = 1_000, 1_000_000
_ENTITIES = b"<!DOCTYPE x [<!ENTITY a 'lol'>" + b"".join(
    b"<!ENTITY a%d '%s'>" % (n, b"&a%d;" % (n - 1) * 10) for n in range(1, 9)
)
_MAIN = {
    "docx": ("word/document.xml", docx(), b"<w:body>"),
    "xlsx": ("xl/worksheets/sheet1.xml", xlsx(), b"<sheetData>"),
    "pptx": ("ppt/slides/slide1.xml", pptx(), b"<p:spTree>"),
    "odt": ("content.xml", odf("text"), b"<office:text>"),
    "xlsx-ods": ("content.xml", odf("spreadsheet"), b"<office:spreadsheet>"),
    "epub": ("OPS/c1.xhtml", epub(), b"<body>"),
    "htmlzip": ("index.html", html_zip(), b"<body>"),
}
"""The part that holds the text, a whole file, and where its text begins."""


def _archives() -> Iterator[tuple[str, str, bytes]]:
    for kind, (main, whole, place) in _MAIN.items():
        parts = unpacked(whole)
        text = parts[main]

        def spoilt(new: bytes, parts: dict[str, bytes] = parts, main: str = main) -> bytes:
            return packed({**parts, main: new})

        yield kind, "bomb-120mb", spoilt(text.replace(place, place + b" " * 120 * M))
        yield (
            kind,
            "entities",
            spoilt(text.replace(b"?>", b"?>" + _ENTITIES + b"]>", 1).replace(place, place + b"&a8;")),
        )
        yield kind, "outside", spoilt(text.replace(b"?>", b'?><!DOCTYPE x SYSTEM "file:///etc/passwd">', 1))
        yield kind, "deep", spoilt(text.replace(place, place + b"<x>" * 50 * K))
        yield (
            kind,
            "attributes",
            spoilt(text.replace(place, place + b"<x " + b" ".join(b'a%d="1"' % n for n in range(20 * K)) + b"/>")),
        )
        yield kind, "utf-16", spoilt(text.replace(b"UTF-8", b"UTF-16").decode().encode("utf-16"))
        yield kind, "no-text", spoilt(b"")
        yield kind, "many-parts", packed({**parts, **{f"x/{n}.xml": b"" for n in range(4 * K)}})
        yield kind, "same-name", _doubled(parts, main)
        yield kind, "in-itself", packed({**parts, "inner.zip": whole})
        yield kind, "prefix", b"MZ" + bytes(500) + whole
        yield kind, "comment", whole[:-2] + b"\xff\xff" + b"c" * 65535


def _doubled(parts: dict[str, bytes], main: str) -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in (*parts.items(), (main[:-1] + "\x7f", b"<other/>")):
            archive.writestr(zipfile.ZipInfo(name), data)
    return out.getvalue().replace(main[:-1].encode() + b"\x7f", main.encode())  # zipfile warns of a second one


def _in_main(kind: str, **named: bytes) -> Iterator[tuple[str, str, bytes]]:
    main, whole, place = _MAIN[kind]
    parts = unpacked(whole)
    for name, inside in named.items():
        yield kind, name.replace("_", "-"), packed({**parts, main: parts[main].replace(place, place + inside)})


def _office() -> Iterator[tuple[str, str, bytes]]:
    run = b"<w:p><w:r><w:t>word</w:t></w:r></w:p>"
    cell = b"<w:tc><w:tcPr>%s</w:tcPr>" + run + b"</w:tc>"
    yield from _in_main(
        "docx",
        paragraphs=run * 20 * K,
        runs=b"<w:p>" + b"<w:r><w:t>a</w:t></w:r>" * 20 * K + b"</w:p>",
        spans=b"<w:tbl><w:tr>" + cell % b'<w:gridSpan w:val="99999999"/>' + b"</w:tr></w:tbl>",
        merged=b"<w:tbl>" + (b"<w:tr>" + cell % b"<w:vMerge/>" + b"</w:tr>") * 3 * K + b"</w:tbl>",
        notes=b'<w:p><w:r><w:footnoteReference w:id="2"/></w:r></w:p>' * 3 * K,
        lists=b'<w:p><w:pPr><w:numPr><w:ilvl w:val="99"/><w:numId w:val="-1"/></w:numPr></w:pPr></w:p>' * K,
        spaces=b"<w:p><w:r>" + b"<w:tab/><w:br/>" * 20 * K + b"</w:r></w:p>",
    )
    yield from _in_main(
        "xlsx",
        far_cell=b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>',
        rows=b"".join(b'<row r="%d"><c r="A%d"><v>1</v></c></row>' % (n, n) for n in range(10, 20 * K)),
        same_cell=b'<row r="7"><c r="A7"><v>1</v></c></row>' * 10 * K,
        odd_cells=b'<row r="-1"><c r="ZZZZZZZ0"><v>1e999</v></c><c r="" t="s"><v>99999</v></c></row>' * 500,
        dates=b'<row r="9"><c r="A9" s="1"><v>99999999999</v></c><c r="B9" s="1"><v>-1</v></c></row>',
    )
    yield from _in_main(
        "odt", spaces=b'<text:p>a<text:s text:c="2000000000"/></text:p>', lists=b"<text:list><text:list-item>" * 2 * K
    )
    row = (
        b'<table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384"'
    )
    yield from _in_main(
        "xlsx-ods",
        repeated=b"<table:table>"
        + row
        + b' office:value="1"><text:p>a</text:p></table:table-cell></table:table-row></table:table>',
        tables=b"<table:table/>" * 5 * K,
    )
    yield from _in_main("pptx", groups=b"<p:grpSp>" * 3 * K, shapes=b"<p:sp><p:txBody><a:p/></p:txBody></p:sp>" * 5 * K)
    yield from _in_main("epub", tables=b"<table><tr><td>" * 500, text=b"<p>word</p>" * 20 * K)


def _pdfs() -> Iterator[tuple[str, bytes]]:
    catalog, pages = b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
    page += b" /Resources << /Font << /F1 5 0 R >> >> >>"
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"

    def drawn(content: bytes) -> bytes:
        return pdf([catalog, pages, page, stream(content), font])

    yield "bomb-120mb", drawn(b" " * 120 * M)
    yield "letters", drawn(b"BT /F1 1 Tf " + b"(a) Tj " * 50 * K + b"ET")
    yield "states", drawn(b"q " * 50 * K + b"BT /F1 12 Tf (words) Tj ET")
    yield "lines", drawn(b"0 0 m 9 9 l S " * 30 * K)
    yield "boxes", drawn(b"".join(b"%d %d 9 9 re S " % (n % 600, n % 700) for n in range(20 * K)))
    yield "sizes", drawn(b"BT /F1 1e38 Tf 1e38 -1e38 Td (words) Tj /F1 0 Tf (none) Tj /F1 -9 Tf (back) Tj ET")
    yield "matrix", drawn(b"0 0 0 0 0 0 cm BT /F1 12 Tf 0 0 0 0 0 0 Tm (words) Tj ET")
    yield "string-open", drawn(b"BT /F1 12 Tf (" + b"(" * 50 * K + b"words")
    yield "array-deep", drawn(b"[" * 50 * K)
    yield "kids-loop", pdf([catalog, b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 99999 >>"])
    yield (
        "kids-many",
        pdf([catalog, b"<< /Type /Pages /Kids [" + b"3 0 R " * 3 * K + b"] /Count 3000 >>", page, stream(b""), font]),
    )
    yield "parent-self", pdf([catalog, pages, page.replace(b"2 0 R", b"3 0 R"), stream(b"BT ET"), font])
    yield (
        "box-huge",
        pdf([catalog, pages, page.replace(b"612 792", b"1e30 1e30"), stream(b"BT /F1 9 Tf (w) Tj ET"), font]),
    )
    yield "box-none", pdf([catalog, pages, page.replace(b"612 792", b"0 0"), stream(b"BT /F1 9 Tf (w) Tj ET"), font])
    form = b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 4 0 R >> >>"
    yield (
        "form-self",
        pdf(
            [
                catalog,
                pages,
                page.replace(b"/Font", b"/XObject << /X 4 0 R >> /Font"),
                stream(b"/X Do " * 9, form),
                font,
            ]
        ),
    )
    yield (
        "filters",
        pdf(
            [
                catalog,
                pages,
                page,
                b"<< /Length 4 /Filter [" + b"/ASCIIHexDecode " * 500 + b"] >>\nstream\n4142\nendstream",
                font,
            ]
        ),
    )
    yield "length-lie", pdf([catalog, pages, page, b"<< /Length 999999999 >>\nstream\nBT (w) Tj ET\nendstream", font])
    yield "length-self", pdf([catalog, pages, page, b"<< /Length 4 0 R >>\nstream\nBT (w) Tj ET\nendstream", font])
    outline = b"<< /Title (a) /Parent 6 0 R /Next 7 0 R /First 7 0 R >>"
    yield (
        "outline-loop",
        pdf(
            [
                catalog.replace(b">>", b"/Outlines 6 0 R >>"),
                pages,
                page,
                stream(b""),
                font,
                b"<< /First 7 0 R >>",
                outline,
            ]
        ),
    )
    yield "encrypted", pdf().replace(b"/Root", b"/Encrypt << /Filter /Standard /V 99 /R 99 >> /Root")
    yield "no-xref", pdf().replace(b"startxref", b"startnone").replace(b"xref", b"xxxx")
    yield "updates", pdf() * 40
    yield "prefix", b"x" * 900 + pdf()
    yield "comments", pdf().replace(b"1 0 obj", b"%" * 200 * K + b"\n1 0 obj")


def _pictures() -> Iterator[tuple[str, bytes]]:
    yield "png", png(60_000, 60_000)
    yield "png", png(0, 0)
    yield "png", png(40, 20, (b"zTXt", b"a\0\0" + zlib.compress(bytes(20 * M))))
    yield "png", png(40, 20, *[(b"tEXt", b"Title\0" + b"word " * 2000)] * 50)
    yield "png", png(40, 20, (b"acTL", struct.pack(">II", 0xFFFFFFFF, 0)))
    yield "png", png().replace(b"IEND", b"IDAT")
    yield "gif", gif(20 * K)
    yield "gif", gif()[:6] + struct.pack("<HH", 65535, 65535) + gif()[10:]
    yield "gif", b"GIF89a" + b"\xff" * 2000
    yield (
        "bmp",
        b"BM"
        + struct.pack("<IHHI", 9, 0, 0, 54)
        + struct.pack("<IiiHHIIiiII", 40, 2**31 - 1, -(2**31), 1, 24, 0, 0, 0, 0, 0, 0),
    )
    yield "tiff", b"II*\0" + struct.pack("<IH", 8, 65535) + struct.pack("<HHII", 273, 4, 0xFFFFFFFF, 8) * 200
    yield "tiff", b"MM\0*" + struct.pack(">IHI", 8, 0, 8)
    yield "jpeg", b"\xff\xd8" + b"\xff\xe1\xff\xff" + bytes(65533) * 20 + b"\xff\xd9"
    yield "webp", b"RIFF\xff\xff\xff\xffWEBPVP8L\xff\xff\xff\xff/\xff\xff\xff\xff"


def _recordings() -> Iterator[tuple[str, str, str, bytes]]:
    yield "audio", ".wav", "rate-zero", wav(0)
    yield "audio", ".wav", "rate-huge", wav(2_000_000_000)
    yield "audio", ".wav", "length-lie", wav().replace(b"data" + struct.pack("<I", 8000), b"data\xff\xff\xff\xff")
    yield "audio", ".wav", "chunks", wav()[:36] + b"LIST\0\0\0\0" * 5 * K + wav()[36:]
    yield "audio", ".mp3", "frames", b"\xff\xfb\x90\0" * 20 * K
    yield "audio", ".mp3", "tag", b"ID3\4\0\0\x7f\x7f\x7f\x7f" + bytes(5 * K)
    yield "audio", ".flac", "header", b"fLaC\0\0\0\x22" + b"\xff" * 300
    yield "audio", ".ogg", "pages", (b"OggS\0\2" + bytes(20) + b"\1\x1e\1vorbis" + bytes(23)) * 500
    yield "video", ".mp4", "box-zero", mp4()[:24] + bytes(4) + b"moov" + bytes(500)
    yield (
        "video",
        ".mp4",
        "boxes-deep",
        mp4()[:24] + b"".join(struct.pack(">I", 80_000 - 8 * n) + b"moov" for n in range(10 * K)),
    )
    yield "video", ".mp4", "box-64", mp4()[:24] + b"\0\0\0\1mdat" + b"\xff" * 8
    yield "video", ".mkv", "elements", b"\x1aE\xdf\xa3\xff" + b"\x18S\x80g\x01\xff\xff\xff\xff\xff\xff\xff" * K


def _databases() -> Iterator[tuple[str, bytes]]:
    def made(script: str) -> bytes:
        base = sqlite3.connect(":memory:")
        base.executescript(script)
        return base.serialize()

    many = "with recursive n(i) as (select 1 union all select i + 1 from n where i < {}) insert into a select "
    yield "rows", made("create table a (b);" + many.format(50 * K) + "i from n;")
    yield "cell", made("create table a (b);" + many.format(3) + "printf('%.*c', 2000000, 'x') from n;")
    yield "blob", made("create table a (b); insert into a values (zeroblob(5000000));")
    yield "tables", made("".join(f"create table t{n} (a); insert into t{n} values ({n});" for n in range(400)))
    yield (
        "columns",
        made("create table a (" + ",".join(f"c{n}" for n in range(1500)) + "); insert into a default values;"),
    )
    yield (
        "names",
        made('create table "a"" b\nc | d" ("# x" text, "<script>"); insert into "a"" b\nc | d" values (1, 2);'),
    )
    yield (
        "endless-view",
        made(
            "create table a (b); create view v as"
            " with recursive n(i) as (select 1 union all select 1 from n) select 1 from n;"
        ),
    )
    yield "page-size", made("create table a (b);").replace(b"SQLite format 3\0\x10\0", b"SQLite format 3\0\0\0")
    yield (
        "schema",
        made("create table a (b); insert into a values (1);").replace(b"CREATE TABLE a (b)", b"CREATE TABLE a ((;"),
    )


def _letters() -> Iterator[tuple[str, bytes]]:
    head = LETTER.partition(b"\r\n\r\n")[0]
    part = b"Content-Type: multipart/mixed; boundary=%d\r\n\r\n--%d\r\n"
    yield "deep", b"Subject: a\r\n" + b"".join(part % (n, n) for n in range(2 * K)) + b"\r\nwords"
    yield "letters-in-letters", b"Subject: a\r\n" + b"Content-Type: message/rfc822\r\n\r\n" * 500 + b"words"
    yield "parts", head + b"\r\n\r\n" + b"--x\r\n\r\nwords\r\n" * 5 * K
    yield "headers", b"X-A: b\r\n" * 30 * K + LETTER
    yield "header-long", b"X-A: " + b"b" * M + b"\r\n" + LETTER
    yield "folded", b"Subject: " + b"\r\n word" * 20 * K + b"\r\n\r\nwords"
    yield "addresses", b"To: " + b"a@b.c, " * 20 * K + b"\r\n" + LETTER
    yield "encoded", b"Subject: " + b"=?utf-8?q?=41?= " * 5 * K + b"\r\n\r\nwords"
    yield "charset", LETTER.replace(b"charset=utf-8", b"charset=rot13")
    yield "boundary", LETTER.replace(b"boundary=x", b'boundary="' + b"x" * 5 * K + b'"')
    yield "base64", LETTER.replace(b"PHA+", b"A" * 500_001)
    yield "quotes", LETTER.replace(b"> quoted", b">" * 20 * K + b" quoted")
    yield "no-body", head


def binaries() -> Iterator[tuple[str, str, str, bytes]]:
    """Format, suffix, name and bytes of each."""
    for kind, name, data in (*_archives(), *_office()):
        yield kind, {"xlsx-ods": ".ods", "htmlzip": ".zip"}.get(kind, f".{kind}"), name, data
    yield from (("pdf", ".pdf", name, data) for name, data in _pdfs())
    yield from ((f"image-{kind}", f".{kind}", f"bomb-{n}", data) for n, (kind, data) in enumerate(_pictures()))
    yield from _recordings()
    yield from (("sqlite", ".db", name, data) for name, data in _databases())
    yield from (("eml", ".eml", name, data) for name, data in _letters())
