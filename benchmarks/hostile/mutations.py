"""Ways to spoil a valid document. Each is a function of a seed and a source of chance, the same for the same seed."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from random import Random

from benchmarks.hostile.packages import packed, unpacked
from benchmarks.hostile.texts import Seed

Mutation = Callable[[Seed, Random], bytes]

_NUMBER = re.compile(rb"\d+(?:\.\d+)?")
_NUMBERS = (
    b"-1",
    b"0",
    b"2147483648",
    b"18446744073709551616",
    b"9" * 400,
    b"1e999",
    b"-1e-999",
    b"NaN",
    b"0x7f",
    b"1_0",
)
_LETTERS = re.compile("[a-z]+")
_ODD = (
    "\u202e", "\u2066", "\u200b", "\u200d", "\ufeff", "\u0301" * 40, "\U0001f469\u200d\U0001f467", "\u2028",
    "\x85", "\x0b", "\x0c", "\u00ad", "\U000e0041", "\uffff", "\u3042\u6f22", "\u0627\u0644", "\x1b[31m", "\ud7a3",
)  # fmt: skip
_ENCODINGS = ("utf-16", "utf-16-le", "utf-32", "cp1252", "shift_jis", "koi8-r", "utf-7", "cp037")


# --- of bytes -----------------------------------------------------------------------------------------------------


def flip(seed: Seed, chance: Random) -> bytes:
    data = bytearray(seed.data)
    for _ in range(chance.choice((1, 4, 32))):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(data)


def cut_short(seed: Seed, chance: Random) -> bytes:
    return seed.data[: chance.randrange(1, len(seed.data))]


def cut_out(seed: Seed, chance: Random) -> bytes:
    start, end = sorted(chance.randrange(len(seed.data)) for _ in range(2))
    return seed.data[:start] + seed.data[end:]


def repeat(seed: Seed, chance: Random) -> bytes:
    """A slice of it again and again."""
    start, end = sorted(chance.randrange(len(seed.data) + 1) for _ in range(2))
    times = min(chance.choice((2, 100, 3000)), 300_000 // max(end - start, 1))
    return seed.data[:end] + seed.data[start:end] * times + seed.data[end:]


def shuffle(seed: Seed, chance: Random) -> bytes:
    size = max(1, len(seed.data) // 12)
    slices = [seed.data[at : at + size] for at in range(0, len(seed.data), size)]
    chance.shuffle(slices)
    return b"".join(slices)


def numbers(seed: Seed, chance: Random) -> bytes:
    """Some numbers made impossible."""
    share = chance.choice((0.1, 0.5, 1.0))
    return _NUMBER.sub(lambda found: chance.choice(_NUMBERS) if chance.random() < share else found[0], seed.data)


def lengths(seed: Seed, chance: Random) -> bytes:
    """Some fields of four bytes made huge or negative: sizes, counts and offsets, where a format has them."""
    data = bytearray(seed.data)
    for _ in range(chance.choice((1, 3, 12))):
        at = chance.randrange(max(1, min(len(data), 400) - 4))
        data[at : at + 4] = struct.pack(
            chance.choice("<>") + "I", chance.choice((0, 1, 0x7FFFFFFF, 0xFFFFFFFF, 0x10000))
        )
    return bytes(data)


def zeros(seed: Seed, chance: Random) -> bytes:
    """NULs or bytes that are no text in the middle."""
    at = chance.randrange(len(seed.data))
    return (
        seed.data[:at]
        + chance.choice((b"\0", b"\xff", b"\xc0\xaf", b"\xed\xa0\x80")) * chance.choice((1, 50))
        + seed.data[at:]
    )


# --- of text ------------------------------------------------------------------------------------------------------


def _text(seed: Seed) -> str:
    return seed.data.decode("utf-8", "replace")


def sprinkle(seed: Seed, chance: Random) -> bytes:
    """Marks of the format anywhere."""
    text = _text(seed)
    for _ in range(chance.choice((3, 40, 200))):
        at = chance.randrange(len(text) + 1)
        text = text[:at] + chance.choice(seed.marks) + text[at:]
    return text.encode()


def run(seed: Seed, chance: Random) -> bytes:
    """One mark thousands of times."""
    text = _text(seed)
    at = chance.choice((0, len(text), chance.randrange(len(text) + 1)))
    mark = "".join(chance.choice(seed.marks) for _ in range(chance.choice((1, 1, 2, 3))))
    return (text[:at] + mark * (chance.choice((2_000, 40_000)) // len(mark)) + text[at:]).encode()


def nest(seed: Seed, chance: Random) -> bytes:
    """One thing inside itself, hundreds or thousands deep; sometimes never closed."""
    opening, closing = chance.choice(seed.pairs)
    depth = chance.choice((150, 1_000, 8_000))
    text = _text(seed)
    at = chance.choice((0, len(text), chance.randrange(len(text) + 1)))
    return (
        text[:at] + opening * depth + " words " + closing * chance.choice((0, depth - 1, depth)) + text[at:]
    ).encode()


def letters(seed: Seed, chance: Random) -> bytes:
    """Words made of characters that are not what they seem."""
    share = chance.choice((0.05, 0.5))
    return _LETTERS.sub(
        lambda found: chance.choice(_ODD) if chance.random() < share else found[0], _text(seed)
    ).encode()


def line_ends(seed: Seed, chance: Random) -> bytes:
    text = _text(seed)
    mixed = "".join(chance.choice(("\r", "\r\n", "\n\r", "\n\n", "\u2029", "")) if c == "\n" else c for c in text)
    return chance.choice((mixed, text.replace("\n", "\r"), text.replace("\n", ""), text.replace(" ", "\n"))).encode()


def recode(seed: Seed, chance: Random) -> bytes:
    """Another encoding, or two in one file."""
    other = _text(seed).encode(chance.choice(_ENCODINGS), "replace")
    return other if chance.random() < 0.7 else seed.data + "é".encode("cp1252") + other


def long_line(seed: Seed, chance: Random) -> bytes:
    """A line of some 200,000 characters."""
    unit = chance.choice(("word ", "a", "\u6f22", "a,", "1 ", "\u0301", "<b>", '"a" '))
    text = _text(seed)
    at = chance.randrange(len(text) + 1)
    return (text[:at] + unit * (200_000 // len(unit)) + text[at:]).encode()


# --- of archives --------------------------------------------------------------------------------------------------


def _with_part(seed: Seed, chance: Random, mutation: Mutation) -> bytes:
    parts = unpacked(seed.data)
    name = chance.choice([one for one in parts if parts[one]])
    parts[name] = mutation(seed._replace(data=parts[name]), chance)
    return packed(parts)


def inside(mutation: Mutation) -> Mutation:
    """The same of one part of an archive."""
    return lambda seed, chance: _with_part(seed, chance, mutation)


def parts_lost(seed: Seed, chance: Random) -> bytes:
    parts = unpacked(seed.data)
    for _ in range(chance.choice((1, 2))):
        parts.pop(chance.choice(sorted(parts)))
    return packed(parts)


def parts_renamed(seed: Seed, chance: Random) -> bytes:
    rename = chance.choice(
        (str.upper, lambda n: f"../{n}", lambda n: n.replace("/", "\\"), lambda n: f"/{n}", lambda n: n + "\0")
    )
    chosen = chance.random() < 0.5
    return packed(
        {(rename(n) if chosen or chance.random() < 0.3 else n): data for n, data in unpacked(seed.data).items()}
    )


def parts_swapped(seed: Seed, chance: Random) -> bytes:
    parts = unpacked(seed.data)
    contents = list(parts.values())
    chance.shuffle(contents)
    return packed(dict(zip(parts, contents, strict=True)))


def lies(seed: Seed, chance: Random) -> bytes:
    """Sizes, checksums, methods and flags in the directory that are not true."""
    data = bytearray(seed.data)
    for found in re.finditer(rb"PK\x01\x02|PK\x03\x04", seed.data):
        if chance.random() < 0.5:
            at = found.start() + chance.choice((6, 8, 10, 14, 18, 20, 22, 24, 28, 42))
            data[at : at + 4] = struct.pack("<I", chance.choice((0, 1, 99, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF)))
    return bytes(data)


BYTES: tuple[Mutation, ...] = (flip, cut_short, cut_out, repeat, shuffle, numbers, lengths, zeros)
TEXT: tuple[Mutation, ...] = (
    sprinkle, run, nest, letters, line_ends, recode, long_line, sprinkle, run, nest, flip, cut_short, cut_out, repeat,
    shuffle, numbers, zeros,
)  # fmt: skip
ARCHIVE: tuple[Mutation, ...] = (
    *(
        inside(one)
        for one in (sprinkle, nest, numbers, cut_short, run, flip, repeat, long_line, letters, recode, zeros, shuffle)
    ),
    *(parts_lost, parts_renamed, parts_swapped, lies, flip, cut_short, cut_out, lengths, repeat),
)
