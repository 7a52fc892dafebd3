"""Mail: what was written, by whom and when; quotes as quotes, attachments by name."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seamline.errors import ParseError, SeamlineError
from seamline.parse import parse_bytes
from seamline.parse.mail import parse
from seamline.parse.parser_types import ParseInput, ParseLimits
from seamline.testing.parsers import check_document
from seamline.types import Document

HEAD = "From: Ann Example <ann@example.com>\nTo: ben@example.com\nSubject: {}\nDate: Mon, 06 May 2024 10:00:00 +0200\n"


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEAMLINE_ISOLATE", "0")


def read(text: str | bytes, subject: str = "Hello") -> Document:
    data = text if isinstance(text, bytes) else (HEAD.format(subject) + text).encode()
    document = parse_bytes(data, uri="letter.eml")
    check_document(document)
    return document


def codes(document: Document) -> list[str]:
    return [notice.code for notice in document.notices]


def mixed(*parts: str, kind: str = "mixed") -> str:
    inner = "".join(f"--X\n{part}\n" for part in parts)
    return f"MIME-Version: 1.0\nContent-Type: multipart/{kind}; boundary=X\n\npreamble\n{inner}--X--\n"


def part(kind: str, body: str, *headers: str) -> str:
    return "\n".join([f"Content-Type: {kind}", *headers, "", body])


def test_a_letter_has_a_subject_and_says_who_wrote_it() -> None:
    document = read("\nDear Ben,\n\nall is well.\nSee you.\n\n-- \nAnn\n", "=?utf-8?q?Gr=C3=BC=C3=9Fe?= from Ann")
    assert document.text == "# Grüße from Ann\n\nDear Ben,\n\nall is well.\nSee you.\n\n--\nAnn"
    assert document.title == "Grüße from Ann"
    assert document.front_matter == {
        "author": "Ann Example <ann@example.com>",
        "to": "ben@example.com",
        "published": "2024-05-06T10:00:00+02:00",
    }
    assert [document.place_of(block.span)["part"] for block in document.blocks] == ["subject", "1", "1", "1"]
    assert document.notices == ()


def test_replies_are_quotes_of_quotes() -> None:
    document = read("\nYes.\n\nBen wrote:\n> Shall we?\n>\n> > Ann said no.\n> > Twice.\n> I know.\n\nFine.\n")
    assert document.text == (
        "# Hello\n\nYes.\n\nBen wrote:\n\n> Shall we?\n>\n> > Ann said no.\n> > Twice.\n>\n> I know.\n\nFine."
    )
    assert [block.kind for block in document.blocks].count("quote") == 2


def test_lines_that_were_folded_are_whole_again() -> None:
    body = "Content-Type: text/plain; format=flowed\n\nA line that \ngoes on.\nAnother.\n"
    assert read(body).text == "# Hello\n\nA line that goes on.\nAnother."


def test_the_plain_form_is_read_before_the_html() -> None:
    both = mixed(part("text/plain", "plain form"), part("text/html", "<p>html <b>form</b>"), kind="alternative")
    document = read(both)
    assert document.text == "# Hello\n\nplain form"
    assert document.place_of(document.blocks[1].span)["part"] == "1"


def test_html_is_read_where_the_plain_form_is_empty() -> None:
    both = mixed(
        part("text/plain", "  "),
        part("text/html", "<ul><li>a</ul><blockquote>said</blockquote><p hidden>x"),
        kind="alternative",
    )
    document = read(both)
    assert document.text == "# Hello\n\n- a\n\n> said"
    assert document.place_of(document.blocks[-1].span)["part"] == "2"
    assert codes(document) == ["hidden-text"]


def test_attachments_are_named_with_their_sizes_and_not_read() -> None:
    body = mixed(
        part("text/plain", "see below"),
        part("text/plain", "YXR0YWNoZWQ=", "Content-Transfer-Encoding: base64",
             'Content-Disposition: attachment; filename="notes.txt"'),
        part("image/png", "AAAA", "Content-Transfer-Encoding: base64", 'Content-Disposition: inline; filename="a.png"'),
        part("text/plain", "inline text", "Content-Disposition: inline"),
    )  # fmt: skip
    document = read(body)
    assert document.text == "# Hello\n\nsee below\n\ninline text"
    assert codes(document) == ["attachments"]
    assert "notes.txt (text/plain, 8 bytes), a.png (image/png, 3 bytes)" in document.notices[0].message


def test_forwarded_letters_are_read_under_their_own_subject() -> None:
    body = mixed(part("text/plain", "fyi"), part("message/rfc822", "Subject: Older\nFrom: x@y.z\n\nold text"))
    document = read(body)
    assert document.text == "# Hello\n\nfyi\n\n## Older\n\nold text"
    attached = mixed(
        part("text/plain", "fyi"),
        part("message/rfc822", "Subject: Older\n\nold text", "Content-Disposition: attachment"),
    )
    document = read(attached)
    assert document.text == "# Hello\n\nfyi"
    assert "Older (message/rfc822)" in document.notices[0].message


@pytest.mark.parametrize(
    ("header", "body", "text"),
    [
        ("text/plain; charset=iso-8859-1", "caf\xe9".encode("latin-1"), "café"),
        ("text/plain; charset=iso-2022-jp", "日本".encode("iso-2022-jp"), "日本"),
        ("text/plain; charset=nonsense", "caf\xe9".encode(), "café"),
        ("text/plain; charset=us-ascii", "caf\xe9".encode(), "café"),
        ("text/plain", b"plain", "plain"),
    ],
)
def test_encodings_are_those_the_letter_names(header: str, body: bytes, text: str) -> None:
    document = read(b"Subject: s\nContent-Type: " + header.encode() + b"\n\n" + body)
    assert document.text == f"# s\n\n{text}"
    assert document.notices == ()


def test_text_in_no_encoding_is_read_with_a_remark() -> None:
    document = read(b"Subject: s\nContent-Type: text/plain; charset=utf-8\n\ncaf\xe9 \x81")
    assert document.text.startswith("# s\n\ncafé")
    assert codes(document) == ["encoding"]


def test_headers_in_no_encoding_stay_readable() -> None:
    document = read(b"Subject: =?nonsense?q?x?= caf\xe9\nDate: tomorrow\n\nbody")
    assert "body" in document.text
    assert document.front_matter["published"] == "tomorrow"


def test_letters_that_break_off_are_read_and_told() -> None:
    cut = mixed(part("text/plain", "text"), part("text/html", "<p>html")).removesuffix("--X--\n")
    document = read(cut)
    assert document.text == "# Hello\n\ntext\n\nhtml"
    assert codes(document) == ["mail-damaged"]


def test_files_without_headers_or_text_say_so() -> None:
    assert codes(read(b"\njust text")) == ["mail-headers"]
    assert codes(read(b"From: a@b.c\n\n")) == ["mail-empty"]


def test_line_ends_make_no_difference() -> None:
    text = HEAD.format("s") + "\nfirst\nline\n\n> quoted\n> text\n"
    assert read(text.encode()).text == read(text.replace("\n", "\r\n").encode()).text


def test_hostile_letters_stay_within_bounds() -> None:
    deep = (
        "Subject: s\n"
        + "".join(f"Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n" for n in range(150))
        + "Content-Type: text/plain\n\ndeep"
    )
    document = read(deep.encode())
    assert "deep" in document.text
    many = HEAD.format("s") + mixed(*[part("text/plain", f"part {n}") for n in range(50)])
    parsed = parse(ParseInput(many.encode(), uri="m.eml", limits=ParseLimits(parts=10)))
    assert "part 5" in parsed.text
    assert "part-skipped" in [notice.code for notice in parsed.notices]
    quotes = "\n" + "\n".join(">" * n + " q" for n in range(300))
    assert codes(read(quotes)) == ["deep-nesting"]


def test_too_deep_a_letter_is_refused() -> None:
    deep = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(3_000))
    with pytest.raises(ParseError, match="too deep"):
        parse(ParseInput(b"Subject: s\n" + deep, uri="m.eml"))


LETTER = (HEAD.format("s") + mixed(part("text/plain; charset=utf-8", "text ü"), part("text/html", "<p>x"))).encode()


@settings(max_examples=100, deadline=None)
@given(st.integers(0, len(LETTER)), st.binary(max_size=30), st.integers(0, 30))
def test_damaged_letters_are_read_or_refused(at: int, noise: bytes, cut: int) -> None:
    data = LETTER[:at] + noise + LETTER[at + cut :]
    try:
        parsed = parse(ParseInput(data, uri="m.eml"))
    except SeamlineError:
        return
    parsed.text.encode()
    assert parsed == parse(ParseInput(data, uri="m.eml"))
