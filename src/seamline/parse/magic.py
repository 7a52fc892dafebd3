"""What a file is by its first bytes, where these cannot be mistaken: the one table of them."""

from __future__ import annotations

from typing import NamedTuple


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


def magic_of(data: bytes) -> Magic | None:
    """What bytes begin as; None where they may be text."""
    for one in MAGIC:
        if data.startswith(one.start) and not (one.needs_nul and data.find(b"\0", 0, _SOON) < 0):
            return one
    return None
