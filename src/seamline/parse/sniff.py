"""What a file is: by its first bytes where these cannot be mistaken, else by its name, else text.

A PDF, an archive or an image wins over the name. Text is what its name says, as LaTeX about HTML looks like both; only
a few openings outrank a name that says nothing.
"""

from __future__ import annotations

import re
import zipfile
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from seamline.errors import ParseError
from seamline.formats import BY_NAME, BY_SUFFIX, format_of_suffix

_SAMPLE = 4096
_PREFIX = 65_536
"""Bytes of something else that may stand before a PDF that is called one."""

_RIFF = {b"WAVE": "audio/wav", b"WEBP": "image/webp", b"AVI ": "video/x-msvideo"}
_MIME_PARTS = {
    b"application/vnd.oasis.opendocument.text": "odt",
    b"application/vnd.oasis.opendocument.spreadsheet": "xlsx",
    b"application/epub+zip": "epub",
}
_PDF_OBJECT = re.compile(rb"(?:^|[\r\n])[0-9]{1,7} [0-9]{1,5} obj\b")
"""What a PDF holds even where its first line is lost."""
_XML = re.compile(rb"\s*<(?:\?xml|svg)\b")
_HTML = re.compile(rb"\s*(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL)
_MAIL = re.compile(rb"(?:[A-Za-z][A-Za-z0-9-]*:[^\n]*\n(?:[ \t][^\n]*\n)*)+\r?\n")
_MAIL_FIELDS = re.compile(rb"^(?:from|to|subject|date|message-id|received|mime-version):", re.IGNORECASE | re.MULTILINE)
_KEY = re.compile(rb'"([A-Za-z_]{2,20})"\s*:')
_CHAT_KEYS = (
    frozenset((b"messages", b"author", b"content")),  # Discord
    frozenset((b"createdDateTime", b"body", b"from")),  # Teams
    frozenset((b"MessageList", b"content")),  # Teams, of one person
    frozenset((b"messages", b"from", b"date", b"text")),  # Telegram
    frozenset((b"role", b"content")),  # as language models are asked
)
"""Keys that only exports of chats have together."""
_SLACK_TIME = re.compile(rb'"ts"\s*:\s*"\d{10}\.\d{6}"')
_TEX = re.compile(rb"^\s*(?:%[^\n]*\n\s*)*\\(?:documentclass|documentstyle|begin\{document\})", re.MULTILINE)


def sniff(data: bytes, name: str = "") -> str:
    """The media type, or family such as image/png, that a file is read as."""
    suffix = Path(name).suffix.lower()
    named = format_of_suffix(suffix)
    if named is not None and suffix not in BY_SUFFIX:
        return named.media_type  # of a plugin, which knows its own files best
    head = data[:_SAMPLE]
    if found := _binary(data, head, suffix, name):
        return BY_NAME[found].media_type if found in BY_NAME else found
    if named is not None and named.is_text and named.name != "text":
        return _sharper(named.name, head, suffix) or named.media_type
    if named is not None and not named.is_text and not data.strip():
        raise ParseError("is empty: there is nothing to read", name)
    if named is not None and not named.is_text and named.name not in ("odt", "eml"):
        raise ParseError(f"is called {suffix} but is not of that kind: name it after what it is", name)
    if named is not None and named.name in ("odt", "eml"):  # a flat XML document; a letter
        return named.media_type
    return _text(head, plain=named is not None or bool(suffix), name=name)


def _binary(data: bytes, head: bytes, suffix: str, name: str) -> str:
    """What cannot be mistaken; empty where it may be text."""
    found = detect_magic(head)
    if found is not None and found.kind:
        return found.kind
    if head[:4] == b"RIFF" and head[8:12] in _RIFF:
        return _RIFF[head[8:12]]
    if head[4:8] == b"ftyp":
        return "audio/mp4" if suffix == ".m4a" or head[8:11] == b"M4A" else "video/mp4"
    if suffix == ".pdf" and (PDF in data[:_PREFIX] or _PDF_OBJECT.search(data, 0, _PREFIX)):
        return "pdf"
    if head.startswith(ZIP):
        return _archive(data, suffix, name)
    if head.startswith(OLD_OFFICE):
        return _old_office(data, suffix, name)
    if found is not None and found.is_packed:
        raise ParseError(f"is {found.name}: unpack it and name what is inside", name)
    return ""


def _archive(data: bytes, suffix: str, name: str) -> str:
    """What a ZIP archive is, by the parts that say so."""
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            parts = set(archive.namelist())
            if "mimetype" in parts:
                with archive.open("mimetype") as part:
                    kind = part.read(100).strip()
                if kind in _MIME_PARTS:
                    return _MIME_PARTS[kind]
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, ValueError, EOFError) as error:
        named = BY_SUFFIX.get(suffix)
        if named is not None and not named.is_text and named.name != "htmlzip":
            return named.name  # its own parser says what is wrong, or reads what is left
        raise ParseError(f"is a damaged ZIP archive ({error}): fetch it again", name) from None
    for folder, found in (("word/", "docx"), ("ppt/", "pptx"), ("xl/", "xlsx")):
        if any(part.startswith(folder) for part in parts):
            return found
    if "META-INF/container.xml" in parts:
        return "epub"
    if "content.xml" in parts:
        return "odt"
    if any(part.lower().endswith((".html", ".htm")) for part in parts):
        return "htmlzip"
    named = BY_SUFFIX.get(suffix)
    if named is not None and not named.is_text and named.name != "htmlzip":
        return named.name
    raise ParseError("is a ZIP archive that is no document: unpack it and name what is inside", name)


_CONVERTED = {"doc": "docx", "ppt": "pptx", "xls": "xlsx"}


def _old_office(data: bytes, suffix: str, name: str) -> str:
    """What a compound file is, by its streams; by its name where they say nothing."""
    from seamline.parse.ole import compound_kind

    kind = compound_kind(data)
    if kind == "msg" or (not kind and suffix == ".msg"):
        return "msg"
    if kind == "encrypted" or (not kind and suffix in (".docx", ".pptx", ".xlsx")):
        raise ParseError("is encrypted: open it with its password and save a copy without one", name)
    kind = kind or suffix.removeprefix(".")
    if kind == "xls":
        return "xlsx"
    new = _CONVERTED.get(kind, "docx")
    remedy = f"convert it with `soffice --headless --convert-to {new} FILE`, or save it as .{new}"
    raise ParseError(f"is an old Office file: {remedy}", name)


def _sharper(named: str, head: bytes, suffix: str) -> str:
    """What a text with a name is in particular: JSON may be a transcript or a chat, Markdown a chat with times, XML an
    article."""
    if suffix == ".xml":
        return _article(head)
    if named == "json":
        if re.search(rb'"segments"\s*:\s*\[', head) and re.search(rb'"(?:text|start)"\s*:', head):
            return BY_NAME["transcript"].media_type
        keys = frozenset(_KEY.findall(head))
        if any(keys >= known for known in _CHAT_KEYS) or _SLACK_TIME.search(head):
            return BY_NAME["chatexport"].media_type
    if named == "markdown" and _is_chat(head, stamped=True):
        return BY_NAME["chat"].media_type
    return ""


def _article(head: bytes) -> str:
    """The media type of XML that is an article or a book; empty for other XML."""
    from seamline.parse.articles.names import article_format

    found = article_format(head)
    return BY_NAME[found].media_type if found else ""


def _is_chat(head: bytes, *, stamped: bool = False) -> bool:
    """Whether the whole lines of a start are those of a chat log."""
    from seamline.parse.media.chat import looks_like_chat

    whole = head[: head.rfind(b"\n") + 1] if len(head) == _SAMPLE else head
    return looks_like_chat(whole.decode("utf-8-sig", "replace"), stamped=stamped)


def _text(head: bytes, *, plain: bool, name: str) -> str:
    """What text without a telling name is."""
    body = head.removeprefix(b"\xef\xbb\xbf")
    if body.startswith(b"WEBVTT"):
        return BY_NAME["vtt"].media_type
    if _HTML.match(body):
        return BY_NAME["html"].media_type
    if body.lstrip().startswith(b"<!DOCTYPE") and (found := _article(body)):
        return found
    if _XML.match(body):
        return _article(body) or BY_NAME["code"].media_type
    if _TEX.match(body):
        return BY_NAME["latex"].media_type
    if (mail := _MAIL.match(body)) and len(_MAIL_FIELDS.findall(mail[0])) >= 3:
        return BY_NAME["eml"].media_type
    if body.startswith(b"#!") and re.match(rb"#![^\n]*\b(?:python|sh|bash|node|ruby|php|perl)", body):
        return BY_NAME["code"].media_type
    if _is_chat(body):
        return BY_NAME["chat"].media_type
    return BY_NAME["text" if plain or name else "markdown"].media_type


class Magic(NamedTuple):
    """The first bytes of a kind of file."""

    start: bytes
    name: str
    """As people say it, with its article."""
    kind: str = ""
    """The format or media type that it is read as; empty for what is not read, or not told by these bytes alone."""
    is_packed: bool = False
    """Whether it is something else in a wrapping, which is to be taken off first."""
    needs_nul: bool = False
    """Whether a text may begin with the same letters: then it is of this kind only with a NUL soon after."""


_SOON = 4_096

ZIP = (b"PK\x03\x04", b"PK\x05\x06")
OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
PDF = b"%PDF-"

MAGIC = (
    Magic(PDF, "a PDF", "pdf"),
    Magic(b"{\\rtf", "a Rich Text document", "rtf"),
    Magic(ZIP[0], "a ZIP archive, or an Office or EPUB file"),
    Magic(ZIP[1], "an empty ZIP archive"),
    Magic(OLD_OFFICE, "an old Office file"),
    Magic(b"SQLite format 3\x00", "an SQLite database", "sqlite"),
    Magic(b"PAR1", "a Parquet file", "parquet", needs_nul=True),
    Magic(b"\x89PNG", "a PNG image", "image/png"),
    Magic(b"\xff\xd8\xff", "a JPEG image", "image/jpeg"),
    Magic(b"GIF8", "a GIF image", "image/gif", needs_nul=True),
    Magic(b"II*\x00", "a TIFF image", "image/tiff"),
    Magic(b"MM\x00*", "a TIFF image", "image/tiff"),
    Magic(b"BM", "a BMP image", "image/bmp", needs_nul=True),
    Magic(b"ID3", "an MP3 recording", "audio/mpeg", needs_nul=True),
    Magic(b"\xff\xfb", "an MP3 recording", "audio/mpeg", needs_nul=True),
    Magic(b"\xff\xf3", "an MP3 recording", "audio/mpeg", needs_nul=True),
    Magic(b"fLaC", "a FLAC recording", "audio/flac", needs_nul=True),
    Magic(b"OggS", "an Ogg recording", "audio/ogg", needs_nul=True),
    Magic(b"\x1aE\xdf\xa3", "a Matroska or WebM film", "video/webm"),
    Magic(b"\x7fELF", "an ELF program"),
    Magic(b"\xcf\xfa\xed\xfe", "a Mach-O program"),
    Magic(b"\xca\xfe\xba\xbe", "a Java class or Mach-O program"),
    Magic(b"\x00asm", "a WebAssembly module"),
    Magic(b"\x1f\x8b", "gzip data", is_packed=True),
    Magic(b"BZh91AY&SY", "bzip2 data", is_packed=True),
    Magic(b"\xfd7zXZ\x00", "xz data", is_packed=True),
    Magic(b"\x28\xb5\x2f\xfd", "zstd data", is_packed=True),
    Magic(b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", is_packed=True),
    Magic(b"Rar!\x1a\x07", "a RAR archive", is_packed=True),
)


def detect_magic(data: bytes) -> Magic | None:
    """What bytes begin as; None where they may be text."""
    for one in MAGIC:
        if data.startswith(one.start) and not (one.needs_nul and data.find(b"\0", 0, _SOON) < 0):
            return one
    return None
