"""Small PDFs for tests, written by hand: text at places, lines, pictures, bookmarks, passwords."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field

FONTS = {"F1": "Times-Roman", "F2": "Times-Bold", "F3": "Times-Italic", "F4": "Courier"}
PAD = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")
WORDS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"]


def rows(count: int, *, start: int = 0) -> list[str]:
    """Lines of the same words in another order each: all are equally wide."""
    return [" ".join(WORDS[at % 10 :] + WORDS[: at % 10]) for at in range(start, start + count)]


@dataclass
class PageMaker:
    """The content of a page; places are in points from the top left corner."""

    width: float = 612
    height: float = 792
    turn: int = 0
    ops: list[str] = field(default_factory=list)
    image: tuple[float, float, float, float] | None = None
    notes: list[str] = field(default_factory=list)

    def text(self, x: float, y: float, text: str, size: float = 10, font: str = "F1", *, more: str = "") -> PageMaker:
        """Text that stands on the line at y."""
        escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        at = f"1 0 0 1 {x} {self.height - y} Tm"
        self.ops.append(f"BT /{font} {size} Tf {more} {at} ({escaped}) Tj ET")
        return self

    def upward(self, x: float, y: float, text: str, size: float = 10) -> PageMaker:
        """Text that runs up the page."""
        self.ops.append(f"BT /F1 {size} Tf 0 1 -1 0 {x} {self.height - y} Tm ({text}) Tj ET")
        return self

    def lines(
        self, x: float, y: float, lines: Sequence[str], size: float = 10, font: str = "F1", step: float = 12
    ) -> PageMaker:
        for index, line in enumerate(lines):
            self.text(x, y + index * step, line, size, font)
        return self

    def rule(self, left: float, top: float, right: float, bottom: float) -> PageMaker:
        self.ops.append(f"0.5 w {left} {self.height - top} m {right} {self.height - bottom} l S")
        return self

    def picture(self, left: float, top: float, right: float, bottom: float) -> PageMaker:
        self.ops.append(f"q {right - left} 0 0 {bottom - top} {left} {self.height - bottom} cm /Im1 Do Q")
        return self

    def glyphs(
        self, x: float, y: float, text: str, size: float = 10, *, across: float = 0, down: float = 0
    ) -> PageMaker:
        """Text drawn character by character, as browsers do."""
        for index, character in enumerate(text):
            self.text(x + across * index, y + down * index, character, size)
        return self

    def note(self, kind: str, left: float, top: float, right: float, bottom: float, more: str) -> PageMaker:
        """An annotation; `more` is what its dictionary holds beside its place."""
        box = f"{left} {self.height - bottom} {right} {self.height - top}"
        self.notes.append(f"<< /Type /Annot /Subtype /{kind} /Rect [{box}] {more} >>")
        return self

    def grid(self, xs: Sequence[float], ys: Sequence[float]) -> PageMaker:
        for x in xs:
            self.rule(x, ys[0], x, ys[-1])
        for y in ys:
            self.rule(xs[0], y, xs[-1], y)
        return self


def pdf(
    *pages: PageMaker,
    info: str = "",
    outline: Sequence[tuple[str, int, int]] = (),
    password: str = "",
    picture: bytes = b"\x80" * 16,
    size: tuple[int, int] = (4, 4),
    unicode_map: str = "",
) -> bytes:
    """A document; `outline` is (title, page from 0, level from 0); `picture` is grey, `size` pixels."""
    objects: list[bytes] = [b"", b""]

    def add(body: bytes) -> int:
        objects.append(body)
        return len(objects)

    mapped = ""
    if unicode_map:
        mapped = f" /ToUnicode {add(_stream(b'', unicode_map.encode()))} 0 R"
    fonts = " ".join(
        f"/{name} {add(f'<< /Type /Font /Subtype /Type1 /BaseFont /{font}{mapped} >>'.encode())} 0 R"
        for name, font in FONTS.items()
    )
    head = (
        f"/Type /XObject /Subtype /Image /Width {size[0]} /Height {size[1]} /ColorSpace /DeviceGray /BitsPerComponent 8"
    )
    image = add(_stream(head.encode() + b" /Filter /FlateDecode", zlib.compress(picture)))
    kids: list[int] = []
    fields: list[int] = []
    for page in pages:
        notes = [add(note.encode()) for note in page.notes]
        fields += [at for at, note in zip(notes, page.notes, strict=True) if "/Widget" in note]
        content = add(_stream(b"", "\n".join(page.ops).encode("latin-1")))
        box = f"/MediaBox [0 0 {page.width} {page.height}] /Rotate {page.turn}"
        inner = f"/Resources << /Font << {fonts} >> /XObject << /Im1 {image} 0 R >> >> /Contents {content} 0 R"
        named = " ".join(f"{note} 0 R" for note in notes)
        kids.append(add(f"<< /Type /Page /Parent 2 0 R {box} {inner} /Annots [{named}] >>".encode()))
    root = f" /Outlines {_outline(outline, kids, objects)} 0 R" if outline else ""
    if fields:
        root += f" /AcroForm << /Fields [{' '.join(f'{one} 0 R' for one in fields)}] /DA (/F1 10 Tf) >>"
    objects[0] = f"<< /Type /Catalog /Pages 2 0 R{root} >>".encode()
    named = " ".join(f"{kid} 0 R" for kid in kids)
    objects[1] = f"<< /Type /Pages /Count {len(kids)} /Kids [{named}] >>".encode()
    trailer = f" /Info {add(f'<< {info} >>'.encode())} 0 R" if info else ""
    if password:
        trailer += f" /Encrypt {add(_encryption(password))} 0 R /ID [<{'00' * 16}> <{'00' * 16}>]"
    return _file(objects, trailer)


def _stream(head: bytes, data: bytes) -> bytes:
    return b"<< %s /Length %d >>\nstream\n%s\nendstream" % (head, len(data), data)


def _outline(entries: Sequence[tuple[str, int, int]], kids: Sequence[int], objects: list[bytes]) -> int:
    """Bookmarks as objects at the end; the number of their root."""
    root = len(objects) + 1
    numbers = [root + 1 + index for index in range(len(entries))]
    parents = [
        next((numbers[j] for j in range(index - 1, -1, -1) if entries[j][2] < level), root)
        for index, (_, _, level) in enumerate(entries)
    ]

    def family(parent: int) -> str:
        children = [number for number, own in zip(numbers, parents, strict=True) if own == parent]
        return f"/First {children[0]} 0 R /Last {children[-1]} 0 R /Count {len(children)}" if children else ""

    objects.append(f"<< /Type /Outlines {family(root)} >>".encode())
    for index, (title, page, _) in enumerate(entries):
        parent = parents[index]
        after = [numbers[j] for j in range(index + 1, len(entries)) if parents[j] == parent]
        following = f"/Next {after[0]} 0 R" if after else ""
        target = f"/Parent {parent} 0 R /Dest [{kids[page]} 0 R /Fit]"
        objects.append(f"<< /Title ({title}) {target} {following} {family(numbers[index])} >>".encode())
    return root


def _encryption(password: str) -> bytes:
    """The dictionary of the oldest encryption, enough for a reader to ask for the password."""
    padded = (password.encode() + PAD)[:32]
    owner = _rc4(hashlib.md5(padded).digest()[:5], padded)
    key = hashlib.md5(padded + owner + (0xFFFFFFFC).to_bytes(4, "little") + bytes(16)).digest()[:5]
    user = _rc4(key, PAD)
    return f"<< /Filter /Standard /V 1 /R 2 /O <{owner.hex()}> /U <{user.hex()}> /P -4 >>".encode()


def _rc4(key: bytes, data: bytes) -> bytes:
    state = list(range(256))
    j = 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    out = bytearray()
    i = j = 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)


def _file(objects: Sequence[bytes], trailer: str) -> bytes:
    out = bytearray(b"%PDF-1.7\n")
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R{trailer} >>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(out)
