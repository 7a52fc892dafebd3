"""Mail (EML): subject and sender as metadata, the text of the body, replies in it as quotes.

Of a body in several forms the plain one is read, else the HTML. Attachments are named, not read.
"""

from __future__ import annotations

import email.utils
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.message import Message
from email.parser import BytesParser
from email.policy import compat32
from typing import Any

from seamline.errors import ParseError
from seamline.parse.builder import DocumentBuilder
from seamline.parse.html.flow import HtmlFlow
from seamline.parse.html.meta import decode_page, known_encoding
from seamline.parse.html.page import read_page
from seamline.parse.parser_types import ParseInput, ParseResult
from seamline.types import Notice

_QUOTE = re.compile(r"(?:>[ \t]?)+")
_LONGEST = 1000
"""Characters of a header that are kept."""
_META = {"author": "from", "to": "to", "cc": "cc", "message_id": "message-id", "reply_to": "in-reply-to"}
_NAMED = 20
"""Attachments that are named; more are only counted."""


@dataclass(slots=True)
class Letter:
    """What has been read of a message."""

    raw: ParseInput
    builder: DocumentBuilder = field(default_factory=DocumentBuilder)
    notices: list[Notice] = field(default_factory=list)
    attached: list[str] = field(default_factory=list)
    defects: set[str] = field(default_factory=set)


def parse(raw: ParseInput) -> ParseResult:
    """A message."""
    try:
        message = BytesParser(policy=compat32).parsebytes(raw.data)
    except RecursionError:
        raise ParseError("nests parts in parts too deep to be read: save the inner message alone", raw.uri) from None
    letter = Letter(raw)
    subject = _header(message, "subject")
    if subject:
        letter.builder.heading(1, subject, {"part": "subject"})
    for part, name in _parts(message, letter):
        _read(part, name, letter)
    text, blocks, anchors = letter.builder.finish()
    if not message.keys():
        letter.notices.append(Notice("mail-headers", "it has no headers: all of it was read as the text of a letter"))
    if not blocks:
        letter.notices.append(Notice("mail-empty", "there is no text in the message"))
    tell_left_out(letter)
    return ParseResult(text, blocks, subject, _meta(message), anchors, notices=tuple(letter.notices))


# --- headers ------------------------------------------------------------------------------------------------------


def _header(message: Message, name: str) -> str:
    """A header as people read it; words in encodings nobody knows stay as they are."""
    told = message.get(name)
    if told is None:
        return ""
    try:
        text = str(make_header(decode_header(told)))
    except (LookupError, ValueError, HeaderParseError):
        text = str(told)
    text = text.encode("utf-8", "replace").decode()
    return " ".join(text.split())[:_LONGEST]


def _meta(message: Message) -> dict[str, Any]:
    out = {key: value for key, name in _META.items() if (value := _header(message, name))}
    if date := _header(message, "date"):
        try:
            out["published"] = email.utils.parsedate_to_datetime(date).isoformat()
        except (ValueError, TypeError, OverflowError, IndexError):
            out["published"] = date
    return out


# --- parts --------------------------------------------------------------------------------------------------------


def _parts(message: Message, letter: Letter) -> Iterator[tuple[Message, str]]:
    """The parts to read, in order, each with its number such as 1.2; of alternatives the best one."""
    stack: list[tuple[Message, tuple[int, ...]]] = [(message, ())]
    count = 0
    while stack:
        part, path = stack.pop()
        letter.defects.update(type(defect).__name__ for defect in part.defects)
        count += 1
        if count > letter.raw.limits.parts or len(path) > letter.raw.limits.depth:
            letter.notices.append(Notice("part-skipped", "parts past the limit were not read", _number(path)))
            return
        inner = part.get_payload() if part.is_multipart() else []
        if not isinstance(inner, list) or not inner:
            yield part, _number(path)
            continue
        numbered = [(one, (*path, index)) for index, one in enumerate(inner, 1) if isinstance(one, Message)]
        kind = part.get_content_type()
        if kind == "message/rfc822" and _is_attached(part):
            letter.attached.append(_attachment(part, _header(numbered[0][0], "subject") or "a message"))
            continue
        if kind == "message/rfc822":
            letter.builder.heading(2, _header(numbered[0][0], "subject"), {"part": _number(path)})
        stack += reversed([_best(numbered)] if kind == "multipart/alternative" else numbered)


def _number(path: tuple[int, ...]) -> str:
    return ".".join(map(str, path)) or "1"


def _best(forms: list[tuple[Message, tuple[int, ...]]]) -> tuple[Message, tuple[int, ...]]:
    """The plain form of a body where it says something, else the HTML, else the last, which is the richest."""
    for kind in ("text/plain", "text/html"):
        for part, path in forms:
            if part.get_content_type() == kind and _payload(part).strip():
                return part, path
    return forms[-1]


def _payload(part: Message) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _is_attached(part: Message) -> bool:
    return part.get_content_disposition() == "attachment"


def _read(part: Message, name: str, letter: Letter) -> None:
    """One part: text into the document, anything else into the list of attachments."""
    kind = part.get_content_type()
    if _is_attached(part) or part.get_content_maintype() not in ("text", "multipart", "message"):
        letter.attached.append(_attachment(part, "without a name"))
        return
    text = _text(part, name, letter)
    if kind == "text/html":
        page = read_page(text, letter.builder, letter.raw, name)
        letter.notices += page.notices
    else:
        write_plain(text, _is_flowed(part), name, letter)


def _text(part: Message, name: str, letter: Letter) -> str:
    data = _payload(part)
    told = part.get_param("charset") or ""
    label = str(told[2] if isinstance(told, tuple) else told)
    if not known_encoding(label) and data.isascii():
        label = "ascii"
    text, remark = decode_page(data, label)
    if remark:
        letter.notices.append(Notice("encoding", remark, f"part {name}"))
    return text.replace("\x00", "\ufffd") if "\x00" in text else text


def _attachment(part: Message, otherwise: str) -> str:
    name = part.get_filename() or otherwise
    payload = part.get_payload(decode=True)
    size = f", {len(payload):,} bytes" if isinstance(payload, bytes) else ""
    return f"{' '.join(name.split())[:100]} ({part.get_content_type()}{size})".encode("utf-8", "replace").decode()


def tell_left_out(letter: Letter) -> None:
    if attached := letter.attached:
        more = f" and {len(attached) - _NAMED:,} more" if len(attached) > _NAMED else ""
        what = ", ".join(attached[:_NAMED]) + more
        letter.notices.append(Notice("attachments", f"attachments were not read: {what}"))
    if letter.defects:
        found = ", ".join(sorted(letter.defects))
        letter.notices.append(Notice("mail-damaged", f"the message is not well-formed: {found}"))


# --- plain text ---------------------------------------------------------------------------------------------------


def _is_flowed(part: Message) -> bool:
    """Whether lines that end in a space go on in the next."""
    return str(part.get_param("format") or "").lower() == "flowed"


def write_plain(text: str, flowed: bool, name: str, letter: Letter) -> None:
    """Paragraphs between blank lines; lines behind `>` are quotes, of quotes where there are several."""
    flow = HtmlFlow(letter.builder, letter.raw.limits.characters)
    place = {"part": name}
    depth = 0
    lines: list[str] = []
    for line in [*re.split(r"\r\n?|\n", text), ""]:
        mark = _QUOTE.match(line)
        quoted = mark[0].count(">") if mark else 0
        said = line[mark.end() :] if mark else line
        if (quoted != depth or not said.strip()) and lines:
            flow.lines(_unfold(lines) if flowed else lines, place)
            lines = []
        if said.strip():
            for _ in range(depth, quoted):
                flow.push("quote")
            for _ in range(quoted, depth):
                flow.pop()
            depth = quoted
            lines.append(said)
    for _ in range(depth):
        flow.pop()
    if flow.flattened:
        letter.notices.append(Notice("deep-nesting", "quotes inside each other are shown 24 deep", f"part {name}"))
    if flow.dropped:
        what = f"{flow.dropped:,} characters past the limit were left out"
        letter.notices.append(Notice("text-limit", what, f"part {name}"))


def _unfold(lines: list[str]) -> list[str]:
    """Lines as they were written, before they were folded to fit a screen; `-- ` starts a signature."""
    out: list[str] = []
    open_ = False
    for line in lines:
        if open_:
            out[-1] += line
        else:
            out.append(line)
        open_ = line.endswith(" ") and line != "-- "
    return out
