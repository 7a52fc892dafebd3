"""Messages that Outlook saved (.msg): subject and sender as metadata, the text of the body, replies in it as quotes.

Of a body in several forms the plain one is read, else the HTML, else the rich text. Attachments are named, not read.
"""

from __future__ import annotations

import codecs
import struct
from datetime import UTC, datetime, timedelta
from typing import Any

from seamline.parse.html.meta import decode_page
from seamline.parse.html.page import read_page
from seamline.parse.mail import Letter, tell_left_out, write_plain
from seamline.parse.office.rtf import RtfReader, write_rtf
from seamline.parse.ole import OleFile
from seamline.parse.parser_types import ParseInput, ParseResult
from seamline.types import Notice

_LONGEST = 1000
"""Characters of a header that are kept."""
_META = {"author": "0C1A", "to": "0E04", "cc": "0E03", "message_id": "1035", "reply_to": "1042"}
_ADDRESSES = ("5D01", "0C1F")
"""Of the sender: as the internet knows it, as Outlook does."""
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
_TIMES = (0x00390040, 0x0E060040)
"""When it was sent; when it arrived."""
_CODE_PAGES = (0x3FDE0003, 0x3FFD0003)
_PREFIX = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor "
    b"MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0"
    b"\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)
"""What every packed rich text may refer to."""
_WINDOW = 4_096


class _Message:
    """The properties of a message, or of an attachment in it."""

    def __init__(self, file: OleFile, folder: tuple[str, ...], most: int) -> None:
        self._file = file
        self._folder = folder
        self._most = most
        self.numbers = self._read_numbers()
        page = next((self.numbers[tag] & 0xFFFFFFFF for tag in _CODE_PAGES if tag in self.numbers), 1252)
        self._codec = _codec(page)

    def _stream(self, name: str) -> bytes:
        return self._file.read(*self._folder, name, most=self._most)

    def _read_numbers(self) -> dict[int, int]:
        """Properties of fixed size, in entries of 16 bytes after a header."""
        data = self._stream("__properties_version1.0")
        start = 8 if self._folder else 32
        entries = (struct.unpack_from("<IIQ", data, at) for at in range(start, len(data) - 15, 16))
        return {tag: value for tag, _, value in entries}

    def text(self, tag: str) -> str:
        if data := self._stream(f"__substg1.0_{tag}001F"):
            return data.decode("utf-16-le", "replace").rstrip("\0")
        return self._stream(f"__substg1.0_{tag}001E").decode(self._codec, "replace").rstrip("\0")

    def line(self, tag: str) -> str:
        return " ".join(self.text(tag).replace("\0", " ").split())[:_LONGEST]

    def binary(self, tag: str) -> bytes:
        return self._stream(f"__substg1.0_{tag}0102")


def _codec(page: int) -> str:
    try:
        return codecs.lookup({65001: "utf-8", 20127: "ascii", 28591: "latin-1"}.get(page, f"cp{page}")).name
    except LookupError:
        return "cp1252"


def parse(raw: ParseInput) -> ParseResult:
    """A message."""
    file = OleFile(raw.data, raw.uri)
    message = _Message(file, (), raw.limits.part)
    letter = Letter(raw)
    subject = message.line("0037")
    if subject:
        letter.builder.heading(1, subject, {"part": "subject"})
    _write_body(message, letter)
    letter.attached += _attachments(file, raw.limits.part)
    text, blocks, anchors = letter.builder.finish()
    if not blocks:
        letter.notices.append(Notice("mail-empty", "there is no text in the message"))
    tell_left_out(letter)
    return ParseResult(text, blocks, subject, _meta(message), anchors, notices=tuple(letter.notices))


def _write_body(message: _Message, letter: Letter) -> None:
    if (body := message.text("1000").replace("\0", "")).strip():
        write_plain(body, False, "body", letter)
        return
    page, remark = decode_page(message.binary("1013") or message.text("1013").encode(), "")
    if page.strip():
        if remark:
            letter.notices.append(Notice("encoding", remark, "part body"))
        letter.notices += read_page(page, letter.builder, letter.raw, "body").notices
        return
    rich = unpack_rtf(message.binary("1009"), letter.raw.limits.part)
    if rich:
        found = RtfReader(rich.decode("latin-1"), letter.raw.limits.characters).read()
        letter.notices += write_rtf(found, letter.builder)


def _meta(message: _Message) -> dict[str, Any]:
    out: dict[str, Any] = {key: value for key, tag in _META.items() if (value := message.line(tag))}
    address = next((found for tag in _ADDRESSES if "@" in (found := message.line(tag))), "")
    if address and address not in out.get("author", ""):
        out["author"] = f"{out['author']} <{address}>" if "author" in out else address
    sent = next((message.numbers[tag] for tag in _TIMES if message.numbers.get(tag)), 0)
    if sent:
        try:
            out["published"] = (_EPOCH + timedelta(microseconds=sent // 10)).isoformat()
        except OverflowError:
            out["published"] = str(sent)
    return out


def _attachments(file: OleFile, most: int) -> list[str]:
    """The names, types and sizes of what is attached."""
    folders = sorted({path[0] for path in file.entries if path[0].startswith("__attach_version1.0_")})
    out = []
    for folder in folders:
        one = _Message(file, (folder,), most)
        name = one.line("3707") or one.line("3704") or one.line("3001") or "without a name"
        data = file.entries.get((folder, "__substg1.0_37010102"))
        size = f", {data.size:,} bytes" if data else ""
        out.append(f"{name[:100]} ({one.line('370E') or 'application/octet-stream'}{size})")
    return out


def unpack_rtf(data: bytes, most: int) -> bytes:
    """Rich text as Outlook packs it: bytes, and references into the last 4,096 of them."""
    if len(data) < 16:
        return b""
    size, kind = struct.unpack_from("<I4s", data, 4)
    if kind == b"MELA":
        return data[16 : 16 + size]
    if kind != b"LZFu":
        return b""
    window = bytearray(_PREFIX.ljust(_WINDOW, b"\0"))
    write, at = len(_PREFIX), 16
    out = bytearray()
    while at < len(data) and len(out) < min(size, most):
        flags, at = data[at], at + 1
        for bit in range(8):
            if at >= len(data) - (flags >> bit & 1):
                return bytes(out[:size])
            start, length = write, 1
            if flags >> bit & 1:
                reference = data[at] << 8 | data[at + 1]
                start, length = reference >> 4, (reference & 15) + 2
                if start == write % _WINDOW:  # the end
                    return bytes(out[:size])
            else:
                window[write % _WINDOW] = data[at]
            at += 1 + (flags >> bit & 1)
            for offset in range(length):
                one = window[(start + offset) % _WINDOW]
                window[write % _WINDOW] = one
                write += 1
                out.append(one)
    return bytes(out[:size])
