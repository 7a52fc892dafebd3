"""PDFs that are damaged, or made to blow up: what can be read is read, and what was done is told."""

from __future__ import annotations

import re
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pdf_maker import PageMaker, _file, _stream, pdf

from seamline.errors import ParseError, SeamlineError
from seamline.parse import parse_bytes
from seamline.parse.parser_types import ParseInput
from seamline.parse.pdf.repair import defuse, rebuild
from seamline.testing.parsers import check_document
from seamline.types import Document

PAGES = [PageMaker().text(72, 72 + 20 * n, f"Words of page {n}") for n in range(1, 4)]
WHOLE = pdf(*PAGES)
BOX = b"/MediaBox [0 0 612 792] /Resources << /Font << /F1 5 0 R >> %s >> /Contents 4 0 R"
FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
HELLO = b"BT /F1 12 Tf 72 700 Td (Hello world) Tj ET\n"


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEAMLINE_ISOLATE", "0")


def read(data: bytes) -> Document:
    document = parse_bytes(data, uri="a.pdf")
    check_document(document)
    return document


def codes(document: Document) -> list[str]:
    return [notice.code for notice in document.notices]


def one_page(content: bytes, *more: bytes, named: bytes = b"", kids: bytes = b"3 0 R") -> bytes:
    """A page with a content stream, a dictionary and its bytes included; more objects come from 6 on."""
    root, pages = b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Count 1 /Kids [%s] >>" % kids
    page = b"<< /Type /Page /Parent 2 0 R %s >>" % (BOX % named)
    return _file([root, pages, page, content, FONT, *more], "")


def test_a_whole_file_is_read_without_a_word() -> None:
    assert codes(read(WHOLE)) == []
    assert defuse(ParseInput(WHOLE)) == (WHOLE, [])


@pytest.mark.parametrize(
    ("what", "by"),
    [
        (rb"/Type /Catalog", b"/Type /Ctaalog /T (((("),
        (rb"/Pages 2 0 R", b"/Pages 77 0 R"),
        (rb"/Kids \[", b"/Kids ;"),
        (rb"trailer\n.*", b""),
        (rb"%PDF-1.7\n", b""),
    ],
)
def test_pages_are_found_without_the_list_of_them(what: bytes, by: bytes) -> None:
    document = read(re.sub(what, by, WHOLE, count=1, flags=re.DOTALL))
    assert [line for line in document.text.split() if line.isdigit()] == ["1", "2", "3"]
    assert set(codes(document)) & {"rebuilt", "repaired"}


def test_a_page_that_does_not_say_it_is_one() -> None:
    broken = (
        one_page(_stream(b"", HELLO))
        .replace(b"/Type /Page /Parent 2 0 R", b"")
        .replace(b"/Pages 2 0 R", b"/Pages 9 0 R")
    )
    document = read(broken)
    assert document.text == "Hello world"
    assert "rebuilt" in codes(document)


def test_a_note_on_a_page_is_no_page() -> None:
    note = b"<< /Type /Annot /Subtype /Text /Contents (words) /Resources << >> >>"
    broken = one_page(_stream(b"", HELLO), note).replace(b"/Kids [", b"/Kids ;")
    assert read(broken).front_matter["pages"] == 1


def test_a_file_that_lost_the_word_that_names_its_key() -> None:
    """What its streams hold is noise; that there is a page, and why nothing is on it, is told."""
    handler = b"<< /Filter /Standard /V 1 /R 2 /O (x) /U (y) /P -4 /EncryptMetadata true >>"
    noise = bytes(range(7, 207))
    broken = one_page(_stream(b"/Filter /FlateDecode", noise), handler).replace(b"/Kids [", b"/Kids ;")
    document = read(broken)
    assert document.text == ""
    assert {"rebuilt", "encryption-unclear", "no-text"} <= set(codes(document))


def test_a_tree_of_pages_deeper_than_the_library_follows() -> None:
    nodes = [b"<< /Type /Pages /Count 1 /Kids [%d 0 R] >>" % n for n in range(7, 2_006)]
    document = read(one_page(_stream(b"", HELLO), *nodes, b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>", kids=b"6 0 R"))
    assert document.text == "Hello world"
    assert codes(document) == ["rebuilt"]


def test_pages_keep_the_order_of_the_nodes_above_them() -> None:
    kids = re.search(rb"/Kids \[(\d+) 0 R (\d+) 0 R (\d+) 0 R", WHOLE)
    assert kids is not None
    turned = WHOLE.replace(kids[0], b"/Kids [%s 0 R %s 0 R %s 0 R" % (kids[3], kids[1], kids[2]))
    document = read(turned.replace(b"/Pages 2 0 R", b"/Pages 9999 0 R"))
    assert [line for line in document.text.split() if line.isdigit()] == ["3", "1", "2"]


def test_pages_inside_of_other_objects_are_found() -> None:
    page = b"<< /Type /Page /Parent 2 0 R %s >>" % (BOX % b"")
    inside = zlib.compress(b"3 0 " + page)
    packed = b"<< /Type /ObjStm /N 1 /First 4 /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream"
    objects = [b"<< >>", b"<< >>", b"null", _stream(b"", HELLO), FONT, packed % (len(inside), inside)]
    data = _file(objects, "").replace(b"3 0 obj\nnull\nendobj\n", b"")
    assert read(data).text == "Hello world"


def test_without_a_page_there_is_an_error() -> None:
    with pytest.raises(ParseError, match="damaged, or has no pages"):
        read(b"%PDF-1.4\n1 0 obj\n<< /Pages 2 0 R\ntrailer\n<< /Root 1 0 R >>\n")
    locked = pdf(*PAGES, password="p")
    assert rebuild(ParseInput(locked)) == b""


@pytest.mark.parametrize("times", [1, 2])
def test_a_stream_that_blows_up_is_read_at_its_beginning(times: int) -> None:
    content = HELLO + b"% nothing\n" * 4_000_000
    for _ in range(times):
        content = zlib.compress(content, 9)
    document = read(one_page(_stream(b"/Filter [%s]" % (b"/FlateDecode " * times), content)))
    assert document.text == "Hello world"
    assert codes(document) == ["streams-cut"]


def test_drawings_that_draw_each_other_are_left_out() -> None:
    def form(content: bytes, drawn: bytes) -> bytes:
        head = b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << %s >> >>" % drawn
        return _stream(head, content)

    levels = [form(b"/A Do " * 10, b"/A %d 0 R" % (number + 1)) for number in range(6, 16)]
    page = _stream(b"", b"/A Do " + HELLO)
    document = read(one_page(page, *levels, form(b"", b""), named=b"/XObject << /A 6 0 R >>"))
    assert document.text == "Hello world"
    assert codes(document) == ["drawings-left-out"]


def test_drawings_in_a_circle_end() -> None:
    loop = b"<< /Subtype /Form /Resources << /XObject << /A %d 0 R >> >> /Length 5 >>\nstream\n/A Do\nendstream"
    data = one_page(_stream(b"", HELLO), loop % 7, loop % 8, loop % 6, named=b"/XObject << /A 6 0 R >>")
    assert read(data).text == "Hello world"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (WHOLE.replace(b"startxref\n", b"startxref\n1%"), "repaired"),
        (b"\xef\xbb\xbf" + WHOLE, "repaired"),
        (one_page(b"<< /Filter [%s] /Length 1 >>\nstream\n>\nendstream" % (b"/AHx " * 20)), "unknown-filter"),
        (one_page(_stream(b"", b"[" * 300 + HELLO)), "too-deep"),
    ],
)
def test_what_is_odd_is_told(data: bytes, code: str) -> None:
    assert code in codes(read(data))


def test_a_page_of_very_many_pieces() -> None:
    many = one_page(_stream(b"", HELLO)).replace(b"/Contents 4 0 R", b"/Contents [%s]" % (b"4 0 R " * 6_000))
    document = read(many)
    assert document.text == "Hello world"
    assert "drawn-over" in codes(document)


@given(st.integers(0, 5_000), st.binary(min_size=1, max_size=60))
@settings(max_examples=40, deadline=None)
def test_damage_raises_nothing_of_its_own(at: int, noise: bytes) -> None:
    data = WHOLE[:at] + noise + WHOLE[at + len(noise) :]
    try:
        parse_bytes(data, uri="a.pdf")
    except SeamlineError:
        return
    rebuild(ParseInput(data))


def test_an_index_at_an_impossible_place() -> None:
    document = read(re.sub(rb"startxref\n\d+", b"startxref\n99999999999999999999", WHOLE))
    assert "repaired" in codes(document)
