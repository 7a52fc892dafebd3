"""Small valid files of the formats that are neither text nor archives: PDF, databases, pictures, recordings."""

from __future__ import annotations

import io
import sqlite3
import struct
import zlib
from collections.abc import Iterable, Iterator
from importlib.util import find_spec

from benchmarks.hostile.texts import Seed


def pdf(objects: Iterable[bytes] | None = None) -> bytes:
    """A page of text and a table of contents, or any objects, the first of which is the catalog."""
    content = b"BT /F1 24 Tf 72 700 Td (Parcels) Tj 0 -40 Td /F1 12 Tf (A parcel leaves the house.) Tj ET"
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
    page += b" /Resources << /Font << /F1 5 0 R >> >> >>"
    found = list(objects or ())
    out = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for number, inside in enumerate(
        found
        or (
            b"<< /Type /Catalog /Pages 2 0 R /Outlines 6 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            page,
            stream(content),
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            b"<< /Type /Outlines /First 7 0 R /Last 7 0 R /Count 1 >>",
            b"<< /Title (Parcels) /Parent 6 0 R /Dest [3 0 R /Fit] >>",
        ),
        1,
    ):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, inside)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(places) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(places) + 1, start)
    return bytes(out)


def stream(data: bytes, more: bytes = b"") -> bytes:
    """A packed stream of a PDF."""
    data = zlib.compress(data)
    return b"<< /Length %d /Filter /FlateDecode %s >>\nstream\n%s\nendstream" % (len(data), more, data)


def png(width: int = 40, height: int = 20, *more: tuple[bytes, bytes]) -> bytes:
    """A grey picture; `more` are further chunks, before the pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    rows = zlib.compress(b"".join(b"\0" + bytes((x * 5 + y) % 256 for x in range(40)) for y in range(20)))
    told = chunk(b"tEXt", b"Title\0A van")
    return (
        b"\x89PNG\r\n\x1a\n"
        + head
        + told
        + b"".join(chunk(*one) for one in more)
        + chunk(b"IDAT", rows)
        + chunk(b"IEND", b"")
    )


def gif(frames: int = 2) -> bytes:
    frame = b"\x21\xf9\x04\0\x0a\0\0\0\x2c\0\0\0\0\x02\0\x02\0\0\x02\x03\x44\x34\x05\0"
    return b"GIF89a" + struct.pack("<HHBBB", 2, 2, 0x80, 0, 0) + b"\0\0\0\xff\xff\xff" + frame * frames + b";"


def bmp() -> bytes:
    pixels = bytes(range(192))
    head = struct.pack("<IiiHHIIiiII", 40, 8, 8, 1, 24, 0, len(pixels), 2835, 2835, 0, 0)
    return b"BM" + struct.pack("<IHHI", 54 + len(pixels), 0, 0, 54) + head + pixels


def tiff() -> bytes:
    tags = [
        (256, 4, 1, 8),
        (257, 4, 1, 8),
        (258, 3, 1, 8),
        (259, 3, 1, 1),
        (262, 3, 1, 1),
        (273, 4, 1, 122),
        (277, 3, 1, 1),
    ]
    tags += [(278, 4, 1, 8), (279, 4, 1, 64)]
    table = b"".join(struct.pack("<HHII", *tag) for tag in tags)
    return (b"II*\0" + struct.pack("<IH", 8, len(tags)) + table + struct.pack("<I", 0)).ljust(122, b"\0") + bytes(
        range(64)
    )


def wav(rate: int = 8000) -> bytes:
    """Half a second of a low tone."""
    sound = b"".join(struct.pack("<h", 3000 if n // 20 % 2 else -3000) for n in range(4000))
    head = b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, rate, rate * 2, 2, 16)
    return b"RIFF" + struct.pack("<I", 36 + len(sound)) + head + b"data" + struct.pack("<I", len(sound)) + sound


def mp4() -> bytes:
    """Boxes of a video without pictures."""

    def box(kind: bytes, *inside: bytes) -> bytes:
        data = b"".join(inside)
        return struct.pack(">I", 8 + len(data)) + kind + data

    times = struct.pack(">IIIII", 0, 0, 0, 1000, 1000)
    media = box(b"mdia", box(b"mdhd", times + bytes(4)), box(b"hdlr", bytes(8) + b"vide" + bytes(13)))
    track = box(b"trak", box(b"tkhd", bytes(84)), media)
    return (
        box(b"ftyp", b"isom\0\0\2\0isomiso2")
        + box(b"moov", box(b"mvhd", times + bytes(80)), track)
        + box(b"mdat", bytes(64))
    )


def sqlite() -> bytes:
    base = sqlite3.connect(":memory:")
    base.executescript(
        "create table parcels (id integer primary key, name text, weight real, picture blob);"
        "insert into parcels values (1, 'box', 1.5, x'00ff'), (2, 'crate', 1e300, null);"
        "create table notes (parcel references parcels, note text);"
        "insert into notes select id, 'a note on ' || name from parcels;"
        "create view heavy as select * from parcels where weight > 2; create index names on parcels (name);"
    )
    return base.serialize()


def parquet() -> bytes:
    import pyarrow
    import pyarrow.parquet

    rows = pyarrow.table({"id": [1, 2, 3], "name": ["box", "crate", None], "tags": [["a"], [], ["b", "c"]]})
    out = io.BytesIO()
    pyarrow.parquet.write_table(rows, out)
    return out.getvalue()


def _pictures() -> Iterator[Seed]:
    yield Seed("image-png", ".png", png())
    yield Seed("image-gif", ".gif", gif())
    yield Seed("image-bmp", ".bmp", bmp())
    yield Seed("image-tiff", ".tiff", tiff())
    if find_spec("PIL"):
        from PIL import Image

        for kind in ("jpeg", "webp"):
            out = io.BytesIO()
            Image.frombytes("L", (16, 16), bytes(range(256))).save(out, kind)
            yield Seed(f"image-{kind}", f".{kind}", out.getvalue())


_PDF_MARKS = (
    "<<",
    ">>",
    "[",
    "]",
    "(",
    ")",
    "0 R",
    "1 0 R",
    "obj",
    "endobj",
    "stream\n",
    "endstream",
    "/Kids ",
    "/Length ",
    "xref\n",
    "<",
    "/",
)

BINARIES = (
    Seed("pdf", ".pdf", pdf(), _PDF_MARKS, (("<<", ">>"), ("[", "]"), ("(", ")"), ("q ", "Q "))),
    Seed("sqlite", ".sqlite", sqlite()),
    *((Seed("parquet", ".parquet", parquet()),) if find_spec("pyarrow") else ()),
    *_pictures(),
    Seed("audio", ".wav", wav()),
    Seed("video", ".mp4", mp4()),
)  # fmt: skip
"""Files that are neither text nor archives. Parquet, JPEG and WebP only where the libraries that write them are."""
