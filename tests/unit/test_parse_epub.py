"""EPUB and zipped web pages: chapters in order, each read as the page it is."""

from __future__ import annotations

import zipfile
from contextlib import suppress
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seamline.errors import ParseError, SeamlineError
from seamline.parse import parse_bytes
from seamline.parse.html.page import parse_zip
from seamline.parse.office.epub import parse as parse_book
from seamline.parse.parser_types import ParseInput, ParseLimits
from seamline.parse.xml import without_doctype
from seamline.testing.parsers import check_document
from seamline.types import Document

CONTAINER = '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>'
CHAPTER = '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body>{}</body></html>'
OPF = (
    '<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>A Book</dc:title>'
    "<dc:creator>Ann</dc:creator><dc:creator>Ben</dc:creator><dc:language>en</dc:language></metadata>"
    "<manifest>{items}</manifest><spine>{spine}</spine></package>"
)
XHTML = "application/xhtml+xml"


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEAMLINE_ISOLATE", "0")


def packed(parts: dict[str, str | bytes]) -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(zipfile.ZipInfo(name), text)
    return out.getvalue()


def package(items: dict[str, str], spine: list[str], properties: dict[str, str] | None = None) -> str:
    listed = "".join(
        f'<item id="{key}" href="{href}" media-type="{XHTML}" properties="{(properties or {}).get(key, "")}"/>'
        for key, href in items.items()
    )
    return OPF.format(items=listed, spine="".join(f'<itemref idref="{key}"/>' for key in spine))


def book(**more: str | bytes) -> dict[str, str | bytes]:
    return {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": CONTAINER,
        "OPS/book.opf": package({"b": "two%20b.xhtml", "a": "one.xhtml", "n": "nav.xhtml"}, ["a", "b"], {"n": "nav"}),
        "OPS/one.xhtml": CHAPTER.format('<h1 id="c1">One</h1><p>first <b>chapter</b></p>'),
        "OPS/two b.xhtml": CHAPTER.format('<section id="c2"><h1>Two</h1><p>second</p></section>'),
        "OPS/nav.xhtml": CHAPTER.format("<nav><h2>Contents</h2></nav>"),
        **{name.replace("__", "/"): text for name, text in more.items()},
    }


def read(parts: dict[str, str | bytes], name: str = "book.epub") -> Document:
    document = parse_bytes(packed(parts), uri=name)
    check_document(document)
    return document


def test_chapters_come_in_reading_order_with_their_file_and_element() -> None:
    document = read(book())
    assert document.text == "# One\n\nfirst chapter\n\n# Two\n\nsecond"
    places = [document.place_of(block.span) for block in document.blocks]
    assert [(place["part"], place.get("element")) for place in places] == [
        ("OPS/one.xhtml", "c1"),
        ("OPS/one.xhtml", None),
        ("OPS/two b.xhtml", "c2"),
        ("OPS/two b.xhtml", "c2"),
    ]
    assert document.title == "A Book"
    assert document.front_matter == {"author": "Ann, Ben", "language": "en"}
    assert document.notices == ()


def test_the_table_of_contents_is_not_text_even_in_the_reading_order() -> None:
    parts = book()
    parts["OPS/book.opf"] = package({"a": "one.xhtml", "n": "nav.xhtml"}, ["n", "a"], {"n": "nav"})
    assert read(parts).text == "# One\n\nfirst chapter"


def test_what_is_missing_repeated_or_unlisted_is_told() -> None:
    parts = book()
    items = {"a": "one.xhtml", "gone": "gone.xhtml", "out": "../../etc/passwd", "b": "two%20b.xhtml"}
    parts["OPS/book.opf"] = package(items, ["a", "gone", "nobody", "a", "out"])
    document = read(parts)
    assert document.text == "# One\n\nfirst chapter"
    found = [(notice.code, notice.where) for notice in document.notices]
    assert found == [
        ("part-outside", "../etc/passwd"),
        ("part-missing", ""),
        ("part-repeated", ""),
        ("part-unreadable", "OPS/gone.xhtml"),
        ("part-skipped", ""),
    ]
    assert "OPS/two b.xhtml" in document.notices[-1].message


def test_a_book_without_order_or_container_is_read_as_it_lies() -> None:
    parts = book()
    parts["OPS/book.opf"] = package({"a": "one.xhtml"}, [])
    del parts["META-INF/container.xml"]
    document = read(parts)
    assert document.text == "# One\n\nfirst chapter"
    assert [notice.code for notice in document.notices] == ["epub-container", "epub-order"]


def test_a_book_that_names_no_package_is_refused() -> None:
    parts = book()
    del parts["META-INF/container.xml"], parts["OPS/book.opf"]
    with pytest.raises(ParseError, match="names no package"):
        read(parts)


ENCRYPTED = (
    '<encryption><EncryptedData><EncryptionMethod Algorithm="{}"/><CipherData><CipherReference URI="{}"/></CipherData>'
    "</EncryptedData></encryption>"
)


def test_protected_books_are_refused_and_scrambled_fonts_are_not() -> None:
    locked = ENCRYPTED.format("http://www.w3.org/2001/04/xmlenc#aes128-cbc", "OPS/one.xhtml")
    with pytest.raises(ParseError, match="1 of 2 chapters are encrypted"):
        read({**book(), "META-INF/encryption.xml": locked})
    fonts = ENCRYPTED.format("http://www.idpf.org/2008/embedding", "OPS/font.otf")
    assert read({**book(), "META-INF/encryption.xml": fonts}).notices == ()


def test_chapters_that_are_no_text_are_told_and_refused_when_there_are_no_others() -> None:
    noise = bytes(range(256)) * 20
    document = read({**book(), "OPS/one.xhtml": noise})
    assert document.text == "# Two\n\nsecond"
    assert [notice.code for notice in document.notices] == ["part-unreadable"]
    with pytest.raises(ParseError, match="copy-protected"):
        read({**book(), "OPS/one.xhtml": noise, "OPS/two b.xhtml": noise, "META-INF/rights.xml": "<r/>"})


def test_document_types_that_declare_nothing_are_fine_and_others_are_refused() -> None:
    parts = book()
    opf = str(parts["OPS/book.opf"])
    plain = '<!DOCTYPE package PUBLIC "-//x" "http://example.com/x.dtd">'
    assert read({**parts, "OPS/book.opf": plain + opf}).title == "A Book"
    with pytest.raises(ParseError, match="document type or entities"):
        read({**parts, "OPS/book.opf": '<!DOCTYPE p [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + opf})


def test_chapters_in_old_encodings_are_read_by_what_they_declare() -> None:
    chapter = '<?xml version="1.0" encoding="iso-8859-2"?><html><body><p>Łódź</p></body></html>'.encode("iso-8859-2")
    assert read({**book(), "OPS/one.xhtml": chapter}).text.startswith("Łódź")
    unnamed = "<p>caf\xe9</p>".encode("latin-1")
    document = read({**book(), "OPS/one.xhtml": unnamed})
    assert document.text.startswith("café")
    assert [notice.code for notice in document.notices] == ["encoding"]


def test_archives_that_unpack_to_too_much_stop() -> None:
    raw = ParseInput(packed(book()), uri="b.epub", limits=ParseLimits(part=600))
    parsed = parse_book(raw)
    assert parsed.text
    bomb = packed({**book(), "OPS/one.xhtml": "<p>" + "x" * 5_000})
    parsed = parse_book(ParseInput(bomb, uri="b.epub", limits=ParseLimits(part=2_000)))
    assert [notice.code for notice in parsed.notices] == ["part-unreadable"]
    assert "second" in parsed.text


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 900), st.binary(max_size=20))
def test_damaged_books_are_read_or_refused(at: int, noise: bytes) -> None:
    data = packed(book())
    with suppress(SeamlineError):
        parse_book(ParseInput(data[:at] + noise + data[at + len(noise) :], uri="b.epub"))


# --- zipped pages -------------------------------------------------------------------------------------------------


def test_zipped_pages_are_read_in_the_order_of_their_names() -> None:
    pages: dict[str, str | bytes] = {
        "b.html": "<title>B</title><h2>Two</h2>",
        "a.html": "<title>Document</title><h1>One</h1><p>text",
        "images/image1.png": b"\x89PNG",
        "__MACOSX/._a.html": b"\x00\x05",
    }
    document = read(pages, "export.zip")
    assert document.text == "# One\n\ntext\n\n## Two"
    assert document.title == "Document"
    assert [document.place_of(block.span)["part"] for block in document.blocks] == ["a.html", "a.html", "b.html"]
    assert [notice.code for notice in document.notices] == ["images"]
    assert document.notices[0].message.startswith("1 other")


def test_an_archive_without_pages_is_refused() -> None:
    with pytest.raises(ParseError, match="without a web page"):
        parse_zip(ParseInput(packed({"a.txt": "x"}), uri="a.zip"))


def test_both_are_the_same_every_time() -> None:
    raw = ParseInput(packed(book()), uri="b.epub")
    assert parse_book(raw) == parse_book(raw)
    pages = ParseInput(packed({"a.html": "<p>x<table><tr><th>a<td>b</table>"}), uri="a.zip")
    assert parse_zip(pages) == parse_zip(pages)


def test_a_package_outside_of_the_book_is_refused() -> None:
    parts = book()
    parts["META-INF/container.xml"] = CONTAINER.replace("OPS/book.opf", "../../etc/passwd")
    with pytest.raises(ParseError, match="outside of the book"):
        read(parts)


@pytest.mark.parametrize("href", ["../../../etc/passwd", "/etc/passwd", "file:///etc/passwd", "http://example.org/a"])
def test_chapters_outside_of_the_book_are_told_and_never_read(href: str) -> None:
    document = read({**book(), "OPS/book.opf": package({"a": "one.xhtml", "x": href}, ["a", "x"])})
    assert document.text.startswith("# One")
    assert [notice.code for notice in document.notices if "part-" in notice.code] == ["part-outside", "part-missing"]
    nothing = read({**book(), "OPS/book.opf": package({"x": href}, ["x"])})
    assert "epub-empty" in [notice.code for notice in nothing.notices]


def test_entities_of_a_chapter_stay_as_they_are() -> None:
    page = "<!DOCTYPE x [<!ENTITY a 'lol'>]><html><body><p>say &a;</p></body></html>"
    document = read({**book(), "OPS/one.xhtml": page})
    assert "say &a;" in document.text
    assert "]>" not in document.text
    assert "entities" in [notice.code for notice in document.notices]


@pytest.mark.parametrize(
    ("prolog", "left"),
    [
        ("<!DOCTYPE html>", ""),
        ("<!DOCTYPE x [<!ENTITY a 'lol'>]>", ""),
        ("""<!doctype x SYSTEM "a>b" [<!ENTITY a "]>"><!-- ]> " --><?p ]> ' ?>]  >""", ""),
        ("<?xml version='1.0'?><!DOCTYPE x>", "<?xml version='1.0'?>"),
        ("", ""),
        ("<!DOCTYPE x [<!-- never closed ", "<!DOCTYPE x [<!-- never closed "),
        ("<!DOCTYPE x [<!ENTITY", "<!DOCTYPE x [<!ENTITY"),
    ],
)
def test_a_document_type_ends_where_it_does(prolog: str, left: str) -> None:
    assert without_doctype(f"{prolog}<p>a > b</p>") == f"{left}<p>a > b</p>"
