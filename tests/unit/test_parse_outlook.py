"""Messages of Outlook, and the compound files that they and old Office documents are."""

from __future__ import annotations

import random
import struct

import pytest
from ole_maker import compound_file, outlook_message

from seamline.errors import ParseError, SeamlineError
from seamline.parse import parse_bytes
from seamline.parse.ole import OleFile
from seamline.parse.outlook import unpack_rtf
from seamline.parse.sniff import sniff
from seamline.testing.parsers import check_document
from seamline.types import Document

SENT = 134_118_720_000_000_000
PACKED = bytes.fromhex(
    "2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0"
)
"""The example of the specification."""


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEAMLINE_ISOLATE", "0")


def read(data: bytes) -> Document:
    document = parse_bytes(data, uri="a.msg")
    assert document.source.media_type == "application/vnd.ms-outlook"
    check_document(document)
    return document


def test_subject_sender_date_and_body_as_of_other_mail() -> None:
    texts = {
        "0037": "Invoice",
        "0C1A": "Ada",
        "5D01": "ada@example.org",
        "0E04": "Bob",
        "1000": "Pay it.\r\n\r\n> When?\r\n",
    }
    document = read(outlook_message(texts, sent=SENT))
    assert document.text == "# Invoice\n\nPay it.\n\n> When?"
    assert document.title == "Invoice"
    assert dict(document.meta) == {
        "author": "Ada <ada@example.org>", "to": "Bob", "published": "2026-01-03T00:00:00+00:00",
    }  # fmt: skip


def test_the_html_is_read_where_there_is_no_plain_body() -> None:
    document = read(outlook_message({"0037": "S"}, binaries={"1013": b"<p>One</p><table><tr><th>a<tr><td>1</table>"}))
    assert document.text.startswith("# S\n\nOne")


def test_rich_text_is_unpacked() -> None:
    assert unpack_rtf(PACKED, 1000) == b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"
    assert read(outlook_message({"0037": "S"}, binaries={"1009": PACKED})).text == "# S\n\nhello world"


def test_attachments_are_named_and_a_long_body_is_whole() -> None:
    attached = {"__substg1.0_3707001F": "a.pdf".encode("utf-16-le"), "__substg1.0_37010102": b"x" * 5000}
    body = "A line of words.\n" * 2000
    document = read(outlook_message({"0037": "S", "1000": body}, attach_0=attached))
    assert document.text.count("A line of words.") == 2000
    (notice,) = document.notices
    assert (notice.code, "a.pdf" in notice.message, "5,000 bytes" in notice.message) == ("attachments", True, True)


@pytest.mark.parametrize(
    ("stream", "name", "said"),
    [
        ("WordDocument", "a.doc", "soffice --headless --convert-to docx FILE"),
        ("PowerPoint Document", "a.ppt", "--convert-to pptx"),
        ("WordDocument", "unnamed", "--convert-to docx"),
        ("EncryptedPackage", "a.docx", "encrypted"),
    ],
)
def test_old_documents_name_the_converter(stream: str, name: str, said: str) -> None:
    with pytest.raises(ParseError, match=said):
        sniff(compound_file({stream: b"x"}), name)


def test_the_content_says_what_a_compound_file_is() -> None:
    assert sniff(compound_file({"Workbook": b"x"}), "a.dat").endswith("spreadsheetml.sheet")
    assert sniff(outlook_message({"0037": "S"}), "unnamed") == "application/vnd.ms-outlook"


def test_damaged_files_end_and_are_told() -> None:
    whole = outlook_message({"0037": "S", "1000": "Text. " * 3000})
    chance = random.Random(7)
    for _ in range(150):
        data = bytearray(whole)
        for _ in range(chance.randrange(1, 30)):
            at = chance.randrange(8, len(data) - 4)
            struct.pack_into("<I", data, at, chance.choice((0, 1, 2, 3, 0xFFFFFFFE, chance.getrandbits(32))))
        try:
            check_document(parse_bytes(bytes(data[: chance.choice((len(data), 700, 1500))]), uri="a.msg"), limits=(64,))
        except SeamlineError:
            continue


def test_a_chain_that_turns_back_on_itself_ends() -> None:
    data = bytearray(compound_file({"a": b"x" * 5000}))
    fat = struct.unpack_from("<I", data, 76)[0]
    struct.pack_into("<I", data, (fat + 1) * 512, 0)
    assert len(OleFile(bytes(data)).read("a")) <= 5000
